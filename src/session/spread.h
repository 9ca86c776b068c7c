/* How far off the sum of scaled values may be. */
#ifndef BX_SESSION_SPREAD_H
#define BX_SESSION_SPREAD_H

#include <boxscore/boxscore.h>

/* bx_reading_error() of the sum over the units that `together` is of. */
double bx_reading_error_together(const bx_reading *r);

#endif
