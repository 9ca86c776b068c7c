/* Searches for fewer passes than first fit needs. In most cases two lower bounds prove that there
 * is no better solution: one from counters, one from members that are pairwise incompatible.
 * Otherwise the search is branch and bound: it takes the member with the fewest possible passes
 * next and removes the passes that this excludes for others (like DSATUR, which colours graphs). */
#include "schedule/match.h"
#include "schedule/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- bounds ---- */

/* A matrix of items: each has a row of bits. */
typedef struct bx_rows {
    uint64_t *bits;
    size_t words; /* words of a row */
} bx_rows;

static uint64_t *row_of(const bx_rows *r, size_t item)
{
    return &r->bits[item * r->words];
}

static void set_bit(const bx_rows *r, size_t item, size_t bit)
{
    row_of(r, item)[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Sets the bits of incompatible items. */
static void find_conflicts(bx_search *s, const bx_rows *r)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < i; j++)
            if (!bx_search_compatible(s, i, j)) {
                s->item[i].conflicts++;
                s->item[j].conflicts++;
                set_bit(r, i, j);
                set_bit(r, j, i);
            }
}

/* The size of a set of pairwise incompatible items that begins with an item and grows in the order
 * of items. `left` has room for a row. */
static unsigned clique_from(const bx_rows *r, size_t start, uint64_t *left)
{
    unsigned n = 1;
    memcpy(left, row_of(r, start), r->words * sizeof *left);
    for (size_t word = 0; word < r->words; word++) {
        while (left[word]) {
            const uint64_t *row = row_of(r, word * 64 + (unsigned)__builtin_ctzll(left[word]));
            for (size_t i = word; i < r->words; i++)
                left[i] &= row[i];
            n++;
        }
    }
    return n;
}

/* The size of a set of members that are pairwise incompatible, at most `passes`; 0: out of
 * memory. */
static unsigned clique_bound(bx_search *s, unsigned passes)
{
    bx_rows r = {.words = (s->n + 63) / 64};
    unsigned most = 0;
    r.bits = calloc(s->n + 1, r.words * sizeof *r.bits); /* plus one row for work */
    if (!r.bits)
        return 0;
    find_conflicts(s, &r);
    for (size_t start = 0; start < s->n && most < passes; start++) {
        unsigned n = clique_from(&r, start, row_of(&r, s->n));
        most = n > most ? n : most;
    }
    free(r.bits);
    return most;
}

/* Room for all members. */
struct matching {
    uint32_t *can;
    uint8_t *counter;
    uint16_t *pass;
    bool *seen;
};

/* The bound from counters alone, box by box. */
static unsigned counters_bound(const bx_search *s, const struct matching *m)
{
    unsigned most = 1;
    for (size_t i = 0; i < s->members; i++) {
        size_t n = 0;
        for (size_t j = i; j < s->members && !m->seen[i]; j++) {
            if (s->order[j]->box != s->order[i]->box)
                continue;
            m->seen[j] = j > i;
            if (s->order[j]->can)
                m->can[n++] = s->order[j]->can;
        }
        unsigned passes = bx_match(m->can, n, m->counter, m->pass);
        most = passes > most ? passes : most;
    }
    return most;
}

/* ---- the search for a better solution ---- */

/* Excludes the pass for all items that can no longer join it. */
static void propagate(bx_search *s, unsigned pass)
{
    for (size_t i = 0; i < s->n && s->tries; i++) {
        size_t at = i * s->passes + pass;
        if (s->pass[i] != BX_NO_PASS || s->excluded[at])
            continue;
        s->tries--;
        if (bx_search_can_join(s, i, pass))
            continue;
        s->excluded[at] = true;
        s->trail[s->trail_n++] = at;
    }
}

static void backtrack(bx_search *s, size_t trail_n)
{
    while (s->trail_n > trail_n)
        s->excluded[s->trail[--s->trail_n]] = false;
}

/* The item with the fewest possible passes; of several, the one with the most conflicts. */
static size_t most_constrained(const bx_search *s, unsigned used)
{
    size_t best = 0;
    unsigned fewest = UINT16_MAX;
    for (size_t i = 0; i < s->n; i++) {
        unsigned left = used < s->passes;
        if (s->pass[i] != BX_NO_PASS)
            continue;
        for (unsigned pass = 0; pass < used; pass++)
            left += !s->excluded[i * s->passes + pass];
        if (left < fewest || (left == fewest && s->item[i].conflicts > s->item[best].conflicts)) {
            fewest = left;
            best = i;
        }
    }
    return best;
}

/* Places the remaining items. Empty passes are interchangeable, so only one of them is tried. */
static bool descend(bx_search *s, size_t placed, unsigned used)
{
    if (placed == s->n)
        return true;
    size_t i = most_constrained(s, used), trail_n = s->trail_n;
    for (unsigned pass = 0; pass <= used && pass < s->passes && s->tries; pass++) {
        if (s->excluded[i * s->passes + pass])
            continue;
        bx_search_put(s, i, pass);
        propagate(s, pass);
        if (s->tries && descend(s, placed + 1, pass == used ? used + 1 : used))
            return true;
        backtrack(s, trail_n);
        bx_search_take(s, i);
    }
    return false;
}

static bool fits_in(bx_search *s, unsigned passes)
{
    s->passes = passes;
    s->trail_n = 0;
    memset(s->excluded, 0, s->n * passes * sizeof *s->excluded);
    bx_search_clear(s);
    return descend(s, 0, 0);
}

static unsigned minimize(bx_search *s, unsigned passes, unsigned least)
{
    memcpy(s->best, s->pass, s->n * sizeof *s->best);
    for (unsigned target = least; target < passes && s->tries; target++)
        if (fits_in(s, target))
            return target;
    memcpy(s->pass, s->best, s->n * sizeof *s->best);
    return passes;
}

/* The larger of the two bounds; 0: out of memory. */
static unsigned least_of(bx_search *s, unsigned passes)
{
    struct matching m = {
        .can = calloc(s->members, sizeof *m.can),
        .counter = calloc(s->members, sizeof *m.counter),
        .pass = calloc(s->members, sizeof *m.pass),
        .seen = calloc(s->members, sizeof *m.seen),
    };
    unsigned conflicts = clique_bound(s, passes), least = 0;
    if (conflicts && m.can && m.counter && m.pass && m.seen) {
        least = counters_bound(s, &m);
        least = conflicts > least ? conflicts : least;
    }
    free(m.can);
    free(m.counter);
    free(m.pass);
    free(m.seen);
    return least;
}

unsigned bx_search_minimize(bx_search *s, unsigned passes)
{
    /* Room for the first solution: a better one needs less. */
    s->excluded = calloc(s->n * passes, sizeof *s->excluded);
    s->trail = calloc(s->n * passes, sizeof *s->trail);
    unsigned least = s->excluded && s->trail ? least_of(s, passes) : 0;
    return least ? minimize(s, passes, least) : 0;
}
