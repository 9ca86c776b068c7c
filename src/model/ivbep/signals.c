/* What a selection counts: docs/explanation/model-ivbep.md, "Signals of the C-Boxes" and "Signals
 * of the memory channels". */
#include "model/ivbep/machine.h"

#include "model/core/core_events.h"
#include "model/ivbep/boxes.h"

#include <stddef.h>

enum {
    CLOCKTICKS = 0x00,
    TXR_INSERTS = 0x02,
    RXR_OCCUPANCY = 0x11,
    RXR_INSERTS = 0x13,
    RING_AD_USED = 0x1b,
    RING_IV_USED = 0x1e,
    RXR_IPQ_RETRY = 0x31,
    RXR_ISMQ_RETRY = 0x33,
    LLC_LOOKUP = 0x34,
    TOR_INSERTS = 0x35,
    TOR_OCCUPANCY = 0x36,
    LLC_VICTIMS = 0x37,
    MISC = 0x39,
};

/* A table of counts, and masks of the rows, columns, nodes and requesters that are added up. A
 * dimension that the table does not have has size 1. */
struct pick {
    const uint64_t *cell;
    unsigned columns, nodes, requesters;
    unsigned row_mask, column_mask, node_mask, requester_mask;
};

static bool in(unsigned mask, unsigned i)
{
    return mask >> i & 1;
}

static uint64_t sum_of_requesters(const struct pick *p, const uint64_t *cell)
{
    uint64_t sum = 0;

    if (p->requester_mask == (1u << BX_IVBEP_REQUESTERS) - 1) { /* the usual case: no filter */
        for (unsigned requester = 0; requester < BX_IVBEP_REQUESTERS; requester++)
            sum += cell[requester];
        return sum;
    }
    for (unsigned requester = 0; requester < p->requesters; requester++)
        sum += in(p->requester_mask, requester) ? cell[requester] : 0;
    return sum;
}

static uint64_t sum_of(const struct pick *p)
{
    uint64_t sum = 0;

    for (unsigned rest = p->row_mask; rest; rest &= rest - 1) {
        const uint64_t *cell =
            p->cell + (size_t)__builtin_ctz(rest) * p->columns * p->nodes * p->requesters;
        for (unsigned column = 0; column < p->columns; column++)
            for (unsigned node = 0; node < p->nodes; node++, cell += p->requesters)
                if (in(p->column_mask, column) && in(p->node_mask, node))
                    sum += sum_of_requesters(p, cell);
    }
    return sum;
}

/* ---- the two filter registers: Intel 329468-002 ---- */

/* The requesters that pass FILTER0: thread in bit 0, core in bits 3:1, bit 4 for no thread. A core
 * has only thread 0. The core field has three bits, so with more than eight cores a value can stand
 * for two. */
static unsigned requester_mask(const bx_selection *sel)
{
    uint64_t filter = sel->filter[0] & sel->applies[0], all = (1u << BX_IVBEP_REQUESTERS) - 1;
    unsigned mask = 0;

    if (!(sel->applies[0] & 0x1f))
        return (unsigned)all;
    if (filter & 0x10)
        return 1u << BX_IVBEP_NO_THREAD;
    for (unsigned core = 0; core < BX_IVBEP_CORES; core++)
        if (!(filter & 1) && (core & 7) == (filter >> 1 & 7))
            mask |= 1u << core;
    return mask;
}

/* The nodes that pass FILTER1, if the unit mask has the bit for that. */
static unsigned node_mask(const bx_selection *sel)
{
    const unsigned nid = 0x40, all = (1u << BX_IVBEP_NODES) - 1;
    unsigned filter = (unsigned)(sel->filter[1] & sel->applies[1] & 0xffff);
    return sel->umask & nid && filter ? filter : all;
}

/* Selects from a table with one count for each bit of the unit mask. */
static bool by_bit(struct pick *p, const uint64_t count[BX_IVBEP_BITS], uint32_t umask,
                   unsigned modelled)
{
    *p = (struct pick){count, 1, 1, 1, umask, 1, 1, 1};
    return !(umask & ~modelled);
}

/* ---- tables ---- */

/* DATA_READ 02H, WRITE 04H, REMOTE_SNOOP 08H, ANY 10H, NID 40H. Bits 22:17 of FILTER0 select
 * states. */
static bool lookups(struct pick *p, const struct bx_ivbep_counts *c, const bx_selection *sel)
{
    const unsigned any = 0x10, nid = 0x40, all = (1u << BX_IVBEP_LOOKUPS) - 1;
    unsigned kinds = sel->umask >> 1 & all;

    if (sel->umask & any || (!kinds && sel->umask & nid))
        kinds = all;
    *p = (struct pick){
        .cell = &c->lookup[0][0][0][0],
        .columns = BX_LINE_STATES,
        .nodes = BX_IVBEP_NODES,
        .requesters = BX_IVBEP_REQUESTERS,
        .row_mask = kinds,
        .column_mask = (unsigned)((sel->filter[0] & sel->applies[0]) >> 17 & 0x3f),
        .node_mask = node_mask(sel),
        .requester_mask = requester_mask(sel),
    };
    return !(sel->umask & ~UINT32_C(0x5f));
}

static bool victims(struct pick *p, const struct bx_ivbep_counts *c, const bx_selection *sel)
{
    *p = (struct pick){
        .cell = &c->victim[0][0][0],
        .columns = 1,
        .nodes = BX_IVBEP_NODES,
        .requesters = BX_IVBEP_REQUESTERS,
        .row_mask = sel->umask & 0xf,
        .column_mask = 1,
        .node_mask = node_mask(sel),
        .requester_mask = requester_mask(sel),
    };
    return !(sel->umask & ~UINT32_C(0x4f));
}

/* Opcodes in bits 28:20 of FILTER1. 0: no filter. false: the model has no transactions with this
 * opcode. */
static bool opcodes(unsigned opcode, unsigned *rows)
{
    static const struct {
        uint16_t value;
        uint8_t row;
    } of[] = {
        {0x180, BX_IVBEP_RFO},      {0x181, BX_IVBEP_CRD},     {0x182, BX_IVBEP_DRD},
        {0x18c, BX_IVBEP_WCILF},    {0x18d, BX_IVBEP_WCIL},    {0x190, BX_IVBEP_PF_RFO},
        {0x191, BX_IVBEP_PF_CODE},  {0x192, BX_IVBEP_PF_DATA}, {0x193, BX_IVBEP_PCIWIL},
        {0x194, BX_IVBEP_PCIWILF},  {0x195, BX_IVBEP_PCIPRD},  {0x19c, BX_IVBEP_PCIITOM},
        {0x19e, BX_IVBEP_PCIRDCUR}, {0x1c4, BX_IVBEP_WBMTOI},  {0x1c5, BX_IVBEP_WBMTOE},
    };
    if (!opcode) {
        *rows |= (1u << BX_IVBEP_OPCODES) - 1;
        return true;
    }
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].value == opcode) {
            *rows |= 1u << of[i].row;
            return true;
        }
    return false;
}

enum { TOR_OPCODE = 0x01, TOR_MISS = 0x02, TOR_EVICTION = 0x04, TOR_ALL = 0x08, TOR_WB = 0x10 };

/* Rows of the TOR's table. This machine has no non-coherent or isochronous transactions. */
static bool tor_rows(const bx_selection *sel, unsigned *rows)
{
    uint64_t filter = sel->filter[1] & sel->applies[1];
    const uint64_t nc_isoc = UINT64_C(3) << 30;

    *rows = 0;
    if (sel->umask & TOR_OPCODE && !(filter & nc_isoc) &&
        !opcodes((unsigned)(filter >> 20 & 0x1ff), rows))
        return false;
    if (sel->umask & TOR_EVICTION)
        *rows |= 1u << BX_IVBEP_EVICTION;
    if (sel->umask & TOR_WB)
        *rows |= 1u << BX_IVBEP_WBMTOI | 1u << BX_IVBEP_WBMTOE;
    if (sel->umask & TOR_ALL)
        *rows |= (1u << BX_IVBEP_OPCODES) - 1;
    return true;
}

/* LOCAL 20H: the line's home is this package; REMOTE 80H: it is not. Both: either. */
static unsigned home_mask(const bx_selection *sel)
{
    const unsigned local = 0x20, remote = 0x80, own = 1u << sel->package;
    unsigned mask = 0;

    if (sel->umask & local)
        mask |= own;
    if (sel->umask & remote)
        mask |= ~own;
    return mask ? mask : ~0u;
}

static bool tor(struct pick *p, const uint64_t *cell, const bx_selection *sel)
{
    *p = (struct pick){
        .cell = cell,
        .columns = 2,
        .nodes = BX_IVBEP_NODES,
        .requesters = BX_IVBEP_REQUESTERS,
        .column_mask = sel->umask & TOR_MISS ? 2 : 3,
        .node_mask = node_mask(sel) & home_mask(sel),
        .requester_mask = requester_mask(sel),
    };
    return sel->umask <= 0xff && tor_rows(sel, &p->row_mask);
}

/* Finds the table of a selection, and what it adds up. false: not modelled. */
static bool pick_of(const struct bx_ivbep_counts *c, const bx_selection *sel, struct pick *p)
{
    const unsigned ingress = 1u << BX_IVBEP_IRQ | 1u << BX_IVBEP_IRQ_REJECTED | 1u << BX_IVBEP_IPQ |
                             1u << BX_IVBEP_VFIFO;
    static const uint8_t retries[] = {0x07, 0x1f, 0x81}; /* IPQ, IRQ, ISMQ */

    switch (sel->code) {
    case TXR_INSERTS:
        return by_bit(p, c->egress, sel->umask, 0x7f);
    case RXR_OCCUPANCY:
        return by_bit(p, c->ingress_cycles, sel->umask, ingress);
    case RXR_INSERTS:
        return by_bit(p, c->ingress, sel->umask, ingress);
    case RING_AD_USED:
    case RING_AD_USED + 1:
    case RING_AD_USED + 2:
    case RING_IV_USED:
        return by_bit(p, c->ring[sel->code - RING_AD_USED], sel->umask, 0xff);
    case RXR_IPQ_RETRY:
    case RXR_IPQ_RETRY + 1:
    case RXR_ISMQ_RETRY:
        return by_bit(p, c->retry[sel->code - RXR_IPQ_RETRY], sel->umask,
                      retries[sel->code - RXR_IPQ_RETRY]);
    case LLC_LOOKUP:
        return lookups(p, c, sel);
    case TOR_INSERTS:
        return tor(p, &c->tor[0][0][0][0], sel);
    case TOR_OCCUPANCY:
        return tor(p, &c->tor_cycles[0][0][0][0], sel);
    case LLC_VICTIMS:
        return victims(p, c, sel);
    case MISC:
        return by_bit(p, c->misc, sel->umask,
                      1u << BX_IVBEP_RSPI_WAS_FSE | 1u << BX_IVBEP_WC_ALIASING |
                          1u << BX_IVBEP_STARTED | 1u << BX_IVBEP_RFO_HIT_S);
    default:
        return false;
    }
}

static bool is_ring_event(const bx_selection *sel)
{
    return sel->code == TXR_INSERTS || (sel->code >= RING_AD_USED && sel->code <= RING_IV_USED);
}

bool bx_ivbep_signal_of(const bx_model *model, const bx_selection *sel, struct bx_signal *signal)
{
    const struct bx_ivbep *m = bx_ivbep_of_const(model);
    struct pick p;

    if (sel->box == BX_IVBEP_CORE)
        return sel->package < m->packages && sel->unit < m->cores &&
               bx_core_signal_of(&bx_core_events_ivy_bridge, &m->agents.turns, sel,
                                 sel->package * m->cores + sel->unit, signal);
    if (sel->box == BX_IVBEP_IMC && sel->package < m->packages)
        return bx_ivbep_memory_signal_of(m, sel, signal);
    if (sel->box != BX_IVBEP_CBO || sel->package >= m->packages || sel->unit >= m->cores)
        return false;
    *signal = (struct bx_signal){.selection = *sel};
    signal->kind = sel->code == CLOCKTICKS                                    ? BX_SIGNAL_CLOCK
                   : sel->code == RXR_OCCUPANCY || sel->code == TOR_OCCUPANCY ? BX_SIGNAL_OCCUPANCY
                                                                              : BX_SIGNAL_PULSES;
    const struct bx_ivbep_slice *s = &m->slice[sel->package][sel->unit];
    if (!is_ring_event(sel))
        signal->changes = &s->changes;
    return signal->kind == BX_SIGNAL_CLOCK || pick_of(&s->counts, sel, &p);
}

/* ---- levels ---- */

static struct bx_ivbep *model_of(struct bx_signal_source *source)
{
    return (struct bx_ivbep *)(void *)((char *)source - offsetof(struct bx_ivbep, source));
}

static struct bx_ivbep_slice *slice_of(struct bx_signal_source *source, const bx_selection *sel)
{
    return &model_of(source)->slice[sel->package][sel->unit];
}

/* Whether an occupancy selection includes an entry. */
static bool has_entry(const bx_selection *sel, const struct pick *p,
                      const struct bx_ivbep_entry *entry)
{
    if (entry->ingress || sel->code == RXR_OCCUPANCY)
        return entry->ingress && sel->code == RXR_OCCUPANCY && in(p->row_mask, entry->what);
    return in(p->row_mask, entry->what) && in(p->column_mask, entry->miss) &&
           in(p->node_mask, entry->node) && in(p->requester_mask, entry->requester);
}

/* Entries x cycles from `now` on, for the known entries that the selection includes. */
static uint64_t remaining(const struct bx_ivbep_slice *s, const bx_selection *sel,
                          const struct pick *p, uint64_t now)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < s->entries; i++) {
        const struct bx_ivbep_entry *entry = &s->entry[i];
        if (entry->end > now && has_entry(sel, p, entry))
            cycles += entry->end - (entry->begin > now ? entry->begin : now);
    }
    return cycles;
}

static bool is_of_memory(const struct bx_signal *signal)
{
    return signal->selection.box == BX_IVBEP_IMC;
}

static uint64_t source_tally(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    if (is_of_memory(signal))
        return bx_ivbep_memory_tally(model_of(source), &signal->selection, now);
    const struct bx_ivbep_slice *s = slice_of(source, &signal->selection);
    struct pick p;

    if (!pick_of(&s->counts, &signal->selection, &p))
        return 0;
    uint64_t sum = sum_of(&p);
    return signal->kind == BX_SIGNAL_OCCUPANCY ? sum - remaining(s, &signal->selection, &p, now)
                                               : sum;
}

static uint64_t source_level(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    if (is_of_memory(signal))
        return bx_ivbep_memory_level(model_of(source), &signal->selection, now);
    const struct bx_ivbep_slice *s = slice_of(source, &signal->selection);
    uint64_t level = 0;
    struct pick p;

    if (!pick_of(&s->counts, &signal->selection, &p))
        return 0;
    for (unsigned i = 0; i < s->entries; i++) {
        const struct bx_ivbep_entry *entry = &s->entry[i];
        level +=
            entry->begin <= now && entry->end > now && has_entry(&signal->selection, &p, entry);
    }
    return level;
}

static uint64_t source_next_change(struct bx_signal_source *source, const struct bx_signal *signal,
                                   uint64_t now)
{
    if (is_of_memory(signal))
        return now + 1; /* the memory has its own clock, so most cycles differ */
    const struct bx_ivbep_slice *s = slice_of(source, &signal->selection);
    uint64_t next = BX_NEVER;

    for (unsigned i = 0; i < s->entries; i++) {
        const struct bx_ivbep_entry *entry = &s->entry[i];
        uint64_t change = entry->begin > now ? entry->begin : entry->end;
        if (change > now && change < next)
            next = change;
    }
    return next;
}

void bx_ivbep_source_power_on(struct bx_signal_source *source)
{
    *source = (struct bx_signal_source){source_tally, source_level, source_next_change};
}
