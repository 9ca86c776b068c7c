/* What a selection of a memory channel counts: docs/explanation/model-ivbep.md, "Signals of the
 * memory channels". */
#include "model/machine/ivbep/machine.h"

#include "model/engine/signal_words.h"

enum {
    DRAM = BX_IVBEP_HAS_DRAM,
    SLOWER_DRAM = BX_IVBEP_HAS_SLOWER_DRAM,
    PLAIN = BX_IVBEP_HAS_PLAIN_MEMORY,
};

#define CHANNEL(member)                                                                            \
    {                                                                                              \
        .at = offsetof(struct bx_ivbep, channel[0][0].member),                                     \
        .package = BX_IVBEP_CHANNELS * sizeof(struct bx_ivbep_channel),                            \
        .unit = sizeof(struct bx_ivbep_channel)                                                    \
    }
#define IN_DRAM(member)                                                                            \
    {                                                                                              \
        .at = offsetof(struct bx_ivbep, dram[0].channel[0].commands.member),                       \
        .package = sizeof(struct bx_dram), .unit = sizeof(struct bx_dram_channel)                  \
    }

static const char *const purpose_names[] = {"reads", "writes"};
static const char *const bank_names[] = {"bank 0", "bank 1", "bank 2", "bank 3",
                                         "bank 4", "bank 5", "bank 6", "bank 7"};

#define PURPOSES .axis = {{purpose_names, BX_DRAM_PURPOSES, sizeof(uint64_t)}}
enum { READS = SET(BX_DRAM_FOR_READ), WRITES = SET(BX_DRAM_FOR_WRITE) };

/* ---- lines by rank and bank ---- */

/* The lines of the banks in the set, for the rank `what`. */
static uint64_t sum_of_banks(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_term *t = &signal->term[0];
    const struct bx_dram_map *map = &bx_ivbep_of(m)->dram[signal->selection.package].map;
    const uint64_t *lines = (const uint64_t *)(void *)t->at;
    uint64_t sum = 0;

    (void)now;
    for (unsigned bank = 0; bank < 8 && !(t->what >> map->rank) && !(bank >> map->bank); bank++)
        if (t->set[0] >> bank & 1)
            sum += lines[t->what << map->bank | bank];
    return sum;
}

static const char *phrase_of_rank(unsigned what)
{
    static const char *const phrases[] = {"rank 0: ", "rank 1: ", "rank 2: ", "rank 3: ",
                                          "rank 4: ", "rank 5: ", "rank 6: ", "rank 7: "};

    return phrases[what];
}

static const struct bx_reader read_banks = {.sum = sum_of_banks, .phrase = phrase_of_rank};

/* ---- clocks ---- */

/* Clocks before `now`. Where rises are counted, the signal is 1 throughout. */
static uint64_t sum_of_clocks(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const bx_selection *sel = &signal->selection;

    return sel->rises ? now
                      : bx_dram_clocks_before(&bx_ivbep_of(m)->dram[sel->package],
                                              now << BX_DRAM_TIME_BITS);
}

static uint64_t level_of_clocks(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    return sum_of_clocks(m, signal, now + 1) - sum_of_clocks(m, signal, now);
}

/* The memory has its own clock, so most cycles differ. */
static uint64_t next_cycle(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    (void)m;
    (void)signal;
    return now + 1;
}

static const struct bx_reader read_clocks = {sum_of_clocks, level_of_clocks, next_cycle, NULL};

/* ---- waiting reads ---- */

/* The gauge of a signal's clock. *dram: the memory. */
static struct bx_gauge *waiting_of(bx_model *m, const struct bx_signal *signal,
                                   const struct bx_dram **dram)
{
    *dram = &bx_ivbep_of(m)->dram[signal->selection.package];
    return (struct bx_gauge *)(void *)signal->term[0].at + signal->selection.rises;
}

static uint64_t sum_of_waiting(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_dram *dram;
    struct bx_gauge *g = waiting_of(m, signal, &dram);

    return bx_gauge_sum(g, BX_GAUGE_NOT_EMPTY,
                        bx_ivbep_before(dram, signal->selection.rises, now << BX_DRAM_TIME_BITS));
}

static uint64_t level_of_waiting(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_dram *dram;
    struct bx_gauge *g = waiting_of(m, signal, &dram);
    bool rises = signal->selection.rises;
    uint64_t next = bx_ivbep_before(dram, rises, now << BX_DRAM_TIME_BITS);

    return bx_ivbep_before(dram, rises, (now + 1) << BX_DRAM_TIME_BITS) != next &&
           bx_gauge_level(g, BX_GAUGE_NOT_EMPTY, next);
}

static const struct bx_reader read_waiting = {sum_of_waiting, level_of_waiting, next_cycle, NULL};

/* ---- tallies and rows ---- */

static const struct bx_tallies
    requests = {"requests", &bx_read_counts, CHANNEL(reads), CHANNEL(changes), PURPOSES},
    written = {"lines written in batches", &bx_read_counts, IN_DRAM(lines[BX_DRAM_FOR_WRITE]),
               CHANNEL(changes), .axis = {{NULL, BX_DRAM_BANKS, sizeof(uint64_t)}}},
    activates = {"activates for", &bx_read_counts, IN_DRAM(activates), CHANNEL(changes), PURPOSES},
    precharges = {"precharges for", &bx_read_counts, IN_DRAM(precharges), CHANNEL(changes),
                  PURPOSES},
    reads_of_banks = {"reads", &read_banks, IN_DRAM(lines[BX_DRAM_FOR_READ]), CHANNEL(changes),
                      .axis = {{bank_names, 8, 0}}},
    writes_of_banks = {"writes", &read_banks, IN_DRAM(lines[BX_DRAM_FOR_WRITE]), CHANNEL(changes),
                       .axis = {{bank_names, 8, 0}}},
    clocks = {"clocks of the memory", &read_clocks},
    waiting = {"clocks of the memory in which a read waits", &read_waiting, CHANNEL(waiting[0]),
               CHANNEL(changes)};

#define RANK(rank)                                                                                 \
    {0xb0 + (rank), EACH(0xff), &reads_of_banks, .what = (rank), .needs = DRAM},                   \
    {                                                                                              \
        0xb8 + (rank), EACH(0xff), &writes_of_banks, .what = (rank), .needs = DRAM                 \
    }

static const struct bx_row rows[] = {
    {0x00, IS(0), &clocks, .needs = DRAM},
    {0x01, EACH(0x03), &activates, .needs = DRAM}, /* RD 01H, WR 02H */
    /* PAGE_MISS 01H: for reads and writes; PAGE_CLOSE 02H: the model has none; RD 04H, WR 08H */
    {0x02, IS(0), NOTHING, .needs = DRAM},
    {0x02, {.care = 0x01, .value = 0x01, .free = 0x02}, &precharges, .needs = DRAM},
    {0x02, HAS(0x04), &precharges, READS, .needs = DRAM},
    {0x02, HAS(0x08), &precharges, WRITES, .needs = DRAM},
    /* RD_REG 01H, RD_UNDERFILL 02H, WR_WMM 04H, WR_RMM 08H. The model has no underfills. All writes
     * to DRAM are in batches, during which writes have priority (WMM). Without DRAM the mode is
     * unknown. */
    {0x04, IS(0), NOTHING},
    {0x04, {.care = 0x01, .value = 0x01, .free = 0x02}, &requests, READS},
    {0x04, {.care = 0x04, .value = 0x04, .free = 0x08}, &written, .needs = DRAM},
    {0x04, HAS(0x0c), &requests, WRITES, .needs = PLAIN},
    {0x10, IS(0), &requests, READS},
    {0x11, IS(0), &waiting, .needs = SLOWER_DRAM},
    {0x20, IS(0), &requests, WRITES},
    RANK(0),
    RANK(1),
    RANK(2),
    RANK(3),
    RANK(4),
    RANK(5),
    RANK(6),
    RANK(7),
    {0xff, IS(0), &clocks, .needs = DRAM},
};

const struct bx_box_signals bx_ivbep_memory_signals = {{BX_ROWS(rows)}};
