/* Where a trace that is used as it is differs from a point's machine, in what its program saw. */
#ifndef BX_SWEEP_TRACE_SIGHT_H
#define BX_SWEEP_TRACE_SIGHT_H

#include "base/arena.h"
#include "base/error.h"

#include <boxscore/boxscore.h>

#include <stdint.h>

typedef struct bx_trace_sight {
    const char *features; /* NULL: not known */
    uint64_t cpus;        /* 0: as many as the host had */
} bx_trace_sight;

/* Reads the head of the trace. */
int bx_trace_sight_read(const char *path, bx_arena *arena, bx_trace_sight *to, bx_error *e);

/* "the trace is of 4 CPUs, this machine has 8", in the arena; NULL: it does not differ, or out of
 * memory, or the machine cannot be opened. */
const char *bx_trace_sight_differs(const bx_trace_sight *s, const bx_catalog *c,
                                   const char *machine, bx_arena *arena);

#endif
