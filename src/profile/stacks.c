#include "profile/stacks.h"

#include <stdlib.h>

static uint32_t hash_node(bx_stack_node node)
{
    return (uint32_t)((node.parent * UINT64_C(0x9e3779b97f4a7c15) + node.function) *
                          UINT64_C(0xd6e8feb86659fd93) >>
                      32);
}

static uint32_t *slot_of_node(const bx_stacks *s, bx_stack_node node)
{
    uint32_t at = hash_node(node) & s->mask;
    while (s->slot[at] && (s->node[s->slot[at]].parent != node.parent ||
                           s->node[s->slot[at]].function != node.function))
        at = (at + 1) & s->mask;
    return &s->slot[at];
}

static bool widen_slots(bx_stacks *s)
{
    uint32_t mask = s->mask ? 2 * s->mask + 1 : 1023;
    uint32_t *slot = mask < UINT32_MAX / 2 ? calloc(mask + (size_t)1, sizeof *slot) : NULL;
    if (!slot)
        return false;
    free(s->slot);
    s->slot = slot;
    s->mask = mask;
    for (uint32_t i = BX_STACK_FIRST; i < s->nodes; i++)
        *slot_of_node(s, s->node[i]) = i;
    return true;
}

uint32_t bx_stacks_add(bx_stacks *s, bx_stack_node node)
{
    if (2 * (s->nodes + UINT64_C(1)) > s->mask && !widen_slots(s))
        return BX_STACK_NONE;
    node.function = s->name_of ? s->name_of[node.function] : node.function;
    uint32_t *slot = slot_of_node(s, node);
    if (*slot)
        return *slot;
    bx_stack_node *all =
        bx_arena_grow(s->calls->of->arena, s->node, s->nodes, &s->room, sizeof *all, 1024);
    if (!all)
        return BX_STACK_NONE;
    s->node = all;
    all[s->nodes] = node;
    return *slot = s->nodes++;
}

uint32_t bx_stacks_callers(bx_stacks *s, const bx_call_code *code, uint32_t context)
{
    uint32_t above = context == UINT32_MAX ? BX_STACK_ROOT : s->node_of[context];
    for (uint32_t i = code->frames; i-- > 0 && above != BX_STACK_NONE;)
        above = bx_stacks_add(s, (bx_stack_node){above, s->calls->frame[code->frame + i].function});
    return above;
}

/* Functions are sorted by name. */
static bool number_names(bx_stacks *s)
{
    const bx_calls *c = s->calls;
    s->name_of = bx_arena_get(c->of->arena, (c->functions + (size_t)1) * sizeof *s->name_of);
    for (uint32_t i = 0; s->name_of && i < c->functions; i++)
        s->name_of[i] =
            i && bx_same_text(c->function[i - 1].name, c->function[i].name) ? s->name_of[i - 1] : i;
    return s->name_of;
}

/* A caller's context is older than the callee's, so its number is less. */
bool bx_stacks_read(const bx_calls *calls, bool by_name, bx_stacks *to)
{
    bx_arena *arena = calls->of->arena;
    *to = (bx_stacks){.calls = calls, .nodes = BX_STACK_FIRST};
    to->node_of = bx_arena_get(arena, (calls->contexts + (size_t)1) * sizeof *to->node_of);
    to->node = bx_arena_grow(arena, NULL, 0, &to->room, sizeof *to->node, 1024);
    if (!to->node_of || !to->node || (by_name && !number_names(to)))
        return false;
    for (uint32_t i = 0; i < calls->contexts; i++) {
        uint32_t parent = bx_calls_context_at(calls, calls->context[i].parent);
        uint32_t code = bx_calls_code_at(calls, calls->context[i].code);
        uint32_t above = parent < i ? to->node_of[parent] : BX_STACK_ROOT;
        if (code != UINT32_MAX)
            above = bx_stacks_callers(to, &calls->code[code], parent < i ? parent : UINT32_MAX);
        if (code != UINT32_MAX && above != BX_STACK_NONE)
            above = bx_stacks_add(to, (bx_stack_node){above, calls->code[code].function});
        if (above == BX_STACK_NONE)
            return false;
        to->node_of[i] = above;
    }
    return true;
}

void bx_stacks_free(bx_stacks *s)
{
    free(s->slot);
    s->slot = NULL;
}
