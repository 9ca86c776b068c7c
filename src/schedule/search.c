#include "schedule/search.h"

#include <stdlib.h>

/* ---- items ---- */

static void add_item(bx_search *s, bx_member *members, size_t n, size_t first)
{
    bx_item *item = &s->item[s->n++];
    *item = (bx_item){.first = s->members};
    for (size_t i = first; i < n; i++) {
        bool same = i == first || (members[i].bundle && members[i].bundle == members[first].bundle);
        if (same)
            s->order[s->members++] = &members[i];
    }
    item->n = s->members - item->first;
}

static bool is_first(const bx_member *members, size_t i)
{
    for (size_t j = 0; members[i].bundle && j < i; j++)
        if (members[j].bundle == members[i].bundle)
            return false;
    return true;
}

/* Adds the item's members in a box to those that are asked about. */
static size_t ask(const bx_search *s, const bx_item *item, uint16_t box, size_t asked)
{
    for (size_t i = item->first; i < item->first + item->n; i++)
        if (s->order[i]->box == box)
            s->asked[asked++] = s->order[i];
    return asked;
}

static bool box_seen(const bx_search *s, const bx_item *item, size_t i)
{
    for (size_t j = item->first; j < i; j++)
        if (s->order[j]->box == s->order[i]->box)
            return true;
    return false;
}

bool bx_search_can_be_with(const bx_search *s, size_t which, size_t with)
{
    const bx_item *item = &s->item[which], *other = &s->item[with];
    for (size_t i = item->first; i < item->first + item->n; i++) {
        if (box_seen(s, item, i))
            continue;
        size_t n = ask(s, item, s->order[i]->box, 0);
        if (!bx_together(s->asked, ask(s, other, s->order[i]->box, n)))
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
        size_t n = ask(s, item, s->order[i]->box, 0);
        for (size_t j = 0; j < s->n; j++)
            if (s->pass[j] == pass)
                n = ask(s, &s->item[j], s->order[i]->box, n);
        if (!bx_together(s->asked, n))
            return false;
    }
    return true;
}

/* ---- the first way ---- */

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
    free(s->asked);
    free(s->item);
    free(s->pass);
    free(s->best);
    free(s->shut);
    free(s->trail);
}

bool bx_search_open(bx_search *s, bx_member *members, size_t n)
{
    s->order = calloc(n, sizeof(bx_member *));
    s->asked = calloc(n, sizeof(bx_member *));
    s->item = calloc(n, sizeof *s->item);
    s->pass = calloc(n, sizeof *s->pass);
    s->best = calloc(n, sizeof *s->best);
    if (!s->order || !s->asked || !s->item || !s->pass || !s->best)
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_first(members, i))
            add_item(s, members, n, i);
    for (size_t i = 0; i < s->n; i++)
        s->pass[i] = BX_NO_PASS;
    return true;
}
