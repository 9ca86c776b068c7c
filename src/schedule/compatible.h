/* Whether members of one box can count at once. Knows registers and counters by number only. */
#ifndef BX_SCHEDULE_COMPATIBLE_H
#define BX_SCHEDULE_COMPATIBLE_H

#include <boxscore/boxscore.h>

/* What a member writes to shared registers if it has one of the places that it may take. */
typedef struct bx_requirement {
    bx_regvalue reg[BX_EXTRAS];
    unsigned n;
} bx_requirement;

/* What wants to be counted in one box: on one counter that it can have, at one of its places. */
typedef struct bx_member {
    const bx_requirement *alternative; /* one for each place; the first is preferred */
    uint32_t can;                      /* mask of counters; 0: it needs none for itself */
    uint16_t box;                      /* members of different boxes have nothing in common */
    uint16_t group;                    /* members of one group are in one pass; 0: in none */
    uint16_t pass;                     /* what is found: pass, */
    uint8_t alternatives;
    uint8_t counter, chosen; /* counter, and index of the place */
} bx_member;

/* Whether all of them can count at once: no two on one counter, and no two that require different
 * contents in one register. Fills in counter and chosen; they mean nothing if it fails. */
bool bx_compatible(bx_member *const *members, size_t n);

/* Why a set is incompatible. */
enum bx_conflict_cause {
    BX_CONFLICT_REGISTER, /* a and b require `bits` of a register differently, wherever they are put
                           */
    BX_CONFLICT_PLACES,   /* more different contents than places, though no two conflict */
    BX_CONFLICT_COUNTERS, /* the first `n` of them have fewer counters than they need */
};

typedef struct bx_conflict {
    unsigned cause; /* enum bx_conflict_cause */
    size_t a, b;    /* members: register: those two; else b is the first that finds no room */
    uint16_t reg;
    uint64_t bits;
} bx_conflict;

/* The cause that members are incompatible; bx_compatible() must have said so. */
bx_conflict bx_find_conflict(bx_member *const *members, size_t n);

#endif
