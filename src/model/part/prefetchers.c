/* Which accesses each prefetcher of a core sees. */
#include "model/part/prefetchers.h"

#include "model/part/prefetcher_adjacent.h"
#include "model/part/prefetcher_next.h"

void bx_prefetchers_power_on(struct bx_prefetchers *p, unsigned page_shift)
{
    memset(p, 0, sizeof *p);
    memset(&p->touched, 0xff, sizeof p->touched);
    p->page_shift = page_shift;
    bx_streamer_power_on(&p->streamer);
    bx_stride_power_on(&p->stride);
}

/* The prefetchers of L2 see lines of pages that the streamer follows. */
static bx_access *see_l2(struct bx_prefetchers *p, const struct bx_prefetch_seen *seen,
                         bx_access *to)
{
    struct bx_stream *stream = bx_streamer_find(&p->streamer, seen->line, seen->page_shift);

    if (!stream) {
        bx_streamer_follow(&p->streamer, seen->line, seen->page_shift);
        return to;
    }
    return bx_streamer_see(stream, seen, bx_adjacent_see(seen, to));
}

/* A line that was not touched recently. Not inline, because most accesses do not come here. */
static __attribute__((noinline)) bx_access *see_untouched(struct bx_prefetchers *p, uint32_t line,
                                                          unsigned kind, bx_access *to)
{
    const struct bx_prefetch_seen seen = {
        .line = line, .kind = kind, .page_shift = p->page_shift, .touched = &p->touched};

    p->touched.line[line % BX_TOUCHED_LINES] = line;
    if (kind == BX_LOAD)
        to = bx_next_see(&seen, to);
    return see_l2(p, &seen, to);
}

bx_access *bx_prefetchers_see(struct bx_prefetchers *p, uint32_t instruction, bx_access a,
                              bx_access *to)
{
    uint32_t line = (uint32_t)bx_access_line(a);
    unsigned kind = a & 3;

    if (kind == BX_LOAD)
        to = bx_stride_see(&p->stride, instruction, line, p->page_shift, to);
    return bx_was_touched(&p->touched, line) ? to : see_untouched(p, line, kind, to);
}
