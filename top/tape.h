/* A recording as series: all of its rows, and the lines that caused most. */
#ifndef BX_TOP_TAPE_H
#define BX_TOP_TAPE_H

#include "live/hottest.h"
#include "live/series.h"

typedef struct bx_tape {
    bx_series series;
    bx_hottest hottest; /* events 0: nothing is attributed */
    const char *work;
    const char *remark; /* what the recording lacks, or NULL */
    bx_arena arena;
} bx_tape;

/* Reads it; free *t in any case. */
int bx_tape_read(const bx_catalog *c, const char *path, bx_tape *t, bx_error *e);
void bx_tape_free(bx_tape *t);

#endif
