/* The error of the sum of scaled values. */
#ifndef BX_SESSION_SPREAD_H
#define BX_SESSION_SPREAD_H

#include <boxscore/boxscore.h>

/* bx_reading_error() for the sum over the units of `together`. */
double bx_reading_error_together(const bx_reading *r);

#endif
