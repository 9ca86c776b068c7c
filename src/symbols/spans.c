#include "symbols/spans.h"

#include "base/grow.h"

#include <stdlib.h>

bool bx_address_spans_add(bx_address_spans *s, uint64_t from, uint64_t to, uint32_t what)
{
    if (from >= to)
        return true;
    bx_address_span *all = bx_grow(s->span, s->n, &s->room, sizeof *all, 64);
    if (!all)
        return false;
    s->span = all;
    all[s->n++] = (bx_address_span){from, to, what, 0};
    return true;
}

/* An outer one before those in it. */
static int by_begin(const void *a, const void *b)
{
    const bx_address_span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

void bx_address_spans_sort(bx_address_spans *s)
{
    if (s->n)
        qsort(s->span, s->n, sizeof *s->span, by_begin);
    for (size_t i = 0; i < s->n; i++) {
        size_t around = i;
        while (around && s->span[around - 1].to <= s->span[i].from)
            around = s->span[around - 1].around;
        s->span[i].around = (uint32_t)around;
    }
}

const bx_address_span *bx_address_spans_find(const bx_address_spans *s, uint64_t address)
{
    size_t from = 0, to = s->n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (s->span[middle].from <= address)
            from = middle + 1;
        else
            to = middle;
    }
    while (from && s->span[from - 1].to <= address)
        from = s->span[from - 1].around;
    return from ? &s->span[from - 1] : NULL;
}

void bx_address_spans_free(bx_address_spans *s)
{
    free(s->span);
    *s = (bx_address_spans){0};
}
