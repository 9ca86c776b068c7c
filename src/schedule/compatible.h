/* Whether members of one box can count at once. Knows registers and counters by number only. */
#ifndef BX_SCHEDULE_COMPATIBLE_H
#define BX_SCHEDULE_COMPATIBLE_H

#include <boxscore/boxscore.h>

/* What a member writes to shared registers if it has one of the places that it may take. */
typedef struct bx_choice {
    bx_regvalue reg[BX_EXTRAS];
    unsigned n;
} bx_choice;

/* What wants to be counted in one box: on one counter that it can have, at one of its places. */
typedef struct bx_member {
    const bx_choice *choice; /* one for each place; the first is preferred */
    uint32_t can;            /* mask of counters; 0: it needs none for itself */
    uint16_t box;            /* members of different boxes have nothing in common */
    uint16_t bundle;         /* members of one bundle are in one pass; 0: in none */
    uint16_t pass;           /* what is found: pass, */
    uint8_t choices;
    uint8_t counter, chosen; /* counter, and index of the place */
} bx_member;

/* Whether all of them can count at once: no two on one counter, and no two that want different
 * contents in one register. Fills in counter and chosen; they mean nothing if it fails. */
bool bx_together(bx_member *const *members, size_t n);

/* Why a set cannot be together. */
enum bx_cause {
    BX_CAUSE_REGISTER, /* a and b want `bits` of a register differently, wherever they are put */
    BX_CAUSE_PLACES, /* more different contents than places, though no two are against each other */
    BX_CAUSE_COUNTERS, /* the first `n` of them have fewer counters than they need */
};

typedef struct bx_clash {
    unsigned cause; /* enum bx_cause */
    size_t a, b;    /* members: register: those two; else b is the first that finds no room */
    uint16_t reg;
    uint64_t bits;
} bx_clash;

/* The cause that members cannot be together; bx_together() must have said so. */
bx_clash bx_clash_of(bx_member *const *members, size_t n);

#endif
