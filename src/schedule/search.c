/* The items of the search for passes, and the first solution. */
#include "schedule/search.h"

#include "schedule/equal.h"

#include <stdlib.h>

/* ---- equal members ---- */

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_requirements(const bx_requirement *a, const bx_requirement *b)
{
    int order = order_of(a->n, b->n);
    for (unsigned i = 0; !order && i < a->n; i++) {
        const bx_regvalue *one = &a->reg[i], *other = &b->reg[i];
        order = order_of(one->reg, other->reg);
        order = order ? order : order_of(one->value, other->value);
        order = order ? order : order_of(one->mask, other->mask);
    }
    return order;
}

/* Compares members, except those of a group: a group counts as a whole. */
static int compare_members(const bx_member *a, const bx_member *b)
{
    int order = order_of(a->pinned, b->pinned);
    order = order ? order : order_of(a->group, b->group);
    order = order ? order : order_of(a->box, b->box);
    order = order ? order : order_of(a->can, b->can);
    order = order ? order : order_of(a->alternatives, b->alternatives);
    for (unsigned i = 0; !order && !a->group && i < a->alternatives; i++)
        order = compare_requirements(&a->alternative[i], &b->alternative[i]);
    return order;
}

static int compare_in_order(const void *a, const void *b)
{
    const bx_member *one = *(bx_member *const *)a, *other = *(bx_member *const *)b;
    int order = compare_members(one, other);
    return order ? order : order_of((uintptr_t)one, (uintptr_t)other);
}

/* Finds equal members. Uses `order`, which is still empty. */
static void find_equal(bx_search *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->order[i] = &s->all[i];
    qsort(s->order, n, sizeof(bx_member *), compare_in_order);
    for (size_t i = 0, run = 0; i < n; i++) {
        if (s->order[i]->group || compare_members(s->order[i], s->order[run]) != 0)
            run = i;
        s->equal[s->order[i] - s->all] = (uint16_t)(s->order[run] - s->all);
    }
}

/* ---- items ---- */

bool bx_search_has(const bx_search *s, size_t member)
{
    return !s->all[member].pinned && (s->all[member].can || s->equal[member] == member);
}

static bool find_items(bx_search *s, size_t n)
{
    uint64_t *keys = calloc(n, sizeof *keys);
    uint16_t *first = calloc(n, sizeof *first), *next = calloc(n, sizeof *next);
    for (size_t i = 0; keys && i < n; i++)
        keys[i] = s->all[i].group ? s->all[i].group : BX_UNIQUE;
    bool fine = keys && first && next && bx_find_equal(keys, n, first);
    if (fine)
        bx_link_equal(first, n, next);
    for (size_t i = 0; fine && i < n; i++) {
        if (first[i] != i || !bx_search_has(s, i))
            continue;
        bx_item *item = &s->item[s->n++];
        item->first = s->members;
        for (size_t j = i; j != BX_LAST; j = next[j], item->n++)
            s->order[s->members++] = &s->all[j];
    }
    free(keys);
    free(first);
    free(next);
    return fine;
}

/* Collects the item's members of a box in the subset to check. */
static size_t collect(const bx_search *s, const bx_item *item, uint16_t box, size_t n)
{
    for (size_t i = item->first; i < item->first + item->n; i++)
        if (s->order[i]->box == box)
            s->subset[n++] = s->order[i];
    return n;
}

size_t bx_search_pinned(const bx_search *s, uint16_t box)
{
    size_t n = 0;
    for (size_t i = 0; i < s->pinned_n; i++)
        if (s->pinned[i]->box == box)
            s->subset[n++] = s->pinned[i];
    return n;
}

static bool box_seen(const bx_search *s, const bx_item *item, size_t i)
{
    for (size_t j = item->first; j < i; j++)
        if (s->order[j]->box == s->order[i]->box)
            return true;
    return false;
}

bool bx_search_compatible(const bx_search *s, size_t which, size_t with)
{
    const bx_item *item = &s->item[which], *other = &s->item[with];
    for (size_t i = item->first; i < item->first + item->n; i++) {
        if (box_seen(s, item, i))
            continue;
        size_t n = collect(s, item, s->order[i]->box, bx_search_pinned(s, s->order[i]->box));
        if (!bx_compatible(s->subset, collect(s, other, s->order[i]->box, n)))
            return false;
    }
    return true;
}

bool bx_search_can_join(const bx_search *s, size_t which, unsigned pass)
{
    const bx_item *item = &s->item[which];
    for (size_t i = item->first; i < item->first + item->n; i++) {
        if (box_seen(s, item, i))
            continue;
        size_t n = collect(s, item, s->order[i]->box, bx_search_pinned(s, s->order[i]->box));
        for (size_t j = s->newest[pass]; j != BX_NO_ITEM; j = s->item[j].next)
            n = collect(s, &s->item[j], s->order[i]->box, n);
        if (!bx_compatible(s->subset, n))
            return false;
    }
    return true;
}

/* ---- passes ---- */

void bx_search_put(bx_search *s, size_t item, unsigned pass)
{
    s->pass[item] = (uint16_t)pass;
    s->item[item].next = s->newest[pass];
    s->newest[pass] = item;
}

void bx_search_take(bx_search *s, size_t item)
{
    s->newest[s->pass[item]] = s->item[item].next;
    s->pass[item] = BX_NO_PASS;
}

void bx_search_clear(bx_search *s)
{
    for (size_t i = 0; i < s->n; i++) {
        s->pass[i] = BX_NO_PASS;
        s->newest[i] = BX_NO_ITEM;
    }
}

/* An item is not tried in passes before that of the last equal item: they had no room for that one,
 * and only become fuller. */
unsigned bx_search_first_fit(bx_search *s)
{
    unsigned passes = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint16_t *from = &s->latest[s->equal[s->order[s->item[i].first] - s->all]];
        unsigned pass = *from;
        while (pass < passes && !bx_search_can_join(s, i, pass))
            pass++;
        bx_search_put(s, i, pass);
        *from = (uint16_t)pass;
        if (pass == passes)
            passes++;
    }
    return passes;
}

void bx_search_close(bx_search *s)
{
    free(s->order);
    free(s->equal);
    free(s->latest);
    free(s->subset);
    free(s->pinned);
    free(s->item);
    free(s->pass);
    free(s->newest);
    free(s->best);
    free(s->excluded);
    free(s->trail);
}

bool bx_search_open(bx_search *s, bx_member *members, size_t n)
{
    s->all = members;
    s->order = calloc(n, sizeof(bx_member *));
    s->equal = calloc(n, sizeof *s->equal);
    s->latest = calloc(n, sizeof *s->latest);
    s->subset = calloc(n, sizeof(bx_member *));
    s->pinned = calloc(n, sizeof(bx_member *));
    s->item = calloc(n, sizeof *s->item);
    s->pass = calloc(n, sizeof *s->pass);
    s->newest = calloc(n, sizeof *s->newest);
    s->best = calloc(n, sizeof *s->best);
    if (!s->order || !s->equal || !s->latest || !s->subset || !s->pinned || !s->item || !s->pass ||
        !s->newest || !s->best)
        return false;
    for (size_t i = 0; i < n; i++)
        if (members[i].pinned)
            s->pinned[s->pinned_n++] = &members[i];
    find_equal(s, n);
    if (!find_items(s, n))
        return false;
    bx_search_clear(s);
    return true;
}
