/* Compares src/model/machine/nhmex with its oracle: every event that the model produces, of every
 * unit, on many seeded streams of all agents. Counts are compared, and levels cycle by cycle.
 * BX_LONG in the environment adds many more. */
#include "../cmocked.h"

#include "../rounds.h"

#include "late.h"
#include "dram.h"
#include "nhmex/oracle.h"
#include "prefetchers_off.h"
#include "privates.h"
#include "core_compared.h"
#include "traces.h"
#include "watched.h"

#include "catalog/catalog.h"
#include "catalog/lookup.h"
#include "event/event.h"
#include "model/machine/nhmex/boxes.h"
#include "model/model.h"
#include "vpmu/vpmu.h"

#include <boxscore/boxscore.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAIN = 20000, MOST_SELECTIONS = 1200, NAME = 96 };

/* In the order of the catalogue's `boxes`. */
enum { U, C, B, S, R, M, W, BOXES };

struct choice {
    bx_selection sel;
    char name[NAME];
};

static struct choice choice[MOST_SELECTIONS];
static unsigned choices, catalogued; /* the catalogue's selections come first */

/* ---- selections of the catalogue ---- */

struct planned {
    const bx_catalog *c;
    const bx_evsel *event;
    const bx_cat_counter *counter;
};

static uint64_t planned_value(const void *of, uint16_t reg)
{
    const struct planned *p = of;

    if (reg == p->counter->control)
        return bx_event_control(p->c, p->event, p->counter);
    for (unsigned i = 0; i < p->event->extras; i++)
        if (p->event->extra[i].reg == reg)
            return p->event->extra[i].value;
    return 0;
}

static void add_choice(const bx_catalog *c, const bx_model *m, unsigned box, const char *text)
{
    bx_evsel event;
    struct choice *to = &choice[choices];

    assert_true(choices < MOST_SELECTIONS);
    *to = (struct choice){.sel = {.box = (uint16_t)box, .levels = BX_LEVELS}};
    snprintf(to->name, sizeof to->name, "%s", text);
    assert_int_equal(bx_event_parse(c, -1, text, strlen(text), &event, NULL), BX_OK);
    struct planned p = {c, &event,
                        bx_pmu_counter(c, event.pmu, bx_lowest_bit(bx_event_counters(c, &event)))};
    to->sel.code = (uint16_t)event.code;
    to->sel.umask = event.umask;
    bx_vpmu_select(c, p.counter, &(bx_vreg_reader){planned_value, &p}, &to->sel);
    choices += bx_model_produces(m, &to->sel);
}

static void add_event(const bx_catalog *c, const bx_model *m, unsigned box, const bx_cat_pmu *pmu,
                      const bx_cat_event *event)
{
    char text[NAME];

    snprintf(text, sizeof text, "%s::%s", bx_cat_z(c, pmu->name), bx_cat_z(c, event->name));
    if (event->umasks.n == 0)
        add_choice(c, m, box, text);
    for (unsigned u = 0; u < event->umasks.n; u++) {
        const bx_cat_umask *umask = &bx_cat_umasks(c)[event->umasks.first + u];
        char with[2 * NAME];
        snprintf(with, sizeof with, "%s:%s", text, bx_cat_z(c, umask->name));
        if (!(umask->flags & BX_UMASK_ALIAS))
            add_choice(c, m, box, with);
    }
}

static bx_model *new_model(bx_model_shape shape)
{
    bx_error e = {0};
    bx_model *m = bx_model_new("nhmex", &shape, &e);

    if (m == NULL)
        print_error("%s\n", e.message);
    assert_non_null(m);
    return m;
}

static const char *const pmu_name[BOXES] = {"nhmex_unc_ubox", "nhmex_unc_cbox", "nhmex_unc_bbox",
                                            "nhmex_unc_sbox", "nhmex_unc_rbox", "nhmex_unc_mbox",
                                            "nhmex_unc_wbox"};

static int list_choices(void **state)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_model *m = new_model((bx_model_shape){.packages = 1, .cores = 8, .llc_bytes = 24 << 20});

    (void)state;
    for (unsigned box = 0; box < BOXES; box++) {
        const bx_cat_pmu *pmu = bx_cat_pmus(c);
        while (strcmp(bx_cat_z(c, pmu->name), pmu_name[box]) != 0)
            pmu++;
        for (unsigned i = 0; i < pmu->events.n; i++)
            add_event(c, m, box, pmu, &bx_cat_events(c)[pmu->events.first + i]);
    }
    bx_model_free(m);
    catalogued = choices;
    return 0;
}

/* ---- selections in the oracle's terms ---- */

static struct nhmex_field field(const uint64_t *match, const uint64_t *mask, unsigned at,
                                unsigned bits)
{
    uint64_t ones = (UINT64_C(1) << bits) - 1;
    return (struct nhmex_field){*match >> at & ones, *mask >> at & ones};
}

static struct nhmex_pattern b_pattern(const bx_selection *sel)
{
    const uint64_t *match = &sel->filter[0], *mask = &sel->filter[1];
    bool out = sel->counter == 1 && (sel->code == 2 || sel->code == 4 || sel->code == 6);

    return (struct nhmex_pattern){
        .class = field(match, mask, out ? 48 : 44, 4),
        .opcode = field(match, mask, out ? 56 : 52, 4),
        .line = field(match, mask, 0, 44),
    };
}

static struct nhmex_pattern r_pattern(const bx_selection *sel)
{
    const uint64_t *match = &sel->filter[1], *mask = &sel->filter[2];

    return (struct nhmex_pattern){
        .state = field(match, mask, 48, 4),
        .from = field(match, mask, 31, 5),
        .to = field(match, mask, 13, 5),
        .class = field(match, mask, 9, 4),
        .opcode = field(match, mask, 5, 4),
        .every_flit = sel->filter[0] >> 20 & 1,
    };
}

/* At most one message class is selected. */
static struct nhmex_pattern s_pattern(const bx_selection *sel)
{
    static const unsigned classes[5] = {0, 1, 2, 4, 12};
    uint64_t chosen = sel->filter[1] >> 43 & 31, not_compared = sel->filter[2];
    struct nhmex_pattern p = {
        .line = {sel->filter[1] >> 5 & ((UINT64_C(1) << 38) - 1),
                 ~(not_compared >> 1) & ((UINT64_C(1) << 38) - 1)},
        .home = {sel->filter[1] & 31, not_compared & 1 ? 0 : 31},
    };

    if (chosen)
        p.class = (struct nhmex_field){classes[bx_lowest_bit64(chosen)], 15};
    return p;
}

static void m_words(const bx_selection *sel, struct nhmex_signal *s)
{
    unsigned command = (unsigned)(sel->filter[6] >> 5 & 7);
    unsigned response = (unsigned)(sel->filter[6] >> 8 & 7);

    if (sel->code == 0x04 || sel->code == 0x05)
        s->module = sel->filter[3] >> 3 & 1 ? 8 : (unsigned)(sel->filter[3] >> 4 & 7);
    if (sel->code == 0x0a) {
        s->by_mode = sel->filter[5] & 1;
        s->mode = (unsigned)(sel->filter[1] >> 7 & 7);
    }
    if (sel->code >= 0x0d && sel->code <= 0x10) {
        s->code = 0x0d;
        s->umask |= (sel->umask == 5 ? command : response) << 4;
    }
}

static struct nhmex_signal words(const bx_selection *sel)
{
    static const enum nhmex_box box[] = {[U] = NHMEX_U, [C] = NHMEX_C, [B] = NHMEX_B, [S] = NHMEX_S,
                                         [R] = NHMEX_R, [M] = NHMEX_M, [W] = NHMEX_W};
    struct nhmex_signal s = {.box = box[sel->box],
                             .package = sel->package,
                             .unit = sel->box == R ? sel->unit * 4u + sel->port : sel->unit,
                             .counter = sel->counter,
                             .code = sel->code,
                             .umask = sel->umask};

    if (sel->box == B)
        s.pattern = b_pattern(sel);
    if (sel->box == R && sel->code == 3)
        s.pattern = r_pattern(sel);
    if (sel->box == S && sel->code == 0)
        s.pattern = s_pattern(sel);
    if (sel->box == M)
        m_words(sel, &s);
    return s;
}

/* ---- trials ---- */

struct trial {
    uint64_t seed, random;
    struct trace_family family; /* its cores are numbered over all packages */
    bx_model_shape shape;
    struct oracle_trace traces[BX_AGENTS];
    struct nhmex_oracle *oracle;
    bx_model *model;
    unsigned most; /* accesses of each agent */
    unsigned differences;
};

static unsigned seeds(unsigned quick)
{
    return rounds_of(quick, 20 * quick);
}

#define disagree(t, ...)                                                                           \
    do {                                                                                           \
        print_error("seed %llu, %u packages of %u cores: ", (unsigned long long)(t)->seed,         \
                    (t)->shape.packages, (t)->shape.cores);                                        \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        (t)->differences++;                                                                        \
    } while (0)

static unsigned below(struct trial *t, unsigned n)
{
    return (unsigned)random_below(&t->random, n);
}

/* Other unit masks of the catalogue's codes, if the model produces them, and patterns that compare
 * some bits of packets. */
static void random_choice(struct trial *t, struct choice *to)
{
    const unsigned mask_of[] = {[B] = 1, [S] = 2, [R] = 2};
    bx_selection *sel = &to->sel;

    *to = choice[below(t, catalogued)];
    snprintf(to->name, NAME, "box %u, counter %u, code %#x", sel->box, sel->counter, sel->code);
    if ((sel->box == C || sel->box == S) && sel->umask != 0)
        sel->umask = 1 + below(t, 255);
    if (sel->box == B || (sel->box == R && sel->code == 3)) {
        uint64_t *match = &sel->filter[sel->box == R], *mask = &sel->filter[mask_of[sel->box]];
        *match = dice_next(&t->random) & dice_next(&t->random) & UINT64_C(0xffffff0000001fff);
        *mask = UINT64_C(1) << below(t, 60) | UINT64_C(1) << below(t, 60);
    }
    if (sel->box == R && sel->code == 3)
        sel->filter[2] &= UINT64_C(0xf000f8003ffe0); /* state, RNID, DNID, class, opcode */
    if (sel->box == S && sel->code == 0) {
        sel->filter[0] = UINT64_C(1) << 63;
        sel->filter[1] = (UINT64_C(1) << below(t, 3)) << 43 | below(t, 8) << 5 | below(t, 8);
        sel->filter[2] = dice_next(&t->random) & ((UINT64_C(1) << 39) - 1);
    }
}

enum { RANDOM_CHOICES = 60, PATTERNS = 5 };

static bool compares(const bx_selection *sel)
{
    return sel->box == B || (sel->box == R && sel->code == 3) || (sel->box == S && sel->code == 0);
}

static void add_random_choices(struct trial *t)
{
    unsigned patterns[BOXES] = {0};

    choices = catalogued;
    for (unsigned i = 0; i < RANDOM_CHOICES; i++) {
        const bx_selection *sel = &choice[choices].sel;
        random_choice(t, &choice[choices]);
        if (compares(sel) && patterns[sel->box]++ >= PATTERNS)
            continue;
        choices += bx_model_produces(t->model, sel);
    }
}

static void start(struct trial *t, uint64_t seed)
{
    *t = (struct trial){.seed = seed, .random = seed};
    t->family = trace_family_random(&t->random);
    t->family.registers = seed % 3 == 1 ? 15 : 0;
    t->shape.packages = 1 + below(t, below(t, 4) ? 4 : 8);
    t->shape.cores = 1 + below(t, 8);
    t->shape.slices = t->shape.cores;
    t->shape.prefetch = t->family.prefetch != 0;
    t->shape.measured_replacement = below(t, 2);
    t->shape.times = late_times_of_trial(seed);
    static const uint32_t link_rate[] = {0, 12800, 2000};

    t->shape.times.link_rate = link_rate[seed % 3];
    t->shape.times.link_modified = seed % 4 == 1 ? 75 : 0;
    private_trial(&t->shape, seed, t->family.name);
    t->shape.dram = oracle_dram_of_trial(seed);
    t->shape.hz = 1000000000 + seed % 7 * 500000001;
    t->shape.llc_bytes = (uint64_t)t->shape.cores * 24 * 64 << below(t, 13);
    t->family.shape.cores = t->shape.packages * t->shape.cores;
    t->family.bus_locks = 25;
    t->most = 2500 / t->family.shape.cores;
    if (below(t, 4) == 0) {
        t->family.cost = below(t, 4096);
        t->most = 20;
    }
    t->oracle = nhmex_oracle_new(&t->shape);
    t->model = new_model(t->shape);
    if (seed % 2) {
        nhmex_oracle_divide_memory(t->oracle);
        bx_model_divide_memory(t->model, t->shape.packages);
    }
    bx_signals *signals = bx_model_signals(t->model);
    for (unsigned core = 0; core < t->family.shape.cores; core++) {
        unsigned off = prefetchers_off(seed, core);
        nhmex_oracle_set_prefetchers(t->oracle, core, off);
        signals->set_prefetchers(signals, core, off);
    }
    add_random_choices(t);
}

static void finish(struct trial *t)
{
    nhmex_oracle_free(t->oracle);
    bx_model_free(t->model);
    if (t->differences)
        fail();
}

/* ---- counts ---- */

static unsigned units_of(const struct trial *t, unsigned box)
{
    static const unsigned units[BOXES] = {1, 0, 2, 2, 8, 2, 1};
    return box == C ? t->shape.cores : units[box];
}

static bx_selection of_unit(const bx_selection *sel, unsigned package, unsigned unit)
{
    bx_selection of = *sel;

    of.package = (uint16_t)package;
    of.unit = (uint16_t)(sel->box == R ? unit / 4 : unit);
    of.port = (uint16_t)(sel->box == R ? unit % 4 : 0);
    return of;
}

static uint64_t tally(struct trial *t, const bx_selection *sel)
{
    bx_signals *signals = bx_model_signals(t->model);
    uint64_t sum = 0;

    if (!signals->tally(signals, sel, &sum))
        disagree(t, "not produced");
    return sum;
}

/* A few of XBAR_MATCH's patterns in each trial. An internal port has no link, so it has no idle
 * link. */
static bool left_out(const struct trial *t, unsigned i, unsigned unit)
{
    const bx_selection *sel = &choice[i].sel;

    if (sel->box != R)
        return false;
    if (sel->code == 3)
        return i < catalogued && (i + t->seed) % 16 != 0;
    return sel->code == 1 && sel->umask == UINT32_C(1) << 30 && unit % 4 >= 2;
}

static void compare(struct trial *t, const struct choice *ch, unsigned package, unsigned unit,
                    int32_t *level, size_t cycles)
{
    bx_selection sel = of_unit(&ch->sel, package, unit);
    struct nhmex_signal s = words(&sel);
    uint64_t sum = 0, is = tally(t, &sel);

    if (!nhmex_oracle_levels(t->oracle, &s, level, cycles)) {
        disagree(t, "%s: the oracle has no such signal", ch->name);
        return;
    }
    for (size_t i = 0; i < cycles; i++)
        sum += (uint64_t)(int64_t)level[i];
    if (is != sum)
        disagree(t, "%s, package %u, unit %u: %llu, not %llu (model, oracle)", ch->name, package,
                 unit, (unsigned long long)is, (unsigned long long)sum);
}

/* In the middle of a run, a signal's tally is the sum of the cycles before. */
static void compare_present(struct trial *t)
{
    bx_signals *signals = bx_model_signals(t->model);
    size_t cycles = signals->now(signals);
    int32_t *level = malloc((cycles + 1) * sizeof *level);
    unsigned which = below(t, choices), unit = below(t, units_of(t, choice[which].sel.box));

    assert_non_null(level);
    if (!compares(&choice[which].sel) && !left_out(t, which, unit))
        compare(t, &choice[which], below(t, t->shape.packages), unit, level, cycles);
    free(level);
}

/* ---- runs ---- */

static enum bx_feed_state no_more(bx_feed *feed)
{
    (void)feed;
    return BX_FEED_END;
}

enum { MOST_STOPS = 100 }; /* time of the comparison */

static void run_model(struct trial *t, uint64_t slice)
{
    bx_feed feed[BX_AGENTS];
    bx_signals *signals = bx_model_signals(t->model);
    uint64_t until = slice ? signals->now(signals) : BX_NEVER;

    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        const struct oracle_trace *trace = &t->traces[agent];
        feed[agent] = (bx_feed){.next = trace->access,
                                .end = trace->n ? trace->access + trace->n : NULL,
                                .refill = no_more,
                                .each_retires = true};
        if (trace->n && agent != BX_AGENT_GT)
            bx_model_feed(t->model, agent, &feed[agent]);
    }
    for (unsigned stops = 0; !bx_model_run(t->model, until); stops++) {
        if (stops < MOST_STOPS)
            compare_present(t);
        until += 1 + random_below(&t->random, slice);
    }
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(t->model, agent, NULL);
}

static void run_both(struct trial *t, size_t accesses)
{
    bx_signals *signals = bx_model_signals(t->model);

    traces_new(t->traces, &t->family, accesses, &t->random);
    nhmex_oracle_run(t->oracle, t->traces);
    run_model(t, below(t, 2) ? 1 + below(t, 5000) : 0);
    traces_free(t->traces);
    if (signals->now(signals) != nhmex_oracle_end(t->oracle))
        disagree(t, "end: %llu, not %llu (model, oracle)",
                 (unsigned long long)signals->now(signals),
                 (unsigned long long)nhmex_oracle_end(t->oracle));
}

static void idle_both(struct trial *t, uint64_t cycles)
{
    nhmex_oracle_idle(t->oracle, cycles);
    bx_model_idle(t->model, cycles);
}

/* At the present time, and at most one for each package, because a virtual PMU sends only one in a
 * cycle. */
static void interrupt_both(struct trial *t)
{
    bx_signals *signals = bx_model_signals(t->model);

    for (unsigned package = 0; package < t->shape.packages; package++) {
        unsigned cores = 1 + below(t, t->shape.cores);
        if (below(t, 2)) {
            nhmex_oracle_interrupt(t->oracle, package, cores);
            signals->interrupt(signals, package, cores);
        }
    }
    for (unsigned n = below(t, 4); n > 0; n--) {
        unsigned cores = t->shape.packages * t->shape.cores, from = below(t, cores),
                 to = below(t, cores);
        bool wakes = below(t, 2);
        nhmex_oracle_send_interrupt(t->oracle, from, to, wakes);
        bx_model_send_interrupt(t->model, from, to, wakes);
    }
}

/* ---- counts ---- */

static void each_unit(struct trial *t, bool read_only)
{
    size_t cycles = nhmex_oracle_end(t->oracle);
    int32_t *level = malloc((cycles + 1) * sizeof *level);

    assert_non_null(level);
    for (unsigned i = 0; i < choices; i++)
        for (unsigned package = 0; package < t->shape.packages; package++)
            for (unsigned unit = 0; unit < units_of(t, choice[i].sel.box); unit++) {
                bx_selection sel = of_unit(&choice[i].sel, package, unit);
                if (left_out(t, i, unit))
                    continue;
                if (read_only)
                    tally(t, &sel);
                else
                    compare(t, &choice[i], package, unit, level, cycles);
            }
    free(level);
}

static void wrong(void *trial, const char *text)
{
    struct trial *t = trial;
    disagree(t, "%s", text);
}

static void compare_cores(struct trial *t)
{
    for (unsigned core = 0; core < t->family.shape.cores; core++)
        core_compare(t->model,
                     (bx_selection){.box = BX_NHMEX_CORE,
                                    .package = (uint16_t)(core / t->shape.cores),
                                    .unit = (uint16_t)(core % t->shape.cores)},
                     ORACLE_NEHALEM, nhmex_oracle_core_counts(t->oracle, core), wrong, t);
}

static void test_counts(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < seeds(14); seed++) {
        struct trial t;
        start(&t, seed);
        each_unit(&t, true);
        run_both(&t, 1 + below(&t, t.most));
        interrupt_both(&t);
        idle_both(&t, 1 + below(&t, 300));
        run_both(&t, 1 + below(&t, t.most));
        idle_both(&t, DRAIN);
        each_unit(&t, false);
        compare_cores(&t);
        finish(&t);
    }
}

/* ---- cycle by cycle ---- */

enum { WATCHED = 150 };

static bx_selection random_selection(struct trial *t)
{
    unsigned which, unit;
    do {
        which = below(t, choices);
        unit = below(t, units_of(t, choice[which].sel.box));
    } while ((choice[which].sel.box == R && choice[which].sel.code == 3) ||
             left_out(t, which, unit));
    return of_unit(&choice[which].sel, below(t, t->shape.packages), unit);
}

static void expect_levels(struct trial *t, struct watched *w)
{
    for (unsigned i = 0; i < w->n; i++) {
        struct nhmex_signal s = words(&w->signal[i].sel);
        assert_true(
            nhmex_oracle_levels(t->oracle, &s, (int32_t *)w->signal[i].expected, w->cycles));
    }
}

static void test_levels(void **state)
{
    (void)state;
    for (unsigned seed = 1000; seed < 1000 + seeds(12); seed++) {
        struct trial t;
        start(&t, seed);
        unsigned accesses = 1 + below(&t, t.most < 60 ? t.most : 60);
        struct watched w = watched_new(t.model, &t.random, WATCHED, 4096u * 60 + DRAIN);
        w.disagree = wrong;
        w.trial = &t;
        for (unsigned i = 0; i < WATCHED; i++)
            w.signal[i].sel = random_selection(&t);
        watched_begin(&w);
        watched_watch(&w, WATCHED);
        run_both(&t, accesses);
        interrupt_both(&t);
        idle_both(&t, DRAIN);
        if (nhmex_oracle_end(t.oracle) < w.cycles)
            w.cycles = nhmex_oracle_end(t.oracle);
        expect_levels(&t, &w);
        watched_compare(&w);
        finish(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, list_choices, NULL);
}
