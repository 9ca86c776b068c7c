/* A recording as a saved run: the totals of its events, and the metrics that they make. */
#ifndef BX_COMPARE_RECORDINGS_RECORDED_RUN_H
#define BX_COMPARE_RECORDINGS_RECORDED_RUN_H

#include "compare/saved.h"
#include "profile/metrics.h"

/* Texts are the recording's, safe to print. BX_BAD_INPUT: it was not recorded to its end. */
int bx_recorded_run(const bx_profile_metrics *m, const char *name, bx_saved *to, bx_error *e);

#endif
