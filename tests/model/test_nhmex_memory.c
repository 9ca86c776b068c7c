/* Memory of an M-Box: times worked out by hand from docs/explanation/model-nhmex.md, "Memory". */
#include "../cmocked.h"

#include "model/model.h"
#include "model/machine/nhmex/machine.h"

/* A clock is a cycle of the uncore. A row has 32 lines: those of a side of a page. */
static const bx_model_shape clocks = {.packages = 1,
                                      .cores = 1,
                                      .slices = 1,
                                      .llc_bytes = 3 << 20,
                                      .hz = 1000000000,
                                      .dram = {.rate = 2000,
                                               .cl = 10,
                                               .rcd = 10,
                                               .rp = 10,
                                               .ras = 30,
                                               .rtp = 5,
                                               .wr = 12,
                                               .rfc = 100,
                                               .refi = 1000,
                                               .transit = 7,
                                               .channels = 2,
                                               .ranks = 1,
                                               .banks = 8,
                                               .row_bytes = 1024}};

/* Another row of the bank of line 0: the row's number is added to the bank's (exclusive or). */
enum { OTHER_ROW = 9 * 64, OTHER_BANK = 64 };

static struct bx_nhmex *fresh(bx_model_shape shape)
{
    bx_error e;
    bx_model *model = bx_model_new("nhmex", &shape, &e);
    assert_non_null(model);
    return bx_nhmex_of(model);
}

static uint64_t access(struct bx_nhmex *m, uint64_t line, bool write, uint64_t t)
{
    return bx_nhmex_memory(m, line, write, t);
}

/* Decode 4, RAS 12, CAS 14, bus 4, answer 10; the next read of the same row CAS 14, bus 4. */
static void the_plain_rule(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    struct bx_nhmex *m = fresh(shape);
    assert_int_equal(access(m, 0, false, 0), 44);
    assert_int_equal(access(m, 1, false, 0), 34 + 18 + 10);
    bx_model_free(&m->model);
}

/* As the plain rule, but the second access finds its row closed: its bank is free at 34, then RAS
 * 12, CAS 14, bus 4, answer 10. */
static void each_access_closes_its_row(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    shape.times.m_close = 1;
    struct bx_nhmex *m = fresh(shape);
    const struct bx_nhmex_mbox *mbox = &m->package[0].m[bx_nhmex_home_side(0)];
    assert_int_equal(access(m, 0, false, 0), 44);
    assert_int_equal(access(m, 1, false, 0), 34 + 12 + 14 + 4 + 10);
    assert_int_equal(mbox->page_empties, 2);
    assert_int_equal(mbox->command[BX_NHMEX_RAS][0], 2);
    assert_int_equal(mbox->command[BX_NHMEX_CAS_RD_CLS][0], 2);
    assert_int_equal(mbox->command[BX_NHMEX_CAS_RD_OPN][0], 0);
    bx_model_free(&m->model);
}

/* The next row of the bank opens tRP after the row could be closed: tRAS 30 after its RAS at 4. */
static void closed_rows_of_dram(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.times.m_close = 1;
    struct bx_nhmex *m = fresh(shape);
    access(m, 0, false, 0);
    assert_int_equal(access(m, 1, false, 0), 4 + 30 + 10 + 10 + 10 + 2 + 10 + 7);
    bx_model_free(&m->model);
}

/* A read is in its queue until 34: a write that is decoded at 4 begins then, in another bank.
 * Without the key it does not wait. */
static void reads_first(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    for (unsigned first = 0; first < 2; first++) {
        shape.times.m_read_first = first;
        struct bx_nhmex *m = fresh(shape);
        const struct bx_nhmex_mbox *mbox = &m->package[0].m[0];
        assert_int_equal(access(m, 0, false, 0), 44);
        assert_int_equal(access(m, 128, true, 0), (first ? 34 : 4) + 12 + 8 + 4 + 10);
        assert_int_equal(
            mbox->command[BX_NHMEX_RAS][first ? BX_NHMEX_READ_FIRST : BX_NHMEX_TRADE_OFF], 2);
        bx_model_free(&m->model);
    }
}

/* With one write or more, reads wait: the write of 0 is in its queue until 28. */
static void what_waits_goes_first(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    shape.times.m_adaptive = shape.times.m_write_mark = 1;
    struct bx_nhmex *m = fresh(shape);
    assert_int_equal(access(m, 0, true, 0), 4 + 12 + 8 + 4 + 10);
    assert_int_equal(access(m, 128, false, 0), 28 + 12 + 14 + 4 + 10);
    bx_model_free(&m->model);
}

/* From 15 on, 15 accesses to other rows close the rows; then 15 to one row leave them open again.
 */
static void paging_adapts(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    shape.times.m_adaptive_pages = 1;
    struct bx_nhmex *m = fresh(shape);
    const struct bx_nhmex_paging *p = &m->package[0].m[0].paging;
    access(m, 0, false, 0);
    for (unsigned i = 1; i <= 15; i++) {
        assert_false(p->closes);
        access(m, (uint64_t)4096 * i * 4, false, 1000 * i);
    }
    assert_true(p->closes);
    for (unsigned i = 0; i < 15; i++)
        access(m, (uint64_t)4096 * 15 * 4, false, 20000 + 1000 * i);
    assert_false(p->closes);
    assert_int_equal(p->change[0], 1);
    assert_int_equal(p->change[1], 1);
    bx_model_free(&m->model);
}

/* A scrub takes CAS 14 and bus 4: what is decoded at 1,000 begins at 1,018. */
static void patrols(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    shape.times.m_patrol = 1000;
    struct bx_nhmex *m = fresh(shape);
    assert_int_equal(access(m, 0, false, 996), 1018 + 12 + 14 + 4 + 10);
    bx_model_free(&m->model);
}

/* The modules are hot from 400 to 675. Of 32 cycles from 416 on, commands begin in the first 16. */
static void hot_modules(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.dram.rate = 0;
    shape.times.m_heat = 1000;
    struct bx_nhmex *m = fresh(shape);
    const struct bx_nhmex_mbox *mbox = &m->package[0].m[bx_nhmex_home_side(0)];
    assert_int_equal(access(m, 0, false, 370), 374 + 12 + 14 + 4 + 10);
    assert_int_equal(access(m, 128, false, 412), 416 + 12 + 14 + 4 + 10);
    assert_int_equal(mbox->heat_conflicts, 0);
    assert_int_equal(access(m, 256, false, 430), 448 + 12 + 14 + 4 + 10);
    assert_int_equal(mbox->heat_conflicts, 1);
    assert_int_equal(access(m, 384, false, 690), 694 + 12 + 14 + 4 + 10);
    assert_int_equal(mbox->heat_conflicts, 1);
    bx_model_free(&m->model);
}

/* Decode 4, tRCD 10, CL 10, a burst of 4 over two channels, answer 10, transit 7. The next line of
 * a row is a transfer later: 32 GB/s, the peak. */
static void rows_of_dram(void **state)
{
    (void)state;
    struct bx_nhmex *m = fresh(clocks);
    assert_int_equal(access(m, 0, false, 0), 43);
    for (unsigned n = 1; n < 15; n++) /* lines 2, 3, 6, 7 … belong to the other side */
        assert_int_equal(access(m, n / 2 * 4 + n % 2, false, 0), 43 + 2 * n);
    assert_int_equal(m->package[0].m[0].page_hits, 14);
    bx_model_free(&m->model);
}

static void banks_of_dram(void **state)
{
    (void)state;
    struct bx_nhmex *m = fresh(clocks);
    assert_int_equal(access(m, 0, false, 0), 43);
    assert_int_equal(access(m, OTHER_BANK, false, 0), 45);
    assert_int_equal(m->package[0].m[0].page_empties, 2);
    bx_model_free(&m->model);
}

/* Opened at 4: closed at 34, opened at 44, read at 54, its data from 64 to 66. */
static void a_row_stays_open(void **state)
{
    (void)state;
    struct bx_nhmex *m = fresh(clocks);
    access(m, 0, false, 0);
    assert_int_equal(access(m, OTHER_ROW, false, 0), 66 + 17);
    assert_int_equal(m->package[0].m[0].page_misses, 1);
    bx_model_free(&m->model);
}

/* Written until 26: closed 12 later. */
static void a_written_row_stays_open(void **state)
{
    (void)state;
    struct bx_nhmex *m = fresh(clocks);
    assert_int_equal(access(m, 0, true, 0), 43);
    assert_int_equal(access(m, OTHER_ROW, false, 0), 38 + 10 + 10 + 10 + 2 + 17);
    bx_model_free(&m->model);
}

/* From 1000 to 1100, all rows closed. */
static void refresh_of_dram(void **state)
{
    (void)state;
    struct bx_nhmex *m = fresh(clocks);
    access(m, 0, false, 900);
    assert_int_equal(access(m, 0, false, 1050), 1100 + 39);
    assert_int_equal(m->package[0].m[0].refresh_conflicts, 1);
    assert_int_equal(m->package[0].m[0].page_empties, 2);
    bx_model_free(&m->model);
}

/* The lines of a home and side are numbered without gaps. */
static void lines_at_home(void **state)
{
    (void)state;
    bx_model_shape shape = clocks;
    shape.packages = 2;
    struct bx_nhmex *m = fresh(shape);
    static const uint64_t number[][2] = {{0, 0},  {1, 1},    {4, 2},   {61, 31},
                                         {64, 0}, {128, 32}, {63, 31}, {3 * 64 + 5, 32 + 3}};
    for (unsigned i = 0; i < sizeof number / sizeof *number; i++)
        assert_int_equal(bx_nhmex_line_at_home(m, number[i][0]), number[i][1]);
    bx_model_free(&m->model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_rule),
        cmocka_unit_test(each_access_closes_its_row),
        cmocka_unit_test(closed_rows_of_dram),
        cmocka_unit_test(reads_first),
        cmocka_unit_test(what_waits_goes_first),
        cmocka_unit_test(paging_adapts),
        cmocka_unit_test(patrols),
        cmocka_unit_test(hot_modules),
        cmocka_unit_test(rows_of_dram),
        cmocka_unit_test(banks_of_dram),
        cmocka_unit_test(a_row_stays_open),
        cmocka_unit_test(a_written_row_stays_open),
        cmocka_unit_test(refresh_of_dram),
        cmocka_unit_test(lines_at_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
