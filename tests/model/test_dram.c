/* DRAM: times worked out by hand from docs/explanation/model-dram.md, "DRAM", and its peak. The
 * oracles' trials (test_oracle.c, test_oracle_ivbep.c) compare it with a plain reference. */
#include "../cmocked.h"

#include "../dice.h"

#include "model/part/dram.h"

/* A clock is a cycle of the uncore. A row has 16 lines. */
static const bx_model_dram plain = {.rate = 2000,
                                    .cl = 10,
                                    .rcd = 10,
                                    .rp = 10,
                                    .ras = 30,
                                    .rtp = 5,
                                    .wr = 12,
                                    .wtr = 6,
                                    .rfc = 100,
                                    .channels = 1,
                                    .ranks = 1,
                                    .banks = 8,
                                    .row_bytes = 1024,
                                    .line_bytes = 64};
enum { HZ = 1000000000, BURST = 4, LINES = 16 };

static struct bx_dram fresh(const bx_model_dram *shape)
{
    static struct bx_dram d;
    assert_true(bx_dram_power_on(&d, shape, HZ));
    return d;
}

/* A line of a bank's row: the row's number is added to the bank's (exclusive or). */
static uint64_t line_in(unsigned bank, unsigned row)
{
    return (row * 8 + (bank ^ row % 8)) * LINES;
}

static void no_memory(void **state)
{
    (void)state;
    struct bx_dram d;
    assert_false(bx_dram_power_on(&d, &(bx_model_dram){0}, HZ));
}

/* Opened at 0, read at 10, data from 20 to 24. */
static void a_closed_row(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    assert_int_equal(bx_dram_read(&d, line_in(0, 0), 0), 24);
    assert_int_equal(d.counts.empty, 1);
}

static void an_open_row(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    bx_dram_read(&d, line_in(0, 0), 0);
    for (unsigned n = 1; n < LINES; n++) /* all asked for at once: the bus is never free between */
        assert_int_equal(bx_dram_read(&d, line_in(0, 0) + n, 100), 110 + n * BURST);
    assert_int_equal(d.counts.hit, LINES - 1);
}

/* The first row is closed at 1000, the second is opened at 1010, read at 1020, data from 1030. */
static void another_row(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    bx_dram_read(&d, line_in(0, 0), 0);
    assert_int_equal(bx_dram_read(&d, line_in(0, 1), 1000), 1034);
    assert_int_equal(d.counts.miss, 1);
}

/* The row that was opened at 0 may be closed at 30. */
static void a_row_stays_open(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    bx_dram_read(&d, line_in(0, 0), 0);
    assert_int_equal(bx_dram_read(&d, line_in(0, 1), 1), 64);
    /* Until then it is read: at 14, when its bank takes the next read. */
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 1, 2), 28);
    /* A read at 18, 22 or later would be 5 clocks before 30 at best in the first case. */
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 2, 3), 32);
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 3, 4), 36);
    assert_int_equal(d.counts.hit, 3);
    /* At 26 it is too late: the other row is closed at 70, and this one opened at 80. */
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 4, 5), 104);
    assert_int_equal(d.counts.miss, 2);
}

static void banks_work_at_once(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    for (unsigned bank = 0; bank < 8; bank++)
        assert_int_equal(bx_dram_read(&d, line_in(bank, 0), 0), 24 + bank * BURST);
}

/* Four rows of a rank in 40 clocks: one every 10. The other rank opens rows independently. */
static void rows_are_opened_one_after_the_other(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.faw = 40;
    shape.ranks = 2;
    struct bx_dram d = fresh(&shape);
    uint64_t second = 8 * LINES;
    for (unsigned bank = 0; bank < 8; bank++)
        assert_int_equal(bx_dram_read(&d, bank * LINES, 0), 24 + bank * 10);
    assert_int_equal(bx_dram_read(&d, second, 0), 28);
    assert_int_equal(bx_dram_read(&d, second + LINES, 0), 38);
}

/* Sixteen rows in sixteen banks: opened at 0, 10 … 150. The last is written from 170 to 174. */
static void rows_to_write_are_opened_one_after_the_other(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.faw = 40;
    shape.banks = 16;
    struct bx_dram d = fresh(&shape);
    for (unsigned bank = 0; bank < BX_DRAM_BATCH; bank++)
        bx_dram_write(&d, bank * LINES, 0);
    assert_int_equal(bx_dram_read(&d, 15 * LINES, 0), 174 + 14);
    assert_int_equal(bx_dram_read(&d, 0, 0), 104);
}

/* A ready request does not wait for an earlier one that is not ready. */
static void gaps_are_used(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    bx_dram_read(&d, line_in(0, 0), 0);
    assert_int_equal(bx_dram_read(&d, line_in(0, 1), 1), 64);
    assert_int_equal(bx_dram_read(&d, line_in(1, 0), 2), 28);
}

/* Lines alternate between channels, each with its own bus and banks. */
static void channels(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.channels = 2;
    struct bx_dram d = fresh(&shape);
    assert_int_equal(bx_dram_read(&d, 0, 0), 24);
    assert_int_equal(bx_dram_read(&d, 1, 0), 24);
    assert_int_equal(bx_dram_read(&d, 2, 0), 28); /* the same row as the first */
    assert_int_equal(d.counts.empty, 2);
}

/* The channel is a parity, as on the client. Lines 0 and 1 are of one channel and row; line 4
 * (address bit 8) is of the other one, and lines 4 and 8 (bits 8 and 9) are not. */
static void a_channel_of_several_bits(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.channels = 2;
    shape.channel_hash = 1 << 2 | 1 << 3;
    struct bx_dram d = fresh(&shape);
    assert_int_equal(bx_dram_read(&d, 0, 0), 24);
    assert_int_equal(bx_dram_read(&d, 4, 0), 24);
    assert_int_equal(bx_dram_read(&d, 1, 0), 28);
    assert_int_equal(bx_dram_read(&d, 8, 0), 28);
    assert_int_equal(bx_dram_read(&d, 12, 0), 32);
    struct bx_dram_place first = bx_dram_place_of(&d.map, 0), last = bx_dram_place_of(&d.map, 31);
    assert_int_equal(first.row, last.row);
    assert_int_equal(first.bank, last.bank);
}

/* Pairs of address bits whose parity is a bit of the bank: Found-DRAM-BankMap.md of
 * github.com/heechul/drama, an E3-1220 v5. */
static void banks_as_published(void **state)
{
    (void)state;
    static const unsigned pair[][2] = {{7, 14}, {15, 19}, {16, 20}, {17, 21}, {18, 22}};
    bx_model_dram shape = plain;
    shape.channels = shape.ranks = 2;
    shape.banks = 16;
    shape.row_bytes = 8192;
    shape.channel_hash = 0x4b300 >> 6; /* 8, 9, 12, 13, 15, 18 */
    shape.bank_hash = true;
    struct bx_dram_map map = bx_dram_map_of(&shape, false);
    uint64_t random = 5;
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t address = dice_next(&random) >> 24;
        struct bx_dram_place place = bx_dram_place_of(&map, address >> 6);
        for (unsigned bit = 0; bit < 5; bit++)
            assert_int_equal(place.bank >> bit & 1,
                             (address >> pair[bit][0] ^ address >> pair[bit][1]) & 1);
        assert_int_equal(place.rank, place.bank >> 4);
        assert_int_equal(place.row, address >> 19);
    }
}

/* Data of a group every 7 clocks: reads of banks 0 and 4 are at 110, 117 and 124. Three clocks
 * between them are no gap for a burst of another group. After a pause of 8, there is one. */
static void a_group_takes_a_read_every_7_clocks(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.groups = 4;
    shape.ccd_l = 7;
    struct bx_dram d = fresh(&shape);
    bx_dram_read(&d, line_in(0, 0), 0);
    bx_dram_read(&d, line_in(4, 0), 0);
    bx_dram_read(&d, line_in(1, 0), 0);
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 1, 100), 114);
    assert_int_equal(bx_dram_read(&d, line_in(4, 0) + 1, 100), 121);
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 2, 100), 128);
    assert_int_equal(bx_dram_read(&d, line_in(0, 0) + 3, 122), 136);
    assert_int_equal(bx_dram_read(&d, line_in(1, 0) + 1, 100), 132);
}

/* Rows of a rank are opened every 5 clocks, those of a group every 12: banks 0, 4, 1 and 2 at 0,
 * 12, 5 and 17. */
static void a_group_opens_rows_less_often(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.groups = 4;
    shape.ccd_l = BURST;
    shape.rrd_s = 5;
    shape.rrd_l = 12;
    struct bx_dram d = fresh(&shape);
    assert_int_equal(bx_dram_read(&d, line_in(0, 0), 0), 24);
    assert_int_equal(bx_dram_read(&d, line_in(4, 0), 0), 36);
    assert_int_equal(bx_dram_read(&d, line_in(1, 0), 0), 29);
    assert_int_equal(bx_dram_read(&d, line_in(2, 0), 0), 41);
}

/* One bank, and another row each time: a row is open for tRAS and closed for tRP. */
static void a_bank_is_limited_by_its_rows(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    for (unsigned row = 0; row < 20; row++)
        assert_int_equal(bx_dram_read(&d, line_in(0, row), 0), 24 + row * 40);
    assert_int_equal(d.counts.miss, 19);
}

/* Due at 1000, done at 1100; in a second rank half an interval later. */
static void refresh(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.refi = 1000;
    shape.ranks = 2;
    struct bx_dram d = fresh(&shape);
    uint64_t second = 8 * LINES; /* after the banks of the first */
    bx_dram_read(&d, 0, 900);
    bx_dram_read(&d, second, 900);
    assert_int_equal(bx_dram_read(&d, 1, 1050), 1124);
    assert_int_equal(bx_dram_read(&d, second + 1, 1060), 1074);
    assert_int_equal(bx_dram_read(&d, 2, 1200), 1214); /* the row is open again */
    assert_int_equal(bx_dram_read(&d, second + 2, 1500), 1624);
}

/* A row is requested at 985, closed at 1010 and opened at 1020, so the refresh at 1000 does not
 * delay it. The next read could be issued at 1030, and comes after the refresh, at 1100. */
static void a_refresh_holds_up_what_comes_after_it(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.refi = 1000;
    struct bx_dram d = fresh(&shape);
    bx_dram_read(&d, line_in(0, 0), 980);
    assert_int_equal(bx_dram_read(&d, line_in(0, 1), 985), 1044);
    assert_int_equal(bx_dram_read(&d, line_in(0, 1) + 1, 990), 1124);
    assert_int_equal(d.counts.empty, 2);
}

/* The 16th write makes the batch: data from 20 to 84. The first read is issued 6 clocks later, its
 * data 10 clocks after that. */
static void writes_come_in_batches(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    for (unsigned n = 0; n < BX_DRAM_BATCH - 1; n++)
        assert_int_equal(bx_dram_write(&d, n, 0), 0);
    assert_int_equal(bx_dram_read(&d, line_in(1, 0), 0), 24);
    bx_dram_write(&d, BX_DRAM_BATCH - 1, 4);
    assert_int_equal(bx_dram_read(&d, line_in(2, 0), 0), 28 + 64 + 16);
}

/* The bus is used from 20 to 84, and turned around at 100. The bank has three rows to write, with
 * 42 clocks between two of them: tWR, tRP, tRCD and CL. So it takes a read at 168. */
static void writes_to_one_bank(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    for (unsigned n = 0; n < BX_DRAM_BATCH; n++)
        bx_dram_write(&d, line_in(0, n / 6), 0);
    assert_int_equal(bx_dram_read(&d, line_in(1, 0), 0), 104);
    assert_int_equal(bx_dram_read(&d, line_in(0, 2), 0), 182);
    for (unsigned n = 0; n < BX_DRAM_BATCH; n++)
        bx_dram_write(&d, line_in(2, 0), 0);
    assert_int_equal(bx_dram_write(&d, line_in(2, 0), 0), 168); /* there is room again */
}

/* Bank 1 has only the first of the sixteen writes, from 20 to 24. Its row is closed at 36 and
 * another one opened at 46, while the bus has the writes of bank 0. The data follow as soon as the
 * bus is turned around. */
static void a_bank_is_opened_during_writes_of_others(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    bx_dram_write(&d, line_in(1, 0), 0);
    for (unsigned n = 1; n < BX_DRAM_BATCH; n++)
        bx_dram_write(&d, line_in(0, 0) + n, 0);
    assert_int_equal(bx_dram_read(&d, line_in(1, 1), 0), 84 + 16 + BURST);
}

/* There is room for two batches. The third waits for the end of the first: 20 + 64. The first ends
 * at 84 and turns around until 100, when the second begins. */
static void writes_wait_for_room(void **state)
{
    (void)state;
    struct bx_dram d = fresh(&plain);
    for (unsigned n = 0; n < 2 * BX_DRAM_BATCH; n++)
        assert_int_equal(bx_dram_write(&d, n % LINES, 0), 0);
    for (unsigned n = 0; n < BX_DRAM_BATCH; n++)
        assert_int_equal(bx_dram_write(&d, n, 0), 84);
    assert_int_equal(bx_dram_write(&d, 0, 0), 164);
}

/* The transit takes 7 ns in all, in both directions. */
static void transit(void **state)
{
    (void)state;
    bx_model_dram shape = plain;
    shape.transit = 7;
    struct bx_dram d = fresh(&shape);
    assert_int_equal(bx_dram_read(&d, 0, 0), 31);
    assert_int_equal(bx_dram_write(&d, 0, 100), 107);
}

/* DDR4-2133 on one channel: 17.064 GB/s, which is 15.0023 cycles a line at 4 GHz. */
static void the_peak_is_reached(void **state)
{
    (void)state;
    enum { READS = 100000 };
    bx_model_dram shape = plain;
    static struct bx_dram d;
    shape.rate = 2133;
    assert_true(bx_dram_power_on(&d, &shape, 4000000000));
    uint64_t end = 0, start = bx_dram_read(&d, 0, 0);
    for (uint64_t n = 1; n <= READS; n++)
        end = bx_dram_read(&d, n, n * 15);
    double cycles = (double)(end - start) / READS;
    assert_true(cycles >= 64e3 / (2133 * 8) * 4 && cycles < 64e3 / (2133 * 8) * 4 * 1.001);
}

/* For any requests, no two bursts overlap, so there are no more than the peak allows. */
static void the_peak_is_kept(void **state)
{
    (void)state;
    enum { REQUESTS = 3000 };
    uint64_t random = 7, end[REQUESTS], n = 0, t = 0;
    struct bx_dram d = fresh(&plain);
    for (unsigned i = 0; i < REQUESTS; i++) {
        uint64_t line = dice_below(&random, 4000);
        t += dice_below(&random, 12);
        if (dice_below(&random, 4))
            end[n++] = bx_dram_read(&d, line, t);
        else
            bx_dram_write(&d, line, t);
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < i; k++)
            assert_true(end[i] >= end[k] + BURST || end[k] >= end[i] + BURST);
}

/* Counted writes are limited, too: beyond the two batches that wait, a line takes a burst. */
static void the_peak_is_kept_by_writes(void **state)
{
    (void)state;
    enum { WRITES = 3000 };
    struct bx_dram d = fresh(&plain);
    uint64_t t = 0;
    for (unsigned i = 0; i < WRITES; i++) {
        t = bx_dram_write(&d, i, t);
        assert_true(t + 3 * BX_DRAM_BATCH * BURST >= i * BURST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory),
        cmocka_unit_test(a_closed_row),
        cmocka_unit_test(an_open_row),
        cmocka_unit_test(another_row),
        cmocka_unit_test(a_row_stays_open),
        cmocka_unit_test(banks_work_at_once),
        cmocka_unit_test(rows_are_opened_one_after_the_other),
        cmocka_unit_test(rows_to_write_are_opened_one_after_the_other),
        cmocka_unit_test(gaps_are_used),
        cmocka_unit_test(channels),
        cmocka_unit_test(a_channel_of_several_bits),
        cmocka_unit_test(banks_as_published),
        cmocka_unit_test(a_group_takes_a_read_every_7_clocks),
        cmocka_unit_test(a_group_opens_rows_less_often),

        cmocka_unit_test(a_bank_is_limited_by_its_rows),
        cmocka_unit_test(refresh),
        cmocka_unit_test(a_refresh_holds_up_what_comes_after_it),
        cmocka_unit_test(writes_come_in_batches),
        cmocka_unit_test(writes_to_one_bank),
        cmocka_unit_test(a_bank_is_opened_during_writes_of_others),
        cmocka_unit_test(writes_wait_for_room),
        cmocka_unit_test(transit),
        cmocka_unit_test(the_peak_is_reached),
        cmocka_unit_test(the_peak_is_kept),
        cmocka_unit_test(the_peak_is_kept_by_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
