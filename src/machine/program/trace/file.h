/* A trace file on disk, or in a pipe: docs/reference/trace.md. */
#ifndef BX_MACHINE_PROGRAM_TRACE_FILE_H
#define BX_MACHINE_PROGRAM_TRACE_FILE_H

#include "tracefile/reader.h"

typedef struct bx_trace_file bx_trace_file;

/* Opens the file and reads its head. Messages name the file. */
int bx_trace_file_open(const char *path, bx_trace_file **f, bx_error *e);
void bx_trace_file_close(bx_trace_file *f); /* NULL is fine */

int bx_trace_file_next(bx_trace_file *f, bx_tracefile_part *part, bx_error *e);

void bx_trace_file_watch(bx_trace_file *f, bx_tracefile_note *note,
                         void *context);          /* as bx_tracefile_watch() */
void *bx_trace_file_take_words(bx_trace_file *f); /* bx_tracefile_take_words() */

const bx_tracefile_reader *bx_trace_file_reader(const bx_trace_file *f);

#endif
