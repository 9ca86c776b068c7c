/* The parts of bx_fit(): search.c checks compatibility and finds the first solution, minimize.c
 * finds a better one. */
#ifndef BX_SCHEDULE_SEARCH_H
#define BX_SCHEDULE_SEARCH_H

#include "schedule/compatible.h"

#define BX_NO_PASS UINT16_MAX
#define BX_NO_ITEM SIZE_MAX

/* A member, or a group of members that share a pass: the unit of the search. */
typedef struct bx_item {
    size_t first, n;  /* its members, as indices in `order` */
    size_t conflicts; /* number of items that are incompatible with it */
    size_t next;      /* the item that joined its pass before it, or BX_NO_ITEM */
} bx_item;

typedef struct bx_search {
    bx_member *all;
    bx_member **order; /* members by item; items by their first member */
    size_t members;
    uint16_t *equal; /* of each member: the first equal member, or itself. A member that needs no
                        counter follows its first equal member, and is in no item */
    bx_item *item;
    size_t n;
    uint16_t *pass;   /* of each item, or BX_NO_PASS */
    size_t *newest;   /* of each pass: the item that joined it last, or BX_NO_ITEM */
    uint16_t *best;   /* the best solution so far */
    uint16_t *latest; /* by first equal member: the latest pass that one of them joined */
    bx_member **subset;
    bx_member **pinned; /* members that are in every pass, and in no item */
    size_t pinned_n;
    unsigned passes; /* passes allowed */
    unsigned tries;  /* tries left */
    bool *excluded;  /* [item * passes + pass]: the item cannot join the pass */
    size_t *trail;   /* indices in `excluded`, in the order of exclusion */
    size_t trail_n;
} bx_search;

bool bx_search_open(bx_search *s, bx_member *members, size_t n); /* false: out of memory */
void bx_search_close(bx_search *s);

/* Whether the member is in an item. */
bool bx_search_has(const bx_search *s, size_t member);

/* Whether an item can join the members of a pass, and whether two items can share a pass. */
bool bx_search_can_join(const bx_search *s, size_t item, unsigned pass);
bool bx_search_compatible(const bx_search *s, size_t item, size_t other);

/* Begins the subset to check with the pinned members of the box; returns their number. */
size_t bx_search_pinned(const bx_search *s, uint16_t box);

/* Puts an item into a pass; takes out the item that joined it last. */
void bx_search_put(bx_search *s, size_t item, unsigned pass);
void bx_search_take(bx_search *s, size_t item);

/* Takes all items out of their passes. */
void bx_search_clear(bx_search *s);

/* Puts each item into the first pass that it can join; returns the number of passes. */
unsigned bx_search_first_fit(bx_search *s);

/* Searches for fewer than `passes`, the number found so far. Returns the number, 0 if out of
 * memory. */
unsigned bx_search_minimize(bx_search *s, unsigned passes);

#endif
