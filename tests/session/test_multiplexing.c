/* The error of a scaled value, compared with the true value: a second session counts the same
 * events exactly in the same run, each pass in its own bank of registers. */
#include "../cmocked.h"

#include "../dice.h"
#include "../rounds.h"
#include "random_events.h"
#include "trial.h"
#include "session/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the estimator, by hand ---- */

/* Ten turns of 100 cycles in 2,000. Neighbours' rates differ by 0.2: 0.04 x 100 x 100 = 400 each,
 * of 9 neighbours and of 8 second neighbours. So the variance is 400 / 100 / 2 = 2 per cycle of a
 * turn, that of the value 2 x 2,000 x (2,000 / 1,000) x (1 - 1/2) = 4,000, and t of 6 degrees
 * is 2.446912. */
static bx_reading by_hand(void)
{
    const bx_spread spread = {.turns = 10,
                              .counted = 10,
                              .near_squares = 9 * 400,
                              .near_lengths = 9 * 100,
                              .far_squares = 8 * 400,
                              .far_lengths = 8 * 100};
    return (bx_reading){
        .state = BX_SCALED, .count = 5000, .enabled = 2000, .running = 1000, .spread = spread};
}

static void assert_near(double is, double should)
{
    if (fabs(is - should) > should * 1e-6)
        fail_msg("%.9f is not %.9f", is, should);
}

static void the_estimator(void **state)
{
    (void)state;
    bx_reading r = by_hand();
    assert_near(bx_reading_error(&r), 2.446912 * sqrt(4000));
    assert_true(bx_reading_error_together(&r) < 0);
    r.together = r.spread;
    assert_near(bx_reading_error_together(&r), 2.446912 * sqrt(4000));
    r.scale = 256;
    assert_near(bx_reading_error(&r), 256 * 2.446912 * sqrt(4000));
}

/* Second neighbours differ by half as much again: 2 - (3 - 2) x 2/3 = 4/3 within a round. If they
 * differ by twice as much the line gives 2/3, and three fifths of 2 are taken. */
static void changes_from_round_to_round(void **state)
{
    (void)state;
    bx_reading r = by_hand();
    r.spread.far_squares *= 1.5;
    assert_near(bx_reading_error(&r), 2.446912 * sqrt(4000 * 2.0 / 3));
    r.spread.far_squares = 8 * 800;
    assert_near(bx_reading_error(&r), 2.446912 * sqrt(4000 * 3.0 / 5));
}

/* Turns without a count give no information. Four are too few; with five the degrees are 8/3, and t
 * is between 3.575 (5/2) and 3.182 (3). */
static void few_turns(void **state)
{
    (void)state;
    bx_reading r = by_hand();
    r.spread.counted = 5;
    assert_in_range((uint64_t)(1000 * bx_reading_error(&r) / sqrt(4000)), 3400, 3450);
    r.spread.counted = 4;
    assert_true(bx_reading_error(&r) < 0);
    r.state = BX_COUNTED;
    assert_true(bx_reading_error(&r) == 0);
    r.state = BX_NOT_MEASURED;
    assert_true(bx_reading_error(&r) < 0);
}

/* ---- two sessions of one run ---- */

struct both {
    bx_machine *m;
    bx_session *truth, *turns;
    const bx_reading *true_readings, *readings;
    size_t n;
};

static void end(struct both *b)
{
    bx_session_close(b->turns);
    bx_session_close(b->truth);
    bx_machine_close(b->m);
}

/* Returns false if the workload or the events are not possible on the machine, or if all events fit
 * at once. */
static bool begin(struct both *b, const char *machine, const char *workload)
{
    *b = (struct both){.m = trial_machine(machine)};
    if (bx_machine_load_workload(b->m, workload, NULL) == BX_OK)
        return true;
    end(b);
    return false;
}

static bool count(struct both *b, const bx_evsel *events, size_t n, const bx_session_options *o)
{
    bool done;
    size_t same;
    bx_error e = {0};
    if (bx_session_open(b->m, events, n, o, &b->turns, &e) != BX_OK ||
        bx_session_passes(b->turns) < 2)
        return false;
    assert_int_equal(bx_session_open(b->m, events, n, NULL, &b->truth, &e), BX_OK);
    assert_int_equal(bx_session_start(b->truth, &e), BX_OK);
    assert_int_equal(bx_session_start(b->turns, &e), BX_OK);
    assert_int_equal(bx_session_run(b->turns, UINT64_MAX, &done, &e), BX_OK);
    assert_int_equal(bx_session_stop(b->turns, &e), BX_OK);
    assert_int_equal(bx_session_stop(b->truth, &e), BX_OK);
    b->readings = bx_session_readings(b->turns, &b->n);
    b->true_readings = bx_session_readings(b->truth, &same);
    assert_int_equal(same, b->n);
    return true;
}

/* An event, summed over its units. */
struct value {
    double is, should, error;
    bool scaled, known;
};

static struct value value_of(const struct both *b, size_t *at)
{
    struct value v = {.scaled = true, .known = true};
    for (unsigned event = b->readings[*at].event; *at < b->n && b->readings[*at].event == event;
         ++*at) {
        const bx_reading *r = &b->readings[*at], *truth = &b->true_readings[*at];
        v.scaled &= r->state == BX_SCALED && truth->state == BX_COUNTED;
        v.is += bx_reading_value(r);
        v.should += bx_reading_value(truth);
        if (!r->together.turns)
            continue;
        double error = bx_reading_error_together(r);
        v.known &= error >= 0;
        v.error += error;
    }
    return v;
}

/* ---- random sets of events ---- */

enum { EVENTS = 16, COUNTED = 1000, SEED = 21 };

struct figures {
    size_t sets, values, known, covered;
    size_t n; /* uncertain values of the lists */
    double *width, *error,
        *share; /* as shares of the true value; the error as a share of the width */
};

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double median(double *of, size_t n)
{
    qsort(of, n, sizeof *of, compare);
    return n % 2 ? of[n / 2] : (of[n / 2 - 1] + of[n / 2]) / 2;
}

static void add_value(const struct value *v, struct figures *f)
{
    double error = fabs(v->is - v->should);
    f->known++;
    f->covered += error <= v->error + 0.5; /* it is shown as a whole number */
    if (v->error == 0)
        return;
    f->width[f->n] = v->error / v->should;
    f->error[f->n] = error / v->should;
    f->share[f->n++] = error / v->error;
}

/* A set without a scaled value of more than 1,000 counts does not count. */
static void compare_with_truth(const struct both *b, struct figures *f)
{
    size_t before = f->values;
    for (size_t at = 0; at < b->n;) {
        struct value v = value_of(b, &at);
        if (!v.scaled || v.should <= COUNTED)
            continue;
        f->values++;
        if (v.known)
            add_value(&v, f);
    }
    f->sets += f->values > before;
}

static void add_set(uint64_t *seed, struct figures *f)
{
    struct random_work work = random_work(seed);
    struct both b;
    bx_evsel events[EVENTS];
    size_t choices, n = 3 + dice_below(seed, EVENTS - 2);
    const bx_session_options o = {
        .size = sizeof o, .rotate = BX_ROTATE, .rotate_seed = dice_next(seed)};
    if (!begin(&b, work.machine, work.workload))
        return;
    bx_evsel *choice = random_choice(b.m, &choices);
    random_events(choice, choices, seed, events, n);
    free(choice);
    if (count(&b, events, n, &o))
        compare_with_truth(&b, f);
    end(&b);
}

/* In 93 of 100 cases the true value is within the interval; the quick suite has so few values that
 * it allows two standard deviations of such a share. In the median, half of the width is at most
 * three times the error: for a normal distribution, 95 of 100 cases are within 2.9 times the
 * median. Few values have no interval. */
static void the_truth_is_within(void **state)
{
    (void)state;
    size_t sets = rounds_of(60, 1000), room = sets * EVENTS;
    uint64_t seed = SEED;
    struct figures f = {.width = calloc(room, sizeof(double)),
                        .error = calloc(room, sizeof(double)),
                        .share = calloc(room, sizeof(double))};
    while (f.sets < sets)
        add_set(&seed, &f);
    double covered = (double)f.covered / (double)f.known, share = median(f.share, f.n);
    print_message(
        "%zu sets, seed %d: %zu values, %zu without an interval; the truth is within it in "
        "%.1f %%; median error %.2f %%, median width %.2f %%, median of width / error "
        "%.2f\n",
        sets, SEED, f.values, f.values - f.known, 100 * covered, 100 * median(f.error, f.n),
        100 * median(f.width, f.n), 1 / share);
    double deviation = sqrt(0.93 * 0.07 / (double)f.known);
    assert_true(covered >= 0.93 - (is_long() ? 0 : 2 * deviation));
    if (is_long()) /* medians of fewer sets are not exact enough for that */
        assert_true(share >= 1.0 / 3);
    assert_true(f.known * 100 >= f.values * 97);
    free(f.width);
    free(f.error);
    free(f.share);
}

/* ---- work in step with the turns ---- */

enum { TURN = 1000, READS = 1000 };

/* Counts the reads of a device, one every `period` cycles, in turns of 1,000 cycles. Returns how
 * many of two events have the true value within their interval. */
static unsigned count_periodic(unsigned period, uint64_t turns_seed)
{
    char workload[96];
    struct both b;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CBO_CACHE_LOOKUP:ANY_M,"
                           "UNC_CBO_CACHE_LOOKUP:ANY_ES,UNC_CBO_CACHE_LOOKUP:ANY_I",
                           events);
    const bx_session_options o = {.size = sizeof o, .rotate = TURN, .rotate_seed = turns_seed};
    unsigned within = 0;
    snprintf(workload, sizeof workload, "dma,size=4M,iterations=%d,write=0,step=64,period=%u",
             READS, period);
    assert_true(begin(&b, "virtual:skl,part=plain", workload));
    assert_true(count(&b, events, n, &o));
    assert_int_equal(bx_session_passes(b.turns), 2);
    for (size_t at = 0; at < b.n;) {
        struct value v = value_of(&b, &at);
        if (v.should == 0)
            continue;
        assert_true(v.scaled && v.known && v.should == READS);
        assert_true(v.error < READS * 0.2);
        within += fabs(v.is - v.should) <= v.error;
    }
    end(&b);
    return within;
}

/* With turns of equal length in a fixed order, one of two passes would count all reads that come
 * every 2,000 cycles, and the other none. The values would be wrong by 100 %, without any
 * spread. */
static void work_in_step_with_the_turns(void **state)
{
    (void)state;
    static const unsigned periods[] = {TURN / 2, TURN, 2 * TURN, 4 * TURN};
    enum { PERIODS = sizeof periods / sizeof *periods, SEEDS = 50 };
    unsigned all = 0;
    for (size_t i = 0; i < PERIODS; i++) {
        unsigned within = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            within += count_periodic(periods[i], seed);
        print_message("a read each %u cycles: the truth is within in %u of %d\n", periods[i],
                      within, 2 * SEEDS);
        all += within;
    }
    assert_true(all * 100 >= PERIODS * 2 * SEEDS * 93);
}

/* Fewer than 31 lookups in every cycle: the event counts all cycles of each turn, so the scaled
 * value is exact. */
static void what_never_changes_is_certain(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=31:i=1,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M",
                           events);
    struct both b;
    const bx_session_options o = {.size = sizeof o, .rotate = BX_ROTATE};
    assert_true(begin(&b, "virtual:skl,part=plain", "stream,size=256K"));
    assert_true(count(&b, events, n, &o));
    assert_int_equal(b.readings[0].state, BX_SCALED);
    assert_int_equal(b.readings[0].count, b.readings[0].running);
    assert_true(bx_reading_value(&b.readings[0]) == (double)b.readings[0].enabled);
    assert_true(bx_reading_error(&b.readings[0]) == 0);
    end(&b);
}

/* ---- pinned events ---- */

static void check_pinned(const char *machine, const char *workload, const char *list)
{
    bx_evsel events[TRIAL_EVENTS];
    struct both b;
    size_t n, at = 0;
    unsigned pinned = 0;
    const bx_session_options o = {.size = sizeof o, .rotate = 777};
    assert_true(begin(&b, machine, workload));
    assert_int_equal(bx_events_parse(bx_catalog_builtin(), bx_machine_cpu(b.m), list, events,
                                     TRIAL_EVENTS, &n, NULL),
                     BX_OK);
    assert_true(count(&b, events, n, &o));
    for (; at < b.n; at++) {
        const bx_reading *r = &b.readings[at];
        if (!events[r->event].pinned) {
            assert_int_equal(r->state, BX_SCALED);
            continue;
        }
        assert_int_equal(r->state, BX_COUNTED);
        assert_int_equal(r->count, b.true_readings[at].count);
        assert_true(bx_reading_error(r) == 0);
        pinned += r->count > 0;
    }
    assert_true(pinned > 0);
    end(&b);
}

/* Pinned events beside multiplexed ones count each level and each edge, on every kind of box. */
static void pinned_events_are_exact(void **state)
{
    (void)state;
    check_pinned("virtual:skl,part=plain,llc=256K", "copy,size=256K,cores=2",
                 "UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1:e=1:D,UNC_CBO_CACHE_LOOKUP:READ_I,"
                 "UNC_CBO_CACHE_LOOKUP:WRITE_M,UNC_CBO_CACHE_LOOKUP:ANY_I");
    check_pinned("virtual:skl,part=plain", "copy,size=256K,cores=2",
                 "UNC_ARB_TRK_REQUESTS:ALL:D,UNC_ARB_TRK_OCCUPANCY:ALL:t=2:e=1,"
                 "UNC_ARB_TRK_OCCUPANCY:ALL");
    check_pinned("virtual:ivbep,part=plain,packages=1,cores=2", "stream,size=64K,cores=2",
                 "{UNC_C_TOR_OCCUPANCY:ALL:t=2:e=1,UNC_C_CLOCKTICKS}:D,UNC_C_TOR_INSERTS:ALL,"
                 "UNC_C_LLC_LOOKUP:DATA_READ,UNC_C_TOR_INSERTS:EVICTION");
    check_pinned("virtual:nhmex,part=plain,packages=1,cores=2", "stream,size=64K,cores=2",
                 "nhmex_unc_cbox::OCCUPANCY_MAF:t=2:e=1:D,nhmex_unc_cbox::LLC_MISSES:ALL,"
                 "nhmex_unc_cbox::LLC_HITS:ALL,nhmex_unc_cbox::LLC_MISSES:ALL:t=1:e=1,"
                 "nhmex_unc_cbox::OCCUPANCY_MAF,nhmex_unc_cbox::OCCUPANCY_MAF:t=3,"
                 "nhmex_unc_cbox::OCCUPANCY_MAF:t=3:i=1");
}

/* Different seeds give different turns; one seed always gives the same. */
static void seeds(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M",
                           events);
    uint64_t running[3];
    static const uint64_t given[] = {0, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        struct both b;
        const bx_session_options o = {
            .size = sizeof o, .rotate = BX_ROTATE, .rotate_seed = given[i]};
        assert_true(begin(&b, "virtual:skl,part=plain", "stream,size=256K"));
        assert_true(count(&b, events, n, &o));
        running[i] = b.readings[0].running;
        end(&b);
    }
    assert_int_not_equal(running[0], running[1]);
    assert_int_equal(running[0], running[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimator),
        cmocka_unit_test(changes_from_round_to_round),
        cmocka_unit_test(few_turns),
        cmocka_unit_test(the_truth_is_within),
        cmocka_unit_test(work_in_step_with_the_turns),
        cmocka_unit_test(what_never_changes_is_certain),
        cmocka_unit_test(pinned_events_are_exact),
        cmocka_unit_test(seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
