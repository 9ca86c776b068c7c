/* Counts by who caused them: rows that are found by their key. */
#ifndef BX_ATTRIBUTE_COSTS_H
#define BX_ATTRIBUTE_COSTS_H

#include "base/slots.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_cost_key {
    uint32_t code;
    uint32_t thread; /* number of the task; 0: of no thread */
    uint16_t event;
    uint16_t core; /* BX_COST_NO_CORE: of a device */
    uint16_t span;
    uint16_t role;    /* of a row by line: enum bx_cost_role */
    uint64_t address; /* of the data; 0: none, or not asked */
    uint32_t context; /* the calls in which the code runs; 0: none, or not asked. Of a write-back's
                         row by line: the thread that has stored there */
    uint32_t object;  /* of the data; 0: not asked */
} bx_cost_key;
enum bx_cost_role {
    BX_ROLE_REQUESTER,
    BX_ROLE_OWNER,   /* the core that had the line: its last store */
    BX_ROLE_EVICTOR, /* a requester whose access has another line: that one is written back */
    BX_ROLE_WRITER,  /* the last store to a line that is written back */
};
enum { BX_COST_NO_CORE = UINT16_MAX, BX_COST_NO_SPAN = UINT16_MAX };
#define BX_COST_MERGED UINT32_MAX /* a context or object that is not kept */

/* What keys lose when there are too many rows, one after the other: their span (or address), their
 * context, their object, their code. The cheapest rows lose it, by their share of their event. */
enum { BX_COST_LEVELS = 4 };

typedef struct bx_cost {
    bx_cost_key key;
    uint64_t count, by_prefetch;
    bool changed; /* it is in the list of changed rows */
} bx_cost;

/* All 0: no rows. */
typedef struct bx_costs {
    bx_cost *row; /* [n]; rows are never removed, except by bx_costs_halve_spans() */
    size_t n, room;
    bx_slots by_key;
    uint32_t *changed; /* [changed_n]: rows that have changed since bx_costs_settle() */
    size_t changed_n, changed_room;
    size_t most;  /* rows; 0: no limit */
    bool rewrite; /* rows were merged: all of them have changed */
    bool failed;  /* memory ran out: the rows are not complete */
} bx_costs;

/* Adds to the row with that key. */
void bx_costs_add(bx_costs *c, bx_cost_key key, uint64_t count, uint64_t by_prefetch);

/* How many of BX_COST_LEVELS a row has lost. */
unsigned bx_cost_level(const bx_cost_key *key);

/* Two spans become one. */
void bx_costs_halve_spans(bx_costs *c);

/* The caller has kept all rows. */
void bx_costs_settle(bx_costs *c);
void bx_costs_free(bx_costs *c);

#endif
