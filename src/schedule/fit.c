/* Distributes members over passes, like colours of a graph: incompatible members need different
 * passes. But three members may be incompatible although each pair of them is compatible. So a
 * member that joins a pass is checked with all members of the pass. */
#include "schedule/fit.h"

#include "schedule/equal.h"
#include "schedule/match.h"
#include "schedule/search.h"

#include <stdlib.h>

/* With more items, the limit of checks would not be enough to place each of them. */
enum { MOST_ITEMS = 2048 };

/* Whether members only compete for counters: then matching alone is exact and fast. A member whose
 * first alternative requires nothing never needs another one. */
static bool counters_only(const bx_member *members, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (members[i].box != members[0].box || members[i].group || members[i].pinned ||
            !members[i].can || members[i].alternative[0].n)
            return false;
    return true;
}

static unsigned match_all(bx_member *members, size_t n)
{
    uint32_t *can = calloc(n, sizeof *can);
    uint8_t *counter = calloc(n, sizeof *counter);
    uint16_t *pass = calloc(n, sizeof *pass);
    unsigned passes = 0;
    if (can && counter && pass) {
        for (size_t i = 0; i < n; i++)
            can[i] = members[i].can;
        passes = bx_match(can, n, counter, pass);
        for (size_t i = 0; i < n; i++) {
            members[i].counter = counter[i];
            members[i].pass = pass[i];
            members[i].chosen = 0;
        }
    }
    free(can);
    free(counter);
    free(pass);
    return passes;
}

/* Numbers the passes in the order in which items use them. */
static void number_passes(bx_search *s)
{
    uint16_t next = 0, *name = s->best; /* new number, indexed by old number */
    for (size_t i = 0; i < s->n; i++)
        name[i] = BX_NO_PASS;
    for (size_t i = 0; i < s->n; i++) {
        if (name[s->pass[i]] == BX_NO_PASS)
            name[s->pass[i]] = next++;
        s->pass[i] = name[s->pass[i]];
    }
}

/* Chooses counters and places for the members of each pass and box. */
static bool choose_counter(bx_search *s, size_t n)
{
    uint64_t *keys = calloc(n, sizeof *keys);
    uint16_t *first = calloc(n, sizeof *first), *next = calloc(n, sizeof *next);
    for (size_t i = 0; keys && i < n; i++)
        keys[i] = bx_search_has(s, i) ? (uint64_t)s->all[i].pass << 16 | s->all[i].box : BX_UNIQUE;
    bool fine = keys && first && next && bx_find_equal(keys, n, first);
    if (fine)
        bx_link_equal(first, n, next);
    for (size_t i = 0; fine && i < n; i++) {
        size_t in_pass = bx_search_pinned(s, s->all[i].box);
        for (size_t j = i; first[i] == i && j != BX_LAST; j = next[j])
            s->subset[in_pass++] = &s->all[j];
        bx_compatible(s->subset, in_pass);
    }
    free(keys);
    free(first);
    free(next);
    return fine;
}

/* Writes the result: passes, then counters and places. */
static unsigned write_solution(bx_search *s, bx_member *members, size_t n, unsigned passes)
{
    number_passes(s);
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = s->item[i].first; j < s->item[i].first + s->item[i].n; j++)
            s->order[j]->pass = s->pass[i];
    if (!choose_counter(s, n))
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (bx_search_has(s, i) || members[i].pinned)
            continue;
        members[i].pass = members[s->equal[i]].pass;
        members[i].chosen = members[s->equal[i]].chosen;
    }
    return passes;
}

static unsigned solve(bx_search *s, bx_member *members, size_t n)
{
    unsigned passes = bx_search_first_fit(s);
    if (s->n == 0) /* all members are pinned */
        return 1;
    if (passes > 1 && s->tries && s->n <= MOST_ITEMS)
        passes = bx_search_minimize(s, passes);
    return passes ? write_solution(s, members, n, passes) : 0;
}

unsigned bx_fit_within(bx_member *members, size_t n, unsigned tries)
{
    if (n == 0 || counters_only(members, n))
        return n ? match_all(members, n) : 1;
    bx_search s = {.tries = tries};
    unsigned passes = bx_search_open(&s, members, n) ? solve(&s, members, n) : 0;
    bx_search_close(&s);
    return passes;
}

unsigned bx_fit(bx_member *members, size_t n)
{
    return bx_fit_within(members, n, BX_FIT_TRIES);
}
