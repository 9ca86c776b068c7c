#include "machine/program/decode/call_stack.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CALLS = 64,
    DEEPEST = 512,       /* calls below have the context of that depth */
    FAR_AWAY = 16 << 10, /* bytes beyond the slots of a stack: another one. A large frame on the
                            same stack does no harm: its calls begin in the present context */
    STACKS_MOST = 64,
};

static bool has_slot(const bx_call_stack *on, uint64_t slot)
{
    return slot + FAR_AWAY >= on->top && slot <= on->high + FAR_AWAY;
}

/* ---- stacks ---- */

/* Its index: a new one, an empty one; or, if there are too many, the one after the present. */
static size_t place_of_stack(bx_call_stacks *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->stack[i].n)
            return i;
    if (s->n == STACKS_MOST)
        return (s->now + 1) % STACKS_MOST;
    bx_call_stack *all = bx_grow(s->stack, s->n, &s->room, sizeof *all, 1);
    if (!all)
        return SIZE_MAX;
    s->stack = all;
    all[s->n] = (bx_call_stack){.n = 0};
    return s->n++;
}

static bx_call_stack *begin_stack(bx_call_stacks *s, uint64_t slot)
{
    size_t at = place_of_stack(s);
    if (at == SIZE_MAX)
        return NULL;
    bx_call_stack *on = &s->stack[at];
    s->now = at;
    on->n = 0;
    on->base = s->context;
    on->top = on->high = slot;
    return on;
}

static bx_call_stack *stack_with(bx_call_stacks *s, uint64_t slot)
{
    if (s->n && has_slot(&s->stack[s->now], slot))
        return &s->stack[s->now];
    for (size_t i = s->n; i-- > 0;)
        if (has_slot(&s->stack[i], slot)) {
            s->now = i;
            return &s->stack[i];
        }
    return begin_stack(s, slot);
}

/* ---- calls ---- */

static uint32_t context_of(bx_call_stacks *s, bx_witness *w, uint32_t parent, uint32_t code)
{
    const size_t slots = sizeof s->known / sizeof *s->known;
    struct bx_known_call *k = &s->known[(parent * 31 + code) % slots];
    if (k->context && k->parent == parent && k->code == code)
        return k->context;
    *k = (struct bx_known_call){parent, code, bx_witness_context(w, parent, code)};
    return k->context;
}

/* Calls whose return addresses are not on the stack any more were left by a jump. */
static uint32_t leave_calls(bx_call_stack *on, uint64_t slot)
{
    while (on->n && on->call[on->n - 1].slot <= slot)
        on->n--;
    return on->n ? on->call[on->n - 1].context : on->base;
}

uint32_t bx_call_stacks_call(bx_call_stacks *s, bx_witness *w, uint32_t code, uint64_t slot)
{
    bx_call_stack *on = stack_with(s, slot);
    bx_call *all = on ? bx_grow(on->call, on->n, &on->room, sizeof *all, FIRST_CALLS) : NULL;
    if (!all) {
        w->failed = true;
        return s->context;
    }
    on->call = all;
    uint32_t parent = leave_calls(on, slot);
    s->context = on->n < DEEPEST ? context_of(s, w, parent, code) : parent;
    all[on->n++] = (bx_call){slot, s->context};
    on->top = slot;
    on->high = slot > on->high ? slot : on->high;
    return s->context;
}

/* The call whose return address is in the slot; SIZE_MAX: none. The last ones come first. */
static size_t call_at(const bx_call_stack *on, uint64_t slot)
{
    for (size_t i = on->n; i-- > 0 && on->call[i].slot <= slot;)
        if (on->call[i].slot == slot)
            return i;
    return SIZE_MAX;
}

uint32_t bx_call_stacks_return(bx_call_stacks *s, bx_witness *w, uint64_t slot)
{
    size_t at = s->n ? call_at(&s->stack[s->now], slot) : SIZE_MAX, which = s->now;
    for (size_t i = s->n; i-- > 0 && at == SIZE_MAX;)
        at = call_at(&s->stack[i], slot), which = i;
    if (at == SIZE_MAX) {
        w->unmatched++;
        return s->context;
    }
    bx_call_stack *on = &s->stack[which];
    s->now = which;
    s->left = on->call[at].context;
    on->n = at;
    on->top = slot;
    s->context = at ? on->call[at - 1].context : on->base;
    return s->context;
}

/* ---- threads and processes ---- */

bx_call_stacks *bx_call_stacks_copy(const bx_call_stacks *s)
{
    bx_call_stacks *to = s ? malloc(sizeof *to) : NULL;
    if (!to)
        return NULL;
    *to = *s;
    to->next = NULL;
    to->stack = calloc(s->n + 1, sizeof *to->stack);
    to->room = s->n + 1;
    to->n = to->stack ? s->n : 0;
    for (size_t i = 0; i < to->n; i++) {
        const bx_call_stack *from = &s->stack[i];
        bx_call_stack *on = &to->stack[i];
        *on = *from;
        on->room = from->n + 1;
        on->call = malloc(on->room * sizeof *on->call);
        if (!on->call)
            on->n = on->room = 0;
        else if (from->n)
            memcpy(on->call, from->call, from->n * sizeof *on->call);
    }
    if (!to->stack)
        to->room = 0;
    return to;
}

void bx_call_stacks_free(bx_call_stacks *s)
{
    while (s) {
        bx_call_stacks *next = s->next;
        for (size_t i = 0; i < s->n; i++)
            free(s->stack[i].call);
        free(s->stack);
        free(s);
        s = next;
    }
}
