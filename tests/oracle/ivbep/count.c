/* Counts of Ivy Bridge-EP's C-Boxes, its rings, filters and signals. */
#include "machine.h"

#include "model/machine/ivbep/boxes.h"

#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

static struct total *total_of(struct ivbep_oracle *o, const struct slice *slice,
                              const struct cell *cell)
{
    return &o->totals[slice->package * CORES + slice->number]
                .of[cell->what][cell->first][cell->second][cell->node][cell->who];
}

static void record(struct ivbep_oracle *o, struct happening happening)
{
    if (!o->record)
        return;
    if (o->happenings == o->happening_room) {
        o->happening_room = o->happening_room * 2 + 64;
        o->happening = ivbep_need(realloc(o->happening, o->happening_room * sizeof *o->happening));
    }
    o->happening[o->happenings++] = happening;
}

void ivbep_count(struct ivbep_oracle *o, const struct slice *slice, struct cell cell, uint64_t t)
{
    total_of(o, slice, &cell)->times++;
    record(o, (struct happening){slice->package, slice->number, cell, false, t, t + 1});
}

void ivbep_live(struct ivbep_oracle *o, const struct slice *slice, struct cell cell, uint64_t begin,
                uint64_t end)
{
    total_of(o, slice, &cell)->cycles += end - begin;
    record(o, (struct happening){slice->package, slice->number, cell, true, begin, end});
}

/* ---- "Rings" ---- */

static unsigned stops_up(const struct ivbep_oracle *o, unsigned from, unsigned to)
{
    unsigned stops = o->cores + 1;

    return (to + stops - from) % stops;
}

static bool goes_up(const struct ivbep_oracle *o, unsigned from, unsigned to)
{
    return stops_up(o, from, to) <= stops_up(o, to, from);
}

unsigned ivbep_stops_between(const struct ivbep_oracle *o, unsigned from, unsigned to)
{
    return goes_up(o, from, to) ? stops_up(o, from, to) : stops_up(o, to, from);
}

/* Even or odd, up or down, virtual ring 0 or 1. */
static unsigned ring_bit(enum ring ring, bool up, uint64_t line)
{
    unsigned odd = line & 1, virtual_ring = ring == IV ? 0 : line >> 1 & 1;

    return 4 * virtual_ring + (up ? 0 : 2) + odd;
}

void ivbep_send(struct ivbep_oracle *o, unsigned package, enum ring ring, unsigned from,
                unsigned to, bool by_core, uint64_t line, uint64_t t)
{
    unsigned stops = o->cores + 1;
    bool up = goes_up(o, from, to);

    if (from != last_stop(o))
        ivbep_count(o, &o->slice[package][from],
                    (struct cell){.what = SENT, .first = ring + (by_core ? 4 : 0)}, t);
    for (unsigned stop = from; stop != to;) {
        stop = (stop + (up ? 1 : stops - 1)) % stops;
        if (stop != last_stop(o))
            ivbep_count(
                o, &o->slice[package][stop],
                (struct cell){.what = RING, .first = ring, .second = ring_bit(ring, up, line)}, t);
    }
}

/* ---- filters ---- */

static bool passes_thread_and_core(const bx_selection *sel, unsigned who)
{
    uint64_t applies = sel->applies[0] & 0x1f, filter = sel->filter[0];

    if (applies == 0)
        return true;
    if (filter & 0x10)
        return who == NOBODY;
    return who != NOBODY && !(filter & 1) && (filter >> 1 & 7) == (who & 7);
}

static bool passes_node(const bx_selection *sel, unsigned node)
{
    uint64_t nodes = sel->filter[1] & 0xffff;

    return !(sel->umask & 0x40) || nodes == 0 || nodes >> node & 1;
}

static bool passes_state(const bx_selection *sel, unsigned state)
{
    return sel->filter[0] >> 17 >> state & 1;
}

static bool passes_opcode(const bx_selection *sel, unsigned transaction)
{
    static const unsigned opcode[TRANSACTIONS] = {
        [RFO] = 0x180,     [CRD] = 0x181,     [DRD] = 0x182,     [ITOM] = 0x1c8,
        [PF_RFO] = 0x190,  [PF_CODE] = 0x191, [PF_DATA] = 0x192, [PCIWIL] = 0x193,
        [PCIWILF] = 0x194, [PCIPRD] = 0x195,  [PCIITOM] = 0x19c, [PCIRDCUR] = 0x19e,
        [WBMTOI] = 0x1c4,  [WBMTOE] = 0x1c5,  [WCILF] = 0x18c,   [WCIL] = 0x18d,
    };
    unsigned wanted = sel->filter[1] >> 20 & 0x1ff;

    if (sel->filter[1] & (UINT64_C(3) << 30)) /* non-coherent, isochronous */
        return false;
    return wanted == opcode[transaction];
}

/* ---- "Signals" ---- */

/* How many bits of the mask select the cell; bit[i] selects i. */
static unsigned has(const bx_selection *sel, const unsigned *bit, unsigned i)
{
    return sel->umask & bit[i] ? 1 : 0;
}

static unsigned lookups(const bx_selection *sel, const struct cell *cell)
{
    static const unsigned bit[] = {
        [LOOKUP_READ] = 0x02, [LOOKUP_WRITE] = 0x04, [LOOKUP_SNOOP] = 0x08};
    bool any = sel->umask & 0x10 || (sel->umask & ~0x01u) == 0x40;

    if (!passes_state(sel, cell->second))
        return 0;
    return any || has(sel, bit, cell->first);
}

static unsigned transactions(const bx_selection *sel, const struct cell *cell)
{
    bool local = sel->umask & 0x20, remote = sel->umask & 0x80;
    bool is_local = cell->node == sel->package,
         is_wb = cell->first == WBMTOI || cell->first == WBMTOE;

    if (sel->umask & 0x02 && !cell->second)
        return 0;
    if ((local || remote) && !(is_local ? local : remote))
        return 0;
    return (sel->umask & 0x01 && passes_opcode(sel, cell->first)) ||
           (sel->umask & 0x04 && cell->first == EVICTION) || sel->umask & 0x08 ||
           (sel->umask & 0x10 && is_wb);
}

static unsigned retries(const bx_selection *sel, const struct cell *cell)
{
    static const unsigned bit[] = {[ANY] = 0x01,  [FULL] = 0x02,        [ADDR_CONFLICT] = 0x04,
                                   [RTID] = 0x08, [QPI_CREDITS] = 0x10, [WB_CREDITS] = 0x80};
    static const unsigned code[] = {[IPQ] = 0x31, [IRQ] = 0x32, [ISMQ] = 0x33};

    return code[cell->first] == sel->code ? has(sel, bit, cell->second) : 0;
}

static enum what what_of(unsigned code)
{
    switch (code) {
    case 0x02:
        return SENT;
    case 0x11:
    case 0x13:
        return QUEUE;
    case 0x31:
    case 0x32:
    case 0x33:
        return RETRY;
    case 0x34:
        return LOOKUP;
    case 0x35:
    case 0x36:
        return TOR;
    case 0x37:
        return VICTIM;
    case 0x39:
        return MISC;
    default:
        return code >= 0x1b && code <= 0x1e ? RING : WHATS;
    }
}

static bool passes(const bx_selection *sel, const struct cell *cell)
{
    if (cell->what != LOOKUP && cell->what != VICTIM && cell->what != TOR)
        return true;
    return passes_thread_and_core(sel, cell->who) && passes_node(sel, cell->node);
}

/* How often the selection counts one such event. */
static unsigned weight(const bx_selection *sel, const struct cell *cell)
{
    static const unsigned sent[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0};
    static const unsigned queue[] = {
        [IRQ] = 0x01, [IRQ_REJECTED] = 0x02, [IPQ] = 0x04, [VFIFO] = 0x10};
    static const unsigned victim[] = {
        [VICTIM_M] = 0x01, [VICTIM_E] = 0x02, [VICTIM_S] = 0x04, [VICTIM_MISS] = 0x08};
    static const unsigned misc[] = {
        [RSPI_WAS_FSE] = 0x01, [STARTED] = 0x04, [RFO_HIT_S] = 0x08, [WC_ALIASING] = 0x02};

    if (cell->what != what_of(sel->code) || !passes(sel, cell))
        return 0;
    switch (cell->what) {
    case LOOKUP:
        return lookups(sel, cell);
    case VICTIM:
        return has(sel, victim, cell->first);
    case TOR:
        return transactions(sel, cell);
    case RING:
        return sel->code == 0x1b + cell->first ? sel->umask >> cell->second & 1 : 0;
    case SENT:
        return has(sel, sent, cell->first);
    case QUEUE:
        return has(sel, queue, cell->first);
    case RETRY:
        return retries(sel, cell);
    default:
        return has(sel, misc, cell->first);
    }
}

static bool is_occupancy(const bx_selection *sel)
{
    return sel->code == 0x11 || sel->code == 0x36;
}

static unsigned firsts(enum what what)
{
    static const unsigned n[] = {
        [LOOKUP] = 3, [VICTIM] = 4, [TOR] = TRANSACTIONS, [RING] = 4,
        [SENT] = 7,   [QUEUE] = 4,  [RETRY] = ISMQ + 1,   [MISC] = WC_ALIASING + 1};

    return n[what];
}

static uint64_t sum_of(const struct totals *totals, const bx_selection *sel, struct cell cell)
{
    const struct total *total =
        &totals->of[cell.what][cell.first][cell.second][cell.node][cell.who];

    return total->times == 0
               ? 0
               : (is_occupancy(sel) ? total->cycles : total->times) * weight(sel, &cell);
}

uint64_t ivbep_oracle_sum(const struct ivbep_oracle *o, const bx_selection *sel)
{
    const struct totals *totals = &o->totals[sel->package * CORES + sel->unit];
    enum what what = what_of(sel->code);
    uint64_t sum = 0;

    if (sel->box == BX_IVBEP_IMC)
        return ivbep_memory_sum(o, sel);
    if (sel->code == 0)
        return o->now;
    for (unsigned first = 0; first < firsts(what); first++)
        for (unsigned second = 0; second < SECONDS; second++)
            for (unsigned node = 0; node < NODES; node++)
                for (unsigned who = 0; who < WHOS; who++)
                    sum += sum_of(totals, sel, (struct cell){what, first, second, node, who});
    return sum;
}

void ivbep_oracle_levels(const struct ivbep_oracle *o, const bx_selection *sel, uint32_t *level,
                         size_t cycles)
{
    if (sel->box == BX_IVBEP_IMC) {
        ivbep_memory_levels(o, sel, level, cycles);
        return;
    }
    for (size_t t = 0; t < cycles; t++)
        level[t] = sel->code == 0;
    for (size_t i = 0; i < o->happenings; i++) {
        const struct happening *h = &o->happening[i];
        if (h->package != sel->package || h->unit != sel->unit || h->lives != is_occupancy(sel))
            continue;
        for (uint64_t t = h->begin; t < h->end && t < cycles; t++)
            level[t] += weight(sel, &h->cell);
    }
}
