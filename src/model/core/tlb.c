/* TLBs, page-structure caches and page walks. */
#include "model/core/tlb.h"

#include "base/error.h"
#include "model/part/replacement.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALL_AT_ONCE = 33, /* pages: Linux's tlb_single_page_flush_ceiling */
    ONE_BY_ONE = 4,   /* ways that are compared without an inner loop */
};

/* Sets of entries. */
struct bx_tlb_sets {
    unsigned ways;
    uint64_t mask; /* of sets */
    struct bx_replacement replacement;
    bool *full;      /* [sets]: no way is free */
    uint8_t *policy; /* [sets][replacement.bytes] */
    uint64_t key[];  /* [sets][ways]; 0: free */
};

/* ---- sets ---- */

/* docs/explanation/model-memory.md, "Sets and replacement" */
const struct bx_policy *bx_tlb_policy(bx_tlb_size size)
{
    return size.policy                                        ? bx_policy_at(size.policy)
           : size.ways == size.entries                        ? &bx_policy_lru
           : bx_policy_plru.bits(size.ways) != BX_NO_SUCH_SET ? &bx_policy_plru
                                                              : &bx_policy_grouped_plru;
}

static void sets_clear(struct bx_tlb_sets *s)
{
    memset(s->key, 0, (s->mask + 1) * s->ways * sizeof *s->key);
    memset(s->full, 0, (s->mask + 1) * sizeof *s->full);
    for (uint64_t set = 0; set <= s->mask; set++)
        bx_replacement_power_on(&s->replacement, s->policy + set * s->replacement.bytes);
}

/* NULL: out of memory, or there is no such replacement. */
static struct bx_tlb_sets *sets_new(bx_arena *memory, bx_tlb_size size)
{
    size_t sets = size.entries / size.ways;
    struct bx_tlb_sets *s = bx_arena_get(memory, sizeof *s + size.entries * sizeof *s->key);

    if (!s || !bx_replacement_make(&s->replacement, bx_tlb_policy(size), size.ways))
        return NULL;
    s->ways = size.ways;
    s->mask = sets - 1;
    s->full = bx_arena_get(memory, sets * sizeof *s->full);
    s->policy = bx_arena_get(memory, sets * s->replacement.bytes);
    if (!s->policy)
        return NULL;
    sets_clear(s);
    return s;
}

/* The way that has the key, or -1. Groups of 4 ways are compared without an inner loop. */
static inline int way_of(const uint64_t *set, unsigned ways, uint64_t key)
{
    const uint64_t *at = set, *end = set + ways, *groups = set + ways / ONE_BY_ONE * ONE_BY_ONE;

    for (; at < groups; at += ONE_BY_ONE)
        for (unsigned i = 0; i < ONE_BY_ONE; i++)
            if (at[i] == key)
                return (int)(at + i - set);
    for (; at < end; at++)
        if (*at == key)
            return (int)(at - set);
    return -1;
}

static inline void use(struct bx_tlb_sets *s, uint64_t set, unsigned way, bool fill)
{
    bx_replacement_use(&s->replacement, s->policy + set * s->replacement.bytes, way, fill);
}

/* Whether the set has the key. If so, the key counts as used. */
static inline bool sets_find(struct bx_tlb_sets *s, uint64_t set_number, uint64_t key)
{
    uint64_t number = set_number & s->mask;
    int way = way_of(&s->key[number * s->ways], s->ways, key);
    if (way < 0)
        return false;
    use(s, number, (unsigned)way, false);
    return true;
}

/* Adds a key that the set does not have. */
static void sets_fill(struct bx_tlb_sets *s, uint64_t set_number, uint64_t key)
{
    uint64_t number = set_number & s->mask, *set = &s->key[number * s->ways];
    int way = s->full[number] ? -1 : way_of(set, s->ways, 0);
    s->full[number] = way < 0;
    if (way < 0)
        way = (int)bx_replacement_choose(&s->replacement, s->policy + number * s->replacement.bytes,
                                         0);
    set[way] = key;
    use(s, number, (unsigned)way, true);
}

static void sets_drop(struct bx_tlb_sets *s, uint64_t set_number, uint64_t key)
{
    uint64_t number = set_number & s->mask, *set = &s->key[number * s->ways];
    int way = way_of(set, s->ways, key);
    if (way < 0)
        return;
    set[way] = 0;
    s->full[number] = false;
    bx_replacement_empty(&s->replacement, s->policy + number * s->replacement.bytes, (unsigned)way);
}

/* ---- all TLBs of a core ---- */

static bx_tlb_size size_of(const bx_tlb_geometry *g, unsigned i)
{
    if (i < BX_TLB_STLB)
        return g->l1[i / BX_PAGE_SIZES][i % BX_PAGE_SIZES];
    if (i == BX_TLB_STLB)
        return g->stlb;
    uint16_t entries = g->structure[BX_PDE + i - BX_TLB_STRUCTURES];
    return (bx_tlb_size){entries, entries, 0};
}

static struct bx_tlb_sets *l1_of(const bx_tlb *t, enum bx_tlb_side side, enum bx_page_size size)
{
    return t->sets[side * BX_PAGE_SIZES + size];
}

static struct bx_tlb_sets *structure_of(const bx_tlb *t, unsigned level)
{
    return t->sets[BX_TLB_STRUCTURES + level - BX_PDE];
}

bx_tlb *bx_tlb_new(const bx_tlb_geometry *g)
{
    bx_tlb *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->geometry = g;
    for (unsigned i = 0; i < BX_TLB_ALL; i++) {
        t->sets[i] = sets_new(&t->memory, size_of(g, i));
        if (!t->sets[i]) {
            bx_tlb_free(t);
            return NULL;
        }
        if (i < BX_TLB_STLB)
            t->recent_mask[i / BX_PAGE_SIZES][i % BX_PAGE_SIZES] = t->sets[i]->mask;
    }
    return t;
}

void bx_tlb_free(bx_tlb *t)
{
    if (t)
        bx_arena_free(&t->memory);
    free(t);
}

void bx_tlb_flush(bx_tlb *t)
{
    for (unsigned i = 0; i < BX_TLB_ALL; i++)
        sets_clear(t->sets[i]);
    memset(t->recent, 0, sizeof t->recent);
}

/* ---- which TLBs there are ---- */

int bx_tlb_check_size(const char *name, bx_tlb_size size, unsigned most_sets, bool settles,
                      bx_error *e)
{
    unsigned sets = size.ways ? size.entries / size.ways : 0;
    const struct bx_policy *policy;

    if (!sets || size.ways > BX_WAYS_MOST || size.entries % size.ways || sets & (sets - 1) ||
        sets > most_sets) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "%s cannot have %u entries in %u ways", name, size.entries,
                size.ways);
        bx_hint(e, "1 to %d ways; entries / ways is a power of two, %u at most", BX_WAYS_MOST,
                most_sets);
        return BX_BAD_INPUT;
    }
    policy = bx_tlb_policy(size);
    if (policy->bits(size.ways) == BX_NO_SUCH_SET)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%s cannot have %u ways: its replacement is %s", name,
                       size.ways, policy->name);
    if (settles && !policy->settles) /* `recent` would hide hits that change the set */
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%s cannot have the replacement %s", name,
                       policy->name);
    return BX_OK;
}

int bx_tlb_check(const bx_tlb_geometry *g, bx_error *e)
{
    enum { STLB_SETS = 4096 };
    static const char *const names[BX_TLB_SIDES][BX_PAGE_SIZES] = {
        [BX_TLB_DATA] = {"the DTLB", "the DTLB for 2M"},
        [BX_TLB_INSTRUCTIONS] = {"the ITLB", "the ITLB for 2M"}};
    int code = bx_tlb_check_size("the STLB", g->stlb, STLB_SETS, false, e);

    for (unsigned side = 0; side < BX_TLB_SIDES; side++)
        for (unsigned size = 0; size < BX_PAGE_SIZES && code == BX_OK; size++)
            code = bx_tlb_check_size(names[side][size], g->l1[side][size], BX_TLB_RECENT, true, e);
    return code;
}

/* ---- translations ---- */

static uint64_t stlb_set(const bx_tlb *t, uint64_t number)
{
    unsigned shift = t->geometry->stlb_hash_shift;
    return shift ? number ^ number >> shift : number;
}

/* Pages of both sizes can be in the STLB, so the key includes the size. */
static uint64_t stlb_key(uint64_t number, enum bx_page_size size)
{
    return (number << 1 | size) + 1;
}

static bool stlb_has(const bx_tlb *t, enum bx_page_size size)
{
    return size == BX_PAGE_4K || t->geometry->stlb_has_2m;
}

static void invalidate_page(bx_tlb *t, uint64_t page, enum bx_page_size size)
{
    uint64_t number = bx_tlb_number(page, size);
    for (unsigned side = 0; side < BX_TLB_SIDES; side++) {
        sets_drop(l1_of(t, side, size), number, number + 1);
        if (bx_tlb_is_recent(t, side, size, page))
            t->recent[side][size][number & t->recent_mask[side][size]] = 0;
    }
    sets_drop(t->sets[BX_TLB_STLB], stlb_set(t, number), stlb_key(number, size));
}

void bx_tlb_invalidate(bx_tlb *t, uint64_t page, uint64_t pages)
{
    if (pages > ALL_AT_ONCE) {
        bx_tlb_flush(t);
        return;
    }
    for (uint64_t i = 0; i < pages; i++)
        for (unsigned size = 0; size < BX_PAGE_SIZES; size++)
            invalidate_page(t, page + i, size);
    for (unsigned i = BX_TLB_STRUCTURES; i < BX_TLB_ALL; i++)
        sets_clear(t->sets[i]);
}

static uint64_t structure_key(uint64_t page, unsigned level)
{
    return (page >> level * BX_TABLE_SHIFT) + 1;
}

/* The level of the first entry that a walk loads: one below the lowest level found in a
 * page-structure cache. */
static unsigned first_level(bx_tlb *t, uint64_t page, unsigned last)
{
    unsigned level = last;
    while (level + 1 < BX_PAGE_LEVELS &&
           !sets_find(structure_of(t, level + 1), 0, structure_key(page, level + 1)))
        level++;
    return level;
}

/* The physical lines of the entries that a walk loads, from the top level down. */
static unsigned walk(bx_tlb *t, struct bx_page_tables *tables, uint64_t page, unsigned last,
                     uint64_t line[BX_WALK_LOADS])
{
    unsigned n = 0;
    for (unsigned level = first_level(t, page, last);; level--) {
        line[n++] = bx_page_tables_line(tables, level, page);
        if (level == last)
            return n;
        sets_fill(structure_of(t, level), 0, structure_key(page, level));
    }
}

static bx_access with_cost(bx_access a, unsigned cost)
{
    unsigned most = cost < BX_ACCESS_COST_MAX ? cost : BX_ACCESS_COST_MAX;
    return (a & ~((bx_access)BX_ACCESS_COST_MAX << 4)) | (bx_access)most << 4;
}

/* The walk comes before the access and takes over its cost. The further loads, and the access
 * itself, cost the latency of a load, because each waits for the one before. */
static size_t write_walk(const uint64_t *line, unsigned n, unsigned cycles, bx_access *access,
                         bx_access *to)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = bx_access_make(line[i], BX_LOAD, BX_ACCESS_DEPENDENT,
                               i ? cycles : bx_access_cost(*access)) |
                BX_ACCESS_AUXILIARY;
    *access = with_cost(*access, cycles);
    return n;
}

static unsigned counted_kind(bx_access a)
{
    unsigned kind = a & 3;
    return kind == BX_NON_TEMPORAL ? BX_STORE : kind;
}

/* Notes the page as the last one of its set: another use of it changes nothing. */
static inline void remember(bx_tlb *t, enum bx_tlb_side side, enum bx_page_size size,
                            uint64_t number)
{
    t->recent[side][size][number & t->recent_mask[side][size]] = number + 1;
}

static __attribute__((noinline)) bool find_size(bx_tlb *t, enum bx_tlb_side side,
                                                enum bx_page_size size, uint64_t page)
{
    uint64_t number = bx_tlb_number(page, size);
    bool found = sets_find(l1_of(t, side, size), number, number + 1);

    if (found)
        remember(t, side, size, number);
    return found;
}

/* The loop is the usual case: pages of 4 KiB in sets of four ways. */
bool bx_tlb_find(bx_tlb *t, enum bx_tlb_side side, uint64_t page)
{
    struct bx_tlb_sets *s = l1_of(t, side, BX_PAGE_4K);
    const uint64_t *set = &s->key[(page & s->mask) * ONE_BY_ONE];

    for (unsigned way = 0; s->ways == ONE_BY_ONE && way < ONE_BY_ONE; way++)
        if (set[way] == page + 1) {
            use(s, page & s->mask, way, false);
            remember(t, side, BX_PAGE_4K, page);
            return true;
        }
    return (s->ways != ONE_BY_ONE && find_size(t, side, BX_PAGE_4K, page)) ||
           (t->has_huge && find_size(t, side, BX_PAGE_2M, page));
}

size_t bx_tlb_translate(bx_tlb *t, struct bx_page_tables *tables, uint64_t page,
                        enum bx_page_size size, bx_access *access, bx_access *to)
{
    unsigned kind = counted_kind(*access);
    enum bx_tlb_side side = kind == BX_FETCH ? BX_TLB_INSTRUCTIONS : BX_TLB_DATA;
    uint64_t number = bx_tlb_number(page, size), line[BX_WALK_LOADS];
    sets_fill(l1_of(t, side, size), number, number + 1);
    remember(t, side, size, number);
    t->has_huge |= size == BX_PAGE_2M;
    if (stlb_has(t, size)) {
        if (sets_find(t->sets[BX_TLB_STLB], stlb_set(t, number), stlb_key(number, size))) {
            t->counts.stlb_hits[kind]++;
            t->found = BX_TLB_FOUND_SECOND;
            t->steps = !t->geometry->overlaps || kind == BX_FETCH || *access & BX_ACCESS_DEPENDENT;
            if (t->steps)
                *access =
                    with_cost(*access, bx_access_cost(*access) + t->geometry->stlb_cycles[side]);
            return 0;
        }
        sets_fill(t->sets[BX_TLB_STLB], stlb_set(t, number), stlb_key(number, size));
    }
    unsigned n = walk(t, tables, page, size == BX_PAGE_2M ? BX_PDE : BX_PTE, line);
    t->counts.walks[kind]++;
    t->found = BX_TLB_FOUND_BY_WALK;
    t->steps = n;
    t->counts.walk_loads[kind] += n;
    return write_walk(line, n, t->geometry->walk_load, access, to);
}

static unsigned retired_count(enum bx_tlb_found found, enum bx_page_size size, unsigned kind)
{
    return kind + (found == BX_TLB_FOUND_SECOND ? BX_RETIRED_STLB_HITS
                   : size == BX_PAGE_2M         ? BX_RETIRED_WALKS_2M
                                                : BX_RETIRED_WALKS);
}

/* The row of one translation. */
static uint32_t number_of(const bx_tlb_geometry *g, bx_retired_table *table,
                          enum bx_tlb_found found, enum bx_page_size size, unsigned kind,
                          unsigned steps)
{
    enum bx_tlb_side side = kind == BX_FETCH ? BX_TLB_INSTRUCTIONS : BX_TLB_DATA;
    unsigned cycles = found == BX_TLB_FOUND_BY_WALK ? g->walk_load : g->stlb_cycles[side];
    bx_retired row = {.n = {[BX_RETIRED_TLB_CYCLES] = (int16_t)(steps * cycles)}};

    row.n[retired_count(found, size, kind)] = 1;
    return bx_retired_table_add(table, &row);
}

bool bx_tlb_number_retired(bx_tlb_retired *r, const bx_tlb_geometry *g, bx_retired_table *table)
{
    bool fine = true;
    for (unsigned found = BX_TLB_FOUND_SECOND; found <= BX_TLB_FOUND_BY_WALK; found++)
        for (unsigned size = 0; size < BX_PAGE_SIZES; size++)
            for (unsigned kind = BX_LOAD; kind <= BX_FETCH; kind++)
                for (unsigned steps = 0; steps <= BX_WALK_LOADS; steps++) {
                    uint32_t number = number_of(g, table, found, size, kind, steps);
                    r->number[found][size][kind][steps] = number;
                    fine &= number != BX_RETIRED_NONE;
                }
    return fine;
}

uint32_t bx_tlb_retires(const bx_tlb *t, const bx_tlb_retired *r, enum bx_page_size size,
                        bx_access access)
{
    return r->number[t->found][size][counted_kind(access)][t->steps];
}

void bx_tlb_counts_add(bx_tlb_counts *to, const bx_tlb_counts *more)
{
    for (unsigned kind = 0; kind <= BX_FETCH; kind++) {
        to->stlb_hits[kind] += more->stlb_hits[kind];
        to->walks[kind] += more->walks[kind];
        to->walk_loads[kind] += more->walk_loads[kind];
    }
}
