/* Compares src/model with the oracle: every count must be equal, on many seeded streams. BX_LONG in
 * the environment adds many more. */
#include "../cmocked.h"

#include "../rounds.h"

#include "dram.h"
#include "late.h"
#include "prefetchers_off.h"
#include "oracle.h"
#include "privates.h"
#include "core_compared.h"
#include "pieces.h"
#include "traces.h"
#include "watched.h"

#include "model/machine/client/boxes.h"

#include <stdlib.h>

/* A run does not wait for memory writes at its end; they are done by then. */
enum { DRAIN = 1000000 };

/* One comparison: what it runs, and what a message names. */
struct trial {
    uint64_t seed, random;
    struct trace_family family;
    struct oracle_trace traces[BX_AGENTS];
    struct oracle *oracle;
    bx_model *model;
};

#define disagree(trial, ...)                                                                       \
    do {                                                                                           \
        print_error("seed %llu, family \"%s\": ", (unsigned long long)(trial)->seed,               \
                    (trial)->family.name);                                                         \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        fail();                                                                                    \
    } while (0)

static unsigned seeds(unsigned quick)
{
    return rounds_of(quick, 20 * quick);
}

/* ---- feeds ---- */

static void give(struct trial *t, struct pieces pieces[BX_AGENTS])
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        const struct oracle_trace *trace = &t->traces[agent];
        if (trace->n == 0)
            continue;
        pieces[agent] = pieces_of(trace->access, trace->n, 1000, dice_next(&t->random));
        bx_model_feed(t->model, agent, &pieces[agent].feed);
    }
}

/* ---- trials ---- */

static void start(struct trial *t, uint64_t seed, const struct trace_family *family, bool record)
{
    bx_error e = {0};

    *t = (struct trial){.seed = seed, .random = seed};
    t->family = family ? *family : trace_family_random(&t->random);
    if (family) {
        t->family.shape.measured_replacement = seed % 2;
        t->family.shape.times = late_times_of_trial(seed / 4);
        t->family.shape.dram = oracle_dram_of_trial(seed / 2);
        t->family.shape.hz = 1000000000 + seed % 7 * 500000001;
    }
    if (family && seed % 8 > 4)
        t->family.steer = 20;
    if (family && seed % 4 > 1) {
        t->family.prefetch = 30;
        t->family.shape.prefetch = true;
    }
    private_trial(&t->family.shape, seed, t->family.name);
    t->oracle = oracle_new(&t->family.shape, record);
    t->model = bx_model_new("client", &t->family.shape, &e);
    if (t->model == NULL)
        disagree(t, "no model: %s", e.message);
    bx_signals *signals = bx_model_signals(t->model);
    for (unsigned core = 0; core < t->family.shape.cores; core++) {
        unsigned off = prefetchers_off(seed, core);
        oracle_set_prefetchers(t->oracle, core, off);
        signals->set_prefetchers(signals, core, off);
    }
}

static void finish(struct trial *t)
{
    oracle_free(t->oracle);
    bx_model_free(t->model);
}

/* ---- the model's counts, read through its signals ---- */

static bx_selection selection(const struct oracle_signal *s)
{
    static const uint16_t box[] = {[ORACLE_BOX_CBOX] = BX_CLIENT_CBO,
                                   [ORACLE_BOX_ARB] = BX_CLIENT_ARB,
                                   [ORACLE_BOX_CLOCK] = BX_CLIENT_CLOCK,
                                   [ORACLE_BOX_IMC] = BX_CLIENT_IMC,
                                   [ORACLE_BOX_CORE] = BX_CLIENT_CORE};

    return (bx_selection){.box = box[s->box],
                          .unit = (uint16_t)s->unit,
                          .code = (uint16_t)s->code,
                          .umask = s->umask,
                          .threshold = s->threshold,
                          .levels = BX_LEVELS};
}

static uint64_t tally(struct trial *t, enum oracle_box box, unsigned unit, unsigned code,
                      unsigned umask)
{
    bx_signals *signals = bx_model_signals(t->model);
    bx_selection sel = selection(&(struct oracle_signal){box, unit, code, umask, 0});
    uint64_t sum = 0;

    if (!bx_model_produces(t->model, &sel) || !signals->tally(signals, &sel, &sum))
        disagree(t, "box %d code %#x umask %#x is not produced", (int)box, code, umask);
    return sum;
}

static struct oracle_counts model_counts(struct trial *t)
{
    static const unsigned state[] = {8, 4, 2, 1}, request[] = {0x10, 0x20, 0x40};
    static const unsigned response[] = {1, 4, 8}, from[] = {0x20, 0x40, 0x80};
    bx_signals *signals = bx_model_signals(t->model);
    struct oracle_counts c = {.accesses = bx_model_accesses(t->model),
                              .end = signals->now(signals)};

    for (unsigned slice = 0; slice < t->family.shape.slices; slice++) {
        for (unsigned r = 0; r < ORACLE_REQUESTS; r++)
            for (unsigned s = 0; s < ORACLE_STATES; s++)
                c.lookup[slice][r][s] =
                    tally(t, ORACLE_BOX_CBOX, slice, 0x34, request[r] | state[s]);
        for (unsigned f = 0; f < ORACLE_FROMS; f++)
            for (unsigned r = 0; r < ORACLE_RESPONSES; r++)
                c.xsnp[slice][f][r] = tally(t, ORACLE_BOX_CBOX, slice, 0x22, from[f] | response[r]);
    }
    c.occupancy_all = tally(t, ORACLE_BOX_ARB, 0, 0x80, 1);
    c.occupancy_data_read = tally(t, ORACLE_BOX_ARB, 0, 0x80, 2);
    c.arb_all = tally(t, ORACLE_BOX_ARB, 0, 0x81, 1);
    c.arb_data_read = tally(t, ORACLE_BOX_ARB, 0, 0x81, 2);
    c.arb_writes = tally(t, ORACLE_BOX_ARB, 0, 0x81, 0x20);
    c.coh = tally(t, ORACLE_BOX_ARB, 0, 0x84, 1);
    c.imc_requests[ORACLE_GT] = tally(t, ORACLE_BOX_IMC, 0, 0x5040, 0);
    c.imc_requests[ORACLE_IA] = tally(t, ORACLE_BOX_IMC, 0, 0x5044, 0);
    c.imc_requests[ORACLE_IO] = tally(t, ORACLE_BOX_IMC, 0, 0x5048, 0);
    c.data_reads = tally(t, ORACLE_BOX_IMC, 0, 0x5050, 0);
    c.data_writes = tally(t, ORACLE_BOX_IMC, 0, 0x5054, 0);
    return c;
}

static void wrong(void *trial, const char *text)
{
    struct trial *t = trial;
    disagree(t, "%s", text);
}

static void compare(struct trial *t)
{
    struct oracle_counts model = model_counts(t);
    char difference[120];

    for (unsigned core = 0; core < t->family.shape.cores; core++)
        core_compare(t->model, (bx_selection){.box = BX_CLIENT_CORE, .unit = (uint16_t)core},
                     ORACLE_SKYLAKE, oracle_core_counts(t->oracle, core), wrong, t);

    if (oracle_difference(&model, oracle_counts(t->oracle), difference, sizeof difference))
        disagree(t, "%s (model, oracle)", difference);
}

/* ---- whole runs ---- */

/* Model and oracle run the family's streams to their end; the model in one go or in random slices
 * of time. */
static void run_both(struct trial *t, size_t accesses, bool sliced)
{
    bx_signals *signals = bx_model_signals(t->model);
    struct pieces pieces[BX_AGENTS];
    uint64_t until, slice = 1 + random_below(&t->random, 20000);

    traces_new(t->traces, &t->family, accesses, &t->random);
    oracle_run(t->oracle, t->traces);
    give(t, pieces);
    until = sliced ? signals->now(signals) : BX_NEVER;
    while (!bx_model_run(t->model, until)) {
        if (signals->now(signals) != until)
            disagree(t, "stopped at %llu, not at %llu", (unsigned long long)signals->now(signals),
                     (unsigned long long)until);
        until += 1 + random_below(&t->random, slice);
    }
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        if (t->traces[agent].n != 0)
            bx_model_feed(t->model, agent, NULL);
    if (signals->now(signals) != oracle_counts(t->oracle)->end)
        disagree(t, "end: %llu, not %llu", (unsigned long long)signals->now(signals),
                 (unsigned long long)oracle_counts(t->oracle)->end);
    traces_free(t->traces);
}

/* Two runs, the second some time later and on the first one's cache contents. */
static void whole_trial(uint64_t seed, const struct trace_family *family, size_t accesses)
{
    struct trial t;

    start(&t, seed, family, false);
    run_both(&t, accesses, seed % 2);
    uint64_t pause = random_below(&t.random, 300);
    oracle_idle(t.oracle, pause);
    bx_model_idle(t.model, pause);
    run_both(&t, accesses, seed % 3 == 0);
    oracle_idle(t.oracle, DRAIN);
    bx_model_idle(t.model, DRAIN);
    compare(&t);
    finish(&t);
}

static void test_families(void **state)
{
    size_t n;
    const struct trace_family *families = trace_families(&n);

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (unsigned seed = 0; seed < seeds(4); seed++)
            whole_trial(seed, &families[i], 10000);
}

static void test_random_families(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < seeds(60); seed++)
        whole_trial(seed, NULL, 5000);
}

/* Longer streams of one core alone, which fill its L2 and the LLC. */
static void test_single_core(void **state)
{
    size_t n;
    const struct trace_family *families = trace_families(&n);

    (void)state;
    for (size_t i = 0; i < n; i++)
        if (families[i].shape.cores == 1)
            for (unsigned seed = 0; seed < seeds(2); seed++)
                whole_trial(seed, &families[i], 300000);
}

/* ---- cycle by cycle ---- */

static const struct oracle_signal watched[] = {
    {ORACLE_BOX_CBOX, 0, 0x34, 0x8f}, /* all lookups */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x18}, /* READ, I */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x16}, /* READ, E or S */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x2f}, /* WRITE */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x61}, /* WRITE or EXTSNP, M */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x88}, /* any, I */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x80}, /* no state */
    {ORACLE_BOX_CBOX, 0, 0x34, 0x0f}, /* no request */
    {ORACLE_BOX_CBOX, 0, 0x22, 0x4d}, /* XCORE */
    {ORACLE_BOX_CBOX, 0, 0x22, 0x81}, /* EVICTION, MISS */
    {ORACLE_BOX_CBOX, 0, 0x22, 0x2c}, /* EXTERNAL, HIT or HITM */
    {ORACLE_BOX_CBOX, 0, 0x22, 0xe8}, /* HITM from anywhere */
    {ORACLE_BOX_ARB, 0, 0x80, 0x01},     {ORACLE_BOX_ARB, 0, 0x80, 0x02},
    {ORACLE_BOX_ARB, 0, 0x81, 0x01},     {ORACLE_BOX_ARB, 0, 0x81, 0x02},
    {ORACLE_BOX_ARB, 0, 0x81, 0x20},     {ORACLE_BOX_ARB, 0, 0x81, 0x22},
    {ORACLE_BOX_ARB, 0, 0x81, 0x23},     {ORACLE_BOX_ARB, 0, 0x84, 0x01},
    {ORACLE_BOX_CLOCK, 0, 0, 0},         {ORACLE_BOX_CORE, 0, 0x60, 0x01, 1},
    {ORACLE_BOX_CORE, 0, 0xa3, 0x01, 1}, {ORACLE_BOX_CORE, 0, 0xa3, 0x05, 5},
    {ORACLE_BOX_CORE, 0, 0xa3, 0x06, 6},
};

enum { WATCHED = sizeof watched / sizeof *watched };

static void watched_trial(uint64_t seed, const struct trace_family *family, size_t accesses)
{
    struct trial t;
    struct pieces pieces[BX_AGENTS];

    start(&t, seed, family, true);
    traces_new(t.traces, &t.family, accesses, &t.random);
    oracle_run(t.oracle, t.traces);
    uint64_t end = oracle_counts(t.oracle)->end;
    struct watched w = watched_new(t.model, &t.random, WATCHED, end + 2000);
    w.disagree = wrong;
    w.trial = &t;
    for (unsigned i = 0; i < WATCHED; i++) {
        struct oracle_signal s = watched[i];
        if (s.box == ORACLE_BOX_CBOX)
            s.unit = (unsigned)random_below(&t.random, t.family.shape.slices);
        if (s.box == ORACLE_BOX_CORE)
            s.unit = (unsigned)random_below(&t.random, t.family.shape.cores);
        w.signal[i].sel = selection(&s);
        /* Occupancy is of cycles that are over. */
        w.signal[i].last_access = s.box != ORACLE_BOX_CLOCK && s.box != ORACLE_BOX_CORE &&
                                  !(s.box == ORACLE_BOX_ARB && s.code == 0x80);
        if (s.box == ORACLE_BOX_CORE)
            core_levels(oracle_core_counts(t.oracle, s.unit), &w.signal[i].sel,
                        w.signal[i].expected, w.cycles);
        else
            oracle_levels(oracle_log(t.oracle), &s, w.signal[i].expected, w.cycles);
    }
    give(&t, pieces);
    watched_run(&w, end);
    watched_compare(&w);
    traces_free(t.traces);
    finish(&t);
}

static void test_levels_and_alarms(void **state)
{
    size_t n;
    const struct trace_family *families = trace_families(&n);

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (unsigned seed = 0; seed < seeds(2); seed++)
            watched_trial(seed, &families[i], 500);
    for (unsigned seed = 0; seed < seeds(20); seed++)
        watched_trial(seed, NULL, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_random_families),
        cmocka_unit_test(test_single_core),
        cmocka_unit_test(test_levels_and_alarms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
