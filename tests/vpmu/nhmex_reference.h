/* A plain reference: four boxes of two Xeon 7500 packages, cycle by cycle. Addresses and
 * bits: nhmex_boxes.c; where the guide is silent, the readings of docs/dialogue.md are typed here
 * again. */
#ifndef BX_TESTS_VPMU_NHMEX_REFERENCE_H
#define BX_TESTS_VPMU_NHMEX_REFERENCE_H

#include "nhmex_boxes.h"
#include "raised.h"

enum { REF_DELAY = 5, REF_PACKAGES = 2, REF_CORES = 2, REF_EACH = 13 };

/* What a counter counts: when it changes, the condition is taken as not having held before. */
struct ref_mode {
    bool counting;
    unsigned code, umask, port, threshold;
    bool edge, invert, gated;
    unsigned gate_code, gate_umask;
};

struct ref_counter {
    struct nhmex_counter is;
    uint64_t control, sum; /* the sum with the accumulator's bits */
    unsigned shift, behind;
    bool high, stopped, overflowed;
    uint64_t arrives;     /* 0: nothing is under way */
    struct ref_mode last; /* the source that it counted last */
};

struct ref_package {
    uint64_t global, sticky;
    uint64_t enable[W_BOX];
    unsigned iperf[2][4], qlx[4], dsp, fvc;
    struct ref_counter counter[REF_EACH];
};

struct nhmex_reference {
    struct script *script; /* of package 0 alone; it does not distinguish ports and counters */
    uint64_t now;
    struct ref_package package[REF_PACKAGES];
    struct raised raised;
    struct {
        uint64_t time;
        unsigned cpu;
    } pmi[BENCH_PMIS];
    unsigned pmis;
};

struct ref_modes {
    struct ref_mode of[REF_PACKAGES][REF_EACH];
};

struct ref_mode ref_mode_of(const struct ref_package *k, const struct ref_counter *c);

/* Around every change: what was selected before, and what follows from it. */
void ref_note(const struct nhmex_reference *r, struct ref_modes *before);
void ref_retune(struct nhmex_reference *r, const struct ref_modes *before);

void ref_cycles(struct nhmex_reference *r, uint64_t cycles);

void ref_set_count(struct ref_counter *c, uint64_t value);
void ref_reset_tally(struct nhmex_reference *r, unsigned package, struct ref_counter *c);
void ref_set_global(struct ref_package *k, uint64_t value);

#endif
