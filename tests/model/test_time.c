/* Time: reports to watchers and their times, alarms, and runs in pieces. */
#include "../cmocked.h"

#include "../rounds.h"
#include "client_rig.h"
#include "ear.h"

#include <stdlib.h>
#include <string.h>

/* All signals of a machine with up to four slices. */
enum { SELECTIONS = 43 };

static void selections(bx_selection sel[SELECTIONS])
{
    static const bx_selection shared[] = {
        {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1},
        {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 2},
        {.box = BX_CLIENT_ARB, .code = 0x81, .umask = 1},
        {.box = BX_CLIENT_ARB, .code = 0x81, .umask = 2},
        {.box = BX_CLIENT_ARB, .code = 0x81, .umask = 0x22},
        {.box = BX_CLIENT_ARB, .code = 0x84, .umask = 1},
        {.box = BX_CLIENT_CLOCK, .code = 0xff},
        {.box = BX_CLIENT_IMC, .code = 0x5040},
        {.box = BX_CLIENT_IMC, .code = 0x5044},
        {.box = BX_CLIENT_IMC, .code = 0x5048},
        {.box = BX_CLIENT_IMC, .code = 0x5054},
    };
    static const uint16_t umask[8] = {0x8f, 0x18, 0x1f, 0x2f, 0x44, 0xed, 0x41, 0x88};
    unsigned n = 0;

    for (; n < sizeof shared / sizeof *shared; n++)
        sel[n] = shared[n];
    for (unsigned i = 0; i < 32; i++)
        sel[n++] = (bx_selection){.box = BX_CLIENT_CBO,
                                  .unit = (uint16_t)(i / 8),
                                  .code = i % 8 < 4 ? 0x34 : 0x22,
                                  .umask = umask[i % 8]};
    assert_int_equal(n, SELECTIONS);
}

/* ---- work ---- */

static const char everything[] = "sharing,cores=2,iterations=4000,write=20+random,size=256K,"
                                 "iterations=6000+dma,step=16,iterations=3000,size=256K,period=13"
                                 "+gfx,size=256K,iterations=6000,period=9";

/* A sixth of it, to be looked at in every cycle. */
static const char some[] = "sharing,cores=2,iterations=650,write=20+random,size=256K,"
                           "iterations=1000+dma,step=16,iterations=500,size=256K,period=13"
                           "+gfx,size=256K,iterations=1000,period=9";

/* ---- runs in pieces ---- */

static uint64_t run_in_pieces(struct rig *r, uint64_t piece, uint64_t random)
{
    uint64_t until = 0, pieces = 1;

    do {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        until += piece + (random >> 33) % (piece + 1);
        pieces++;
        assert_true(pieces < 100000);
    } while (!bx_model_run(r->m, until));
    assert_true(rig_now(r) <= until);
    return pieces;
}

static void test_pieces(void **state)
{
    (void)state;
    static const char *const work[] = {everything, "chase,size=1M,passes=1",
                                       "stream,size=64K,cores=4", "dma,iterations=5000"};

    for (unsigned i = 0; i < sizeof work / sizeof *work; i++) {
        struct rig whole = rig_new(4, 4, 1 << 20);
        rig_begin(&whole, work[i]);
        rig_run(&whole);
        uint64_t end = rig_now(&whole);
        assert_true(bx_model_run(whole.m, BX_NEVER)); /* nothing more to do */
        assert_int_equal(rig_now(&whole), end);

        for (uint64_t pieces = 10; pieces <= 1000; pieces *= 10) {
            struct rig r = rig_new(4, 4, 1 << 20);
            rig_begin(&r, work[i]);
            assert_true(run_in_pieces(&r, 2 * end / 3 / pieces, pieces) >= pieces / 2);
            assert_int_equal(rig_now(&r), end);
            assert_int_equal(bx_model_accesses(r.m), bx_model_accesses(whole.m));
            assert_memory_equal(rig_counts(&r), rig_counts(&whole), sizeof *rig_counts(&r));
            rig_free(&r);
        }
        rig_free(&whole);
    }
}

/* Nothing at or after `until` has been executed, but everything before it. */
static void test_until(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_access loads[] = {bx_access_make(1, BX_LOAD, 0, 10),
                               bx_access_make(2, BX_LOAD, 0, 10)};

    rig_feed(&r, 0, loads, 2);
    assert_false(bx_model_run(r.m, 10));
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 0);
    assert_int_equal(rig_now(&r), 10);
    assert_false(bx_model_run(r.m, 11));
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 1);
    assert_false(bx_model_run(r.m, 5)); /* time does not go back */
    assert_int_equal(rig_now(&r), 11);
    assert_false(bx_model_run(r.m, 169));
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 2);
    assert_true(bx_model_run(r.m, 170)); /* line 2 at 20 on the other channel: done at 170 */
    assert_int_equal(rig_now(&r), 170);
    bx_model_idle(r.m, 30);
    assert_int_equal(rig_now(&r), 200);
    assert_int_equal(rig_load(&r, 0, 1), 0);
    assert_int_equal(rig_load(&r, 0, 3), 150);
    assert_int_equal(rig_now(&r), 350);
    rig_free(&r);
}

/* While the machine idles, a waiting access moves to the present time, as do clocks. */
static void test_idle(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection reads = {.box = BX_CLIENT_CBO, .code = 0x34, .umask = 0x1f};
    const bx_access loads[] = {bx_access_make(1, BX_LOAD, 0, 50),
                               bx_access_make(2, BX_LOAD, 0, 50)};
    struct ear ear;

    ear_open(&ear, &r);
    r.s->watch(r.s, 0, &reads);
    rig_feed(&r, 0, loads, 2);
    rig_feed(&r, BX_AGENT_IO, loads, 1);
    assert_false(bx_model_run(r.m, 20));
    bx_model_idle(r.m, 100);
    assert_int_equal(rig_counts(&r)->coh, 0);
    assert_false(bx_model_run(r.m, 121));
    assert_int_equal(rig_counts(&r)->coh, 1);
    assert_false(bx_model_run(r.m, 170));
    assert_int_equal(ear.last, 120); /* the first load */
    assert_false(bx_model_run(r.m, 172));
    assert_int_equal(ear.last, 170); /* the second, 50 later */
    rig_free(&r);
}

/* ---- watches ---- */

static bx_selection all_signals[SELECTIONS];

static void check_sums(struct ear *ear, uint64_t now)
{
    for (unsigned i = 0; i < SELECTIONS; i++) {
        uint64_t sum;
        ear_close(ear, i, now);
        assert_true(ear->s->tally(ear->s, &all_signals[i], &sum));
        assert_int_equal(ear->sum[i], sum);
    }
}

/* At any time the reported levels add up to the tally. */
static void test_watches_add_up(void **state)
{
    (void)state;
    selections(all_signals);
    for (uint64_t period = 1; period < 5000; period = period * 7 + 3) {
        const char *work = period == 1 && !is_long() ? some : everything;
        struct rig r = rig_new(4, 4, 512 << 10), plain = rig_new(4, 4, 512 << 10);
        struct ear ear;
        ear_open(&ear, &r);
        for (unsigned i = 0; i < SELECTIONS; i++)
            assert_true(r.s->watch(r.s, i, &all_signals[i]));
        ear.period = ear.alarm_at = period;
        ear.on_alarm = check_sums;
        r.s->set_alarm(r.s, period);
        rig_begin(&r, work);
        rig_begin(&plain, work);
        run_in_pieces(&r, 997, period);
        bx_model_idle(r.m, 10000);
        assert_int_equal(ear.alarms, rig_now(&r) / period);
        check_sums(&ear, rig_now(&r));
        /* A watcher changes no count. */
        assert_true(bx_model_run(plain.m, BX_NEVER));
        assert_memory_equal(rig_counts(&r), rig_counts(&plain), sizeof *rig_counts(&r));
        rig_free(&r);
        rig_free(&plain);
    }
}

/* Two misses of different channels at 10 and 15, one of the first channel at 20. */
/* Watch numbers are far apart. */
static void test_levels(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    const bx_selection requests = {.box = BX_CLIENT_ARB, .code = 0x81, .umask = 1};
    const bx_selection clock = {.box = BX_CLIENT_CLOCK};
    const bx_access loads[] = {bx_access_make(2, BX_LOAD, 0, 10), bx_access_make(1, BX_LOAD, 0, 5),
                               bx_access_make(4, BX_LOAD, 0, 5)};
    struct ear ear;

    ear_open(&ear, &r);
    bx_model_idle(r.m, 7);
    r.s->watch(r.s, 5, &occupancy);
    r.s->watch(r.s, 454, &requests);
    r.s->watch(r.s, EAR_WATCHES - 1, &clock);
    assert_int_equal(ear.open[EAR_WATCHES - 1], 1);
    assert_int_equal(ear.since[EAR_WATCHES - 1], 7);
    rig_feed(&r, 0, loads, 3);
    assert_false(bx_model_run(r.m, 100));
    assert_int_equal(ear.sum[454], 3);
    assert_int_equal(ear.since[454], 28); /* the last one is reported in cycle 7 + 20 */
    assert_int_equal(ear.open[5], 3);
    assert_int_equal(ear.since[5], 27);
    /* Lifetimes: 17 to 167, 22 to 172. The third finds its channel busy until 49: 27 to 179. */
    rig_run(&r);
    assert_int_equal(rig_now(&r), 179);
    bx_model_idle(r.m, 1);
    assert_int_equal(ear.open[5], 0);
    assert_int_equal(ear.since[5], 179);
    assert_int_equal(ear.sum[5], 150 + 150 + 152);
    assert_int_equal(ear.busy[5], 179 - 17);
    assert_int_equal(rig_tally(&r, &occupancy), 150 + 150 + 152);
    rig_free(&r);
}

/* A signal that is high when its watch begins is reported at once. Other signals may come and
 * go. */
static void test_watch_in_flight(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 2};
    const bx_access load = bx_access_make(1, BX_LOAD, 0, 10);
    struct ear ear;

    ear_open(&ear, &r);
    rig_feed(&r, 0, &load, 1);
    assert_false(bx_model_run(r.m, 60));
    assert_int_equal(rig_tally(&r, &occupancy), 50);
    r.s->watch(r.s, 0, &occupancy);
    assert_int_equal(ear.open[0], 1);
    assert_int_equal(ear.since[0], 60);
    assert_false(bx_model_run(r.m, 80));
    r.s->unwatch(r.s, 0);
    rig_run(&r);
    assert_int_equal(ear.open[0], 1); /* nothing reported */
    assert_int_equal(rig_tally(&r, &occupancy), 150);
    r.s->watch(r.s, 0, &occupancy); /* low: nothing to report */
    assert_int_equal(ear.since[0], 60);
    rig_free(&r);
}

/* CYCLES_WITH_ANY_REQUEST, 0x80 with threshold 1, against a simulation of each cycle by itself. */
static void test_cycles_with_any(void **state)
{
    (void)state;
    enum { N = 400, CYCLES = 60000 };
    static bx_access load[N];
    static unsigned level[CYCLES];
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    uint64_t free[2] = {0, 0}, buffer[10] = {0}, clock = 0, busy = 0, sum = 0;
    uint32_t random = 7;
    struct ear ear;

    for (unsigned i = 0; i < N; i++) { /* each line once: all miss, and none is dirty */
        random = random * 1664525 + 1013904223;
        unsigned cost = random >> 24 & 1 ? random >> 27 : random >> 21 & 0xff;
        unsigned odd = random >> 20 & 1;
        load[i] = bx_access_make(2 * i + odd, BX_LOAD, 0, cost);
        clock += cost;
        uint64_t t = clock > buffer[i % 10] ? clock : buffer[i % 10];
        uint64_t start = t + 20 > free[odd] ? t + 20 : free[odd];
        free[odd] = start + 12;
        buffer[i % 10] = start + 130;
        clock = t;
        for (uint64_t c = t; c < start + 130; c++)
            level[c]++;
    }
    for (unsigned c = 0; c < CYCLES; c++) {
        busy += level[c] > 0;
        sum += level[c];
    }
    ear_open(&ear, &r);
    r.s->watch(r.s, 1, &occupancy);
    rig_feed(&r, 0, load, N);
    rig_run(&r);
    bx_model_idle(r.m, 1);
    assert_int_equal(ear.busy[1], busy);
    assert_int_equal(ear.sum[1], sum);
    assert_true(busy < rig_now(&r) && sum > busy);
    rig_free(&r);
}

/* Several events of one cycle are one level. */
static void test_same_cycle(void **state)
{
    (void)state;
    struct rig r = rig_new(4, 1, 8 << 20);
    const bx_selection reads = {.box = BX_CLIENT_CBO, .code = 0x34, .umask = 0x1f};
    bx_access load[4];
    struct ear ear;

    ear_open(&ear, &r);
    r.s->watch(r.s, 2, &reads);
    for (unsigned core = 0; core < 4; core++) {
        load[core] = bx_access_make(core, BX_LOAD, 0, 30);
        rig_feed(&r, core, &load[core], 1);
    }
    rig_run(&r);
    assert_int_equal(ear.sum[2], 4);
    assert_int_equal(ear.busy[2], 1);
    assert_int_equal(ear.last, 30);
    rig_free(&r);
}

/* ---- alarms ---- */

static const bx_selection any_read = {.box = BX_CLIENT_CBO, .code = 0x34, .umask = 0x1f};
static uint64_t reads_at_alarm;

static void note_reads(struct ear *ear, uint64_t now)
{
    (void)now;
    assert_true(ear->s->tally(ear->s, &any_read, &reads_at_alarm));
}

/* Loads at 10, 20 and 30: an alarm at 20 has seen the first only, one at 21 both. */
static void test_alarm_is_exact(void **state)
{
    (void)state;
    static const struct {
        uint64_t at, reads;
    } row[] = {{0, 0}, {10, 0}, {11, 1}, {20, 1}, {21, 2}, {30, 2}, {31, 3}, {500, 3}};
    const bx_access load[] = {bx_access_make(1, BX_LOAD, 0, 10), bx_access_make(2, BX_LOAD, 0, 10),
                              bx_access_make(3, BX_LOAD, 0, 10)};

    for (size_t i = 0; i < 2 * (sizeof row / sizeof *row); i++) {
        struct rig r = rig_new(1, 1, 8 << 20);
        struct ear ear;
        ear_open(&ear, &r);
        ear.on_alarm = note_reads;
        ear.alarm_at = row[i / 2].at;
        if (i % 2) /* watched or not */
            r.s->watch(r.s, 0, &any_read);
        r.s->set_alarm(r.s, ear.alarm_at);
        rig_feed(&r, 0, load, 3);
        rig_run(&r);
        bx_model_idle(r.m, 1000);
        assert_int_equal(ear.alarms, 1);
        assert_int_equal(reads_at_alarm, row[i / 2].reads);
        rig_free(&r);
    }
}

/* An alarm at the end of a run belongs to it. An alarm for the present time comes first in the next
 * run. A removed alarm does not come. */
static void test_alarm_at_the_seams(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    struct ear ear;

    ear_open(&ear, &r);
    r.s->set_alarm(r.s, ear.alarm_at = 100);
    bx_model_idle(r.m, 99);
    assert_int_equal(ear.alarms, 0);
    bx_model_idle(r.m, 1);
    assert_int_equal(ear.alarms, 1);
    r.s->set_alarm(r.s, ear.alarm_at = 100);
    bx_model_run(r.m, 100);
    assert_int_equal(ear.alarms, 2);
    r.s->set_alarm(r.s, ear.alarm_at = 150);
    r.s->set_alarm(r.s, BX_NEVER);
    bx_model_idle(r.m, 100);
    assert_int_equal(ear.alarms, 2);
    r.s->set_alarm(r.s, 10); /* in the past: it comes at once, at the present time */
    ear.alarm_at = 200;
    bx_model_idle(r.m, 100);
    assert_int_equal(ear.alarms, 3);
    ear.period = 3;
    r.s->set_alarm(r.s, ear.alarm_at = 301);
    bx_model_idle(r.m, 9);
    assert_int_equal(ear.alarms, 3 + 3);
    r.s->set_watcher(r.s, NULL); /* without a watcher */
    bx_model_idle(r.m, 100);
    assert_int_equal(ear.alarms, 3 + 3);
    rig_free(&r);
}

/* The last action may take no time: a partial write that is merged. An alarm for its cycle, which
 * has begun, comes after it is done and reported. */
static void test_alarm_in_the_last_cycle(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection writes = {.box = BX_CLIENT_ARB, .code = 0x81, .umask = 0x20};
    struct ear ear;

    rig_wait(&r, BX_AGENT_GT, BX_STORE, 1, BX_ACCESS_PARTIAL);
    ear_open(&ear, &r);
    r.s->watch(r.s, 0, &writes);
    assert_int_equal(rig_wait(&r, BX_AGENT_GT, BX_STORE, 1, BX_ACCESS_PARTIAL), 0);
    assert_int_equal(ear.sum[0], 0);
    r.s->set_alarm(r.s, rig_now(&r));
    ear.alarm_at = rig_now(&r) + 1;
    bx_model_idle(r.m, 10);
    assert_int_equal(ear.alarms, 1);
    assert_int_equal(ear.sum[0], 1);
    rig_free(&r);
}

/* An alarm comes before the ends of entries in its cycle, and after the ends in earlier cycles. */
static void observe_occupancy(struct ear *ear, uint64_t now)
{
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    uint64_t sum;

    assert_true(ear->s->tally(ear->s, &occupancy, &sum));
    assert_int_equal(sum, now < 10 ? 0 : now > 160 ? 150 : now - 10);
    assert_int_equal(ear->open[0], now > 10 && now <= 160);
}

static void test_occupancy_at_alarms(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    const bx_access load = bx_access_make(1, BX_LOAD, 0, 10);
    struct ear ear;

    ear_open(&ear, &r);
    r.s->watch(r.s, 0, &occupancy);
    ear.on_alarm = observe_occupancy;
    ear.period = ear.alarm_at = 1;
    r.s->set_alarm(r.s, 1);
    rig_feed(&r, 0, &load, 1);
    rig_run(&r);
    bx_model_idle(r.m, 40);
    assert_int_equal(ear.alarms, 200);
    rig_free(&r);
}

/* ---- a watcher that changes its watches ---- */

struct meddler {
    struct ear ear; /* first */
    unsigned reported;
};

/* Stops everything at the second pulse, as an overflowing counter does, and starts another
 * watch. */
static void meddle(bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level)
{
    struct meddler *m = (struct meddler *)(void *)w;
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    uint64_t sum;

    ear_see(w, id, start, cycles, level);
    if (id != 0 || ++m->reported < 2)
        return;
    assert_int_equal(m->ear.s->now(m->ear.s), start + 1); /* the cycle is over */
    assert_true(m->ear.s->tally(m->ear.s, &any_read, &sum));
    assert_int_equal(sum, 2);
    for (unsigned i = 0; i < 8; i++)
        m->ear.s->unwatch(m->ear.s, i);
    assert_true(m->ear.s->watch(m->ear.s, 9, &occupancy));
    m->ear.s->set_alarm(m->ear.s, m->ear.alarm_at = start + 1);
}

static void test_meddling(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);
    const bx_selection occupancy = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    const bx_access load[] = {bx_access_make(1, BX_LOAD, 0, 10), bx_access_make(2, BX_LOAD, 0, 10),
                              bx_access_make(3, BX_LOAD, 0, 10)};
    struct meddler m = {.reported = 0};

    ear_open(&m.ear, &r);
    m.ear.watcher.on_level = meddle;
    for (unsigned i = 0; i < 8; i++)
        assert_true(r.s->watch(r.s, i, i ? &occupancy : &any_read));
    rig_feed(&r, 0, load, 3);
    rig_run(&r);
    bx_model_idle(r.m, 100);
    assert_int_equal(m.reported, 2);
    assert_int_equal(m.ear.alarms, 1);
    assert_int_equal(m.ear.sum[0], 2);
    for (unsigned i = 1; i < 8; i++)
        assert_int_equal(m.ear.open[i], 1); /* reported at 10, not at 20 any more */
    /* Lifetimes of 150 cycles from 10, 20 and 30, reported from 21 on. */
    assert_int_equal(m.ear.sum[9], 150 - 11 + 150 - 1 + 150);
    assert_int_equal(m.ear.open[9], 0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_watches_add_up),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_watch_in_flight),
        cmocka_unit_test(test_cycles_with_any),
        cmocka_unit_test(test_same_cycle),
        cmocka_unit_test(test_alarm_is_exact),
        cmocka_unit_test(test_alarm_at_the_seams),
        cmocka_unit_test(test_alarm_in_the_last_cycle),
        cmocka_unit_test(test_occupancy_at_alarms),
        cmocka_unit_test(test_meddling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
