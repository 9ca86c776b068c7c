/* A progress line on a terminal for long runs. Nothing is written in the first second, or if
 * standard error is no terminal. */
#ifndef BX_CLI_COMMON_PROGRESS_H
#define BX_CLI_COMMON_PROGRESS_H

#include "measure/measurement.h"

#include <stdbool.h>

typedef struct bx_progress {
    bool terminal, shown;
    double start, last; /* seconds of the monotonic clock */
} bx_progress;

bx_progress bx_progress_start(void);

/* Shows how far a measurement is. Writes at most every tenth of a second. */
void bx_progress_show(bx_progress *p, const bx_measurement_state *state);

/* The same for other work, with that text; how long it has taken stands in front of it. */
void bx_progress_say(bx_progress *p, const char *text);

/* Erases the line. It may appear again. */
void bx_progress_erase(bx_progress *p);

/* Columns of the terminal that a descriptor is; at most 160 are used. */
unsigned bx_progress_columns(int fd);

/* Seconds of the monotonic clock. */
double bx_progress_clock(void);

#endif
