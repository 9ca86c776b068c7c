/* Searches for fewer passes than first fit needs. Two lower bounds mostly prove that there is no
 * better solution: one from counters, one from members that are pairwise incompatible. Otherwise it
 * is branch and bound: the member with the fewest possible passes comes next, and passes that it
 * excludes for others are removed (as DSATUR colours graphs). */
#include "schedule/match.h"
#include "schedule/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- bounds ---- */

/* The size of a set of members that are pairwise incompatible; those with most conflicts come
 * first. */
static unsigned clique_bound(bx_search *s)
{
    size_t *clique = s->trail; /* has room for more than all items */
    unsigned n = 0, most = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < i; j++)
            if (!bx_search_compatible(s, i, j)) {
                s->item[i].conflicts++;
                s->item[j].conflicts++;
            }
    for (size_t start = 0; start < s->n; start++) {
        clique[0] = start;
        n = 1;
        for (size_t i = 0; i < s->n && s->item[start].conflicts; i++) {
            unsigned at = 0;
            while (at < n && i != clique[at] && !bx_search_compatible(s, i, clique[at]))
                at++;
            if (at == n)
                clique[n++] = i;
        }
        most = n > most ? n : most;
    }
    return most;
}

static bool box_seen(const bx_search *s, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (s->order[j]->box == s->order[i]->box)
            return true;
    return false;
}

/* The bound from counters alone, box by box. can, counter and pass have room for all members. */
static unsigned counters_bound(const bx_search *s, uint32_t *can, uint8_t *counter, uint16_t *pass)
{
    unsigned most = 1;
    for (size_t i = 0; i < s->members; i++) {
        if (box_seen(s, i))
            continue;
        size_t n = 0;
        for (size_t j = i; j < s->members; j++)
            if (s->order[j]->box == s->order[i]->box && s->order[j]->can)
                can[n++] = s->order[j]->can;
        unsigned passes = bx_match(can, n, counter, pass);
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

/* The item with the fewest possible passes; of several the one with the most conflicts. */
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

/* Empty passes are interchangeable: only one of them is tried. */
static bool descend(bx_search *s, size_t placed, unsigned used)
{
    if (placed == s->n)
        return true;
    size_t i = most_constrained(s, used), trail_n = s->trail_n;
    for (unsigned pass = 0; pass <= used && pass < s->passes && s->tries; pass++) {
        if (s->excluded[i * s->passes + pass])
            continue;
        s->pass[i] = (uint16_t)pass;
        propagate(s, pass);
        if (s->tries && descend(s, placed + 1, pass == used ? used + 1 : used))
            return true;
        backtrack(s, trail_n);
        s->pass[i] = BX_NO_PASS;
    }
    return false;
}

static bool fits_in(bx_search *s, unsigned passes)
{
    s->passes = passes;
    s->trail_n = 0;
    memset(s->excluded, 0, s->n * passes * sizeof *s->excluded);
    for (size_t i = 0; i < s->n; i++)
        s->pass[i] = BX_NO_PASS;
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
static unsigned least_of(bx_search *s)
{
    uint32_t *can = calloc(s->members, sizeof *can);
    uint8_t *counter = calloc(s->members, sizeof *counter);
    uint16_t *pass = calloc(s->members, sizeof *pass);
    unsigned least = 0;
    if (can && counter && pass) {
        unsigned conflicts = clique_bound(s);
        least = counters_bound(s, can, counter, pass);
        least = conflicts > least ? conflicts : least;
    }
    free(can);
    free(counter);
    free(pass);
    return least;
}

unsigned bx_search_minimize(bx_search *s, unsigned passes)
{
    /* Room for the first solution: a better one needs less. */
    s->excluded = calloc(s->n * passes, sizeof *s->excluded);
    s->trail = calloc(s->n * passes, sizeof *s->trail);
    unsigned least = s->excluded && s->trail ? least_of(s) : 0;
    return least ? minimize(s, passes, least) : 0;
}
