/* What a selection of an M-Box counts: docs/explanation/model-nhmex.md. Filter registers, in their
 * order: DSP, ISS, MAP, MSC_THR, PGT, PLD, ZDP_CTL_FVC, MM_CFG, ADDR_MATCH, ADDR_MASK. */
#include "model/machine/nhmex/signals.h"

enum { ISS = 1, MSC_THR = 3, PGT = 4, PLD = 5, ZDP_CTL_FVC = 6 };

static const char *const kind_names[] = {"reads", "writes", "any"};
static const char *const page_names[] = {"with their row open", "with another row open",
                                         "with no row open"};
static const char *const mode_names[] = {"trade-off", "reads first", "writes first", "adaptive"};
static const char *const module_names[] = {"module 0", "module 1", "module 2", "module 3"};
static const char *const command_names[BX_NHMEX_COMMANDS] = {
    [BX_NHMEX_RAS] = "RAS",
    [BX_NHMEX_CAS_RD_OPN] = "CAS_RD_OPN",
    [BX_NHMEX_CAS_WR_OPN] = "CAS_WR_OPN",
    [BX_NHMEX_CAS_RD_CLS] = "CAS_RD_CLS",
    [BX_NHMEX_CAS_WR_CLS] = "CAS_WR_CLS",
    [BX_NHMEX_PRE] = "PRE",
};

static const struct bx_tallies
    queues = {"the queue of", GAUGES(m, read_queue.in), EACH_IN(kind_names, 2, struct bx_queue)},
    starving = {"starving reads", GAUGES(m, read_queue.starving)},
    retries = {"reads that had to wait for the queue", COUNTS(m, read_queue.waits)},
    refreshes = {"refreshes", GAUGES(m, refresh)},
    conflicts = {"commands that a refresh delays", COUNTS(m, refresh_conflicts)},
    heat_conflicts = {"commands that hot modules delay", COUNTS(m, heat_conflicts)},
    patrols = {"patrol scrubs", GAUGES(m, patrol)},
    commands = {"commands to the memory", COUNTS(m, command),
                .axis = {{command_names, BX_NHMEX_COMMANDS, BX_NHMEX_MODES * sizeof(uint64_t)},
                         {mode_names, BX_NHMEX_MODES, sizeof(uint64_t)}}},
    requests = {"commands of the B-Box", COUNTS(m, reads), EACH_OF(kind_names, 2)},
    pages = {"accesses that found their bank", COUNTS(m, page_hits), EACH_OF(page_names, 3)},
    scheduled = {"commands until their data is on the bus", GAUGES(m, scheduled),
                 EACH_IN(kind_names, 3, struct bx_gauge)};

/* ---- scheduling modes and page policies, over time ---- */

static uint64_t sum_of_mode(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    enum bx_nhmex_mode mode = bx_nhmex_of(model)->memory.mode, of = signal->term[0].what;
    struct bx_gauge *writes = (struct bx_gauge *)(void *)signal->term[0].at;

    if (mode != BX_NHMEX_TRADE_OFF)
        return of == mode ? now : 0;
    return of == BX_NHMEX_TRADE_OFF     ? bx_gauge_sum(writes, BX_GAUGE_UNMARKED, now)
           : of == BX_NHMEX_WRITE_FIRST ? bx_gauge_sum(writes, BX_GAUGE_MARKED, now)
                                        : 0;
}

static uint64_t level_of_mode(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    enum bx_nhmex_mode mode = bx_nhmex_of(model)->memory.mode, of = signal->term[0].what;
    struct bx_gauge *writes = (struct bx_gauge *)(void *)signal->term[0].at;

    if (mode != BX_NHMEX_TRADE_OFF)
        return of == mode;
    return of == (bx_gauge_level(writes, BX_GAUGE_MARKED, now) ? BX_NHMEX_WRITE_FIRST
                                                               : BX_NHMEX_TRADE_OFF);
}

static uint64_t next_of_mode(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    (void)model;
    return bx_gauge_next((struct bx_gauge *)(void *)signal->term[0].at, now);
}

static const struct bx_reader read_modes = {sum_of_mode, level_of_mode, next_of_mode, NULL};

/* The number of changes, which are pulses of a cycle. */
static uint64_t sum_of_mode_changes(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    return bx_nhmex_of(model)->memory.mode == BX_NHMEX_TRADE_OFF
               ? bx_gauge_sum((struct bx_gauge *)(void *)signal->term[0].at, BX_GAUGE_MARK_CROSSED,
                              now)
               : 0;
}

static uint64_t level_of_mode_changes(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    return bx_nhmex_of(model)->memory.mode == BX_NHMEX_TRADE_OFF
               ? bx_gauge_level((struct bx_gauge *)(void *)signal->term[0].at,
                                BX_GAUGE_MARK_CROSSED, now)
               : 0;
}

static const struct bx_reader read_mode_changes = {sum_of_mode_changes, level_of_mode_changes,
                                                   next_of_mode, NULL};

static const struct bx_nhmex_paging *paging_of(const struct bx_signal *signal)
{
    return (const struct bx_nhmex_paging *)(const void *)signal->term[0].at;
}

/* what: whether rows are left open. */
static uint64_t sum_of_policy(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_nhmex_paging *p = paging_of(signal);
    uint64_t closed = p->closed + (p->closes ? now - p->since : 0);

    (void)model;
    return signal->term[0].what ? now - closed : closed;
}

static uint64_t level_of_policy(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    (void)model;
    (void)now;
    return paging_of(signal)->closes != (bool)signal->term[0].what;
}

static const struct bx_reader read_policies = {sum_of_policy, level_of_policy, NULL, NULL};

static const char *const change_names[] = {"from open to closed", "from closed to open"};

static const struct bx_tallies modes = {"cycles in a scheduling mode", &read_modes,
                                        IN(m, write_queue.in), SERVED},
                               mode_changes = {"changes of the scheduling mode", &read_mode_changes,
                                               IN(m, write_queue.in), SERVED},
                               policies = {"cycles of a page policy", &read_policies, IN(m, paging),
                                           SERVED},
                               policy_changes = {"changes of the page policy",
                                                 COUNTS(m, paging.change),
                                                 EACH_OF(change_names, 2)};

/* Marks of temperature that a module crosses: [upwards, downwards][mark]. */
#define CROSSED(way, mark)                                                                         \
    {                                                                                              \
        "crossings of a mark by", GAUGES(m, crossed[way][mark][0]),                                \
            EACH_IN(module_names, BX_NHMEX_MODULES, struct bx_gauge)                               \
    }
static const struct bx_tallies crossed[BX_NHMEX_WAYS][BX_NHMEX_MARKS] = {
    {CROSSED(0, 0), CROSSED(0, 1), CROSSED(0, 2), CROSSED(0, 3)},
    {CROSSED(1, 0), CROSSED(1, 1), CROSSED(1, 2), CROSSED(1, 3)},
};

/* MSC_THR 3: any module; else that of 6:4. */
static const struct bx_choice of_module[] = {
    {0, {FILTER(MSC_THR, .care = 8, .value = 8)}},
    {0, {FILTER(MSC_THR, .care = 8, .value = 0), FILTER(MSC_THR, .number = 7 << 4)}},
};
#define CROSSES(way, mark)                                                                         \
    {                                                                                              \
        0x04 + (way), IS(mark), &crossed[way][mark], CHOICES(of_module), .what = ENTRIES           \
    }

enum { MODE = 1 };

/* PLD 0: only commands in the scheduling mode of ISS 9:7. */
static const struct bx_choice of_mode[] = {
    {MODE, {FILTER(PLD, .care = 1, .value = 0)}},
    {MODE, {FILTER(PLD, .care = 1, .value = 1), FILTER(ISS, .number = 7 << 7)}},
};

/* PREALL and RFR belong to no mode. */
static const struct bx_choice of_no_mode[] = {{BX_NO_AXIS, {FILTER(ISS, .free = 7 << 7)}}};

/* PGT 11 may be given: accesses that found no row open. Rows never close by themselves. */
static const struct bx_choice of_no_row[] = {{BX_NO_AXIS, {FILTER(PGT, .free = 1 << 11)}}};

/* ZDP_CTL_FVC 7:5: the command of the B-Box; 10:8: the answer to it. Every command is acknowledged.
 * The model has no other answers. */
static const struct bx_choice of_command[] = {
    {0, {FILTER(ZDP_CTL_FVC, .number = 7 << 5)}},
    {BX_NO_AXIS, {FILTER(ZDP_CTL_FVC, .free = 7 << 8)}},
};
static const struct bx_choice of_response[] = {
    {0, {FILTER(ZDP_CTL_FVC, .care = 7 << 8, .value = 0)}},
    {BX_NO_AXIS, {FILTER(ZDP_CTL_FVC, .free = 7 << 5)}},
};
#define FVC(code)                                                                                  \
    {code, IS(5), &requests, CHOICES(of_command)},                                                 \
    {                                                                                              \
        code, IS(6), &requests, CHOICES(of_response), .needs = BX_NHMEX_HAS_RESPONSE               \
    }

#define COMMAND(which)                                                                             \
    {                                                                                              \
        0x0a, IS(which), &commands, SET(which), CHOICES(of_mode), .needs = BX_NHMEX_HAS_MODE       \
    }

enum { FLAG = 0x20 }; /* added to set_flag_sel */

static const struct bx_row rows[] = {
    /* DSP 10:7 selects one state: read queue full, write queue full, read queue empty, write queue
     * empty */
    {0x00, IS(1), &queues, SET(0), .what = BX_GAUGE_FILLED},
    {0x00, IS(2), &queues, SET(1), .what = BX_GAUGE_FILLED},
    {0x00, IS(4), &queues, SET(0), .what = BX_GAUGE_EMPTIED},
    {0x00, IS(8), &queues, SET(1), .what = BX_GAUGE_EMPTIED},
    {0x01, ANY, &starving, .what = NOT_EMPTY}, /* mfull, the state of bad starvation */
    {0x02, ANY, &retries},
    CROSSES(0, 0),
    CROSSES(0, 1),
    CROSSES(0, 2),
    CROSSES(0, 3),
    CROSSES(1, 0),
    CROSSES(1, 1),
    CROSSES(1, 2),
    CROSSES(1, 3),
    {0x06, ANY, &refreshes, .what = ENTRIES},
    {0x07, ANY, &conflicts},
    {0x08, ANY, &mode_changes},
    {0x0a, IS(BX_NHMEX_PREALL), &refreshes, CHOICES(of_no_mode), .what = ENTRIES},
    {0x0a, IS(BX_NHMEX_RFR), &refreshes, CHOICES(of_no_mode), .what = ENTRIES},
    COMMAND(BX_NHMEX_RAS),
    COMMAND(BX_NHMEX_CAS_RD_OPN),
    COMMAND(BX_NHMEX_CAS_WR_OPN),
    COMMAND(BX_NHMEX_CAS_RD_CLS),
    COMMAND(BX_NHMEX_CAS_WR_CLS),
    COMMAND(BX_NHMEX_PRE),
    FVC(0x0d),
    FVC(0x0e),
    FVC(0x0f),
    FVC(0x10),
    {0x11, ANY, &patrols, .what = ENTRIES},
    {0x12, ANY, &requests}, /* each command becomes one column command */
    {0x13, ANY, &pages, SET(1)},
    {0x14, ANY, &pages, SET(0)},
    {0x15, ANY, &pages, SET(2), CHOICES(of_no_row)},
    {0x16, IS(0), &policy_changes, SET(0)},
    {0x16, IS(1), &policy_changes, SET(1)},
    {0x19, ANY, &heat_conflicts},
    {0x1a, ANY, &requests},
    {0x1b, ANY, &bx_every_cycle},
    {0x1c, ANY, &scheduled, SET(BX_NHMEX_ANY_COMMAND), .what = ENTRIES},
    {0x1d, ANY, &requests},

    {FLAG + 0, IS(1), &queues, SET(0), .what = FULL},
    {FLAG + 0, IS(2), &queues, SET(1), .what = FULL},
    {FLAG + 0, IS(4), &queues, SET(0), .what = EMPTY},
    {FLAG + 0, IS(8), &queues, SET(1), .what = EMPTY},
    {FLAG + 1, IS(0), &modes, .what = BX_NHMEX_TRADE_OFF},
    {FLAG + 1, IS(1), &modes, .what = BX_NHMEX_READ_FIRST},
    {FLAG + 1, IS(2), &modes, .what = BX_NHMEX_WRITE_FIRST},
    {FLAG + 1, IS(3), &modes, .what = BX_NHMEX_ADAPTIVE},
    {FLAG + 3, ANY, &starving, .what = NOT_EMPTY}, /* mfull */
    {FLAG + 4, ANY, &starving, .what = NOT_EMPTY}, /* starved: no other state than mfull */
    {FLAG + 5, IS(0), &policies, .what = 0},
    {FLAG + 5, IS(1), &policies, .what = 1},
    /* MAP 8:5: a command, or 8 for any command. Only reads and writes occur. */
    {FLAG + 6, IS(0), &scheduled, SET(0), .what = NOT_EMPTY},
    {FLAG + 6, IS(1), &scheduled, SET(1), .what = NOT_EMPTY},
    {FLAG + 6, IS(8), &scheduled, SET(BX_NHMEX_ANY_COMMAND), .what = NOT_EMPTY},
};

const struct bx_box_signals bx_nhmex_m_signals = {{BX_ROWS(rows)}};

unsigned bx_nhmex_memory_has(const bx_selection *sel)
{
    bool by_mode = sel->filter[PLD] & 1;
    unsigned mode = sel->filter[ISS] >> 7 & 7, response = sel->filter[ZDP_CTL_FVC] >> 8 & 7;

    return (!by_mode || mode < BX_NHMEX_MODES ? BX_NHMEX_HAS_MODE : 0) |
           (response == 0 ? BX_NHMEX_HAS_RESPONSE : 0);
}
