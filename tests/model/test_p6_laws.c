/* Relations between counts that must hold on a P6 for any work, and which events of document 002 it
 * produces. */
#include "../cmocked.h"

#include "p6_rig.h"

#include <stdio.h>

/* Document 002, table 6-2: all 60 events, with a unit mask of each. */
static const struct event {
    uint8_t code, umask;
    bool produced;
} events[] = {
    {DATA_MEM_REFS, 0, true},
    {DCU_LINES_IN, 0, true},
    {DCU_M_LINES_IN, 0, true},
    {DCU_M_LINES_OUT, 0, true},
    {DCU_MISS_OUTSTANDING, 0, true},
    {IFU_IFETCH, 0, true},
    {IFU_IFETCH_MISS, 0, true},
    {ITLB_MISS, 0, true},
    {IFU_MEM_STALL, 0, true},
    {0x87, 0, false}, /* ILD_STALL */
    {L2_LD, MESI, true},
    {L2_ST, MESI, true},
    {L2_LINES_IN, 0, true},
    {L2_LINES_OUT, 0, true},
    {L2_M_LINES_INM, 0, true},
    {L2_M_LINES_OUTM, 0, true},
    {L2_RQSTS, MESI, true},
    {L2_ADS, 0, true},
    {L2_DBUS_BUSY, 0, true},
    {L2_DBUS_BUSY_RD, 0, true},
    {BUS_DRDY_CLOCKS, 0, true},
    {0x63, 0, true}, /* BUS_LOCK_CLOCKS */
    {BUS_TRAN_RFO, 0, true},
    {BUS_TRAN_IFETCH, 0, true},
    {BUS_TRAN_INVAL, 0, true},
    {BUS_TRAN_PWR, ANY, true},
    {BUS_TRAN_P, ANY, true},
    {0x6c, 0, true}, /* BUS_TRAN_IO */
    {BUS_TRAN_DEF, 0, true},
    {BUS_TRAN_BURST, 0, true},
    {BUS_TRAN_ANY, 0, true},
    {BUS_TRAN_MEM, 0, true},
    {0x61, 0, false}, /* BUS_BNR_DRV */
    {BUS_HIT_DRV, 0, true},
    {BUS_SNOOP_STALL, 0, true},
    {0xc1, 0, true},  /* FLOPS */
    {0x10, 0, true},  /* FP_COMP_OPS_EXE */
    {0x11, 0, false}, /* FP_ASSIST */
    {0x12, 0, true},  /* MUL */
    {0x13, 0, true},  /* DIV */
    {0x14, 0, true},  /* CYCLES_DIV_BUSY */
    {LD_BLOCKS, 0, true},
    {SB_DRAINS, 0, true},
    {0x05, 0, true}, /* MISALIGN_MEM_REF */
    {INST_RETIRED, 0, true},
    {UOPS_RETIRED, 0, true},
    {INST_DECODER, 0, true},
    {0xc8, 0, true}, /* HW_INT_RX */
    {0xc6, 0, true}, /* CYCLES_INT_MASKED */
    {0xc4, 0, true}, /* BR_INST_RETIRED */
    {0xc5, 0, true}, /* BR_MISS_PRED_RETIRED */
    {0xc9, 0, true}, /* BR_TAKEN_RETIRED */
    {0xca, 0, true}, /* BR_MISS_PRED_TAKEN_RET */
    {0xe0, 0, true}, /* BR_INST_DECODED */
    {0xe4, 0, true}, /* BR_BOGUS */
    {0xe6, 0, true}, /* BACLEARS */
    {RESOURCE_STALLS, 0, true},
    {0xd2, 0, false}, /* PARTIAL_STALLS */
    {0x06, 0, true},  /* SEGMENT_REG_LOADS */
    {CPU_CLK_UNHALTED, 0, true},
    /* Events that are produced, but not in document 002; and those of these that the model
     * lacks. */
    {L2_IFETCH, MESI, true},
    {BUS_REQ_OUTSTANDING, 0, true},
    {BUS_DATA_RCV, 0, true},
    {BUS_TRAN_BRD, 0, true},
    {BUS_TRANS_WB, 0, true},
    {BUS_HITM_DRV, 0, true},
    {0xc7, 0, true}, /* CYCLES_INT_PENDING_AND_MASKED */
    {0xe2, 0, true}, /* BTB_MISSES */
};

enum { EVENTS = sizeof events / sizeof *events, OF_DOCUMENT = 60 };

static bool produces_at(const struct rig *r, unsigned code, unsigned umask, unsigned levels)
{
    const bx_selection sel = {.code = (uint16_t)code, .umask = umask, .levels = (uint8_t)levels};
    return bx_model_produces(r->m, &sel);
}

static bool produces(const struct rig *r, unsigned box, unsigned code, unsigned umask)
{
    const bx_selection sel = {
        .box = (uint16_t)box, .unit = 77, .package = 9, .code = (uint16_t)code, .umask = umask};
    return bx_model_produces(r->m, &sel); /* wherever it is */
}

static void test_share(void **state)
{
    (void)state;
    struct rig r = p6_new();
    unsigned produced = 0;

    for (unsigned i = 0; i < EVENTS; i++) {
        assert_int_equal(produces(&r, 0, events[i].code, events[i].umask), events[i].produced);
        assert_false(produces(&r, 2, events[i].code, events[i].umask)); /* there is no such box */
        assert_false(produces(&r, 0, events[i].code, 0x40));
        produced += i < OF_DOCUMENT && events[i].produced;
    }
    assert_true(100 * produced >= 60 * OF_DOCUMENT);
    assert_int_equal(produced, 56);
    rig_free(&r);
}

/* Notes 1 and 2 of the table. */
static void test_masks(void **state)
{
    (void)state;
    static const uint8_t by_state[] = {L2_IFETCH, L2_LD, L2_ST, L2_RQSTS};
    static const uint8_t own[] = {BUS_REQ_OUTSTANDING, BUS_DATA_RCV, BUS_HIT_DRV, BUS_HITM_DRV,
                                  BUS_SNOOP_STALL};
    static const uint8_t both[] = {0x62, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a,
                                   0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70};
    struct rig r = p6_new();

    for (unsigned i = 0; i < sizeof by_state; i++)
        for (unsigned umask = 0; umask < 256; umask++)
            assert_int_equal(produces(&r, 0, by_state[i], umask), umask < 16);
    for (unsigned i = 0; i < sizeof own; i++)
        for (unsigned umask = 0; umask < 256; umask++)
            assert_int_equal(produces(&r, 0, own[i], umask), umask == 0);
    for (unsigned i = 0; i < sizeof both; i++)
        for (unsigned umask = 0; umask < 256; umask++)
            assert_int_equal(produces(&r, 0, both[i], umask), umask == 0 || umask == ANY);
    rig_free(&r);
}

/* ---- work ---- */

enum { MIX = 60000 };

/* Fetches, loads and stores by a linear congruential generator; the core waits for every third.
 * Three in four are to the same 8 KiB. The others are lines that compete with these for sets of L2,
 * so that L1D keeps some longer than L2. */
static unsigned long make_mix(bx_access mix[MIX], unsigned *stores)
{
    uint64_t random = 1, cost = 0;

    *stores = 0;
    for (unsigned i = 0; i < MIX; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t line = random >> 40 & (random >> 62 ? 0xff : 0x1f0ff);
        unsigned kind = (unsigned)(random >> 34) % 3, n = (unsigned)(random >> 24) % 9;
        mix[i] = bx_access_make(line, kind, i % 3 ? 0 : BX_ACCESS_DEPENDENT, n);
        cost += n;
        *stores += kind == BX_STORE;
    }
    return cost;
}

/* A device that reads and writes the same memory: n requests, half of them writes. */
static void make_io(bx_access *io, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        io[i] = bx_access_make(i * 7 % 0x200, i & 1 ? BX_STORE : BX_LOAD,
                               i & 2 ? BX_ACCESS_PARTIAL : 0, 100);
}

/* ---- laws ---- */

static void check_laws(const struct rig *r)
{
#define N(event, umask) p6_count(r, event, umask)
    for (unsigned umask = 0; umask < 16; umask++)
        assert_int_equal(N(L2_RQSTS, umask),
                         N(L2_IFETCH, umask) + N(L2_LD, umask) + N(L2_ST, umask));
    for (unsigned event = L2_IFETCH; event <= L2_ST; event++)
        assert_int_equal(N(event, MESI), N(event, M) + N(event, E) + N(event, S) + N(event, I));
    assert_int_equal(N(L2_IFETCH, MESI), N(IFU_IFETCH_MISS, 0));
    for (unsigned umask = 0; umask <= ANY; umask += ANY) {
        uint64_t memory = N(BUS_TRAN_BRD, umask) + N(BUS_TRAN_RFO, umask) + N(BUS_TRANS_WB, umask) +
                          N(BUS_TRAN_IFETCH, umask) + N(BUS_TRAN_INVAL, umask) +
                          N(BUS_TRAN_PWR, umask);
        if (umask == 0)
            assert_int_equal(N(BUS_TRAN_MEM, 0), memory);
        assert_true(N(BUS_TRAN_MEM, umask) >= memory);
        assert_int_equal(N(BUS_TRAN_ANY, umask), N(BUS_TRAN_MEM, umask));
        assert_int_equal(N(BUS_TRAN_BURST, umask),
                         N(BUS_TRAN_MEM, umask) - N(BUS_TRAN_INVAL, umask) - N(BUS_TRAN_P, umask));
        assert_int_equal(N(BUS_TRAN_P, umask), N(BUS_TRAN_PWR, umask));
    }
    assert_int_equal(N(BUS_TRAN_PWR, 0), 0);
    uint64_t read = N(BUS_TRAN_BRD, 0) + N(BUS_TRAN_RFO, 0) + N(BUS_TRAN_IFETCH, 0);
    assert_int_equal(N(BUS_DATA_RCV, 0), 4 * read);
    assert_int_equal(N(L2_LINES_IN, 0), read + N(L2_M_LINES_INM, 0));
    assert_true(N(L2_LINES_IN, 0) - N(L2_LINES_OUT, 0) <= 512 * 1024 / 32);
    assert_true(N(DCU_LINES_IN, 0) <= N(L2_LD, MESI) + N(L2_ST, MESI));
    assert_true(N(DCU_M_LINES_OUT, 0) <= N(DATA_MEM_REFS, 0));
    assert_true(N(L2_DBUS_BUSY_RD, 0) <= N(L2_DBUS_BUSY, 0));
    assert_true(N(BUS_TRAN_DEF, 0) <= read);
    assert_int_equal(N(INST_DECODER, 0), N(INST_RETIRED, 0));
    assert_true(N(CPU_CLK_UNHALTED, 0) >=
                N(INST_RETIRED, 0) + N(IFU_MEM_STALL, 0) + N(RESOURCE_STALLS, 0) + N(SB_DRAINS, 0));
    assert_true(N(CPU_CLK_UNHALTED, 0) <= rig_now(r));
}

/* A machine without a device: nobody snoops, and the processor is never halted. */
static void check_laws_alone(const struct rig *r)
{
    assert_int_equal(N(CPU_CLK_UNHALTED, 0), rig_now(r));
    assert_int_equal(N(DCU_LINES_IN, 0), N(L2_LD, MESI) + N(L2_ST, MESI));
    assert_int_equal(N(BUS_TRANS_WB, 0), N(L2_M_LINES_OUTM, 0));
    assert_int_equal(N(BUS_DRDY_CLOCKS, 0), 4 * N(BUS_TRANS_WB, 0));
    assert_int_equal(N(BUS_DRDY_CLOCKS, ANY), 28 * N(BUS_TRAN_BURST, 0));
    assert_int_equal(N(BUS_TRAN_INVAL, 0), 0);
    assert_int_equal(N(L2_RQSTS, S), 0);
    assert_int_equal(N(BUS_HIT_DRV, 0) + N(BUS_HITM_DRV, 0) + N(BUS_SNOOP_STALL, 0), 0);
    for (unsigned i = 0; i < EVENTS; i++) {
        if (!events[i].produced)
            continue;
        if (produces_at(r, events[i].code, events[i].umask, BX_LEVEL_OS))
            assert_int_equal(p6_at(r, events[i].code, events[i].umask, BX_LEVEL_OS), 0);
        assert_int_equal(p6_at(r, events[i].code, events[i].umask, 0), 0);
        assert_int_equal(p6_at(r, events[i].code, events[i].umask, BX_LEVEL_USER),
                         N(events[i].code, events[i].umask));
    }
#undef N
}

static const char *const workloads[] = {
    "stream,size=512K,passes=2",
    "copy,size=300K,passes=3",
    "chase,size=1M",
    "random,size=4M,iterations=100000",
    "random,size=64K,iterations=100000,write=50",
};

static void test_laws(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        struct rig r = p6_new();
        rig_begin(&r, workloads[i]);
        assert_true(bx_model_run(r.m, BX_NEVER));
        check_laws(&r);
        check_laws_alone(&r);
        rig_free(&r);
    }
    for (unsigned i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        char spec[96];
        struct rig r = p6_new();
        snprintf(spec, sizeof spec, "%s+dma,size=64K,step=%d,iterations=20000", workloads[i],
                 i % 2 ? 8 : 32);
        rig_begin(&r, spec);
        assert_true(bx_model_run(r.m, BX_NEVER));
        check_laws(&r);
        rig_free(&r);
    }
}

/* The cost of an access is its number of instructions; a store is one micro-operation more. */
static void test_instructions(void **state)
{
    (void)state;
    static bx_access mix[MIX];
    unsigned stores;
    unsigned long cost = make_mix(mix, &stores);
    struct rig r = p6_new();

    rig_play(&r, 0, mix, MIX);
    check_laws(&r);
    check_laws_alone(&r);
    assert_int_equal(p6_count(&r, INST_RETIRED, 0), cost);
    assert_int_equal(p6_count(&r, UOPS_RETIRED, 0), cost + stores);
    assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0) + p6_count(&r, IFU_IFETCH, 0), MIX);
    assert_int_equal(bx_model_accesses(r.m), MIX);
    rig_free(&r);
}

static bx_access remark(unsigned what, unsigned class)
{
    return BX_ACCESS_REMARK | (bx_access) class << BX_REMARK_CLASS_SHIFT |
           bx_access_make(what, BX_LOAD, 0, 3);
}

/* They are not accesses: instructions retire before them. */
static void test_remarks(void **state)
{
    (void)state;
    const bx_access a[] = {remark(0, BX_CLASS_CONDITIONAL_BRANCH),
                           remark(BX_REMARK_TAKEN, BX_CLASS_RETURN),
                           remark(BX_REMARK_MISALIGNED, BX_CLASS_OTHER)};
    struct rig r = p6_new();

    rig_play(&r, 0, a, 3);
    assert_int_equal(p6_count(&r, 0xc4, 0), 2);
    assert_int_equal(p6_count(&r, 0xe0, 0), 2);
    assert_int_equal(p6_count(&r, 0x88, 0), 2);
    assert_int_equal(p6_count(&r, 0xc9, 0), 1);
    assert_int_equal(p6_count(&r, 0x05, 0), 1);
    assert_int_equal(p6_count(&r, INST_RETIRED, 0), 9);
    assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0), 0);
    assert_int_equal(bx_model_accesses(r.m), 0);
    rig_free(&r);
}

/* Work with a timer, and with I/O ports. */
static struct rig with_timer(void)
{
    return rig_of("p6", (bx_model_shape){.packages = 1,
                                         .cores = 1,
                                         .times = {.interrupt = 5000, .interrupt_cycles = 6000}});
}

/* Each produced event is counted in one of these. */
static void test_all_move(void **state)
{
    (void)state;
    static bx_access mix[MIX], io[MIX];
    struct rig r = p6_new();
    struct rig w = with_timer();
    bx_access remarks[BX_CLASSES];
    unsigned stores;

    rig_work(&w, "random,size=2M,iterations=200000,write=50+dma,size=1M,step=16");
    rig_work(&w, "ports,iterations=10");
    for (unsigned class = 0; class < BX_CLASSES; class ++)
        remarks[class] = remark(BX_REMARK_TAKEN | BX_REMARK_MISALIGNED |
                                    1u << (BX_REMARK_BRANCH + class % BX_BRANCH_COUNTS),
                                class);
    make_mix(mix, &stores);
    make_io(io, MIX);
    const bx_access lock = bx_access_steer(0, BX_STEER_LOCK_BUS);
    rig_play(&r, 0, remarks, BX_CLASSES);
    rig_play(&r, 0, &lock, 1);
    rig_feed(&r, 0, mix, MIX);
    rig_feed(&r, BX_AGENT_IO, io, MIX);
    assert_true(bx_model_run(r.m, BX_NEVER));
    check_laws(&r);
    for (unsigned i = 0; i < EVENTS; i++) {
        if (!events[i].produced)
            continue;
        bool of_timer = events[i].code >= 0xc6 && events[i].code <= 0xc8;
        bool of_ports = events[i].code == 0x6c;
        if ((p6_count(&r, events[i].code, events[i].umask) == 0) != (of_timer || of_ports))
            fail_msg("event %02x does not move", events[i].code);
        bool of_fetches = events[i].code == L2_IFETCH || events[i].code == BUS_TRAN_IFETCH ||
                          (events[i].code & 0xf8) == IFU_IFETCH;
        bool of_remarks = bx_model_needs_remarks(
            r.m, &(bx_selection){.code = events[i].code, .umask = events[i].umask});
        /* Built-in workloads have no fetches and no remarks. */
        assert_int_equal(p6_count(&w, events[i].code, events[i].umask) > 0,
                         !of_fetches && !of_remarks);
    }
    rig_free(&r);
    rig_free(&w);
}

/* A run in pieces of any size has the counts of a single run. */
static void test_pieces(void **state)
{
    (void)state;
    static bx_access mix[MIX], io[MIX];
    struct rig whole = p6_new(), parts = p6_new();
    unsigned stores;

    make_mix(mix, &stores);
    make_io(io, MIX);
    rig_feed(&whole, 0, mix, MIX);
    rig_feed(&whole, BX_AGENT_IO, io, 2000);
    assert_true(bx_model_run(whole.m, BX_NEVER));
    rig_feed(&parts, 0, mix, MIX);
    rig_feed(&parts, BX_AGENT_IO, io, 2000);
    for (uint64_t step = 1; !bx_model_run(parts.m, rig_now(&parts) + step); step = step % 97 + 1)
        ;
    assert_int_equal(rig_now(&parts), rig_now(&whole));
    for (unsigned code = 0; code < 256; code++) {
        for (unsigned umask = 0; umask <= ANY; umask++) {
            for (unsigned levels = 1; levels <= BX_LEVELS; levels++)
                if (produces_at(&whole, code, umask, levels))
                    assert_int_equal(p6_at(&parts, code, umask, levels),
                                     p6_at(&whole, code, umask, levels));
            if (produces_at(&whole, code, umask, BX_LEVEL_OS)) /* the sum of both levels is all */
                assert_int_equal(p6_at(&whole, code, umask, BX_LEVEL_OS) +
                                     p6_at(&whole, code, umask, BX_LEVEL_USER),
                                 p6_at(&whole, code, umask, BX_LEVELS));
        }
    }
    rig_free(&whole);
    rig_free(&parts);
}

/* A paused processor is halted, at CPL 0, and continues where it was. */
static void test_pause(void **state)
{
    (void)state;
    static bx_access mix[MIX];
    unsigned stores;
    unsigned long cost = make_mix(mix, &stores);
    struct rig r = p6_new();
    uint64_t paused = 0;

    rig_feed(&r, 0, mix, MIX);
    for (uint64_t step = 1; !bx_model_run(r.m, rig_now(&r) + step); step = step * 3 % 1009 + 1) {
        bx_model_idle(r.m, step);
        paused += step;
    }
    check_laws(&r);
    assert_int_equal(p6_count(&r, INST_RETIRED, 0), cost);
    assert_int_equal(p6_count(&r, UOPS_RETIRED, 0), cost + stores);
    assert_int_equal(p6_count(&r, DATA_MEM_REFS, 0) + p6_count(&r, IFU_IFETCH, 0), MIX);
    assert_false(produces_at(&r, CPU_CLK_UNHALTED, 0, BX_LEVEL_OS)); /* no kernel is executed */
    assert_true(rig_now(&r) >= p6_count(&r, CPU_CLK_UNHALTED, 0) + paused);
    rig_free(&r);
}

/* While the processor is halted, events of a device count at CPL 0 if events of other agents are
 * counted. */
static void test_levels(void **state)
{
    (void)state;
    const bx_access one[] = {bx_access_make(1, BX_LOAD, 0, 50)};
    bx_access io[100];
    struct rig r = p6_new();

    make_io(io, 100);
    rig_feed(&r, 0, one, 1);
    /* The processor loads at 50, from bus clock 8 to 21, and is done at 22 * 7 + 8. The device's
     * first request, at 100, gets its data up to clock 28; the second is made then. */
    rig_feed(&r, BX_AGENT_IO, io, 100);
    assert_true(bx_model_run(r.m, BX_NEVER));
    assert_int_equal(p6_at(&r, BUS_TRAN_ANY, ANY, BX_LEVEL_USER), 2);
    assert_int_equal(p6_at(&r, BUS_TRAN_ANY, ANY, BX_LEVEL_OS), 99);
    assert_int_equal(p6_at(&r, BUS_TRAN_ANY, ANY, BX_LEVELS), 101);
    assert_false(produces_at(&r, BUS_TRAN_ANY, 0, BX_LEVEL_OS)); /* the processor's own */
    assert_int_equal(p6_at(&r, CPU_CLK_UNHALTED, 0, BX_LEVELS), 162);
    rig_free(&r);
}

static void test_shapes(void **state)
{
    (void)state;
    static const bx_model_shape bad[] = {{.packages = 2, .cores = 1}, {.packages = 1, .cores = 2}};
    struct rig r = p6_new();
    uint64_t sum = 42;

    for (unsigned i = 0; i < 2; i++) {
        bx_error e = {0};
        assert_null(bx_model_new("p6", &bad[i], &e));
        assert_int_equal(e.code, BX_BAD_INPUT);
        assert_string_equal(e.hint, "1");
    }
    const bx_selection elsewhere[] = {
        {.code = CPU_CLK_UNHALTED, .unit = 1, .levels = BX_LEVELS},
        {.code = CPU_CLK_UNHALTED, .package = 1, .levels = BX_LEVELS},
        {.code = CPU_CLK_UNHALTED, .box = 1, .levels = BX_LEVELS},
    };
    for (unsigned i = 0; i < 3; i++) {
        assert_false(r.s->tally(r.s, &elsewhere[i], &sum));
        assert_false(r.s->watch(r.s, 0, &elsewhere[i]));
    }
    assert_int_equal(sum, 42);
    bx_model_feed(r.m, 1, NULL); /* agents that the machine does not have */
    bx_model_feed(r.m, BX_AGENT_GT, NULL);
    assert_true(bx_model_run(r.m, 100));
    assert_int_equal(rig_now(&r), 0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),   cmocka_unit_test(test_masks),
        cmocka_unit_test(test_laws),    cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_remarks), cmocka_unit_test(test_all_move),
        cmocka_unit_test(test_pieces),  cmocka_unit_test(test_pause),
        cmocka_unit_test(test_levels),  cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
