/* Streamer, into L2: follows the lines that are touched in each of several pages. */
#ifndef BX_MODEL_PART_PREFETCHER_STREAMER_H
#define BX_MODEL_PART_PREFETCHER_STREAMER_H

#include "model/part/prefetcher.h"
#include "model/part/tag_match.h"

#include <string.h>

enum {
    BX_STREAMER_PAGES = 32,
    BX_STREAMER_PLACES = 256,
    BX_STREAMER_AHEAD = 20,  /* lines ahead of the access: Intel 248966, Sandy Bridge */
    BX_STREAMER_AT_ONCE = 2, /* requests for one access: same source */
    BX_STREAMER_STEPS = 2,   /* steps in one direction that make a stream */
};

/* The stream of a page. `last` and `ahead` are lines within the page. */
struct bx_stream {
    int8_t direction; /* 1 or -1; 0: none so far */
    uint8_t steps;    /* in this direction, up to BX_STREAMER_STEPS */
    uint8_t last;     /* the line touched last */
    uint8_t ahead;    /* the farthest line requested, or `last` */
};

struct bx_streamer {
    _Alignas(64) uint32_t page[BX_STREAMER_PAGES];
    struct bx_stream stream[BX_STREAMER_PAGES];
    unsigned next;                     /* the next page to be replaced */
    uint8_t place[BX_STREAMER_PLACES]; /* index in `page` of the last page with these low bits */
};

static inline uint32_t bx_line_in_page(uint32_t line, unsigned page_shift)
{
    return line & (((uint32_t)1 << page_shift) - 1);
}

static inline void bx_streamer_power_on(struct bx_streamer *p)
{
    memset(p->page, 0xff, sizeof p->page);
}

/* The stream of a page, if the streamer follows it. Usually the page is the last one with the same
 * low bits. */
static inline struct bx_stream *bx_streamer_find(struct bx_streamer *p, uint32_t line,
                                                 unsigned page_shift)
{
    uint32_t page = line >> page_shift;
    unsigned last = p->place[page % BX_STREAMER_PLACES];

    if (p->page[last] == page)
        return &p->stream[last];
    unsigned found = bx_match(p->page, BX_STREAMER_PAGES, page);
    return found ? &p->stream[bx_first_way(found)] : NULL;
}

/* Begins to follow the line's page, in place of another one. */
static inline void bx_streamer_follow(struct bx_streamer *p, uint32_t line, unsigned page_shift)
{
    unsigned i = p->next;
    uint8_t at = (uint8_t)bx_line_in_page(line, page_shift);

    p->next = (i + 1) % BX_STREAMER_PAGES;
    p->page[i] = line >> page_shift;
    p->place[p->page[i] % BX_STREAMER_PLACES] = (uint8_t)i;
    p->stream[i] = (struct bx_stream){.last = at, .ahead = at};
}

/* Continues a page's stream with this line of the page. */
static inline void bx_stream_step(struct bx_stream *s, int at)
{
    int sign = (at > s->last) - (at < s->last), direction = sign ? sign : s->direction;
    bool anew = direction != s->direction;
    int steps = anew ? 0 : s->steps, ahead = anew ? at : s->ahead;

    steps += (sign != 0) & (steps < BX_STREAMER_STEPS);
    ahead = (at - ahead) * direction > 0 ? at : ahead;
    *s = (struct bx_stream){(int8_t)direction, (uint8_t)steps, (uint8_t)at, (uint8_t)ahead};
}

/* s: the stream of the line's page. */
static inline bx_access *bx_streamer_see(struct bx_stream *s, const struct bx_prefetch_seen *seen,
                                         bx_access *to)
{
    int at = (int)bx_line_in_page(seen->line, seen->page_shift);

    bx_stream_step(s, at);
    for (unsigned n = 0; s->steps == BX_STREAMER_STEPS && n < BX_STREAMER_AT_ONCE; n++) {
        int next = s->ahead + s->direction;
        if (next < 0 || next >> seen->page_shift || (next - at) * s->direction > BX_STREAMER_AHEAD)
            break;
        s->ahead = (uint8_t)next;
        *to++ = bx_access_prefetch(seen->line - (uint32_t)at + (uint32_t)next,
                                   BX_PREFETCHER_STREAMER, seen->kind);
    }
    return to;
}

#endif
