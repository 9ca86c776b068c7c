/* A progress line on a terminal for long runs. Nothing is written in the first second, or if
 * standard error is no terminal. */
#ifndef BX_CLI_COMMON_PROGRESS_H
#define BX_CLI_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bx_progress {
    bool terminal, shown;
    double start, last; /* seconds of the monotonic clock */
} bx_progress;

bx_progress bx_progress_start(void);

/* Shows that so many accesses have been made. Writes at most every tenth of a second. */
void bx_progress_show(bx_progress *p, uint64_t accesses);

/* Erases the line. It may appear again. */
void bx_progress_erase(bx_progress *p);

/* Seconds of the monotonic clock. */
double bx_progress_clock(void);

#endif
