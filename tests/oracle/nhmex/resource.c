/* Entries of queues and tables, and the log: docs/explanation/model-nhmex.md, "Resources". */
#include "nhmex/machine.h"

#include <stdlib.h>

void *nhmex_grow(void *array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return array;
    *room = *room * 2 + 16;
    array = realloc(array, *room * size);
    if (array == NULL)
        abort();
    return array;
}

void nhmex_log(struct instants *counts, struct instant instant)
{
    counts->instant = nhmex_grow(counts->instant, counts->n, &counts->room, sizeof instant);
    counts->instant[counts->n++] = instant;
}

void nhmex_count(const struct nhmex_oracle *o, struct instants *counts, unsigned code, unsigned bit,
                 unsigned amount)
{
    nhmex_log(counts, (struct instant){o->now, code, bit, amount, {0}});
}

/* Accesses come in the order of their times, so entries that have ended delay nobody. */
static void forget_ended(const struct nhmex_oracle *o, struct resource *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->lives; i++)
        if (r->entry[r->live[i]].end > o->now)
            r->live[kept++] = r->live[i];
    r->lives = kept;
}

static unsigned inside(const struct resource *r, uint64_t t)
{
    unsigned n = 0;

    for (size_t i = 0; i < r->lives; i++) {
        const struct entry *e = &r->entry[r->live[i]];
        if (e->begin <= t && t < e->end)
            n++;
    }
    return n;
}

/* Whether there is room in all cycles from t to end - 1. The number of entries only grows where one
 * begins. */
static bool has_room(const struct resource *r, uint64_t t, uint64_t end)
{
    if (inside(r, t) >= r->capacity)
        return false;
    for (size_t i = 0; i < r->lives; i++) {
        uint64_t begin = r->entry[r->live[i]].begin;
        if (t < begin && begin < end && inside(r, begin) >= r->capacity)
            return false;
    }
    return true;
}

static uint64_t end_of(uint64_t t, int stay)
{
    return stay == FOR_EVER ? UINT64_MAX : t + (uint64_t)stay;
}

/* The first time from t on with room: t itself, or the end of an entry. */
static uint64_t first_room(const struct resource *r, uint64_t t, int stay)
{
    uint64_t best = UINT64_MAX;

    if (has_room(r, t, end_of(t, stay)))
        return t;
    for (size_t i = 0; i < r->lives; i++) {
        uint64_t end = r->entry[r->live[i]].end;
        if (end > t && end < best && has_room(r, end, end_of(end, stay)))
            best = end;
    }
    if (best == UINT64_MAX)
        abort();
    return best;
}

struct entry *nhmex_put(struct nhmex_oracle *o, struct resource *r, uint64_t t, int stay)
{
    struct entry e = {.counted = o->now, .arrival = t};

    forget_ended(o, r);
    e.begin = first_room(r, t, stay);
    e.end = end_of(e.begin, stay);
    if (stay != FOR_EVER)
        o->end = later(o->end, e.end);
    e.bypassed = e.begin == t && inside(r, t) == 0;
    r->entry = nhmex_grow(r->entry, r->n, &r->room, sizeof e);
    r->live = nhmex_grow(r->live, r->lives, &r->live_room, sizeof *r->live);
    r->live[r->lives++] = r->n;
    r->entry[r->n] = e;
    return &r->entry[r->n++];
}

size_t nhmex_put_open(struct nhmex_oracle *o, struct resource *r, uint64_t t)
{
    return (size_t)(nhmex_put(o, r, t, FOR_EVER) - r->entry);
}

uint64_t nhmex_room(const struct nhmex_oracle *o, struct resource *r, uint64_t t)
{
    forget_ended(o, r);
    return first_room(r, t, FOR_EVER);
}

uint64_t nhmex_without(const struct nhmex_oracle *o, struct resource *r, uint64_t line, uint64_t t)
{
    forget_ended(o, r);
    for (size_t i = 0; i < r->lives; i++) {
        const struct entry *e = &r->entry[r->live[i]];
        if (e->line == line && e->end > t)
            t = e->end;
    }
    return t;
}

void nhmex_resource_free(struct resource *r)
{
    free(r->entry);
    free(r->live);
}
