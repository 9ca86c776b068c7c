/* Folded stacks: a line for each stack, its frames separated by ';' and then its count, as
 * flamegraph.pl and speedscope read. https://www.brendangregg.com/FlameGraphs/cpuflamegraphs.html
 */
#include "base/printable.h"
#include "profile/format/formats.h"
#include "profile/stacks.h"

#include <stdlib.h>

/* ';' ends a frame. */
static void add_frame(const bx_calls *c, uint32_t function, bx_buf *to)
{
    const char *name = c->function[function].name;
    size_t from = to->n;
    bx_buf_name(to, name ? name : "(unknown)");
    for (size_t i = from; i < to->n; i++)
        if (to->p[i] == ';')
            to->p[i] = ':';
}

static uint32_t stack_of_cost(bx_stacks *s, const bx_call_cost *cost)
{
    const bx_call_code *code = &s->calls->code[cost->code];
    uint32_t callers = bx_stacks_callers(s, code, bx_calls_context_at(s->calls, cost->context));
    return callers == BX_STACK_NONE ? callers
                                    : bx_stacks_add(s, (bx_stack_node){callers, code->function});
}

/* path: room for all functions of the deepest stack. */
static void add_stack(const bx_stacks *s, uint32_t node, int64_t count, uint32_t *path, bx_buf *to)
{
    size_t n = 0;
    for (uint32_t i = node; i != BX_STACK_ROOT; i = s->node[i].parent)
        path[n++] = s->node[i].function;
    while (n-- > 0) {
        add_frame(s->calls, path[n], to);
        bx_buf_z(to, n ? ";" : " ");
    }
    bx_buf_f(to, "%lld\n", (long long)count);
}

static bool add_stacks(const bx_stacks *s, const int64_t *count, bx_buf *to)
{
    uint32_t deepest = 0, *depth = calloc(s->nodes, sizeof *depth), *path = NULL;
    for (uint32_t i = BX_STACK_FIRST; depth && i < s->nodes; i++) {
        depth[i] = depth[s->node[i].parent] + 1;
        deepest = depth[i] > deepest ? depth[i] : deepest;
    }
    if (depth)
        path = malloc((deepest + (size_t)1) * sizeof *path);
    for (uint32_t i = BX_STACK_FIRST; path && i < s->nodes; i++)
        if (count[i])
            add_stack(s, i, count[i], path, to);
    bool whole = path != NULL;
    free(depth);
    free(path);
    return whole;
}

void bx_profile_folded(const bx_calls *c, const bx_profile_table *t, bx_buf *to)
{
    bx_stacks stacks;
    int64_t *count = NULL;
    bool whole = bx_stacks_read(c, true, &stacks);
    for (uint32_t i = 0; i < c->costs && whole; i++)
        whole = stack_of_cost(&stacks, &c->cost[i]) != BX_STACK_NONE;
    if (whole)
        count = calloc(stacks.nodes, sizeof *count);
    for (uint32_t i = 0; i < c->costs && count; i++)
        if (t->ranks[c->cost[i].event])
            count[stack_of_cost(&stacks, &c->cost[i])] += c->cost[i].count;
    if (!count || !add_stacks(&stacks, count, to))
        bx_buf_fail(to);
    free(count);
    bx_stacks_free(&stacks);
}
