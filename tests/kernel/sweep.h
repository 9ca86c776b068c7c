/* Counts all events of a PMU that the machine's model produces, one after the other, each with its
 * own work. With BX_KERNEL_EVERY=N in the environment only every N-th is counted, because an event
 * takes some tenths of a second. */
#ifndef BX_TESTS_KERNEL_SWEEP_H
#define BX_TESTS_KERNEL_SWEEP_H

#include "rig.h"

typedef struct sweep {
    const char *pmu;  /* "skl_unc_cbo" */
    const char *unit; /* unit and package: "1@0" */
    /* Texts that some events need after their names. The first one is used that makes an event
     * which the driver accepts; ends with NULL. */
    const char *const *with;
    const char *work;
} sweep;

typedef struct swept {
    size_t rows;              /* all events, with any result */
    size_t counted, not_zero; /* events that were counted, and those of them that occurred */
    /* One line for each event that perf cannot spell, and for each that the guest counted
     * differently from the model. */
    bx_buf unspellable, different;
} swept;

swept sweep_all(rig *r, const sweep *s);

/* Checks that there are so many rows, that each is spelled and equal, and that not all are 0. */
void swept_end(swept *s, size_t rows);

#endif
