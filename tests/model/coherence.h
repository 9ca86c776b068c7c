/* Checks that the contents of a server machine's caches never contradict each other, after any
 * accesses. */
#ifndef BX_TESTS_MODEL_COHERENCE_H
#define BX_TESTS_MODEL_COHERENCE_H

#include "rig.h"

#include "model/part/private_caches.h"

struct coherence_machine {
    const char *model; /* its name */
    unsigned ways;     /* of the LLC */
    unsigned steps;    /* of random accesses, on each of these machines */
    struct {
        unsigned packages, cores;
    } shapes[8]; /* ends with one of no packages */
    /* Two workloads, one after the other, on a machine with slices of so many sets. */
    unsigned packages, cores, sets;
    const char *work[2];

    const struct bx_privates *(*privates)(bx_model *m, unsigned package, unsigned core);
    const struct bx_cache *(*llc)(bx_model *m, unsigned package, unsigned slice);
    unsigned (*slice_of)(bx_model *m, uint64_t line);
};

/* The whole test program. */
int coherence_main(const struct coherence_machine *machine);

#endif
