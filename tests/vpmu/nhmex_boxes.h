/* Counters of the Xeon 7500 as its guide lists them: 323535-001 tables 2-1 to 2-90, transcribed. */
#ifndef BX_TESTS_VPMU_NHMEX_BOXES_H
#define BX_TESTS_VPMU_NHMEX_BOXES_H

#include "bench.h"
#include "bits.h"

enum { U_BOX, C_BOX, B_BOX, S_BOX, R_BOX, M_BOX, W_BOX };
enum { U_CTL = 0xc00, U_STATUS = 0xc01, U_OVF = 0xc02 };

#define FRZ_ALL  BIT(31)
#define RST_ALL  BIT(29)
#define EN_ALL   BIT(28)
#define CORE(n)  BIT(1 + (n))
#define U_EN     BIT(0)
#define COND     BIT(31)
#define PMI_SEEN BIT(30)

/* Where a counter is, and the contents of its control that count an event of its box. */
struct nhmex_counter {
    unsigned box, unit, index;
    unsigned control, value, enable, status, clear; /* MSRs */
    unsigned bit;                                   /* in the last three */
    uint64_t on, pmi;                               /* bits of the control */
    uint64_t select;                                /* the same, of the event below */
    bx_selection event;
    unsigned side, summary; /* the S-Box that reports it (2: none), and its bit there */
    unsigned above;         /* bit of U's status */
};

/* The counter, with an event whose level is added in each cycle. */
struct nhmex_counter nhmex_counter_of(unsigned box, unsigned unit, unsigned index);

unsigned nhmex_counters_of(unsigned box); /* of a unit */
unsigned nhmex_units_of(unsigned box);

/* Enables control, box and package; the package's register also gets these bits. */
void nhmex_start(struct bench *b, const struct nhmex_counter *c, uint64_t control, uint64_t global);

/* Raises its event at that level for so many cycles. */
void nhmex_raise(struct bench *b, const struct nhmex_counter *c, uint32_t level, uint64_t cycles);

#endif
