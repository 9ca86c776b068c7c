/* The words in which the tables of tabled.h are written. */
#ifndef BX_PFM_TABLED_ROWS_H
#define BX_PFM_TABLED_ROWS_H

#include "pfm/tabled.h"

/* Kinds of rows. LIKE: the event before it has the unit masks of the event that it names. ALIAS: an
 * event that has nothing of its own but a name. GAP: a number that libpfm4 gives to no event here.
 */
enum { EVENT, ALIAS, GAP, MASK, LIKE };

/* Modifiers, with libpfm4's numbers. */
enum {
    K = 1 << 0,
    U = 1 << 1,
    E = 1 << 2,
    I = 1 << 3,
    C = 1 << 4,
    ANY = 1 << 5,
    LATENCY = 1 << 6,
    TX = 1 << 7,
    TXCP = 1 << 8,
    BUBBLES = 1 << 9,
    LEVELS = K | U,
    ALL = LEVELS | E | I | C,
};

enum {
    SOLE = 1,      /* it goes with no other of its group */
    PRESET = 2,    /* taken if none of its group is named */
    PRECISE = 4,   /* PEBS samples it */
    OFFCORE = 8,   /* its unit masks are bits of MSR_OFFCORE_RSP */
    FRONT = 16,    /* its unit masks are bits of MSR_PEBS_FRONTEND */
    LOAD = 32,     /* takes a latency, which is the second word */
    LENGTH = 64,   /* takes a number of cycles, bits 19:8 of the second word */
    RECODES = 128, /* its code has the event's code, too */
    LAST = 256,    /* excludes groups of higher numbers */
};

extern const bx_tabled_pmu bx_tabled_perf, bx_tabled_perf_raw, bx_tabled_skl, bx_tabled_ivb_ep,
    bx_tabled_nhm_ex;

#endif
