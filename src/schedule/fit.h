/* Distributes the members of boxes over as few passes as possible. */
#ifndef BX_SCHEDULE_FIT_H
#define BX_SCHEDULE_FIT_H

#include "schedule/compatible.h"

/* How many checks the search for fewer passes may make. Up to about twenty members of a box this is
 * enough to prove the minimum. Beyond that the first fit stays if the search has found nothing
 * better by then. With more than 2,048 it stays in any case. */
enum { BX_FIT_TRIES = 1 << 17 };

/* Fills in pass, counter and chosen of all members and returns the number of passes; 0: out of
 * memory. Each group must be compatible. Each member needs a counter (or can 0) and an alternative.
 * Earlier members get earlier passes, lower counters and earlier places, as far as that costs no
 * pass. */
unsigned bx_fit(bx_member *members, size_t n);

/* The same with that many tries; with 0 the result is the first fit. */
unsigned bx_fit_within(bx_member *members, size_t n, unsigned tries);

#endif
