/* A generator makes the accesses of an agent's part of a workload, step by step. */
#include "model/engine/access_pattern.h"

#include "model/engine/permute.h"

#include <string.h>

enum { ACCESSES = BX_PATTERN_BURST / (1 + BX_WALK_LOADS) };

/* ---- an access, and what it triggers ---- */

/* The prefetches that an access triggers. The access is of the next instruction of the step. */
static bx_access *prefetch(struct bx_generator_prefetch *p, bx_access access, bx_access *to)
{
    unsigned instruction = 2 * p->instruction++ + ((access & 3) == BX_STORE);
    uint64_t line = bx_access_line(access), *last = &p->last_line[instruction];

    if (line != *last)
        to = bx_prefetchers_see(&p->of, instruction, access, to);
    *last = line;
    return to;
}

/* Writes the loads of the page walk of an access. What the TLB counts retires before the access. */
static bx_access *translate(struct bx_generator *g, uint64_t page, bx_access *access, bx_access *to)
{
    size_t loads = bx_tlb_translate(g->tlb, g->tables, page, g->page_size, access, to);
    uint32_t what = bx_tlb_retires(g->tlb, g->retired, g->page_size, *access);

    g->retirement[g->retirements++] = (bx_retirement){(uint32_t)(to - g->buffer), what};
    return to + loads;
}

void bx_generator_emit_among(struct bx_generator *g, uint64_t page, bx_access access)
{
    bx_access *to = g->buffer + g->n;

    if (g->tlb && !bx_tlb_hits(g->tlb, bx_generator_side(bx_access_kind_of(access)), page))
        to = translate(g, page, &access, to);
    *to++ = access;
    if (g->prefetch && bx_access_kind_of(access) != BX_NON_TEMPORAL)
        to = prefetch(g->prefetch, access, to);
    g->n = (size_t)(to - g->buffer);
}

/* ---- steps ---- */

static void step_prefetching(struct bx_generator *g)
{
    g->prefetch->instruction = 0;
    g->step(g);
}

static enum bx_feed_state refill(bx_feed *feed)
{
    struct bx_generator *g = (struct bx_generator *)(void *)feed;

    const size_t burst = (size_t)(g->tlb ? BX_PATTERN_BURST : ACCESSES) +
                         (size_t)(g->prefetch ? ACCESSES * BX_PREFETCH_MOST : 0);

    void (*const step)(struct bx_generator * g) = g->prefetch ? step_prefetching : g->step;

    g->retirements = 0;
    for (g->n = 0; g->done < g->steps && g->n + burst <= BX_GENERATOR_ROOM; g->done++)
        step(g);
    g->feed.next = g->buffer;
    g->feed.end = g->buffer + g->n;
    g->feed.origin = g->buffer;
    g->feed.retirement = g->retirement;
    g->feed.retirement_end = g->retirement + g->retirements;
    g->feed.retired_n = g->feed.retired ? bx_retired_table_n(g->feed.retired) : 0;
    return g->n ? BX_FEED_MORE : BX_FEED_END;
}

uint64_t bx_generator_advance(struct bx_generator *g, unsigned i, uint64_t step)
{
    uint64_t at = g->position[i];
    g->position[i] = at + step < g->key[BX_KEY_SIZE] ? at + step : 0;
    return at;
}

void bx_generator_start(struct bx_generator *g, const struct bx_pattern *pattern)
{
    g->feed =
        (bx_feed){.next = g->buffer, .end = g->buffer, .refill = refill, .each_retires = true};
    g->l1 = (bx_ratio){0, 1};
    g->part = 0;
    g->done = 0;
    g->elements = g->key[BX_KEY_STRIDE] ? g->key[BX_KEY_SIZE] / g->key[BX_KEY_STRIDE] : 0;
    g->step = pattern->step;
    g->steps = pattern->steps(g);
    g->random = bx_mix(g->key[BX_KEY_SEED]) + bx_mix(g->rank + UINT64_C(1));
}

bool bx_generator_prefetch(struct bx_generator *g, bx_arena *memory)
{
    g->prefetch =
        bx_arena_get_aligned(memory, sizeof *g->prefetch, _Alignof(struct bx_generator_prefetch));
    if (!g->prefetch)
        return false;
    bx_prefetchers_power_on(&g->prefetch->of, bx_page_lines_shift(g->line_shift));
    memset(g->prefetch->last_line, 0xff, sizeof g->prefetch->last_line);
    return true;
}
