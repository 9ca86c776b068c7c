/* A line on a terminal that tells how far a long run is. Nothing is written where standard error is
 * no terminal, or within the first second. */
#ifndef BX_CLI_COMMON_PROGRESS_H
#define BX_CLI_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bx_progress {
    bool terminal, shown;
    double start, last; /* seconds of the monotonic clock */
    uint64_t before;    /* accesses of the runs before this one */
} bx_progress;

bx_progress bx_progress_start(void);

/* So many accesses of this run are done. Writes at most every tenth of a second. */
void bx_progress_tell(bx_progress *p, uint64_t accesses);

/* A run has ended, with so many accesses. */
void bx_progress_next(bx_progress *p, uint64_t accesses);

/* Erases the line. It may appear again. */
void bx_progress_erase(bx_progress *p);

/* Seconds of the monotonic clock. */
double bx_progress_clock(void);

#endif
