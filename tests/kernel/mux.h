/* Counts more events than there are counters, which the driver multiplexes. */
#ifndef BX_TESTS_KERNEL_MUX_H
#define BX_TESTS_KERNEL_MUX_H

#include "rig.h"

/* Opens the events, which do not fit the counters at once, and does the work at least `least`
 * times, with time in between. Each event must count what the twin counted in the rounds in which
 * the registers selected it. It must have been selected in some rounds, but not in all. */
void mux_counts(rig *r, const char *const *events, size_t n, unsigned least, const char *work);

#endif
