/* The memory channels of the Ivy Bridge-EP machine: cases worked out by hand from
 * docs/explanation/model-ivbep.md, "Signals of the memory channels". Also relations between their
 * counts and those of the C-Boxes that hold for any work. test_oracle_ivbep.c has the oracle's
 * trials. */
#include "../cmocked.h"

#include "ivbep_rig.h"

enum { DCLOCKTICKS = 0x00, ACT = 0x01, PRE = 0x02, CAS = 0x04, RPQ = 0x10, WPQ = 0x20 };
enum { RPQ_CYCLES_NE = 0x11 };
enum { RD_CAS_RANK0 = 0xb0, WR_CAS_RANK0 = 0xb8, CLOCKTICKS = 0xff };
enum { RD = 0x03, WR = 0x0c, ALL = 0x0f };      /* unit masks of CAS */
enum { PAGE_MISS = 1, FOR_RD = 4, FOR_WR = 8 }; /* unit masks of PRE */

/* A signal of a channel of package 0. */
static uint64_t of_channel(struct rig *r, unsigned channel, unsigned code, unsigned umask)
{
    const bx_selection sel = {
        .box = BX_IVBEP_IMC, .unit = (uint16_t)channel, .code = (uint16_t)code, .umask = umask};
    return rig_tally(r, &sel);
}

enum { CHANNELS = 4 };

static uint64_t of_all(struct rig *r, unsigned code, unsigned umask)
{
    uint64_t sum = 0;
    for (unsigned package = 0; package < r->packages; package++)
        for (unsigned channel = 0; channel < CHANNELS; channel++) {
            const bx_selection sel = {.box = BX_IVBEP_IMC,
                                      .unit = (uint16_t)channel,
                                      .package = (uint16_t)package,
                                      .code = (uint16_t)code,
                                      .umask = umask};
            sum += rig_tally(r, &sel);
        }
    return sum;
}

/* ---- by hand ---- */

/* Two ranks of eight banks, rows of 16 lines; no refresh. */
static const bx_model_dram dram = {.rate = 1600,
                                   .cl = 11,
                                   .rcd = 11,
                                   .rp = 11,
                                   .ras = 28,
                                   .rtp = 6,
                                   .wr = 12,
                                   .wtr = 6,
                                   .channels = CHANNELS,
                                   .ranks = 2,
                                   .banks = 8,
                                   .row_bytes = 1024};

static struct rig with_dram(const bx_model_dram *memory)
{
    return rig_of("ivbep", (bx_model_shape){.packages = 1,
                                            .cores = 1,
                                            .llc_bytes = 64 * 64 * 20,
                                            .dram = *memory,
                                            .hz = 3000000000});
}

/* A channel's line from column, bank and row. The bank number covers both ranks; the row's low bits
 * are added to its low bits (exclusive or). */
static uint64_t line_of(unsigned channel, unsigned row, unsigned bank, unsigned column)
{
    uint64_t page = (uint64_t)row * 16 + (bank & 8) + ((bank ^ row) & 7);
    return (page * 16 + column) * CHANNELS + channel;
}

static void load(struct rig *r, uint64_t line)
{
    rig_do(r, 0, BX_LOAD, line, 0);
}

static void store_past(struct rig *r, uint64_t line)
{
    rig_do(r, 0, BX_NON_TEMPORAL, line, 0);
}

/* A read opens its row in bank 10, which is bank 2 of rank 1, and waits for tRCD. Another read of
 * the row is a hit, and does not wait. A read of another row closes the first: tRP + tRCD. Other
 * channels count nothing. */
static void reads(void **state)
{
    (void)state;
    struct rig r = with_dram(&dram);
    static const struct {
        unsigned row, column, reads, activates, precharges, waits;
    } step[] = {{3, 0, 1, 1, 0, 11}, {3, 5, 2, 1, 0, 11}, {4, 0, 3, 2, 1, 33}, {3, 7, 4, 3, 2, 55}};

    for (unsigned i = 0; i < sizeof step / sizeof *step; i++) {
        load(&r, line_of(2, step[i].row, 10, step[i].column));
        bx_model_idle(r.m, 100); /* without tRAS, which would keep a row open */
        assert_int_equal(of_channel(&r, 2, RPQ, 0), step[i].reads);
        assert_int_equal(of_channel(&r, 2, CAS, RD), step[i].reads);
        assert_int_equal(of_channel(&r, 2, CAS, ALL), step[i].reads);
        assert_int_equal(of_channel(&r, 2, RD_CAS_RANK0 + 1, 1 << 2), step[i].reads);
        assert_int_equal(of_channel(&r, 2, RPQ_CYCLES_NE, 0), step[i].waits);
        assert_int_equal(of_channel(&r, 2, ACT, 1), step[i].activates);
        assert_int_equal(of_channel(&r, 2, PRE, FOR_RD), step[i].precharges);
        assert_int_equal(of_channel(&r, 2, PRE, PAGE_MISS), step[i].precharges);
        assert_int_equal(of_channel(&r, 2, PRE, PAGE_MISS | FOR_RD), step[i].precharges);
    }
    assert_int_equal(of_channel(&r, 2, RD_CAS_RANK0 + 1, 0xff & ~(1 << 2)), 0);
    assert_int_equal(of_channel(&r, 2, RD_CAS_RANK0, 0xff), 0);
    assert_int_equal(of_channel(&r, 2, RD_CAS_RANK0 + 2, 0xff), 0); /* there is no such rank */
    assert_int_equal(of_channel(&r, 2, CAS, WR), 0);
    assert_int_equal(of_channel(&r, 2, PRE, FOR_WR), 0);
    assert_int_equal(
        of_channel(&r, 0, CAS, ALL) + of_channel(&r, 1, CAS, ALL) + of_channel(&r, 3, CAS, ALL), 0);
    rig_free(&r);
}

/* Fifteen writes wait, and the sixteenth completes the batch: eight of row 1 and eight of row 2 of
 * bank 0, alternately. The first write opens row 1, and each other one closes a row and opens
 * one. */
static void a_batch_of_writes(void **state)
{
    (void)state;
    struct rig r = with_dram(&dram);

    for (unsigned i = 0; i < 15; i++)
        store_past(&r, line_of(1, 1 + i % 2, 0, i / 2));
    assert_int_equal(of_channel(&r, 1, WPQ, 0), 15);
    assert_int_equal(of_channel(&r, 1, CAS, WR) + of_channel(&r, 1, ACT, 2), 0);
    store_past(&r, line_of(1, 2, 0, 7));
    assert_int_equal(of_channel(&r, 1, WPQ, 0), 16);
    assert_int_equal(of_channel(&r, 1, CAS, WR), 16);
    assert_int_equal(of_channel(&r, 1, CAS, 0x04), 16); /* WR_WMM */
    assert_int_equal(of_channel(&r, 1, CAS, 0x0c), 16); /* and WR_RMM, which it does not have */
    assert_int_equal(of_channel(&r, 1, CAS, RD), 0);
    assert_int_equal(of_channel(&r, 1, WR_CAS_RANK0, 1 << 0), 16);
    assert_int_equal(of_channel(&r, 1, ACT, 2), 16);
    assert_int_equal(of_channel(&r, 1, ACT, 1), 0);
    assert_int_equal(of_channel(&r, 1, PRE, FOR_WR), 15);
    assert_int_equal(of_channel(&r, 1, PRE, FOR_RD), 0);
    load(&r, line_of(1, 1, 0, 12)); /* row 2 is open */
    assert_int_equal(of_channel(&r, 1, PRE, FOR_RD), 1);
    assert_int_equal(of_channel(&r, 1, PRE, PAGE_MISS), 16);
    rig_free(&r);
}

/* A refresh closes the row without a counted precharge, every 7.8 us: 23,400 cycles. */
static void a_refresh(void **state)
{
    (void)state;
    bx_model_dram memory = dram;
    memory.refi = 7800;
    memory.rfc = 160;
    struct rig r = with_dram(&memory);

    load(&r, line_of(0, 0, 0, 0));
    bx_model_idle(r.m, 30000);
    load(&r, line_of(0, 5, 0, 0));
    assert_int_equal(of_channel(&r, 0, ACT, 1), 2);
    assert_int_equal(of_channel(&r, 0, PRE, ALL), 0);
    rig_free(&r);
}

/* Clocks of 800 MHz begin at 0, 3.75, 7.5, 11.25 and 15 cycles of 3 GHz. */
static void clocks(void **state)
{
    (void)state;
    static const unsigned before[] = {0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5};
    struct rig r = with_dram(&dram);

    for (unsigned t = 0; t < sizeof before / sizeof *before; t++) {
        assert_int_equal(rig_now(&r), t);
        for (unsigned channel = 0; channel < CHANNELS; channel++) {
            assert_int_equal(of_channel(&r, channel, CLOCKTICKS, 0), before[t]);
            assert_int_equal(of_channel(&r, channel, DCLOCKTICKS, 0), before[t]);
        }
        bx_model_idle(r.m, 1);
    }
    bx_model_idle(r.m, 3000000000 - rig_now(&r));
    assert_int_equal(of_channel(&r, 3, CLOCKTICKS, 0), 800000000);
    bx_model_idle(r.m, (UINT64_C(1) << 55) - rig_now(&r)); /* 2^55 / 3.75, rounded up */
    assert_int_equal(of_channel(&r, 3, CLOCKTICKS, 0), UINT64_C(9607679205057059));
    rig_free(&r);
}

/* Without DRAM (the plain rule): requests are executed as they come. */
static void without_dram(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 64 * 64 * 20);

    for (uint64_t line = 0; line < 10; line++)
        load(&r, 3 * line);
    for (uint64_t line = 1000; line < 1003; line++)
        store_past(&r, line);
    static const unsigned read[] = {3, 2, 2, 3}, written[] = {1, 1, 1, 0};
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        assert_int_equal(of_channel(&r, channel, CAS, RD), read[channel]);
        assert_int_equal(of_channel(&r, channel, RPQ, 0), read[channel]);
        assert_int_equal(of_channel(&r, channel, CAS, WR), written[channel]);
        assert_int_equal(of_channel(&r, channel, WPQ, 0), written[channel]);
        assert_int_equal(of_channel(&r, channel, CAS, ALL), read[channel] + written[channel]);
    }
    static const struct {
        unsigned code, umask;
    } unknown[] = {{CAS, 0x04}, {CAS, 0x08}, {CAS, 0x07},       {ACT, 1},
                   {PRE, 1},    {0x11, 0},   {RD_CAS_RANK0, 1}, {CLOCKTICKS, 0}};
    for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const bx_selection sel = {
            .box = BX_IVBEP_IMC, .code = (uint16_t)unknown[i].code, .umask = unknown[i].umask};
        assert_false(bx_model_produces(r.m, &sel));
    }
    rig_free(&r);
}

/* ---- laws ---- */

static uint64_t opcode(struct rig *r, unsigned umask, unsigned value)
{
    return rig_all(r, 0x35, umask, (struct rig_filter){.filter1 = value << 20});
}

/* Requests that read memory when they miss. Those of the other package's caches do not. */
static uint64_t reading_misses(struct rig *r)
{
    static const unsigned of[] = {0x180, 0x181, 0x182, 0x190, 0x191, 0x192, 0x195, 0x19e};
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        sum += opcode(r, 0x03, of[i]);
    return sum;
}

/* Modified victims, writes of devices and non-temporal stores, and modified lines that the latter
 * write first. */
static uint64_t victims_and_stores(struct rig *r)
{
    static const unsigned of[] = {0x18c, 0x18d, 0x193, 0x194};
    uint64_t sum = rig_all(r, 0x37, 0x01, (struct rig_filter){0});
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        sum += opcode(r, 0x01, of[i]);
    return sum + rig_all(r, 0x39, 0x02, (struct rig_filter){0});
}

static const char *const work[] = {
    "stream,size=1M,cores=2",
    "copy,size=512K,cores=2",
    "random,size=2M,iterations=20000,cores=2,write=40",
    "sharing,cores=2,iterations=5000,write=30",
    "dma,iterations=20000",
    "random,size=1M,iterations=10000,cores=1+stream,size=256K,cores=1+dma,size=1M,iterations=9000",
};

static void check(struct rig *r, bool has_dram, unsigned packages)
{
    uint64_t read = of_all(r, CAS, RD), written = of_all(r, CAS, WR), queued = of_all(r, WPQ, 0);

    assert_int_equal(read, of_all(r, RPQ, 0));
    assert_int_equal(of_all(r, CAS, ALL), read + written);
    if (packages == 1) {
        assert_int_equal(read, reading_misses(r));
        assert_int_equal(queued, victims_and_stores(r));
    } else {
        assert_true(read <= reading_misses(r));
    }
    if (!has_dram) {
        assert_int_equal(written, queued);
        return;
    }
    assert_true(written <= queued && queued - written < 16 * CHANNELS * packages);
    uint64_t activates = of_all(r, ACT, 3), closed = of_all(r, PRE, PAGE_MISS), by_bank = 0;
    for (unsigned rank = 0; rank < 8; rank++)
        by_bank += of_all(r, RD_CAS_RANK0 + rank, 0xff) + of_all(r, WR_CAS_RANK0 + rank, 0xff);
    assert_int_equal(by_bank, read + written);
    assert_true(of_all(r, ACT, 1) <= read && of_all(r, ACT, 2) <= written);
    assert_true(closed <= activates);
    assert_true(of_all(r, RPQ_CYCLES_NE, 0) <= of_all(r, CLOCKTICKS, 0));
    assert_int_equal(closed, of_all(r, PRE, FOR_RD) + of_all(r, PRE, FOR_WR));
    assert_true(read > 0 && activates > 0);
}

static void laws(void **state)
{
    (void)state;
    for (unsigned packages = 1; packages <= 2; packages++)
        for (unsigned has_dram = 0; has_dram < 2; has_dram++)
            for (size_t w = 0; w < sizeof work / sizeof *work; w++) {
                bx_model_dram memory = dram;
                memory.rate *= has_dram;
                struct rig r = rig_of("ivbep", (bx_model_shape){.packages = packages,
                                                                .cores = 3 - packages,
                                                                .llc_bytes = 64 * 64 * 20 * 2,
                                                                .dram = memory,
                                                                .hz = 3000000000});
                rig_work(&r, work[w]);
                check(&r, has_dram, packages);
                rig_free(&r);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),  cmocka_unit_test(a_batch_of_writes), cmocka_unit_test(a_refresh),
        cmocka_unit_test(clocks), cmocka_unit_test(without_dram),      cmocka_unit_test(laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
