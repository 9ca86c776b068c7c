/* What each prefetcher of a core requests. */
#include "model/core/prefetch.h"

#include "model/part/tag_match.h"

#include <string.h>

enum {
    PAGE_SHIFT = 6, /* a page of 4 KiB has 2^6 lines */
    PAGE_LINES = 1 << PAGE_SHIFT,
    STRIDE_MOST = 32, /* lines: 2 KiB */
    AHEAD_MOST = 20,  /* lines ahead of the access: Intel 248966, Sandy Bridge */
    AT_ONCE = 2,      /* requests of the streamer for one access: same source */
    STEPS = 2,        /* steps in one direction that make a stream */
    SCAN = 16,        /* pages compared at once */
};

void bx_prefetchers_power_on(struct bx_prefetchers *p)
{
    memset(p, 0, sizeof *p);
    memset(p->page, 0xff, sizeof p->page);
    memset(p->touched, 0xff, sizeof p->touched);
    for (unsigned i = 0; i < BX_PREFETCH_INSTRUCTIONS; i++)
        p->stride[i].instruction = ~i; /* no instruction with this number uses this slot */
}

static bool was_touched(const struct bx_prefetchers *p, uint32_t line)
{
    return p->touched[line % BX_PREFETCH_LINES] == line;
}

static bool is_same_page(uint32_t a, uint32_t b)
{
    return a >> PAGE_SHIFT == b >> PAGE_SHIFT;
}

/* Writes a prefetch if it is wanted. Returns the new end. */
static bx_access *ask_if(bool wanted, uint32_t line, enum bx_prefetcher by, unsigned kind,
                         bx_access *to)
{
    if (wanted)
        *to++ = bx_access_prefetch(line, by, kind);
    return to;
}

/* ---- L1D ---- */

/* Stride prefetcher: a load whose instruction has moved by the same stride twice in a row. */
static bx_access *see_stride(struct bx_prefetchers *p, uint32_t instruction, uint32_t line,
                             bx_access *to)
{
    struct bx_prefetch_stride *s = &p->stride[instruction % BX_PREFETCH_INSTRUCTIONS];
    int64_t step = (int64_t)line - s->line;
    bool is_near = (uint64_t)(step + STRIDE_MOST) <= 2 * STRIDE_MOST;
    int32_t stride = (int32_t)step & -(int32_t)(is_near & (s->instruction == instruction));
    bool again = stride && stride == s->stride;
    uint32_t next = line + (uint32_t)stride;

    *s = (struct bx_prefetch_stride){instruction, line, stride};
    return ask_if(again && is_same_page(line, next), next, BX_PREFETCHER_STRIDE, BX_LOAD, to);
}

/* Next-line prefetcher: a load of a line after one that was touched. */
static bx_access *see_next(const struct bx_prefetchers *p, uint32_t line, bx_access *to)
{
    bool wanted = is_same_page(line, line - 1) && is_same_page(line, line + 1);
    return ask_if(wanted && was_touched(p, line - 1), line + 1, BX_PREFETCHER_NEXT, BX_LOAD, to);
}

/* ---- L2 ---- */

/* The index of a page that the streamer follows; BX_PREFETCH_STREAMS: it does not follow the
 * page. */
static unsigned search_page(const struct bx_prefetchers *p, uint32_t page)
{
    unsigned found = bx_match16(p->page, page) | bx_match16(p->page + SCAN, page) << SCAN;
    return found ? bx_first_way(found) : BX_PREFETCH_STREAMS;
}

/* The same. Usually the page is the last one with the same low bits. */
static unsigned find_page(const struct bx_prefetchers *p, uint32_t page)
{
    unsigned last = p->place[page % BX_PREFETCH_PLACES];
    return p->page[last] == page ? last : search_page(p, page);
}

static void follow_page(struct bx_prefetchers *p, uint32_t line)
{
    unsigned i = p->next_stream;
    uint8_t at = line % PAGE_LINES;

    p->next_stream = (i + 1) % BX_PREFETCH_STREAMS;
    p->page[i] = line >> PAGE_SHIFT;
    p->place[p->page[i] % BX_PREFETCH_PLACES] = (uint8_t)i;
    p->stream[i] = (struct bx_prefetch_stream){.last = at, .ahead = at};
}

/* Continues the page's stream with this line. */
static void step(struct bx_prefetch_stream *s, int at)
{
    int sign = (at > s->last) - (at < s->last), direction = sign ? sign : s->direction;
    bool anew = direction != s->direction;
    int steps = anew ? 0 : s->steps, ahead = anew ? at : s->ahead;

    steps += (sign != 0) & (steps < STEPS);
    ahead = (at - ahead) * direction > 0 ? at : ahead;
    *s =
        (struct bx_prefetch_stream){(int8_t)direction, (uint8_t)steps, (uint8_t)at, (uint8_t)ahead};
}

static bx_access *see_stream(struct bx_prefetch_stream *s, uint32_t line, unsigned kind,
                             bx_access *to)
{
    int at = (int)(line % PAGE_LINES);

    step(s, at);
    for (unsigned n = 0; s->steps == STEPS && n < AT_ONCE; n++) {
        int next = s->ahead + s->direction;
        if (next < 0 || next >= PAGE_LINES || (next - at) * s->direction > AHEAD_MOST)
            break;
        s->ahead = (uint8_t)next;
        *to++ =
            bx_access_prefetch(line - (uint32_t)at + (uint32_t)next, BX_PREFETCHER_STREAMER, kind);
    }
    return to;
}

static bx_access *see_l2(struct bx_prefetchers *p, uint32_t line, unsigned kind, bx_access *to)
{
    unsigned i = find_page(p, line >> PAGE_SHIFT);

    if (i == BX_PREFETCH_STREAMS) {
        follow_page(p, line);
        return to;
    }
    to = ask_if(!was_touched(p, line ^ 1), line ^ 1, BX_PREFETCHER_ADJACENT, kind, to);
    return see_stream(&p->stream[i], line, kind, to);
}

/* A line that was not touched recently. Not inline, because most accesses do not come here. */
static __attribute__((noinline)) bx_access *see_untouched(struct bx_prefetchers *p, uint32_t line,
                                                          unsigned kind, bx_access *to)
{
    p->touched[line % BX_PREFETCH_LINES] = line;
    if (kind == BX_LOAD)
        to = see_next(p, line, to);
    return see_l2(p, line, kind, to);
}

bx_access *bx_prefetchers_see(struct bx_prefetchers *p, uint32_t instruction, bx_access a,
                              bx_access *to)
{
    uint32_t line = (uint32_t)bx_access_line(a);
    unsigned kind = a & 3;

    if (kind == BX_LOAD)
        to = see_stride(p, instruction, line, to);
    return was_touched(p, line) ? to : see_untouched(p, line, kind, to);
}
