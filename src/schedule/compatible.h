/* Tests whether members of one box can count at the same time. It knows registers and counters by
 * number only. */
#ifndef BX_SCHEDULE_COMPATIBLE_H
#define BX_SCHEDULE_COMPATIBLE_H

#include <boxscore/boxscore.h>

/* The bits that a member needs in shared registers at one of its places. */
typedef struct bx_requirement {
    bx_regvalue reg[BX_EXTRAS];
    unsigned n;
} bx_requirement;

/* An event to count in one box: on one of its possible counters, at one of its places. */
typedef struct bx_member {
    const bx_requirement *alternative; /* one for each place; the first is preferred */
    uint32_t can;                      /* mask of possible counters; 0: it needs no counter */
    uint16_t box;                      /* members of different boxes share nothing */
    uint16_t group;                    /* members of one group share a pass; 0: no group */
    uint16_t pass;                     /* the result: pass, … */
    uint8_t alternatives;
    bool pinned;             /* it is in every pass, on its only possible counter and place */
    uint8_t counter, chosen; /* … counter, and index of the place */
} bx_member;

/* Whether all members can count at the same time: each on its own counter, and without different
 * requirements of one register. Sets counter and chosen; if it returns false, they have no meaning.
 */
bool bx_compatible(bx_member *const *members, size_t n);

/* Why members are incompatible. */
enum bx_conflict_cause {
    BX_CONFLICT_REGISTER, /* a and b require different `bits` of a register, at any place */
    BX_CONFLICT_PLACES,   /* more different contents are required than there are places, although no
                             pair conflicts */
    BX_CONFLICT_COUNTERS, /* the first `n` members have fewer counters than they need */
};

typedef struct bx_conflict {
    unsigned cause; /* enum bx_conflict_cause */
    size_t a, b; /* members: for REGISTER the two that conflict; else b is the first without room */
    uint16_t reg;
    uint64_t bits;
} bx_conflict;

/* The reason why members are incompatible. Call it only after bx_compatible() has returned
 * false. */
bx_conflict bx_find_conflict(bx_member *const *members, size_t n);

#endif
