/* The cells behind each event of the P6 machine. */
#include "model/p6/machine.h"

#define CELL(c)   (UINT64_C(1) << BX_P6_##c)
#define STATES(c) (UINT64_C(15) << BX_P6_##c)

/* What the unit mask of an event selects: document 002, notes 1 and 2 of table 6-2. */
enum choice {
    NOTHING,  /* 00H is the only unit mask */
    BY_STATE, /* UMSK 3:0: M 8, E 4, S 2, I 1 */
    BY_AGENT, /* UMSK 5: 0 the processor's own, 1 those of all agents */
};

struct event {
    uint8_t code, choice;
    uint64_t cells; /* BY_STATE: the cells of all states */
    uint64_t any;   /* BY_AGENT: the cells with UMSK 5 */
};

/* Events that remarks report. An event counts instructions of these classes, and these cells.
 * of_set: `umask` is one bit; the bits of a unit mask are added up. */
struct mix_event {
    uint8_t code, umask;
    bool of_set;
    uint64_t classes, cells;
};

/* What a selection adds up. */
struct sum {
    uint64_t cells, classes;
    bool of_remarks;
};

#define PROCESSOR_MEMORY                                                                           \
    (CELL(BUS_READ) | CELL(BUS_FETCH) | CELL(BUS_RFO) | CELL(BUS_INVALIDATE) | CELL(BUS_WRITE_BACK))
#define IO_MEMORY (CELL(IO_READ) | CELL(IO_WRITE) | CELL(IO_PARTIAL))
#define L2_ALL    (STATES(L2_FETCH) | STATES(L2_LOAD) | STATES(L2_STORE))

_Static_assert(BX_P6_CELLS <= 64, "a set of cells is a word");
_Static_assert(BX_LINE_I == 0 && BX_LINE_S == 1 && BX_LINE_E == 2 && BX_LINE_M == 3,
               "the states are in the order of their bits in the unit mask");

/* In the order of codes. */
static const struct event events[] = {
    {0x03, NOTHING, CELL(LOAD_BLOCKS), 0},
    {0x04, NOTHING, CELL(DRAIN_STALL), 0},
    {0x21, NOTHING, CELL(L2_STROBES), 0},
    {0x22, NOTHING, CELL(L2_BUSY), 0},
    {0x23, NOTHING, CELL(L2_BUSY_READ), 0},
    {0x24, NOTHING, CELL(L2_IN), 0},
    {0x25, NOTHING, CELL(L2_M_IN), 0},
    {0x26, NOTHING, CELL(L2_OUT), 0},
    {0x27, NOTHING, CELL(L2_M_OUT), 0},
    {0x28, BY_STATE, STATES(L2_FETCH), 0},
    {0x29, BY_STATE, STATES(L2_LOAD), 0},
    {0x2a, BY_STATE, STATES(L2_STORE), 0},
    {0x2e, BY_STATE, L2_ALL, 0},
    {0x43, NOTHING, CELL(REFERENCES), 0},
    {0x45, NOTHING, CELL(DCU_IN), 0},
    {0x46, NOTHING, CELL(DCU_M_IN), 0},
    {0x47, NOTHING, CELL(DCU_M_OUT), 0},
    {0x48, NOTHING, CELL(MISSES), 0},
    {0x60, NOTHING, CELL(REQUESTS), 0},
    {0x62, BY_AGENT, CELL(DRDY_OWN), CELL(DRDY)},
    {0x64, NOTHING, CELL(RECEIVED), 0},
    {0x65, BY_AGENT, CELL(BUS_READ), CELL(BUS_READ) | CELL(IO_READ)},
    {0x66, BY_AGENT, CELL(BUS_RFO), CELL(BUS_RFO)},
    {0x67, BY_AGENT, CELL(BUS_WRITE_BACK), CELL(BUS_WRITE_BACK)},
    {0x68, BY_AGENT, CELL(BUS_FETCH), CELL(BUS_FETCH)},
    {0x69, BY_AGENT, CELL(BUS_INVALIDATE), CELL(BUS_INVALIDATE)},
    {0x6a, BY_AGENT, 0, CELL(IO_PARTIAL)},
    {0x6b, BY_AGENT, 0, CELL(IO_PARTIAL)},
    {0x6d, BY_AGENT, CELL(DEFERRED), CELL(DEFERRED)},
    {0x6e, BY_AGENT, PROCESSOR_MEMORY & ~CELL(BUS_INVALIDATE),
     (PROCESSOR_MEMORY & ~CELL(BUS_INVALIDATE)) | CELL(IO_READ) | CELL(IO_WRITE)},
    {0x6f, BY_AGENT, PROCESSOR_MEMORY, PROCESSOR_MEMORY | IO_MEMORY},
    {0x70, BY_AGENT, PROCESSOR_MEMORY, PROCESSOR_MEMORY | IO_MEMORY},
    {0x79, NOTHING, CELL(CLOCK), 0},
    {0x7a, NOTHING, CELL(HIT), 0},
    {0x7b, NOTHING, CELL(HITM), 0},
    {0x7e, NOTHING, CELL(SNOOP_STALL), 0},
    {0x80, NOTHING, CELL(FETCHES), 0},
    {0x81, NOTHING, CELL(FETCH_MISSES), 0},
    {0x85, NOTHING, CELL(ITLB_MISSES), 0},
    {0x86, NOTHING, CELL(FETCH_STALL), 0},
    {0xa2, NOTHING, CELL(RESOURCE_STALL), 0},
    {0xc0, NOTHING, CELL(INSTRUCTIONS), 0},
    {0xc2, NOTHING, CELL(UOPS), 0},
    {0xd0, NOTHING, CELL(INSTRUCTIONS), 0},
};

#define BRANCHES                                                                                   \
    (BX_P6_SET(CONDITIONAL_BRANCH) | BX_P6_SET(JUMP) | BX_P6_SET(INDIRECT_JUMP) |                  \
     BX_P6_SET(CALL) | BX_P6_SET(INDIRECT_CALL) | BX_P6_SET(RETURN))
#define X87_COMPUTES (BX_P6_SET(X87_COMPUTE) | BX_P6_SET(X87_MULTIPLY) | BX_P6_SET(X87_DIVIDE))
#define WEAK_STORES                                                                                \
    (BX_P6_SET(MMX_WEAK_STORE) | BX_P6_SET(PS_WEAK_STORE) | BX_P6_SET(PD_WEAK_STORE) |             \
     BX_P6_SET(WEAK_STORE))
#define SCALAR_SINGLE (BX_P6_SET(SS) | BX_P6_SET(SS_COMPUTE))
#define SINGLE        (SCALAR_SINGLE | BX_P6_SET(PS) | BX_P6_SET(PS_COMPUTE) | BX_P6_SET(PS_WEAK_STORE))
#define PACKED_DOUBLE (BX_P6_SET(PD) | BX_P6_SET(PD_COMPUTE) | BX_P6_SET(PD_WEAK_STORE))

/* In the order of codes. docs/explanation/model-p6.md, "The instruction mix", says what we take
 * these events to count. */
static const struct mix_event mix_events[] = {
    {0x05, 0, false, 0, CELL(MISALIGNED)},
    {0x06, 0, false, BX_P6_SET(SEGMENT_LOAD), 0},
    {0x07, 0, false, BX_P6_SET(PREFETCH_NTA), 0},
    {0x07, 1, false, BX_P6_SET(PREFETCH_T1), 0},
    {0x07, 2, false, BX_P6_SET(PREFETCH_T2), 0},
    {0x07, 3, false, WEAK_STORES, 0},
    {0x10, 0, false, X87_COMPUTES | BX_P6_SET(MULTIPLY) | BX_P6_SET(DIVIDE), 0},
    {0x12, 0, false, BX_P6_SET(MULTIPLY) | BX_P6_SET(X87_MULTIPLY), 0},
    {0x13, 0, false, BX_P6_SET(DIVIDE) | BX_P6_SET(X87_DIVIDE), 0},
    {0x88, 0, false, BRANCHES, 0},
    {0x8b, 0, false, BX_P6_SET(CONDITIONAL_BRANCH), 0},
    {0x8d, 0, false, BX_P6_SET(INDIRECT_JUMP) | BX_P6_SET(INDIRECT_CALL), 0},
    {0x8f, 0, false, BX_P6_SET(RETURN), 0},
    {0x92, 0, false, BX_P6_SET(CALL) | BX_P6_SET(INDIRECT_CALL), 0},
    {0x94, 0, false, BX_P6_SET(INDIRECT_CALL), 0},
    {0xb0, 0, false, BX_P6_MMX_CLASSES & ~BX_P6_MMX_STORES, 0},
    {0xb1, 0, false, BX_P6_SET(MMX_SATURATING) | BX_P6_SET(MMX_PACK), 0},
    {0xb2, 0x0f, false, BX_P6_MMX_CLASSES & ~BX_P6_MMX_STORES, 0},
    {0xb3, 0x01, true, BX_P6_SET(MMX_MULTIPLY), 0},
    {0xb3, 0x02, true, BX_P6_SET(MMX_SHIFT), 0},
    {0xb3, 0x04, true, BX_P6_SET(MMX_PACK), 0},
    {0xb3, 0x08, true, BX_P6_SET(MMX_UNPACK), 0},
    {0xb3, 0x10, true, BX_P6_SET(MMX_LOGICAL), 0},
    {0xb3, 0x20, true, BX_P6_SET(MMX_ARITHMETIC) | BX_P6_SET(MMX_SATURATING), 0},
    {0xc1, 0, false, X87_COMPUTES, 0},
    {0xc4, 0, false, BRANCHES, 0},
    {0xc9, 0, false, 0, CELL(TAKEN)},
    {0xcc, 0, false, 0, CELL(TO_X87)},
    {0xcc, 1, false, 0, CELL(TO_MMX)},
    {0xcd, 0, false, BX_P6_SET(EMMS), 0},
    {0xce, 0, false, BX_P6_MMX_CLASSES, 0},
    {0xd8, 0, false, SINGLE, 0},
    {0xd8, 1, false, SCALAR_SINGLE, 0},
    {0xd8, 2, false, PACKED_DOUBLE, 0},
    {0xd8, 3, false, BX_P6_SET(SD) | BX_P6_SET(SD_COMPUTE), 0},
    {0xd9, 0, false, BX_P6_SET(PS_COMPUTE) | BX_P6_SET(SS_COMPUTE), 0},
    {0xd9, 1, false, BX_P6_SET(SS_COMPUTE), 0},
    {0xd9, 2, false, BX_P6_SET(PD_COMPUTE), 0},
    {0xd9, 3, false, BX_P6_SET(SD_COMPUTE), 0},
    {0xe0, 0, false, BRANCHES, 0},
};

static const struct event *find_event(unsigned code)
{
    unsigned lo = 0, hi = sizeof events / sizeof *events;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (events[mid].code < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < sizeof events / sizeof *events && events[lo].code == code ? &events[lo] : NULL;
}

/* Those cells of `all` that are for the states in the unit mask. Each kind of request has one cell
 * for each state. */
static uint64_t of_states(uint64_t all, uint32_t umask)
{
    const uint64_t each = CELL(L2_FETCH) | CELL(L2_LOAD) | CELL(L2_STORE);
    return all & each * umask;
}

static bool selects(const bx_selection *sel, const struct mix_event *event)
{
    return sel->code == event->code &&
           (event->of_set ? (sel->umask & event->umask) != 0 : sel->umask == event->umask);
}

/* false: the selection is no event that remarks report. */
static bool sum_of_mix(const bx_selection *sel, struct sum *sum)
{
    const struct mix_event *end = mix_events + sizeof mix_events / sizeof *mix_events;
    uint32_t masks = 0;
    bool found = false;

    *sum = (struct sum){.of_remarks = true};
    for (const struct mix_event *e = mix_events; e < end && e->code <= sel->code; e++) {
        if (!selects(sel, e))
            continue;
        found = true;
        masks |= e->umask;
        sum->cells |= e->cells;
        sum->classes |= e->classes;
    }
    return found && masks == sel->umask;
}

/* false: not modelled. */
static bool sum_of(const bx_selection *sel, struct sum *sum)
{
    const uint32_t any = 0x20, states = 0x0f;
    const struct event *event = find_event(sel->code);

    if (!event)
        return sum_of_mix(sel, sum);
    *sum = (struct sum){.cells = event->cells};
    switch (event->choice) {
    case BY_STATE:
        sum->cells = of_states(event->cells, sel->umask & states);
        return sel->umask <= states;
    case BY_AGENT:
        sum->cells = sel->umask == any ? event->any : event->cells;
        return sel->umask == any || sel->umask == 0;
    default:
        return sel->umask == 0;
    }
}

/* The cells that a device changes, also while the processor is halted. */
#define OF_DEVICES                                                                                 \
    (IO_MEMORY | CELL(L2_STROBES) | CELL(L2_OUT) | CELL(L2_M_OUT) | CELL(DCU_M_OUT) | CELL(HIT) |  \
     CELL(HITM) | CELL(SNOOP_STALL) | CELL(DRDY) | CELL(DRDY_OWN))

/* The processor executes nothing at CPL 0: the model has no kernel. */
static bool is_of_kernel(const bx_selection *sel, const struct sum *sum)
{
    return sel->levels == BX_LEVEL_OS && !(sum->cells & OF_DEVICES);
}

bool bx_p6_signal_of(const bx_model *model, const bx_selection *sel, struct bx_signal *signal)
{
    struct sum sum;

    (void)model;
    if (sel->box != 0 || sel->unit != 0 || sel->package != 0 || !sum_of(sel, &sum) ||
        is_of_kernel(sel, &sum))
        return false;
    *signal = (struct bx_signal){
        .kind = sum.cells >> BX_P6_SPANS ? BX_SIGNAL_OCCUPANCY : BX_SIGNAL_PULSES,
        .of_remarks = sum.of_remarks,
        .selection = *sel,
    };
    return true;
}

/* ---- levels ---- */

/* Adds up cells of a set; bit 0 is `first`. sums: their sums up to `now`, otherwise their
 * levels. */
static uint64_t add_set(const struct bx_p6_cell *first, uint64_t set, bool sums, uint64_t now)
{
    uint64_t total = 0;

    for (; set; set &= set - 1) {
        const struct bx_p6_cell *cell = &first[__builtin_ctzll(set)];
        total += sums ? bx_p6_sum(cell, now) : cell->level;
    }
    return total;
}

/* Adds up the cells of a signal, at the privilege levels that it counts. */
static uint64_t add_up(struct bx_signal_source *source, const struct bx_signal *signal, bool sums,
                       uint64_t now)
{
    static const uint8_t level_bit[BX_P6_MODES] = {BX_LEVEL_OS, BX_LEVEL_USER};
    const struct bx_p6_source *p6 = (const struct bx_p6_source *)(const void *)source;
    struct sum sum;
    uint64_t total = 0;

    sum_of(&signal->selection, &sum);
    for (unsigned mode = 0; mode < BX_P6_MODES; mode++) {
        const struct bx_p6_cell *cell = p6->cells->cell[mode];
        if (signal->selection.levels & level_bit[mode])
            total += add_set(cell, sum.cells, sums, now) +
                     add_set(cell + BX_P6_CLASSES, sum.classes, sums, now);
    }
    return total;
}

static uint64_t source_tally(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    return add_up(source, signal, true, now);
}

static uint64_t source_level(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    return add_up(source, signal, false, now);
}

void bx_p6_source_power_on(struct bx_p6_source *source, const struct bx_p6_cells *cells)
{
    *source = (struct bx_p6_source){
        /* no next_change: levels do not change by time alone */
        .base = {.tally = source_tally, .level = source_level},
        .cells = cells,
    };
}
