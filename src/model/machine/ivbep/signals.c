/* What a selection of a C-Box counts: docs/explanation/model-ivbep.md, "Signals of the C-Boxes". */
#include "model/machine/ivbep/machine.h"

#include "model/core/core_events.h"
#include "model/engine/core_signal.h"
#include "model/engine/signal_words.h"
#include "model/machine/ivbep/boxes.h"

#define PLACE(member)                                                                              \
    {                                                                                              \
        .at = offsetof(struct bx_ivbep, slice[0][0].member),                                       \
        .package = BX_IVBEP_CORES * sizeof(struct bx_ivbep_slice),                                 \
        .unit = sizeof(struct bx_ivbep_slice)                                                      \
    }
#define COUNTS(member) &bx_read_counts, PLACE(counts.member), PLACE(changes)

static const char *const lookup_names[] = {"reads", "writes", "snoops"};
static const char *const state_names[] = {"I", "S", "E", "M", "F", "M'"};
static const char *const victim_names[] = {"M", "E", "S", "none: an empty way"};
static const char *const miss_names[] = {"hits", "misses"};
static const char *const node_names[] = {"node 0", "node 1"};
static const char *const requester_names[BX_IVBEP_REQUESTERS] = {
    "core 0", "core 1", "core 2",  "core 3",  "core 4",  "core 5",  "core 6",  "core 7",
    "core 8", "core 9", "core 10", "core 11", "core 12", "core 13", "core 14", "no thread"};
static const char *const transaction_names[BX_IVBEP_OPCODES] = {[BX_IVBEP_RFO] = "RFO",
                                                                [BX_IVBEP_CRD] = "CRD",
                                                                [BX_IVBEP_DRD] = "DRD",
                                                                [BX_IVBEP_ITOM] = "ITOM",
                                                                [BX_IVBEP_PF_RFO] = "PF_RFO",
                                                                [BX_IVBEP_PF_CODE] = "PF_CODE",
                                                                [BX_IVBEP_PF_DATA] = "PF_DATA",
                                                                [BX_IVBEP_PCIWIL] = "PCIWIL",
                                                                [BX_IVBEP_PCIWILF] = "PCIWILF",
                                                                [BX_IVBEP_PCIPRD] = "PCIPRD",
                                                                [BX_IVBEP_PCIITOM] = "PCIITOM",
                                                                [BX_IVBEP_PCIRDCUR] = "PCIRDCUR",
                                                                [BX_IVBEP_WBMTOI] = "WBMTOI",
                                                                [BX_IVBEP_WBMTOE] = "WBMTOE",
                                                                [BX_IVBEP_WCILF] = "WCILF",
                                                                [BX_IVBEP_WCIL] = "WCIL",
                                                                [BX_IVBEP_EVICTION] = "evictions",
                                                                [BX_IVBEP_PEER_SNOOP] =
                                                                    "snoops of the other package"};
static const char *const egress_names[] = {"AD of the slice", "AK of the slice", "BL of the slice",
                                           "IV of the slice", "AD of the core",  "AK of the core",
                                           "BL of the core"};
static const char *const ingress_names[] = {"IRQ", "IRQ_REJECTED", "IPQ", NULL, "VFIFO"};
static const char *const polarity_names[] = {
    "up even",          "up odd",          "down even",          "down odd",
    "up even (ring 1)", "up odd (ring 1)", "down even (ring 1)", "down odd (ring 1)"};
static const char *const reason_names[] = {"any", "FULL", "ADDR_CONFLICT", "RTID", "QPI_CREDITS",
                                           NULL,  NULL,   "WB_CREDITS"};
static const char *const misc_names[] = {"RSPI_WAS_FSE", "WC_ALIASING", "STARTED", "RFO_HIT_S"};

/* ---- entries of queues, as levels ---- */

enum { OF_TOR, OF_INGRESS };

static struct bx_ivbep_slice *slice_of(bx_model *m, const struct bx_signal *signal)
{
    return &bx_ivbep_of(m)->slice[signal->selection.package][signal->selection.unit];
}

/* The entries of which an occupancy includes some. */
static const struct bx_ivbep_entries *entries_of(bx_model *m, const struct bx_signal *signal)
{
    const struct bx_ivbep_slice *s = slice_of(m, signal);
    return signal->term[0].what == OF_INGRESS ? &s->ingress : &s->tor;
}

/* Whether an occupancy includes one of these. */
static bool has_entry(const struct bx_term *t, const struct bx_ivbep_entry *entry)
{
    if (!(t->set[0] >> entry->what & 1))
        return false;
    return t->what == OF_INGRESS || (t->set[1] >> entry->miss & 1 && t->set[2] >> entry->node & 1 &&
                                     t->set[3] >> entry->requester & 1);
}

/* Entries x cycles before `now`: all of the known entries, minus what they live from then on. */
static uint64_t sum_of_entries(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_ivbep_entries *in = entries_of(m, signal);
    uint64_t cycles = bx_read_counts.sum(m, signal, now);

    for (unsigned i = 0; i < in->n; i++) {
        const struct bx_ivbep_entry *entry = &in->entry[i];
        if (entry->end > now && has_entry(&signal->term[0], entry))
            cycles -= entry->end - (entry->begin > now ? entry->begin : now);
    }
    return cycles;
}

static uint64_t level_of_entries(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_ivbep_entries *in = entries_of(m, signal);
    uint64_t level = 0;

    for (unsigned i = 0; i < in->n; i++) {
        const struct bx_ivbep_entry *entry = &in->entry[i];
        level += entry->begin <= now && entry->end > now && has_entry(&signal->term[0], entry);
    }
    return level;
}

static uint64_t next_of_entries(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_ivbep_entries *in = entries_of(m, signal);
    uint64_t next = BX_NEVER;

    for (unsigned i = 0; i < in->n; i++) {
        const struct bx_ivbep_entry *entry = &in->entry[i];
        uint64_t change = entry->begin > now ? entry->begin : entry->end;
        if (change > now && change < next)
            next = change;
    }
    return next;
}

static const struct bx_reader read_entries = {sum_of_entries, level_of_entries, next_of_entries,
                                              NULL};
#define ENTRIES(member) &read_entries, PLACE(counts.member), PLACE(changes)

/* ---- tallies ---- */

#define ROW             (BX_IVBEP_NODES * BX_IVBEP_REQUESTERS * sizeof(uint64_t))
#define BY_NODE                                                                                    \
    {                                                                                              \
        node_names, BX_IVBEP_NODES, BX_IVBEP_REQUESTERS * sizeof(uint64_t)                         \
    }
#define BY_CORE                                                                                    \
    {                                                                                              \
        requester_names, BX_IVBEP_REQUESTERS, sizeof(uint64_t)                                     \
    }
#define BITS(of) .axis = {{of, BX_IVBEP_BITS, sizeof(uint64_t)}}
#define TOR                                                                                        \
    .axis = {{transaction_names, BX_IVBEP_OPCODES, 2 * ROW}, {miss_names, 2, ROW}, BY_NODE, BY_CORE}

static const struct bx_tallies
    lookups = {"lookups", COUNTS(lookup),
               .axis = {{lookup_names, BX_IVBEP_LOOKUPS, BX_LINE_STATES *ROW},
                        {state_names, BX_LINE_STATES, ROW},
                        BY_NODE,
                        BY_CORE}},
    victims = {"victims", COUNTS(victim),
               .axis = {{victim_names, BX_IVBEP_VICTIMS, ROW}, {NULL, 1, 0}, BY_NODE, BY_CORE}},
    tor = {"transactions into the TOR", COUNTS(tor), TOR},
    tor_entries = {"entries of the TOR in every cycle", ENTRIES(tor_cycles), TOR},
    /* no `changes`: these change without it */
    egress = {"messages into egress", &bx_read_counts, PLACE(counts.egress), BITS(egress_names)},
    ingress = {"requests into queues", COUNTS(ingress), BITS(ingress_names)},
    ingress_entries = {"entries of queues in every cycle", ENTRIES(ingress_cycles),
                       BITS(ingress_names)},
    ring_ad = {"messages on AD", &bx_read_counts, PLACE(counts.ring[BX_IVBEP_AD]),
               BITS(polarity_names)},
    ring_ak = {"messages on AK", &bx_read_counts, PLACE(counts.ring[BX_IVBEP_AK]),
               BITS(polarity_names)},
    ring_bl = {"messages on BL", &bx_read_counts, PLACE(counts.ring[BX_IVBEP_BL]),
               BITS(polarity_names)},
    ring_iv = {"messages on IV", &bx_read_counts, PLACE(counts.ring[BX_IVBEP_IV]),
               BITS(polarity_names)},
    ipq_retries = {"retries of IPQ", COUNTS(retry[BX_IVBEP_IPQ_RETRY]), BITS(reason_names)},
    irq_retries = {"retries of IRQ", COUNTS(retry[BX_IVBEP_IRQ_RETRY]), BITS(reason_names)},
    ismq_retries = {"retries of ISMQ", COUNTS(retry[BX_IVBEP_ISMQ_RETRY]), BITS(reason_names)},
    misc = {"events", COUNTS(misc), BITS(misc_names)};

/* ---- the two filter registers: Intel 329468-002 ---- */

enum { KIND, STATE, MISS = STATE, NODE, REQUESTER };

/* FILTER1, if the unit mask has the bit NID for that. 0: no filter. */
#define NID 0x40
#define OF_NODES                                                                                   \
    {NODE, {AT(NID, 0)}}, {NODE, {HAS(NID), FILTER(1, .care = 0xffff)}},                           \
    {                                                                                              \
        NODE,                                                                                      \
        {                                                                                          \
            HAS(NID), FILTER(1, .each = 0xffff)                                                    \
        }                                                                                          \
    }

/* FILTER0: thread in bit 0, core in bits 3:1, bit 4 for no thread. A core has only thread 0. The
 * core field has three bits, so with more than eight cores a value can stand for two. */
#define TID 0x1f
#define OF_CORE(core, cores)                                                                       \
    {                                                                                              \
        REQUESTER, {APPLIES(0, .some = TID), FILTER(0, .care = TID, .value = (core) << 1)}, cores  \
    }
#define OF_REQUESTERS                                                                              \
    {REQUESTER, {APPLIES(0, .care = TID)}},                                                        \
        {REQUESTER,                                                                                \
         {APPLIES(0, .some = TID), FILTER(0, .care = 0x10, .value = 0x10)},                        \
         SET(BX_IVBEP_NO_THREAD)},                                                                 \
        OF_CORE(0, SET(0) | SET(8)), OF_CORE(1, SET(1) | SET(9)), OF_CORE(2, SET(2) | SET(10)),    \
        OF_CORE(3, SET(3) | SET(11)), OF_CORE(4, SET(4) | SET(12)), OF_CORE(5, SET(5) | SET(13)),  \
        OF_CORE(6, SET(6) | SET(14)), OF_CORE(7, SET(7))

/* Bits 22:17 of FILTER0 select states. 40H and 41H alone are ANY. */
static const struct bx_choice of_lookups[] = {
    {KIND, {{.each = 0x0e, .free = 0x01}}},
    {KIND, {HAS(0x10)}},
    {KIND, {AT(0x0e | NID, NID)}},
    {STATE, {FILTER(0, .each = 0x3f << 17)}},
    OF_NODES,
    OF_REQUESTERS,
};

static const struct bx_choice of_victims[] = {{KIND, {EACH(0x0f)}}, OF_NODES, OF_REQUESTERS};

/* Opcodes in bits 28:20 of FILTER1. Document 004 asks for one. Nothing is non-coherent or
 * isochronous, bits 31 and 30. */
#define NC_ISOC (UINT64_C(3) << 30)
#define OPCODE(value_, set)                                                                        \
    {                                                                                              \
        KIND, {HAS(0x01), FILTER(1, .care = 0x1ff << 20 | NC_ISOC, .value = (value_) << 20)}, set  \
    }

static const struct bx_choice of_tor[] = {
    OPCODE(0x180, SET(BX_IVBEP_RFO)),
    OPCODE(0x181, SET(BX_IVBEP_CRD)),
    OPCODE(0x182, SET(BX_IVBEP_DRD)),
    OPCODE(0x18c, SET(BX_IVBEP_WCILF)),
    OPCODE(0x18d, SET(BX_IVBEP_WCIL)),
    OPCODE(0x190, SET(BX_IVBEP_PF_RFO)),
    OPCODE(0x191, SET(BX_IVBEP_PF_CODE)),
    OPCODE(0x192, SET(BX_IVBEP_PF_DATA)),
    OPCODE(0x193, SET(BX_IVBEP_PCIWIL)),
    OPCODE(0x194, SET(BX_IVBEP_PCIWILF)),
    OPCODE(0x195, SET(BX_IVBEP_PCIPRD)),
    OPCODE(0x19c, SET(BX_IVBEP_PCIITOM)),
    OPCODE(0x19e, SET(BX_IVBEP_PCIRDCUR)),
    OPCODE(0x1c4, SET(BX_IVBEP_WBMTOI)),
    OPCODE(0x1c5, SET(BX_IVBEP_WBMTOE)),
    OPCODE(0x1c8, SET(BX_IVBEP_ITOM)),
    {BX_NO_AXIS, {HAS(0x01), FILTER(1, .some = NC_ISOC)}},
    {KIND, {HAS(0x04)}, SET(BX_IVBEP_EVICTION)},
    {KIND, {HAS(0x08)}},
    {KIND, {HAS(0x10)}, SET(BX_IVBEP_WBMTOI) | SET(BX_IVBEP_WBMTOE)},
    {MISS, {HAS(0x02)}, SET(1)},
    {MISS, {AT(0x02, 0)}},
    /* LOCAL 20H: the line's home is this package; REMOTE 80H: it is not. Both: either. */
    {AGAIN(NODE), {AT(0xa0, 0)}},
    {AGAIN(NODE), {HAS(0x20)}, SET(0), .from_own = true},
    {AGAIN(NODE), {HAS(0x80)}, SET(1), .from_own = true},
    OF_NODES,
    OF_REQUESTERS,
};

/* ---- rows ---- */

static const struct bx_row cbo[] = {
    {0x00, ANY, &bx_every_cycle},
    {0x02, EACH(0x7f), &egress},
    {0x11, EACH(0x17), &ingress_entries, .what = OF_INGRESS},
    {0x13, EACH(0x17), &ingress},
    {0x1b, EACH(0xff), &ring_ad},
    {0x1c, EACH(0xff), &ring_ak},
    {0x1d, EACH(0xff), &ring_bl},
    {0x1e, EACH(0xff), &ring_iv},
    {0x31, EACH(0x07), &ipq_retries},
    {0x32, EACH(0x1f), &irq_retries},
    {0x33, EACH(0x81), &ismq_retries},
    {0x34, BY_CHOICE, &lookups, CHOICES(of_lookups)},
    {0x35, BY_CHOICE, &tor, CHOICES(of_tor)},
    {0x36, BY_CHOICE, &tor_entries, CHOICES(of_tor), .what = OF_TOR},
    {0x37, BY_CHOICE, &victims, CHOICES(of_victims)},
    {0x39, EACH(0x0f), &misc},
};

static const struct bx_box_signals cbo_signals = {{BX_ROWS(cbo)}};

const struct bx_box_signals *const bx_ivbep_signals[BX_IVBEP_BOXES] = {
    [BX_IVBEP_CBO] = &cbo_signals,
    [BX_IVBEP_IMC] = &bx_ivbep_memory_signals,
    [BX_IVBEP_CORE] = &bx_core_ivy_bridge,
    [BX_IVBEP_STALLS] = &bx_core_stalls,
};

/* RPQ_CYCLES_NE counts clocks of the memory. It needs at most one clock per uncore cycle. */
static unsigned memory_of(const struct bx_ivbep *m)
{
    if (!m->has_dram)
        return BX_IVBEP_HAS_PLAIN_MEMORY;
    return BX_IVBEP_HAS_DRAM |
           (m->dram[0].clock_hz <= m->dram[0].uncore_hz ? BX_IVBEP_HAS_SLOWER_DRAM : 0);
}

bool bx_ivbep_find_unit(bx_model *model, const bx_selection *sel, struct bx_unit *unit)
{
    const struct bx_ivbep *m = bx_ivbep_of(model);

    bool of_core = sel->box == BX_IVBEP_CORE || sel->box == BX_IVBEP_STALLS;
    *unit = (struct bx_unit){sel->package * m->cores + sel->unit,
                             of_core ? bx_core_has(model, m->packages) : memory_of(m)};
    return sel->package < m->packages &&
           sel->unit < (sel->box == BX_IVBEP_IMC ? m->channels : m->cores);
}
