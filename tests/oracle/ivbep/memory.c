/* The memory channels: docs/explanation/model-ivbep.md, "Signals of the memory channels". */
#include "machine.h"

#include <stdlib.h>

/* ---- events ---- */

static void add(struct ivbep_oracle *o, struct memory_happening happening)
{
    if (o->in_memory_n == o->in_memory_room) {
        o->in_memory_room = o->in_memory_room * 2 + 64;
        o->in_memory = ivbep_need(realloc(o->in_memory, o->in_memory_room * sizeof *o->in_memory));
    }
    o->in_memory[o->in_memory_n++] = happening;
}

static void add_commands(struct ivbep_oracle *o, struct memory_happening happening)
{
    size_t n;

    if (!happening.write) {
        happening.what = WAITS;
        happening.from = oracle_dram_waits_from(o->dram[happening.node]);
        happening.until = oracle_dram_waits_until(o->dram[happening.node]);
        add(o, happening);
    }
    const struct oracle_dram_command *c = oracle_dram_commands(o->dram[happening.node], &n);

    for (size_t i = 0; i < n; i++) {
        happening.what = c[i].what == ORACLE_DRAM_LINE       ? MOVES_LINE
                         : c[i].what == ORACLE_DRAM_ACTIVATE ? OPENS_ROW
                                                             : CLOSES_ROW;
        happening.write = c[i].write;
        happening.rank = c[i].rank;
        happening.bank = c[i].bank;
        add(o, happening);
    }
}

void ivbep_count_in_memory(struct ivbep_oracle *o, unsigned node, uint64_t line, bool write,
                           uint64_t at)
{
    struct memory_happening happening = {.what = ENTERS_QUEUE,
                                         .write = write,
                                         .node = node,
                                         .channel = (unsigned)(line % o->channels),
                                         .at = at};

    add(o, happening);
    if (o->dram[node]) {
        add_commands(o, happening);
    } else {
        happening.what = MOVES_LINE;
        add(o, happening);
    }
}

/* ---- selections ---- */

/* The bits of the unit mask that select the event, whatever else they select. */
static unsigned bits_of(const struct memory_happening *h, unsigned code)
{
    unsigned queue = h->write ? 0x20 : 0x10, banks = (h->write ? 0xb8 : 0xb0) + h->rank;

    switch (h->what) {
    case ENTERS_QUEUE:
        return code == queue ? ~0u : 0;
    case MOVES_LINE:
        return code == 0x04                   ? (h->write ? 0x04 : 0x01)
               : code == banks && h->bank < 8 ? 1u << h->bank
                                              : 0;
    case OPENS_ROW:
        return code == 0x01 ? (h->write ? 0x02 : 0x01) : 0;
    case WAITS:
        return 0;
    default:
        return code == 0x02 ? 0x01 | (h->write ? 0x08 : 0x04) : 0;
    }
}

static bool is_counted(const struct memory_happening *h, const bx_selection *sel)
{
    unsigned bits = bits_of(h, sel->code);

    return h->node == sel->package && h->channel == sel->unit && (bits == ~0u || bits & sel->umask);
}

static bool is_clock(const bx_selection *sel)
{
    return sel->code == 0x00 || sel->code == 0xff;
}

/* The n-th clock begins n x 2 hz / (dram_rate x 10^6) cycles after power-on. The time is in 1/256
 * cycles. */
static bool begins_before(const struct ivbep_oracle *o, uint64_t n, uint64_t time)
{
    return (long double)n * 2 * o->hz * 256 < (long double)time * o->memory.rate * 1000000;
}

static uint64_t clocks_before_time(const struct ivbep_oracle *o, uint64_t time)
{
    uint64_t least = 0, most = 1; /* clocks that begin before it, without one that begins at it */

    while (begins_before(o, most, time))
        most *= 2;
    while (least < most) {
        uint64_t middle = least + (most - least) / 2;
        if (begins_before(o, middle, time))
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

static uint64_t clocks_before(const struct ivbep_oracle *o, uint64_t cycle)
{
    return clocks_before_time(o, cycle * 256);
}

/* ---- reads that wait ---- */

/* A span of clocks, or of cycles if edges are counted: begin … end - 1. */
struct wait {
    uint64_t begin, end;
};

static int by_begin(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The spans of a channel in order, to be freed by the caller. */
static struct wait *waits_of(const struct ivbep_oracle *o, const bx_selection *sel, size_t *n)
{
    struct wait *waits = ivbep_need(calloc(o->in_memory_n + 1, sizeof *waits));

    *n = 0;
    for (size_t i = 0; i < o->in_memory_n; i++) {
        const struct memory_happening *h = &o->in_memory[i];
        if (h->what != WAITS || h->node != sel->package || h->channel != sel->unit)
            continue;
        waits[(*n)++] = sel->rises ? (struct wait){(h->from + 255) / 256, (h->until + 255) / 256}
                                   : (struct wait){clocks_before_time(o, h->from),
                                                   clocks_before_time(o, h->until)};
    }
    qsort(waits, *n, sizeof *waits, by_begin);
    return waits;
}

/* How many clocks or cycles before `before` are in any span. */
static uint64_t covered(const struct wait *waits, size_t n, uint64_t before)
{
    uint64_t sum = 0, end = 0; /* end: of the spans added up so far */

    for (size_t i = 0; i < n; i++) {
        uint64_t from = waits[i].begin > end ? waits[i].begin : end;
        uint64_t to = waits[i].end < before ? waits[i].end : before;
        if (to > from)
            sum += to - from;
        end = waits[i].end > end ? waits[i].end : end;
    }
    return sum;
}

static uint64_t present_of(const struct ivbep_oracle *o, const bx_selection *sel, uint64_t cycle)
{
    return sel->rises ? cycle : clocks_before(o, cycle);
}

static uint64_t cycles_with_a_wait(const struct ivbep_oracle *o, const bx_selection *sel)
{
    size_t n;
    struct wait *waits = waits_of(o, sel, &n);
    uint64_t sum = covered(waits, n, present_of(o, sel, o->now));

    free(waits);
    return sum;
}

/* Sets level[t] to 1 if a clock, or a cycle, with a wait begins in t. */
static void levels_of_waits(const struct ivbep_oracle *o, const bx_selection *sel, uint32_t *level,
                            size_t cycles)
{
    size_t n;
    struct wait *waits = waits_of(o, sel, &n);

    for (size_t t = 0; t < cycles; t++)
        for (uint64_t k = present_of(o, sel, t); k < present_of(o, sel, t + 1); k++)
            for (size_t i = 0; i < n && !level[t]; i++)
                level[t] = k >= waits[i].begin && k < waits[i].end;
    free(waits);
}

/* ---- sums and levels ---- */

uint64_t ivbep_memory_sum(const struct ivbep_oracle *o, const bx_selection *sel)
{
    uint64_t sum = 0;

    if (is_clock(sel))
        return sel->rises ? o->now : clocks_before(o, o->now);
    if (sel->code == 0x11)
        return cycles_with_a_wait(o, sel);
    for (size_t i = 0; i < o->in_memory_n; i++)
        sum += is_counted(&o->in_memory[i], sel);
    return sum;
}

void ivbep_memory_levels(const struct ivbep_oracle *o, const bx_selection *sel, uint32_t *level,
                         size_t cycles)
{
    for (size_t t = 0; t < cycles; t++)
        level[t] = !is_clock(sel) ? 0
                   : sel->rises   ? 1
                                  : (uint32_t)(clocks_before(o, t + 1) - clocks_before(o, t));
    if (sel->code == 0x11)
        levels_of_waits(o, sel, level, cycles);
    for (size_t i = 0; i < o->in_memory_n; i++)
        if (o->in_memory[i].at < cycles)
            level[o->in_memory[i].at] += is_counted(&o->in_memory[i], sel);
}
