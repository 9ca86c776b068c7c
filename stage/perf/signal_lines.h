/* The dialogue of a gathered machine on stage: lines that say what happens on its PMUs. */
#ifndef BX_STAGE_PERF_SIGNAL_LINES_H
#define BX_STAGE_PERF_SIGNAL_LINES_H

#include "base/str.h"
#include "stage/perf/perf.h"

/* Executes a line: "signal EVENT LEVEL CYCLES [package=N] [cpu=N]" or "cycles N". A malformed line
 * is BX_BAD_INPUT with the span in the line, and does nothing. */
int bx_signal_line(bx_staged_perf *p, bx_str line, bx_error *e);

#endif
