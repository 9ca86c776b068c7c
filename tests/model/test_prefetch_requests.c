/* Requests of prefetches on each machine, worked out by hand from
 * docs/explanation/model-prefetchers.md, "Prefetchers". */
#include "../cmocked.h"

#include "client_rig.h"

#include "model/machine/ivbep/counts.h"

#include <string.h>

enum { MEMORY = 20 + 130, L2 = 8 };

#define PREFETCH(line, by)       bx_access_prefetch(line, BX_PREFETCHER_##by, BX_LOAD)
#define PREFETCH_STORE(line, by) bx_access_prefetch(line, BX_PREFETCHER_##by, BX_STORE)
#define LOAD(line, cost)         bx_access_make(line, BX_LOAD, 0, cost)
#define WAIT(line, cost)         bx_access_make(line, BX_LOAD, BX_ACCESS_DEPENDENT, cost)
#define PLAY(r, ...)                                                                               \
    rig_play(r, 0, (const bx_access[]){__VA_ARGS__},                                               \
             sizeof(bx_access[]){__VA_ARGS__} / sizeof(bx_access))

static struct rig rig_with_times(unsigned cores, bx_model_times times)
{
    return rig_of("client", (bx_model_shape){.packages = 1,
                                             .cores = cores,
                                             .slices = 1,
                                             .llc_bytes = 2 << 20,
                                             .times = times,
                                             .prefetch = true});
}

static struct rig rig_prefetching(unsigned cores)
{
    return rig_with_times(cores, (bx_model_times){0});
}

static uint64_t misses(const struct rig *r)
{
    return rig_lookups(r, BX_CLIENT_READ, BX_LINE_I);
}

/* A prefetch is a read like any other. An access that needs the line waits for the rest of it. */
static void test_demand_waits(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    assert_int_equal(PLAY(&r, PREFETCH(0, STREAMER), WAIT(0, 50)), MEMORY);
    assert_int_equal(misses(&r), 1);
    assert_int_equal(rig_counts(&r)->data_reads, 1);
    assert_int_equal(rig_counts(&r)->imc[BX_IMC_IA], 1);
    assert_int_equal(rig_counts(&r)->arb[BX_ARB_DATA_READ], 1);
    assert_int_equal(PLAY(&r, WAIT(0, 0)), 0); /* it is in L1D */
    rig_free(&r);
}

static void test_line_is_there(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    assert_int_equal(PLAY(&r, PREFETCH(0, NEXT), WAIT(0, MEMORY)), MEMORY + L2);
    assert_int_equal(PLAY(&r, PREFETCH(1, NEXT), WAIT(1, MEMORY - 1)), MEMORY);
    rig_free(&r);
}

/* The core continues, as after a miss. Everything in flight ends with the prefetch. */
static void test_independent_load_goes_on(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    assert_int_equal(PLAY(&r, WAIT(9, 0)), MEMORY);
    assert_int_equal(PLAY(&r, PREFETCH(2, STREAMER), LOAD(2, 10), WAIT(9, 10)), MEMORY);
    rig_free(&r);
}

/* Ten loads that wait for prefetches take all fill buffers: the next one waits for the first. */
static void test_fill_buffers(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    bx_access a[24] = {0};
    size_t n = 0;
    for (uint64_t line = 0; line < 20; line += 2)
        a[n++] = PREFETCH(line, STREAMER);
    for (uint64_t line = 0; line < 20; line += 2)
        a[n++] = LOAD(line, 0);
    a[n++] = LOAD(20, 0); /* at the first one's completion */
    assert_int_equal(rig_play(&r, 0, a, n), MEMORY + MEMORY);
    rig_free(&r);
}

/* If L2 has the line, it comes to L1D at no cost but that of the line on the move. */
static void test_from_l2_to_l1d(void **state)
{
    (void)state;
    for (unsigned into_l1d = 0; into_l1d < 2; into_l1d++) {
        struct rig r = rig_with_times(1, (bx_model_times){.l2_line = 3});
        for (uint64_t i = 0; i <= 8; i++)
            rig_load(&r, 0, 64 * i);
        uint64_t lookups = misses(&r);
        uint64_t cycles = into_l1d ? PLAY(&r, PREFETCH(0, STRIDE), WAIT(0, 0))
                                   : PLAY(&r, PREFETCH(0, STREAMER), WAIT(0, 0));
        assert_int_equal(cycles, into_l1d ? 3 : L2);
        assert_int_equal(misses(&r), lookups);
        rig_free(&r);
    }
}

static void test_super_queue_is_full(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    bx_access a[17];
    for (uint64_t i = 0; i < 17; i++)
        a[i] = PREFETCH(i, ADJACENT);
    rig_play(&r, 0, a, 17);
    assert_int_equal(misses(&r), 16);
    assert_int_equal(PLAY(&r, a[16]), MEMORY); /* there is room again */
    assert_int_equal(misses(&r), 17);
    rig_free(&r);
}

/* A load needs an entry, too. The sixteen of the prefetches end when they complete, the first ones
 * after MEMORY cycles. */
static void test_load_needs_an_entry(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    bx_access a[17];
    for (uint64_t i = 0; i < 16; i++)
        a[i] = PREFETCH(i, ADJACENT);
    a[16] = WAIT(100, 0);
    assert_int_equal(rig_play(&r, 0, a, 17), 2 * MEMORY);
    rig_free(&r);
}

/* Sixteen loads take all entries: a prefetch is dropped. */
static void test_loads_take_entries(void **state)
{
    (void)state;
    struct rig r = rig_with_times(1, (bx_model_times){.fill_buffers = 20});
    bx_access a[17];
    for (uint64_t i = 0; i < 16; i++)
        a[i] = LOAD(2 * i, 0);
    a[16] = PREFETCH(1, ADJACENT);
    rig_play(&r, 0, a, 17);
    assert_int_equal(misses(&r), 16);
    rig_free(&r);
}

/* While 12 entries are busy the streamer fills the LLC only. Line 12 is the seventh read of its
 * channel, which takes one every 12 cycles. A load that hits it in the LLC waits for it. */
static void test_llc_only(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    bx_access a[14];
    for (uint64_t i = 0; i < 12; i++)
        a[i] = PREFETCH(i, ADJACENT);
    a[12] = PREFETCH(12, STREAMER);
    a[13] = WAIT(12, 0);
    assert_int_equal(rig_play(&r, 0, a, 14), MEMORY + 6 * 12);
    assert_int_equal(misses(&r), 13);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E), 1);
    rig_free(&r);
}

/* Prefetches into the LLC have entries, too: the sixteenth is the last one that is free. */
static void test_llc_only_takes_entries(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(1);
    bx_access a[18];
    for (uint64_t i = 0; i < 12; i++)
        a[i] = PREFETCH(2 * i, ADJACENT);
    for (uint64_t i = 12; i < 18; i++)
        a[i] = PREFETCH(2 * i, STREAMER);
    rig_play(&r, 0, a, 18);
    assert_int_equal(misses(&r), 16);
    rig_free(&r);
}

/* A store to a line that was prefetched for it needs no more requests. */
static void test_prefetch_for_a_store(void **state)
{
    (void)state;
    struct rig r = rig_prefetching(2);
    const bx_access again = bx_access_make(5, BX_LOAD, 0, 1);
    rig_load(&r, 1, 5);
    PLAY(&r, PREFETCH_STORE(5, STREAMER)); /* the line is not free yet: dropped */
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HIT), 0);
    rig_play(&r, 1, &again, 1);
    PLAY(&r, PREFETCH_STORE(5, STREAMER));
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HIT), 1);
    PLAY(&r, bx_access_make(5, BX_STORE, 0, 0));
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E), 1);
    assert_int_equal(misses(&r), 1);
    rig_free(&r);
}

/* MSR 1A4H, bit by bit, for one core. */
static void test_switched_off(void **state)
{
    (void)state;
    for (unsigned off = 0; off < 1 << BX_PREFETCHERS; off++) {
        struct rig r = rig_prefetching(2);
        r.s->set_prefetchers(r.s, 0, off);
        PLAY(&r, PREFETCH(0, STREAMER), PREFETCH(1, ADJACENT), PREFETCH(2, NEXT),
             PREFETCH(3, STRIDE));
        assert_int_equal(misses(&r), BX_PREFETCHERS - __builtin_popcount(off));
        for (unsigned by = 0; by < BX_PREFETCHERS; by++) {
            uint64_t before = misses(&r);
            rig_load(&r, 0, by);
            assert_int_equal(misses(&r) - before, off >> by & 1);
        }
        const bx_access others = PREFETCH(100, STREAMER);
        uint64_t before = misses(&r);
        rig_play(&r, 1, &others, 1);
        assert_int_equal(misses(&r), before + 1);
        rig_free(&r);
    }
}

static uint64_t transactions(const struct rig *r, enum bx_ivbep_opcode opcode)
{
    const struct bx_ivbep_counts *c = bx_ivbep_counts(r->m, 0, 0);
    return c->tor[opcode][0][0][0] + c->tor[opcode][1][0][0];
}

/* Requests of Ivy Bridge-EP are like a core's. PF_DATA, PF_RFO and PF_CODE are those of the
 * streamer while 12 entries are busy; their lines are not passed to L2 (329468-002). */
static void test_ivbep(void **state)
{
    (void)state;
    static const enum bx_ivbep_opcode own[] =
        {[BX_LOAD] = BX_IVBEP_DRD, [BX_STORE] = BX_IVBEP_RFO, [BX_FETCH] = BX_IVBEP_CRD},
                                      llc[] = {
                                          [BX_LOAD] = BX_IVBEP_PF_DATA,
                                          [BX_STORE] = BX_IVBEP_PF_RFO,
                                          [BX_FETCH] = BX_IVBEP_PF_CODE,
                                      };
    for (unsigned kind = BX_LOAD; kind <= BX_FETCH; kind++) {
        struct rig r =
            rig_of("ivbep", (bx_model_shape){.packages = 1, .cores = 1, .prefetch = true});
        bx_access a[18];
        for (uint64_t i = 0; i < 13; i++)
            a[i] = bx_access_prefetch(i, BX_PREFETCHER_STREAMER, kind);
        a[13] = bx_access_prefetch(13, BX_PREFETCHER_ADJACENT, kind);
        rig_play(&r, 0, a, 14);
        assert_int_equal(transactions(&r, own[kind]), 13);
        assert_int_equal(transactions(&r, llc[kind]), 1);
        for (uint64_t i = 0; i < 14; i++)
            a[i] = bx_access_make(i, kind, 0, 0);
        rig_play(&r, 0, a, 14);
        assert_int_equal(transactions(&r, own[kind]), 14); /* L2 lacks line 12, the LLC has it */
        assert_int_equal(transactions(&r, llc[kind]), 1);
        for (uint64_t i = 0; i < 18; i++) /* for the last two there are no entries */
            a[i] = bx_access_prefetch(100 + i, BX_PREFETCHER_STREAMER, kind);
        rig_play(&r, 0, a, 18);
        assert_int_equal(transactions(&r, own[kind]), 14 + 12);
        assert_int_equal(transactions(&r, llc[kind]), 1 + 4);
        rig_free(&r);
    }
}

/* With these prefetchers, the page's rule "Prefetch" makes no requests. */
static void test_ivbep_plain_prefetches(void **state)
{
    (void)state;
    struct rig r = rig_of("ivbep", (bx_model_shape){.packages = 1, .cores = 1, .prefetch = true});
    PLAY(&r, LOAD(0, 0), LOAD(1, 0), LOAD(2, 0));
    assert_int_equal(transactions(&r, BX_IVBEP_DRD), 3);
    assert_int_equal(transactions(&r, BX_IVBEP_PF_DATA), 0);
    rig_free(&r);
}

static uint64_t server_cycles(const char *model, unsigned off, bx_access first, bx_access then)
{
    struct rig r = rig_of(model, (bx_model_shape){.packages = 1, .cores = 1, .prefetch = true});
    r.s->set_prefetchers(r.s, 0, off);
    uint64_t cycles = PLAY(&r, first, then);
    rig_free(&r);
    return cycles;
}

/* Both server machines: a core waits for a line that is requested, and the MSR disables
 * prefetchers. */
static void test_servers(void **state)
{
    (void)state;
    static const char *const models[] = {"ivbep", "nhmex"};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t alone = server_cycles(models[i], 0, WAIT(0, 0), LOAD(0, 0));
        bx_access first = PREFETCH(0, NEXT);
        assert_int_equal(server_cycles(models[i], 0, first, WAIT(0, 50)), alone);
        assert_int_equal(server_cycles(models[i], 0, first, WAIT(0, 400)), 400 + L2);
        assert_int_equal(server_cycles(models[i], 1 << BX_PREFETCHER_NEXT, first, WAIT(0, 50)),
                         alone + 50);
    }
}

static uint64_t cycles_behind(const char *model, unsigned prefetches)
{
    bool client = strcmp(model, "client") == 0;
    struct rig r = rig_of(model, (bx_model_shape){.packages = 1,
                                                  .cores = 1,
                                                  .slices = client,
                                                  .llc_bytes = client ? 2 << 20 : 0,
                                                  .times = {.super_queue = 2},
                                                  .prefetch = true});
    bx_access a[3];
    for (unsigned i = 0; i < prefetches; i++)
        a[i] = PREFETCH(i, ADJACENT);
    a[prefetches] = WAIT(100, 0);
    uint64_t cycles = rig_play(&r, 0, a, prefetches + 1);
    rig_free(&r);
    return cycles;
}

/* On all machines prefetches and loads share the entries, here two: behind one prefetch a load is
 * requested at once, behind two when the first one has completed. */
static void test_entries_are_shared(void **state)
{
    (void)state;
    static const char *const models[] = {"client", "ivbep", "nhmex"};
    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        uint64_t alone = cycles_behind(models[i], 0);
        assert_in_range(cycles_behind(models[i], 1), alone, alone + alone / 2);
        assert_in_range(cycles_behind(models[i], 2), 2 * alone - alone / 4, 2 * alone + alone / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demand_waits),
        cmocka_unit_test(test_line_is_there),
        cmocka_unit_test(test_independent_load_goes_on),
        cmocka_unit_test(test_fill_buffers),
        cmocka_unit_test(test_from_l2_to_l1d),
        cmocka_unit_test(test_super_queue_is_full),
        cmocka_unit_test(test_load_needs_an_entry),
        cmocka_unit_test(test_loads_take_entries),
        cmocka_unit_test(test_llc_only),
        cmocka_unit_test(test_llc_only_takes_entries),
        cmocka_unit_test(test_entries_are_shared),
        cmocka_unit_test(test_prefetch_for_a_store),
        cmocka_unit_test(test_switched_off),
        cmocka_unit_test(test_ivbep),
        cmocka_unit_test(test_ivbep_plain_prefetches),
        cmocka_unit_test(test_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
