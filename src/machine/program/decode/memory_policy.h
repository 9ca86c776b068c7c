/* Memory policies: which node new pages come from. Linux: mbind(2), set_mempolicy(2);
 * docs/explanation/model-memory.md, "Where pages are". */
#ifndef BX_MACHINE_PROGRAM_DECODE_MEMORY_POLICY_H
#define BX_MACHINE_PROGRAM_DECODE_MEMORY_POLICY_H

#include "machine/program/decode/ranges.h"

#include <stdbool.h>
#include <stdint.h>

enum bx_policy_mode { /* Linux's numbers, MPOL_… */
                      BX_POLICY_DEFAULT,
                      BX_POLICY_PREFERRED,
                      BX_POLICY_BIND,
                      BX_POLICY_INTERLEAVE,
                      BX_POLICY_LOCAL,
                      BX_POLICY_PREFERRED_MANY,
                      BX_POLICY_MODES,
};

typedef struct bx_memory_policy {
    uint8_t mode;   /* enum bx_policy_mode */
    uint64_t nodes; /* a mask; 0: none */
} bx_memory_policy;

/* The node of a new page with that number (in units of its size). local: the node of the core that
 * touches it; nodes: how many there are. */
unsigned bx_policy_node(bx_memory_policy p, unsigned local, unsigned nodes, uint64_t number);

/* A policy of an address space's pages; a bx_ranges has all of them. */
typedef struct bx_policy_range {
    bx_range pages;
    bx_memory_policy policy;
} bx_policy_range;

/* Sets the policy of the pages from … to - 1. BX_POLICY_DEFAULT: they have none. false: out of
 * memory. */
bool bx_policies_set(bx_ranges *all, uint64_t from, uint64_t to, bx_memory_policy p);
bx_memory_policy bx_policies_at(const bx_ranges *all, uint64_t page);

/* The page after those from there on that have the same policy; UINT64_MAX: all have it. */
uint64_t bx_policies_until(const bx_ranges *all, uint64_t page);

#endif
