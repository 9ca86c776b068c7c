/* All events of a PMU that the machine's model produces, one after the other, each with its own
 * work. BX_KERNEL_EVERY=N in the environment takes each N-th only: an event takes some tenths of a
 * second. */
#ifndef BX_TESTS_KERNEL_SWEEP_H
#define BX_TESTS_KERNEL_SWEEP_H

#include "rig.h"

typedef struct sweep {
    const char *pmu;  /* "skl_unc_cbo" */
    const char *unit; /* unit and package: "1@0" */
    /* What some need beside them to mean something: tried in order, the first that makes an event
     * that the driver can be given; ends with NULL. */
    const char *const *with;
    const char *work;
} sweep;

typedef struct swept {
    size_t rows;              /* events, whatever came of them */
    size_t counted, not_zero; /* those that were counted; of them those that happened */
    /* A line each: those that perf's spelling cannot say, and what the guest counted otherwise than
     * the model. */
    bx_buf unspellable, different;
} swept;

swept sweep_all(rig *r, const sweep *s);

/* Holds all of that against what should be: so many rows, each spelled and equal, and not just
 * zeros.
 */
void swept_end(swept *s, size_t rows);

#endif
