/* Folded stacks: a line for each stack, its frames separated by ';' and then its count, as
 * flamegraph.pl and speedscope read. https://www.brendangregg.com/FlameGraphs/cpuflamegraphs.html
 */
#include "base/printable.h"
#include "profile/format/formats.h"

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

/* Functions into which that of the place was inlined are frames, too. */
static void add_frames(const bx_calls *c, uint32_t place, bx_buf *to)
{
    const bx_call_code *code = &c->code[place];
    for (uint32_t i = code->frames; i-- > 0;) {
        add_frame(c, c->frame[code->frame + i].function, to);
        bx_buf_z(to, ";");
    }
    add_frame(c, code->function, to);
}

void bx_profile_folded(const bx_calls *c, const bx_profile_table *t, bx_buf *to)
{
    uint32_t chain[BX_CALLS_DEEPEST];
    for (uint32_t i = 0; i < c->costs;) {
        const bx_call_cost *first = &c->cost[i];
        int64_t count = 0;
        for (;
             i < c->costs && c->cost[i].code == first->code && c->cost[i].context == first->context;
             i++)
            count += t->ranks[c->cost[i].event] ? c->cost[i].count : 0;
        if (!count)
            continue;
        for (unsigned n = bx_calls_chain(c, first->context, chain); n-- > 0;) {
            add_frames(c, chain[n], to);
            bx_buf_z(to, ";");
        }
        add_frames(c, first->code, to);
        bx_buf_f(to, " %lld\n", (long long)count);
    }
}
