/* The TLBs of a core, its page-structure caches, and the loads of its page walks. Rules:
 * docs/explanation/model-memory.md, "TLBs". The accesses of a walk come in the stream before the
 * access that needs them. */
#ifndef BX_MODEL_CORE_TLB_H
#define BX_MODEL_CORE_TLB_H

#include "base/arena.h"
#include "model/core/page_tables.h"
#include "model/engine/access.h"

#include <boxscore/boxscore.h>
#include <stddef.h>

enum bx_page_size { BX_PAGE_4K, BX_PAGE_2M, BX_PAGE_SIZES };
enum bx_tlb_side { BX_TLB_DATA, BX_TLB_INSTRUCTIONS, BX_TLB_SIDES };

struct bx_policy;

/* A fully associative TLB has ways == entries. */
typedef struct bx_tlb_size {
    uint16_t entries, ways;
    uint16_t policy; /* catalog/policies.h; 0: by the ways */
} bx_tlb_size;

/* The TLBs of a processor. */
struct bx_tlb_geometry {
    bx_tlb_size l1[BX_TLB_SIDES][BX_PAGE_SIZES];
    bx_tlb_size stlb;
    bool stlb_has_2m;
    uint8_t stlb_hash_shift;           /* set = number ^ number >> this; 0: no hash */
    uint8_t stlb_cycles[BX_TLB_SIDES]; /* of an access that hits the STLB */
    uint8_t structure[BX_PAGE_LEVELS]; /* entries of each page-structure cache; [BX_PTE] is 0 */
    uint8_t walk_load;                 /* cycles of a load of a walk that hits L1D */
    bool overlaps; /* only a fetch, or what is waited for, takes the cycles of an STLB hit */
};
typedef struct bx_tlb_geometry bx_tlb_geometry;

extern const bx_tlb_geometry bx_tlb_skylake, bx_tlb_ivy_bridge, bx_tlb_nehalem;

/* Whether there are such TLBs; such a TLB. settles: its policy must (replacement.h). BX_OK, or
 * BX_BAD_INPUT and *e. */
int bx_tlb_check(const bx_tlb_geometry *g, bx_error *e);
int bx_tlb_check_size(const char *name, bx_tlb_size size, unsigned most_sets, bool settles,
                      bx_error *e);
const struct bx_policy *bx_tlb_policy(bx_tlb_size size);

enum { BX_WALK_LOADS = BX_PAGE_LEVELS /* most loads of one walk */ };

/* By kind of access: loads, stores (non-temporal ones too), fetches. All other accesses hit the
 * first level. */
typedef struct bx_tlb_counts {
    uint64_t stlb_hits[BX_FETCH + 1];
    uint64_t walks[BX_FETCH + 1];
    uint64_t walk_loads[BX_FETCH + 1];
} bx_tlb_counts;

/* Where a translation was found after a miss of the first level. */
enum bx_tlb_found { BX_TLB_FOUND_SECOND, BX_TLB_FOUND_BY_WALK };

enum {
    BX_TLB_RECENT = 32, /* most sets of a first-level TLB */
    /* All stores: those of the first level, the STLB, the page-structure caches. */
    BX_TLB_STLB = BX_TLB_SIDES * BX_PAGE_SIZES,
    BX_TLB_STRUCTURES,
    BX_TLB_ALL = BX_TLB_STRUCTURES + BX_PAGE_LEVELS - BX_PDE,
};

typedef struct bx_tlb {
    bx_arena memory; /* of all sets */
    /* The page number + 1 that each set used last. Another use of this page changes nothing. */
    uint64_t recent[BX_TLB_SIDES][BX_PAGE_SIZES][BX_TLB_RECENT];
    uint64_t recent_mask[BX_TLB_SIDES][BX_PAGE_SIZES];
    bool has_huge; /* it has had entries for pages of 2 MiB */
    bx_tlb_counts counts;
    /* Results of the last bx_tlb_translate(): where it was found, and how many steps the access
     * waited for: of the second TLB one or none, of a walk its loads. */
    enum bx_tlb_found found;
    unsigned steps;
    struct bx_tlb_sets *sets[BX_TLB_ALL];
    const bx_tlb_geometry *geometry;
} bx_tlb;

bx_tlb *bx_tlb_new(const bx_tlb_geometry *g); /* NULL: out of memory */
void bx_tlb_free(bx_tlb *t);                  /* NULL is fine */

/* Removes the translations of a range of pages. For more than 33 pages it removes all translations,
 * as Linux does. */
void bx_tlb_invalidate(bx_tlb *t, uint64_t page, uint64_t pages);
void bx_tlb_flush(bx_tlb *t);

static inline uint64_t bx_tlb_number(uint64_t page, enum bx_page_size size)
{
    return size == BX_PAGE_2M ? page >> BX_TABLE_SHIFT : page;
}

static inline bool bx_tlb_is_recent(const bx_tlb *t, enum bx_tlb_side side, enum bx_page_size size,
                                    uint64_t page)
{
    uint64_t number = bx_tlb_number(page, size);
    return t->recent[side][size][number & t->recent_mask[side][size]] == number + 1;
}

/* Whether an access to the page changes nothing and costs nothing. This is the usual case. */
static inline bool bx_tlb_repeats(const bx_tlb *t, enum bx_tlb_side side, uint64_t page)
{
    return bx_tlb_is_recent(t, side, BX_PAGE_4K, page) ||
           bx_tlb_is_recent(t, side, BX_PAGE_2M, page);
}

/* Whether the first level has the page. If so, the page counts as used, which costs nothing. */
bool bx_tlb_find(bx_tlb *t, enum bx_tlb_side side, uint64_t page);

/* The same, with the usual case first. If false, call bx_tlb_translate(). */
static inline bool bx_tlb_hits(bx_tlb *t, enum bx_tlb_side side, uint64_t page)
{
    return bx_tlb_repeats(t, side, page) || bx_tlb_find(t, side, page);
}

/* Translates an access to a page that the first level does not have. Writes the loads of the walk
 * to `to`, at most BX_WALK_LOADS, changes the cost of *access, and returns the number of loads. */
size_t bx_tlb_translate(bx_tlb *t, struct bx_page_tables *tables, uint64_t page,
                        enum bx_page_size size, bx_access *access, bx_access *to);

/* Rows of the retirement table for a translation that missed the first level: by where it was
 * found, the size of the page, the kind of the access and its steps. */
typedef struct bx_tlb_retired {
    uint32_t number[BX_TLB_FOUND_BY_WALK + 1][BX_PAGE_SIZES][BX_FETCH + 1][BX_WALK_LOADS + 1];
} bx_tlb_retired;

/* false: out of memory */
bool bx_tlb_number_retired(bx_tlb_retired *r, const bx_tlb_geometry *g, bx_retired_table *table);

/* The row for the last bx_tlb_translate(). */
uint32_t bx_tlb_retires(const bx_tlb *t, const bx_tlb_retired *r, enum bx_page_size size,
                        bx_access access);

void bx_tlb_counts_add(bx_tlb_counts *to, const bx_tlb_counts *more);

#endif
