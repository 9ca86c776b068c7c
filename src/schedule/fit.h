/* Members of boxes into passes, as few as can be. */
#ifndef BX_SCHEDULE_FIT_H
#define BX_SCHEDULE_FIT_H

#include "schedule/compatible.h"

/* How often the search for fewer passes asks whether something can be added to one. Up to some
 * twenty members of a box that is enough to be sure that there is no better way; beyond, the first
 * fit stands where the search has found no better one by then. */
enum { BX_FIT_TRIES = 1 << 17 };

/* Fills in pass, counter and chosen of all members and returns the number of passes; 0: out of
 * memory. Each group must be compatible, and each member have a counter (or can 0) and an
 * alternative. Members that come first are in the first passes, on low counters and at first
 * places, as far as that costs no pass. */
unsigned bx_fit(bx_member *members, size_t n);

/* The same with so many tries: 0 is the first fit alone. */
unsigned bx_fit_within(bx_member *members, size_t n, unsigned tries);

#endif
