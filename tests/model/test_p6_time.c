/* Reports to watchers of a P6: their sum is the count, and each alarm comes at its time. */
#include "../cmocked.h"

#include "ear.h"
#include "p6_rig.h"

#include "model/core/tlb.h"

/* Every code, with the unit mask that includes the most. */
static unsigned selections(const struct rig *r, bx_selection sel[EAR_WATCHES])
{
    static const uint8_t umasks[] = {MESI, ANY, 0};
    unsigned n = 0;

    for (unsigned i = 0; i < sizeof umasks; i++) {
        for (unsigned code = 0; code < 256 && n < EAR_WATCHES; code++) {
            sel[n] = (bx_selection){.code = (uint16_t)code,
                                    .umask = umasks[i],
                                    .levels = n % 3 ? BX_LEVELS : BX_LEVEL_USER};
            n += bx_model_produces(r->m, &sel[n]);
        }
    }
    return n;
}

static const char work[] = "random,size=1M,iterations=20000,write=40+dma,size=256K,step=16,"
                           "iterations=2000,period=150";

/* Reports add up to the count, whether they are pulses or spans. */
static void test_told_is_counted(void **state)
{
    (void)state;
    static struct ear ear;
    bx_selection sel[EAR_WATCHES];
    uint64_t before[EAR_WATCHES];
    struct rig r = p6_new();
    unsigned n = selections(&r, sel);

    assert_true(n > 50);
    rig_begin(&r, work);
    bx_model_run(r.m, 12345);
    ear_open(&ear, &r);
    for (unsigned i = 0; i < n; i++) {
        assert_true(r.s->tally(r.s, &sel[i], &before[i]));
        ear.since[i] = 12345;
        assert_true(r.s->watch(r.s, i, &sel[i]));
    }
    for (uint64_t step = 1; !bx_model_run(r.m, rig_now(&r) + step); step = step * 5 % 4001 + 1)
        ;
    bx_model_idle(r.m, 1000);
    for (unsigned i = 0; i < n; i++) {
        uint64_t after;
        assert_true(r.s->tally(r.s, &sel[i], &after));
        ear_close(&ear, i, rig_now(&r));
        if (ear.sum[i] != after - before[i])
            fail_msg("event %02x:%02x: reported %llu, counted %llu", sel[i].code, sel[i].umask,
                     (unsigned long long)ear.sum[i], (unsigned long long)(after - before[i]));
        assert_true(ear.busy[i] <= rig_now(&r) - 12345);
        r.s->unwatch(r.s, i);
    }
    rig_free(&r);
}

/* A watcher changes no count. */
static void test_watching_changes_nothing(void **state)
{
    (void)state;
    static struct ear ear;
    bx_selection sel[EAR_WATCHES];
    struct rig r = p6_new(), alone = p6_new();
    unsigned n = selections(&r, sel);

    rig_begin(&r, work);
    rig_begin(&alone, work);
    ear_open(&ear, &r);
    for (unsigned i = 0; i < n; i++)
        assert_true(r.s->watch(r.s, i, &sel[i]));
    assert_true(bx_model_run(r.m, BX_NEVER));
    assert_true(bx_model_run(alone.m, BX_NEVER));
    assert_int_equal(rig_now(&r), rig_now(&alone));
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(p6_at(&r, sel[i].code, sel[i].umask, BX_LEVELS),
                         p6_at(&alone, sel[i].code, sel[i].umask, BX_LEVELS));
    rig_free(&r);
    rig_free(&alone);
}

struct mixer {
    struct ear ear;    /* first */
    bx_selection sel;  /* what is read at each alarm */
    uint64_t reported; /* the tallies at that time, hashed */
};

static void mix_in(struct ear *ear, uint64_t now)
{
    struct mixer *m = (struct mixer *)(void *)ear;
    uint64_t sum;

    (void)now;
    assert_true(ear->s->tally(ear->s, &m->sel, &sum));
    m->reported = m->reported * 31 + sum;
}

/* Tallies at an alarm are those of a run up to its time. */
static void test_alarms(void **state)
{
    (void)state;
    static const uint8_t codes[][2] = {{DATA_MEM_REFS, 0},        {INST_RETIRED, 0},
                                       {DCU_MISS_OUTSTANDING, 0}, {BUS_DRDY_CLOCKS, ANY},
                                       {L2_RQSTS, MESI},          {CPU_CLK_UNHALTED, 0}};
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        static struct mixer m;
        struct rig r = p6_new(), stepped = p6_new();
        uint64_t reported = 0, alarms = 0;
        m.reported = 0;
        ear_open(&m.ear, &r);
        m.ear.on_alarm = mix_in;
        m.ear.period = m.ear.alarm_at = 61;
        m.sel = (bx_selection){.code = codes[i][0], .umask = codes[i][1], .levels = BX_LEVELS};
        r.s->set_alarm(r.s, 61);
        rig_begin(&r, work);
        rig_begin(&stepped, work);
        bx_model_run(r.m, 61 * 2000 + 1);
        for (; alarms < 2000; alarms++) {
            bx_model_run(stepped.m, 61 * (alarms + 1));
            reported = reported * 31 + p6_count(&stepped, codes[i][0], codes[i][1]);
        }
        assert_int_equal(m.ear.alarms, alarms);
        assert_int_equal(m.reported, reported);
        rig_free(&r);
        rig_free(&stepped);
    }
}

/* A load at 3, from memory: DRDY from 84 to 111, the miss from 3 to 109, each in one go. */
static void test_edges(void **state)
{
    (void)state;
    static struct ear ear;
    const bx_access a = bx_access_make(1, BX_LOAD, BX_ACCESS_DEPENDENT, 3);
    const bx_selection drdy = {.code = BUS_DRDY_CLOCKS, .umask = ANY, .levels = BX_LEVELS},
                       miss = {.code = DCU_MISS_OUTSTANDING, .levels = BX_LEVELS};
    struct rig r = p6_new();

    ear_open(&ear, &r);
    r.s->watch(r.s, 0, &drdy);
    r.s->watch(r.s, 1, &miss);
    rig_feed(&r, 0, &a, 1);
    bx_model_run(r.m, 100);
    assert_int_equal(ear.since[0], 84);
    assert_int_equal(ear.open[0], 1);
    assert_int_equal(ear.since[1], 3);
    assert_int_equal(ear.open[1], 1);
    bx_model_run(r.m, 111);
    assert_int_equal(ear.open[0], 1);
    assert_int_equal(ear.since[1], 110);
    assert_int_equal(ear.open[1], 0);
    bx_model_run(r.m, BX_NEVER);
    assert_int_equal(ear.since[0], 112);
    assert_int_equal(ear.open[0], 0);
    assert_int_equal(ear.sum[0], 28);
    assert_int_equal(ear.sum[1], 107);
    rig_free(&r);
}

/* A load at 3, from memory, is done at bus clock 16 (112), and its line is carried to L2 until 120.
 * A dependent load of the line at 7 hits the DCU, but waits until 112; the next load comes 20
 * cycles later. A load that is not dependent waits for nothing. */
static void test_a_value_after_the_load_of_its_line(void **state)
{
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        const bx_access accesses[] = {
            bx_access_make(1, BX_LOAD, 0, 3),
            bx_access_make(1, BX_LOAD, waits ? BX_ACCESS_DEPENDENT : 0, 4),
            bx_access_make(1, BX_LOAD, 0, 20),
        };
        struct rig r = p6_new();
        rig_play(&r, 0, accesses, 3);
        assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), waits ? 112 + 20 : 120);
        assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0), 3);
        rig_free(&r);
    }
}

/* A store to a line that is nowhere, and a locked operation three cycles later. The look-up ends at
 * 6, so RFO is at bus clock 1 (7), its data from 11 to 14, done at 15 (105): until then the store
 * buffer drains. 20 cycles later the store hits; it is done a cycle later. The line is carried to
 * L2 from 105 to 113. */
static void test_locked(void **state)
{
    (void)state;
    const bx_access accesses[] = {bx_access_make(5, BX_STORE, 0, 0), BX_ACCESS_LOCK | 3 << 4,
                                  bx_access_make(5, BX_STORE, BX_ACCESS_DEPENDENT, 0)};
    for (uint32_t locked = 0; locked <= 20; locked += 20) {
        struct rig r =
            rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1, .times = {.locked = locked}});
        rig_play(&r, 0, accesses, 3);
        assert_int_equal(p6_count(&r, SB_DRAINS, 0), 102);
        assert_int_equal(p6_count(&r, RESOURCE_STALLS, 0), 0);
        assert_int_equal(p6_count(&r, INST_RETIRED, 0), 3);
        assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0), 2);
        assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), locked ? 126 : 113);
        rig_free(&r);
    }
}

/* LOCK# from 3 to 103: a read of IO that is ready at 10 is made at bus clock 15 (105). Its data
 * come from clock 25 to 28: until 203. */
static void test_bus_lock(void **state)
{
    (void)state;
    enum { BUS_LOCK_CLOCKS = 0x63 };
    const bx_access lock = bx_access_steer(0, BX_STEER_LOCK_BUS) | 3 << 4,
                    read = bx_access_make(9, BX_LOAD, 0, 10);
    struct rig r = p6_new();
    rig_feed(&r, 0, &lock, 1);
    rig_feed(&r, BX_AGENT_IO, &read, 1);
    rig_run(&r);
    assert_int_equal(p6_count(&r, BUS_LOCK_CLOCKS, 0), 100);
    assert_int_equal(p6_count(&r, BUS_LOCK_CLOCKS, 0x20), 100);
    assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), 103);
    assert_int_equal(rig_now(&r), 203);
    rig_free(&r);
}

static bx_access remark_of(unsigned class, unsigned cost)
{
    return BX_ACCESS_REMARK | (bx_access) class << BX_REMARK_CLASS_SHIFT | (bx_access)cost << 4;
}

/* Divisions at 1 and 2: the divider is busy from 1 to 38 and from 38 to 75, of the second one's
 * time too if that is of the x87. A multiplication does not wait. */
static void test_divisions(void **state)
{
    (void)state;
    enum { DIV = 0x13, CYCLES_DIV_BUSY = 0x14 };
    const bx_access accesses[] = {remark_of(BX_CLASS_DIVIDE, 1), remark_of(BX_CLASS_X87_DIVIDE, 1),
                                  remark_of(BX_CLASS_MULTIPLY, 1)};
    struct rig r = p6_new();
    rig_play(&r, 0, accesses, 3);
    assert_int_equal(p6_count(&r, DIV, 0), 2);
    assert_int_equal(p6_count(&r, CYCLES_DIV_BUSY, 0), 74);
    assert_int_equal(p6_count(&r, INST_RETIRED, 0), 3);
    assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), 75);
    assert_int_equal(p6_count(&r, RESOURCE_STALLS, 0), 0);
    rig_free(&r);
}

/* IN at 1: bus clock 1 (7), its data in clock 11: until 84. OUT at 87: clock 13 (91), its data in
 * clock 17: until 126. */
static void test_ports(void **state)
{
    (void)state;
    enum { BUS_TRAN_IO = 0x6c };
    const bx_access accesses[] = {
        bx_access_uncacheable(5, BX_LOAD, BX_ACCESS_PARTIAL, 1) | BX_ACCESS_PORT,
        bx_access_uncacheable(5, BX_STORE, BX_ACCESS_PARTIAL, 3) | BX_ACCESS_PORT};
    struct rig r = p6_new();
    rig_play(&r, 0, accesses, 2);
    assert_int_equal(p6_count(&r, BUS_TRAN_IO, 0), 2);
    assert_int_equal(p6_count(&r, BUS_TRAN_IO, ANY), 2);
    assert_int_equal(p6_count(&r, BUS_TRAN_ANY, 0), 2);
    assert_int_equal(p6_count(&r, BUS_TRAN_MEM, 0), 0);
    assert_int_equal(p6_count(&r, BUS_DATA_RCV, 0), 1);
    assert_int_equal(p6_count(&r, BUS_DRDY_CLOCKS, 0), 1);
    assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0), 0);
    assert_int_equal(p6_count(&r, INST_RETIRED, 0), 4);
    assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), 126);
    rig_free(&r);
}

/* A store to a register at 1: bus clock 1 (7), its data in clock 5: done at 42. A load at 2 waits
 * for it: clock 6 (42), its data in clock 16: until 119. A load of a line waits for nothing: 120 is
 * clock 18 (126), its data in the clocks 28 to 31: until 224. */
static void test_registers(void **state)
{
    (void)state;
    const bx_access accesses[] = {bx_access_uncacheable(5, BX_STORE, BX_ACCESS_PARTIAL, 1),
                                  bx_access_uncacheable(5, BX_LOAD, BX_ACCESS_PARTIAL, 1),
                                  bx_access_uncacheable(6, BX_LOAD, 0, 1)};
    struct rig r = p6_new();
    rig_play(&r, 0, accesses, 3);
    assert_int_equal(p6_count(&r, BUS_TRAN_PWR, 0), 1);
    assert_int_equal(p6_count(&r, BUS_TRAN_P, 0), 2);
    assert_int_equal(p6_count(&r, BUS_TRAN_BURST, 0), 1);
    assert_int_equal(p6_count(&r, BUS_TRAN_MEM, 0), 3);
    assert_int_equal(p6_count(&r, BUS_TRAN_BRD, 0), 0);
    assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0), 3);
    assert_int_equal(p6_count(&r, DCU_LINES_IN, 0), 0);
    assert_int_equal(p6_count(&r, SB_DRAINS, 0), 40);
    assert_int_equal(p6_count(&r, UOPS_RETIRED, 0), 4);
    assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), 224);
    rig_free(&r);
}

/* Four instructions of 60 cycles. The interrupt of 100 is taken at 120. If a kernel needs 30 cycles
 * for it, the next one, of 200, is taken at 210, the end of the third instruction. If it needs 150,
 * until 270, another one waits from 200 on; it is taken after one instruction, at 330, and handled
 * until 480. The next one waits from 400 on, and then there is no more work to interrupt. */
static void test_interrupts(void **state)
{
    (void)state;
    enum { CYCLES_INT_MASKED = 0xc6, CYCLES_INT_PENDING_AND_MASKED = 0xc7, HW_INT_RX = 0xc8 };
    static const struct {
        unsigned handler, masked, pending, clock;
    } cases[] = {{30, 60, 0, 300}, {150, 300, 150, 540}};
    bx_access four[4];
    for (unsigned i = 0; i < 4; i++)
        four[i] = remark_of(BX_CLASS_OTHER, 60);
    for (unsigned i = 0; i < 2; i++) {
        struct rig r = rig_of(
            "p6",
            (bx_model_shape){.packages = 1,
                             .cores = 1,
                             .times = {.interrupt = 100, .interrupt_cycles = cases[i].handler}});
        rig_play(&r, 0, four, 4);
        assert_int_equal(p6_count(&r, HW_INT_RX, 0), 2);
        assert_int_equal(p6_count(&r, CYCLES_INT_MASKED, 0), cases[i].masked);
        assert_int_equal(p6_at(&r, CYCLES_INT_MASKED, 0, BX_LEVEL_OS), cases[i].masked);
        assert_int_equal(p6_at(&r, CYCLES_INT_MASKED, 0, BX_LEVEL_USER), 0);
        assert_int_equal(p6_count(&r, CYCLES_INT_PENDING_AND_MASKED, 0), cases[i].pending);
        assert_int_equal(p6_count(&r, INST_RETIRED, 0), 240);
        assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), cases[i].clock);
        rig_free(&r);
    }
}

/* With a hit of 3 cycles, ten loads of which each needs the one before take 30 cycles; if none
 * does, 10, and 2 at the end for the last one. */
static void test_hits_take_time(void **state)
{
    (void)state;
    struct rig r =
        rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1, .times = {.l1_hit = 3}});
    bx_access hits[10];

    p6_one(&r, 0, BX_LOAD, 5, 0);
    for (unsigned waited = 0; waited < 2; waited++) {
        const uint64_t before = p6_count(&r, CPU_CLK_UNHALTED, 0);
        for (unsigned i = 0; i < 10; i++)
            hits[i] = bx_access_make(5, BX_LOAD, waited ? BX_ACCESS_DEPENDENT : 0, 1);
        rig_play(&r, 0, hits, 10);
        assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0) - before, waited ? 30 : 12);
    }
    rig_free(&r);
}

/* The same line with a bus clock of 3 cycles, a look-up of 10 and 5 cycles to L2: RFO at bus clock
 * 4 (12), data until 18 (54), carried until 59. */
static void test_other_times(void **state)
{
    (void)state;
    struct rig r =
        rig_of("p6", (bx_model_shape){.packages = 1,
                                      .cores = 1,
                                      .times = {.bus_clock = 3, .l2_lookup = 10, .l2_line = 5}});
    const bx_access store = bx_access_make(5, BX_STORE, 0, 0);

    rig_play(&r, 0, &store, 1);
    assert_int_equal(p6_count(&r, SB_DRAINS, 0), 54);
    assert_int_equal(p6_count(&r, CPU_CLK_UNHALTED, 0), 59);
    rig_free(&r);
}

/* Lines of 64 bytes, as a Pentium M has them: data from clock 11 to 18, until 19 (133), which L2
 * takes until 141. Lines 64 and 128 are in one set of 64 of L1D. */
static void test_lines_of_64_bytes(void **state)
{
    (void)state;
    struct rig r = rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1, .line_bytes = 64});

    p6_one(&r, 0, BX_LOAD, 64, 0);
    assert_int_equal(rig_now(&r), 141);
    assert_int_equal(p6_count(&r, BUS_DRDY_CLOCKS, ANY), 8 * 7);
    assert_int_equal(p6_count(&r, BUS_DATA_RCV, 0), 8);
    for (uint64_t i = 2; i <= 6; i++)
        p6_one(&r, 0, BX_LOAD, i % 6 ? 64 * i : 64, 0);
    assert_int_equal(p6_count(&r, L2_LD, I), 5);
    assert_int_equal(p6_count(&r, L2_LD, E), 1);
    rig_free(&r);
}

/* The misses of an ITLB of this size that fetches of these pages make. */
static uint64_t itlb_misses(bx_tlb_size itlb, const uint64_t *page, unsigned n)
{
    const bx_tlb_geometry tlbs = {.l1[BX_TLB_INSTRUCTIONS][BX_PAGE_4K] = itlb};
    struct rig r = rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1, .tlbs = &tlbs});
    bx_access fetches[8];

    for (unsigned i = 0; i < n; i++)
        fetches[i] = bx_access_make(page[i] * 128, BX_FETCH, 0, 1);
    rig_play(&r, 0, fetches, n);
    uint64_t misses = p6_count(&r, ITLB_MISS, 0);
    rig_free(&r);
    return misses;
}

/* Pages 0, 4 and 8 share a set of two ways of four sets. Of four entries of one set, page 1 is the
 * one used least recently when page 4 comes. */
static void test_itlb_sizes(void **state)
{
    (void)state;
    const uint64_t in_a_set[] = {0, 4, 8, 0}, in_turn[] = {0, 1, 2, 3, 0, 4, 1};
    bx_model_shape shape = {.packages = 1, .cores = 1};
    bx_error e = {0};

    assert_int_equal(itlb_misses((bx_tlb_size){32, 4, 0}, in_a_set, 4), 3);
    assert_int_equal(itlb_misses((bx_tlb_size){8, 2, 0}, in_a_set, 4), 4);
    assert_int_equal(itlb_misses((bx_tlb_size){4, 4, 0}, in_turn, 7), 6);
    assert_int_equal(itlb_misses((bx_tlb_size){8, 8, 0}, in_turn, 7), 5);
    shape.tlbs = &(bx_tlb_geometry){.l1[BX_TLB_INSTRUCTIONS][BX_PAGE_4K] = {24, 2, 0}};
    assert_null(bx_model_new("p6", &shape, &e));
    assert_string_equal(e.message, "the ITLB cannot have 24 entries in 2 ways");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_is_counted),
        cmocka_unit_test(test_watching_changes_nothing),
        cmocka_unit_test(test_alarms),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_a_value_after_the_load_of_its_line),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_bus_lock),
        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_hits_take_time),
        cmocka_unit_test(test_other_times),
        cmocka_unit_test(test_itlb_sizes),
        cmocka_unit_test(test_lines_of_64_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
