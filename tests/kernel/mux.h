/* More events than counters: the driver's own rotation. */
#ifndef BX_TESTS_KERNEL_MUX_H
#define BX_TESTS_KERNEL_MUX_H

#include "rig.h"

/* Opens the events, which cannot all be on, and does the work `least` times or more, letting time
 * pass in between. What each counted must be what the twin counted in those rounds in which the
 * registers held it, and each must have been held in some of them and not in all. */
void mux_counts(rig *r, const char *const *events, size_t n, unsigned least, const char *work);

#endif
