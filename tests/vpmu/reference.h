/* A plain reference: the uncore PMU of 334060-001 cycle by cycle. Every counter checks every cycle.
 * Addresses and bits are typed from its tables 2-1 to 2-8; where the documents leave something
 * open, the readings taken in catalog/skl and src/vpmu are typed here again. */
#ifndef BX_TESTS_VPMU_REFERENCE_H
#define BX_TESTS_VPMU_REFERENCE_H

#include "raised.h"
#include "script.h"

enum {
    REF_SLICES = 4,
    REF_CORES = 4,
    REF_COUNTERS = 2 * REF_SLICES + 2 + 1,
    REF_PMIS = 4096,
};

struct ref_counter {
    unsigned control_msr, value_msr; /* addresses */
    uint16_t box, unit;
    unsigned width, status_bit;
    uint64_t control, value;
    bool high;
};

struct ref_pmi {
    uint64_t time;
    unsigned cpu;
};

struct reference {
    struct script *script;
    uint64_t now, global, status;
    struct ref_counter counter[REF_COUNTERS];
    struct raised raised;
    uint64_t imc[5];
    bool asleep[REF_CORES];
    struct ref_pmi pmi[REF_PMIS];
    unsigned pmis;
};

void ref_init(struct reference *r, struct script *s);
bool ref_read(const struct reference *r, unsigned msr, uint64_t *value); /* false: #GP */
bool ref_write(struct reference *r, unsigned msr, uint64_t value);       /* false: #GP */
void ref_pass(struct reference *r, uint64_t cycles);
void ref_fall(struct reference *r);

#endif
