/* Reads the traces of all processes of a program, in a thread of its own. */
#ifndef BX_MACHINE_PROGRAM_TRACE_READER_H
#define BX_MACHINE_PROGRAM_TRACE_READER_H

#include "machine/program/process/traced_process.h"
#include "machine/program/trace/process.h"

typedef struct bx_trace_reader bx_trace_reader;

/* kernel, remarks, tlb, core, prefetch, copy: as in bx_trace_family. On failure returns NULL and
 * sets errno. */
bx_trace_reader *bx_trace_reader_new(bx_tasks *tasks, struct bx_frames *frames, bool kernel,
                                     bool remarks, const struct bx_tlb_geometry *tlb,
                                     const bx_core_time *core, bool prefetch,
                                     struct bx_tracefile_writer *copy);
void bx_trace_reader_free(bx_trace_reader *r); /* kills all processes; NULL is fine */

/* The end of the socket for the tracer. */
int bx_trace_reader_fd(const bx_trace_reader *r);

/* The soft limit of open files that we had before: the program's. 0: not known. */
unsigned long bx_trace_reader_files(const bx_trace_reader *r);

/* Reads until all processes have ended, `child` among them, or until tasks->stop or
 * child->end_all. */
void bx_trace_reader_run(bx_trace_reader *r, const bx_child *child);

/* Call this when bx_trace_reader_run() has returned. */
const bx_trace_family *bx_trace_reader_family(const bx_trace_reader *r);

#endif
