/* "Signals of the memory channels". */
#include "machine.h"

#include <stdlib.h>

/* ---- what happens ---- */

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

/* ---- what is counted ---- */

/* The bits of the unit mask that stand for it, whatever else they stand for. */
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

/* The n-th clock begins n x 2 hz / (dram_rate x 10^6) cycles after power-on. */
static bool begins_before(const struct ivbep_oracle *o, uint64_t n, uint64_t cycle)
{
    return (long double)n * 2 * o->hz < (long double)cycle * o->memory.rate * 1000000;
}

static uint64_t clocks_before(const struct ivbep_oracle *o, uint64_t cycle)
{
    uint64_t least = 0, most = 1; /* clocks that begin before the cycle; the latter does not */

    while (begins_before(o, most, cycle))
        most *= 2;
    while (least < most) {
        uint64_t middle = least + (most - least) / 2;
        if (begins_before(o, middle, cycle))
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

uint64_t ivbep_memory_sum(const struct ivbep_oracle *o, const bx_selection *sel)
{
    uint64_t sum = 0;

    if (is_clock(sel))
        return sel->rises ? o->now : clocks_before(o, o->now);
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
    for (size_t i = 0; i < o->in_memory_n; i++)
        if (o->in_memory[i].at < cycles)
            level[o->in_memory[i].at] += is_counted(&o->in_memory[i], sel);
}
