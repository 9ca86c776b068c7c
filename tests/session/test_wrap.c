/* Counters that wrap: 32 bits in the memory controller (334060-001 table 1-2 and section 3.3), 44
 * in the C-Boxes (table 2-8), 48 for the clock (table 2-5). A reading never depends on a status
 * bit. */
#include "../cmocked.h"

#include "trial.h"

enum { CBOX = 1, IMC = 4 }; /* indices among the CPU's PMUs: catalog/skl/skl.cpu */

static void inject(bx_machine *m, const bx_selection *what, uint32_t level, uint64_t cycles)
{
    bx_error e = {0};
    if (bx_vpmu_inject(bx_machine_vpmu(m), what, level, cycles, &e) != BX_OK)
        fail_msg("%s", e.message);
}

/* The same level during `times` samples, each after `cycles`. */
static void sample_often(bx_machine *m, bx_session *s, const bx_selection *what, uint32_t level,
                         uint64_t cycles, unsigned times)
{
    for (unsigned i = 1; i <= times; i++) {
        inject(m, what, level, cycles);
        bx_machine_idle(m, cycles);
        const bx_reading *r = trial_sample(s);
        assert_int_equal(r->count, i * cycles * level);
        assert_int_equal(r->state, BX_COUNTED);
    }
    assert_true(trial_sample(s)->overflowed);
}

/* 2^30 between samples: a wrap at every fourth. */
static void memory_controller_sampled_often(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = trial_start(m, "DRAM_DATA_READS");
    sample_often(m, s, &(bx_selection){.box = IMC, .code = 0x5050}, 64, UINT64_C(1) << 24, 33);
    bx_session_close(s);
    bx_machine_close(m);
}

/* The last sample adds exactly the number that brings the counter to 0, then to the largest value
 * again. */
static void exactly_to_zero(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    const bx_selection reads = {.box = IMC, .code = 0x5050};
    bx_session *s = trial_start(m, "DRAM_DATA_READS");
    static const uint32_t levels[] = {UINT32_C(1) << 31, (UINT32_C(1) << 31) - 1, 1, 0, UINT32_MAX};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (levels[i])
            inject(m, &reads, levels[i], 1);
        bx_machine_idle(m, 1);
        sum += levels[i];
        assert_int_equal(trial_sample(s)->count, sum);
        assert_int_equal(trial_sample(s)->overflowed, sum > UINT32_MAX);
    }
    bx_session_close(s);
    bx_machine_close(m);
}

/* 2^42 between samples. */
static void cbox_counter(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = trial_start(m, "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_MESI");
    const bx_selection lookups = {.box = CBOX, .unit = 2, .code = 0x34, .umask = 0x8f};
    sample_often(m, s, &lookups, 64, UINT64_C(1) << 36, 9);
    bx_session_close(s);
    bx_machine_close(m);
}

/* 2^46 cycles between samples. */
static void clock_counter(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = trial_start(m, "UNC_CLOCK:SOCKET");
    for (unsigned i = 1; i <= 9; i++) {
        bx_machine_idle(m, UINT64_C(1) << 46);
        assert_int_equal(trial_sample(s)->count, i * (UINT64_C(1) << 46));
    }
    assert_true(trial_sample(s)->overflowed);
    bx_session_close(s);
    bx_machine_close(m);
}

/* One core that is almost idle for a long time. */
enum { SLOW = 120000 };

struct slow {
    bx_feed feed;
    bx_access access[SLOW];
    bool given;
};

static enum bx_feed_state refill(bx_feed *feed)
{
    struct slow *slow = (struct slow *)feed;
    feed->next = slow->access;
    feed->end = slow->access + (slow->given ? 0 : SLOW);
    slow->given = true;
    return feed->next != feed->end ? BX_FEED_MORE : BX_FEED_END;
}

/* No sample is taken: the session itself reads often enough, because it assumes 64 counts a
 * cycle. */
static void a_long_run_is_read_on_the_way(void **state)
{
    (void)state;
    static struct slow slow;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bool done = false;
    slow.given = false;
    slow.feed.refill = refill;
    slow.feed.next = slow.feed.end = slow.access;
    for (unsigned i = 0; i < SLOW; i++)
        slow.access[i] = bx_access_make(7, BX_LOAD, 0, BX_ACCESS_COST_MAX);
    bx_session *s = trial_start(m, "DRAM_DATA_READS");
    const uint64_t cycles = SLOW * UINT64_C(4000); /* 2^28.8: seven wraps */
    inject(m, &(bx_selection){.box = IMC, .code = 0x5050}, 64, cycles);
    bx_model_feed(bx_machine_model(m), 0, &slow.feed);
    assert_int_equal(bx_session_run(s, UINT64_MAX, &done, NULL), BX_OK);
    assert_true(done);
    assert_true(bx_machine_now(m) > cycles);
    assert_int_equal(trial_sample(s)->count, cycles * 64 + 1); /* and the written line itself */
    assert_true(trial_sample(s)->overflowed);
    bx_session_close(s);
    bx_machine_close(m);
}

/* 323535-001, M-Box CNT_CTL bits 3:2: 1 counts downwards. The count is the same, from 0 past the
 * end of the counter. */
static void counted_downwards(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:nhmex,part=plain,packages=1");
    bx_evsel events[2];
    bx_session *s;
    size_t n;
    assert_int_equal(bx_events_parse(bx_catalog_builtin(), m->topology.cpu,
                                     "nhmex_unc_mbox0::CYCLES:mode=down,nhmex_unc_mbox0::CYCLES",
                                     events, 2, &n, NULL),
                     BX_OK);
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    bx_machine_idle(m, 4711);
    assert_int_equal(bx_session_sample(s, NULL), BX_OK);
    const bx_reading *r = bx_session_readings(s, &n);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(r[i].state, BX_COUNTED);
        assert_int_equal(r[i].count, 4711);
    }
    bx_session_close(s);
    bx_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_controller_sampled_often),
        cmocka_unit_test(exactly_to_zero),
        cmocka_unit_test(cbox_counter),
        cmocka_unit_test(clock_counter),
        cmocka_unit_test(a_long_run_is_read_on_the_way),
        cmocka_unit_test(counted_downwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
