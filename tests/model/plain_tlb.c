/* Implements plain_tlb.h. */
#include "plain_tlb.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    bool there, huge;
    uint64_t number;
    unsigned long used; /* when it was used last */
};

/* A set of any cache; each cache uses some of the members. */
struct set {
    struct entry way[32];
    bool upper[3][8]; /* trees: the upper half is replaced next */
    unsigned group;   /* touched last */
};

struct cache {
    unsigned sets, ways;
    bool full, hashed;
    struct set *set;
};

struct plain_tlb {
    unsigned long now;
    bool stlb_huge;
    struct cache dtlb[2], itlb[2], stlb; /* [2]: 4K, 2M */
    struct cache structure[4];           /* [1] PDE, [2] PDPTE, [3] PML4E */
};

static struct cache cache_new(unsigned entries, unsigned ways)
{
    struct cache c = {.sets = entries / ways, .ways = ways, .full = entries == ways};
    c.set = calloc(c.sets, sizeof *c.set);
    if (!c.set)
        abort();
    return c;
}

struct plain_tlb *plain_tlb_new(enum plain_processor p)
{
    struct plain_tlb *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    if (p == PLAIN_OTHER) {
        *t = (struct plain_tlb){
            .dtlb = {cache_new(16, 4), cache_new(8, 2)},
            .itlb = {cache_new(8, 8), cache_new(4, 4)},
            .stlb = cache_new(64, 8),
            .structure = {[1] = cache_new(8, 8), cache_new(2, 2), cache_new(1, 1)}};
        return t;
    }
    t->dtlb[0] = cache_new(64, 4);
    t->dtlb[1] = cache_new(32, 4);
    t->itlb[0] = cache_new(128, p == PLAIN_SKYLAKE ? 8 : 4);
    t->itlb[1] = p == PLAIN_NEHALEM ? cache_new(7, 7) : cache_new(8, 8);
    t->stlb = p == PLAIN_SKYLAKE ? cache_new(1536, 12) : cache_new(512, 4);
    t->stlb_huge = t->stlb.hashed = p == PLAIN_SKYLAKE;
    t->structure[1] = cache_new(32, 32);
    t->structure[2] = cache_new(4, 4);
    t->structure[3] = cache_new(2, 2);
    return t;
}

void plain_tlb_free(struct plain_tlb *t)
{
    for (unsigned i = 0; i < 2; i++) {
        free(t->dtlb[i].set);
        free(t->itlb[i].set);
    }
    for (unsigned i = 1; i < 4; i++)
        free(t->structure[i].set);
    free(t->stlb.set);
    free(t);
}

/* ---- one cache ---- */

static struct set *set_of(struct cache *c, uint64_t number)
{
    return &c->set[(c->hashed ? number ^ number / 128 : number) % c->sets];
}

static void point_away(bool *upper, unsigned ways, unsigned way)
{
    for (unsigned node = 0, half = ways / 2; half; half /= 2) {
        upper[node] = way < half;
        node = 2 * node + (way < half ? 1 : 2);
        way %= half;
    }
}

static unsigned pointed_at(const bool *upper, unsigned ways)
{
    unsigned way = 0;
    for (unsigned node = 0, half = ways / 2; half; half /= 2) {
        way += upper[node] ? half : 0;
        node = 2 * node + (upper[node] ? 2 : 1);
    }
    return way;
}

static void touch(struct plain_tlb *t, const struct cache *c, struct set *s, unsigned way)
{
    s->way[way].used = ++t->now;
    if (c->ways == 12) {
        s->group = way / 4;
        point_away(s->upper[way / 4], 4, way % 4);
    } else if (!c->full) {
        point_away(s->upper[0], c->ways, way);
    }
}

static unsigned victim(const struct cache *c, const struct set *s)
{
    unsigned oldest = 0;
    for (unsigned way = 0; way < c->ways; way++)
        if (!s->way[way].there)
            return way;
    if (c->ways == 12) {
        unsigned group = (s->group + 1) % 3;
        return 4 * group + pointed_at(s->upper[group], 4);
    }
    if (!c->full)
        return pointed_at(s->upper[0], c->ways);
    for (unsigned way = 0; way < c->ways; way++)
        if (s->way[way].used < s->way[oldest].used)
            oldest = way;
    return oldest;
}

static struct entry *find(struct cache *c, uint64_t number, bool huge)
{
    struct set *s = set_of(c, number);
    for (unsigned way = 0; way < c->ways; way++)
        if (s->way[way].there && s->way[way].number == number && s->way[way].huge == huge)
            return &s->way[way];
    return NULL;
}

/* Returns whether the cache had the entry. Afterwards it has the entry, as just touched, unless it
 * must not be filled. */
static bool use(struct plain_tlb *t, struct cache *c, uint64_t number, bool huge, bool fill)
{
    struct set *s = set_of(c, number);
    struct entry *e = find(c, number, huge);
    if (!e && !fill)
        return false;
    unsigned way = e ? (unsigned)(e - s->way) : victim(c, s);
    s->way[way] = (struct entry){true, huge, number, 0};
    touch(t, c, s, way);
    return e;
}

/* ---- translations ---- */

static uint64_t entry_number(uint64_t page, unsigned level)
{
    return page >> 9 * level;
}

struct plain_translation plain_tlb_access(struct plain_tlb *t, uint64_t page, bool huge,
                                          bool instructions)
{
    struct plain_translation made = {0};
    uint64_t number = huge ? page / 512 : page;
    struct cache *first = instructions ? &t->itlb[huge] : &t->dtlb[huge];
    made.first_level = use(t, first, number, huge, true);
    if (made.first_level)
        return made;
    made.stlb = (!huge || t->stlb_huge) && use(t, &t->stlb, number, huge, true);
    if (made.stlb)
        return made;
    made.first = made.last = huge ? 1 : 0;
    while (made.first < 3 &&
           !use(t, &t->structure[made.first + 1], entry_number(page, made.first + 1), false, false))
        made.first++;
    for (unsigned level = made.first; level > made.last; level--)
        use(t, &t->structure[level], entry_number(page, level), false, true);
    return made;
}

static void drop(struct cache *c, uint64_t number, bool huge)
{
    struct entry *e = find(c, number, huge);
    if (e)
        e->there = false;
}

static void empty(struct cache *c)
{
    memset(c->set, 0, c->sets * sizeof *c->set);
}

void plain_tlb_invalidate(struct plain_tlb *t, uint64_t page, uint64_t pages)
{
    for (uint64_t i = 0; i < pages && pages <= 33; i++)
        for (unsigned huge = 0; huge < 2; huge++) {
            uint64_t number = huge ? (page + i) / 512 : page + i;
            drop(&t->dtlb[huge], number, huge);
            drop(&t->itlb[huge], number, huge);
            drop(&t->stlb, number, huge);
        }
    for (unsigned i = 0; i < 2 && pages > 33; i++) {
        empty(&t->dtlb[i]);
        empty(&t->itlb[i]);
    }
    if (pages > 33)
        empty(&t->stlb);
    for (unsigned level = 1; level < 4; level++)
        empty(&t->structure[level]);
}
