/* The parts of bx_fit(): search.c checks what is compatible and finds the first solution,
 * minimize.c a better one. */
#ifndef BX_SCHEDULE_SEARCH_H
#define BX_SCHEDULE_SEARCH_H

#include "schedule/compatible.h"

#define BX_NO_PASS UINT16_MAX

/* A member, or a group of members that share a pass: the unit of the search. */
typedef struct bx_item {
    size_t first, n;  /* its members, as indices in `order` */
    size_t conflicts; /* number of items that are incompatible with it */
} bx_item;

typedef struct bx_search {
    bx_member **order; /* members by item; items by their first member */
    size_t members;
    bx_item *item;
    size_t n;
    uint16_t *pass; /* of each item, or BX_NO_PASS */
    uint16_t *best; /* the best solution so far */
    bx_member **subset;
    unsigned passes; /* passes allowed */
    unsigned tries;  /* tries left */
    bool *excluded;  /* [item * passes + pass]: the item cannot join the pass */
    size_t *trail;   /* indices in `excluded`, in the order of exclusion */
    size_t trail_n;
} bx_search;

bool bx_search_open(bx_search *s, bx_member *members, size_t n); /* false: out of memory */
void bx_search_close(bx_search *s);

/* Whether an item can join the members of a pass; whether two items can share a pass. */
bool bx_search_can_join(const bx_search *s, size_t item, unsigned pass);
bool bx_search_compatible(const bx_search *s, size_t item, size_t other);

/* Puts each item into the first pass that it can join; returns the number of passes. */
unsigned bx_search_first_fit(bx_search *s);

/* Searches for fewer than `passes`, the number found so far. Returns the number, 0 if out of
 * memory. */
unsigned bx_search_minimize(bx_search *s, unsigned passes);

#endif
