/* The replacement policies, by the names that machine strings and the catalogue have for them. Each
 * is a file in src/model/part/. A row here makes it known everywhere. */
#ifndef BX_CATALOG_POLICIES_H
#define BX_CATALOG_POLICIES_H

#include "base/str.h"

/* X(the end of bx_policy_…, the name: as in uops.info/cache.html, or in books) */
#define BX_POLICIES(X)                                                                             \
    X(lru, "LRU")                                                                                  \
    X(plru, "PLRU")                                                                                \
    X(grouped_plru, "grouped_PLRU")                                                                \
    X(mru, "MRU")                                                                                  \
    X(qlru_h11_m1_r0_u0, "QLRU_H11_M1_R0_U0")                                                      \
    X(qlru_h00_m1_r2_u1, "QLRU_H00_M1_R2_U1")                                                      \
    X(qlru_h11_m1_r1_u2, "QLRU_H11_M1_R1_U2")

/* Values of keys of the machine string that are names: replacement policies, of keys that end in
 * _policy, and the inclusion of a private cache (enum bx_inclusion), of keys that end in
 * _inclusion, the placement of pages (enum bx_numa), of the key numa, and which memory of programs
 * is in huge pages (enum bx_thp), of the key thp. They have numbers from 1. 0 is the machine's own,
 * which is called "own". */
enum bx_numa { BX_NUMA_OWN, BX_NUMA_FIRST_TOUCH, BX_NUMA_INTERLEAVE };
enum bx_thp { BX_THP_OWN, BX_THP_NEVER, BX_THP_MADVISE, BX_THP_ALWAYS }; /* own: as `pages` says */
bool bx_is_named_key(bx_str key);
const char *bx_named_value(bx_str key, uint64_t number); /* NULL: there is no such value */
bool bx_named_number(bx_str key, bx_str name, uint64_t *number);
/* "replacement policy": what the names of such a key are. */
const char *bx_named_kind(bx_str key);

#endif
