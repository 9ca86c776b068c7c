#include "schedule/search.h"

#include <stdlib.h>

/* ---- items ---- */

static void add_item(bx_search *s, bx_member *members, size_t n, size_t first)
{
    bx_item *item = &s->item[s->n++];
    *item = (bx_item){.first = s->members};
    for (size_t i = first; i < n; i++) {
        bool same = i == first || (members[i].group && members[i].group == members[first].group);
        if (same)
            s->order[s->members++] = &members[i];
    }
    item->n = s->members - item->first;
}

static bool is_first(const bx_member *members, size_t i)
{
    for (size_t j = 0; members[i].group && j < i; j++)
        if (members[j].group == members[i].group)
            return false;
    return true;
}

/* Collects the item's members of a box in the subset to check. */
static size_t collect(const bx_search *s, const bx_item *item, uint16_t box, size_t n)
{
    for (size_t i = item->first; i < item->first + item->n; i++)
        if (s->order[i]->box == box)
            s->subset[n++] = s->order[i];
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
        size_t n = collect(s, item, s->order[i]->box, 0);
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
        size_t n = collect(s, item, s->order[i]->box, 0);
        for (size_t j = 0; j < s->n; j++)
            if (s->pass[j] == pass)
                n = collect(s, &s->item[j], s->order[i]->box, n);
        if (!bx_compatible(s->subset, n))
            return false;
    }
    return true;
}

/* ---- the first solution ---- */

unsigned bx_search_first_fit(bx_search *s)
{
    unsigned passes = 0;
    for (size_t i = 0; i < s->n; i++) {
        unsigned pass = 0;
        while (pass < passes && !bx_search_can_join(s, i, pass))
            pass++;
        s->pass[i] = (uint16_t)pass;
        if (pass == passes)
            passes++;
    }
    return passes;
}

void bx_search_close(bx_search *s)
{
    free(s->order);
    free(s->subset);
    free(s->item);
    free(s->pass);
    free(s->best);
    free(s->excluded);
    free(s->trail);
}

bool bx_search_open(bx_search *s, bx_member *members, size_t n)
{
    s->order = calloc(n, sizeof(bx_member *));
    s->subset = calloc(n, sizeof(bx_member *));
    s->item = calloc(n, sizeof *s->item);
    s->pass = calloc(n, sizeof *s->pass);
    s->best = calloc(n, sizeof *s->best);
    if (!s->order || !s->subset || !s->item || !s->pass || !s->best)
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_first(members, i))
            add_item(s, members, n, i);
    for (size_t i = 0; i < s->n; i++)
        s->pass[i] = BX_NO_PASS;
    return true;
}
