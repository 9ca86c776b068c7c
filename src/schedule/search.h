/* The parts of bx_fit(): search.c asks what is compatible and finds a first way, minimize.c a
 * better one. */
#ifndef BX_SCHEDULE_SEARCH_H
#define BX_SCHEDULE_SEARCH_H

#include "schedule/compatible.h"

#define BX_NO_PASS UINT16_MAX

/* A member, or a group of them: what is put into a pass as one. */
typedef struct bx_item {
    size_t first, n;  /* in `order` */
    size_t conflicts; /* items that it cannot be with */
} bx_item;

typedef struct bx_search {
    bx_member **order; /* members by item; items by their first member */
    size_t members;
    bx_item *item;
    size_t n;
    uint16_t *pass; /* of each item, or BX_NO_PASS */
    uint16_t *best; /* the best way found so far */
    bx_member **subset;
    unsigned passes; /* allowed */
    unsigned tries;  /* left */
    bool *excluded;  /* [item * passes + pass]: it cannot join */
    size_t *trail;   /* what was excluded, in order */
    size_t trail_n;
} bx_search;

bool bx_search_open(bx_search *s, bx_member *members, size_t n); /* false: out of memory */
void bx_search_close(bx_search *s);

/* Members that can be added to those of a pass; whether two items can be in one. */
bool bx_search_can_join(const bx_search *s, size_t item, unsigned pass);
bool bx_search_compatible(const bx_search *s, size_t item, size_t other);

/* Puts each item into the first pass that it can join; returns their number. */
unsigned bx_search_first_fit(bx_search *s);

/* Looks for fewer passes than `passes`, which is the way found so far; returns their number, 0 if
 * out of memory. */
unsigned bx_search_minimize(bx_search *s, unsigned passes);

#endif
