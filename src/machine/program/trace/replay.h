/* Replays a trace file: its words become tasks. Their order depends on the file alone. */
#ifndef BX_MACHINE_PROGRAM_TRACE_REPLAY_H
#define BX_MACHINE_PROGRAM_TRACE_REPLAY_H

#include "machine/program/trace/family.h"
#include "tracefile/reader.h"

typedef struct bx_trace_replay bx_trace_replay;

/* The members are as in bx_trace_family. */
typedef struct bx_trace_replay_options {
    struct bx_frames *frames;
    bool kernel, remarks;
    const struct bx_tlb_geometry *tlb;
    bx_core_time core;
    bool prefetch;
} bx_trace_replay_options;

/* Opens the file and reads its head. */
int bx_trace_replay_new(const char *path, bx_tasks *tasks, const bx_trace_replay_options *o,
                        bx_trace_replay **r, bx_error *e);
void bx_trace_replay_free(bx_trace_replay *r); /* NULL is fine */

/* Reads more: makes some accesses if there are any. false: the end, or the rest is malformed. */
bool bx_trace_replay_step(bx_trace_replay *r);

const bx_trace_family *bx_trace_replay_family(const bx_trace_replay *r);

/* Call this at the end. Returns whether the file was read without error; the error describes what
 * is wrong with the file. The second function returns how the program ended. */
int bx_trace_replay_check(const bx_trace_replay *r, bx_error *e);
int bx_trace_replay_status(const bx_trace_replay *r, int *signal);
const bx_tracefile_reader *bx_trace_replay_file(const bx_trace_replay *r);

#endif
