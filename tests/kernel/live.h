/* `boxscore serve` and `boxscore top` in the guest. */
#ifndef BX_TESTS_KERNEL_LIVE_H
#define BX_TESTS_KERNEL_LIVE_H

#include "measured.h"

/* A metric, and the event that it exports. Ends with {NULL, NULL}. */
typedef struct live_metric {
    const char *event, *name; /* name: without labels */
} live_metric;

/* `serve` writes its metrics to a file while the guest and its twin do that work: their sums over
 * all units are what the twin counts. Skips the test if the server
 * is not built. */
void live_serves(rig *r, const live_metric *metrics, const char *work);

/* `top` prints these texts, up to NULL, in its second interval. Skips the test as above. */
void live_shows(rig *r, const char *events, const char *const *says);

#endif
