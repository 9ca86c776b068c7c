/* Distributes the members of boxes over as few passes as possible. */
#ifndef BX_SCHEDULE_FIT_H
#define BX_SCHEDULE_FIT_H

#include "schedule/compatible.h"

/* The most checks that the search for fewer passes may make. For up to about twenty members of a
 * box this is enough to prove the minimum. With more members, the first fit is used if the search
 * finds nothing better within the limit. With more than 2,048 members there is no search. */
enum { BX_FIT_TRIES = 1 << 17 };

/* Fills in pass, counter and chosen of all members and returns the number of passes; 0: out of
 * memory. Each group must be compatible. Each member must have a possible counter, or `can` 0, and
 * an alternative. Earlier members get earlier passes, lower counters and earlier places, if that
 * needs no additional pass. */
unsigned bx_fit(bx_member *members, size_t n);

/* The same with the given number of checks; with 0 the result is the first fit. */
unsigned bx_fit_within(bx_member *members, size_t n, unsigned tries);

#endif
