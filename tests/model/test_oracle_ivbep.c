/* Compares src/model/machine/ivbep with its oracle on seeded streams: every count of every C-Box,
 * with any unit mask and filters, every count of every memory channel, and every watched level.
 * BX_LONG in the environment adds many more. */
#include "../cmocked.h"

#include "../dice.h"
#include "../oracle/dram.h"
#include "../oracle/ivbep/oracle.h"
#include "../oracle/late.h"
#include "../oracle/privates.h"
#include "../oracle/prefetchers_off.h"
#include "../rounds.h"
#include "core_compared.h"
#include "ivbep_rig.h"
#include "ivbep_streams.h"
#include "pieces.h"
#include "watched.h"

#include "model/machine/ivbep/boxes.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>

/* What has not ended with the run is done by then. */
enum { DRAIN = 100000, LLC_WAYS = 20 };

/* ---- trials ---- */

/* One comparison: what it runs, and what a message names. */
struct trial {
    uint64_t seed, dice;
    struct family family;
    struct ivbep_trace traces[BX_AGENTS];
    struct ivbep_oracle *oracle;
    bx_model *model;
    bx_signals *signals;
    bx_model_dram dram;
    uint64_t hz;
    unsigned differences;
    bool *seen; /* rows of the page's table that were counted, or NULL */
};

#define disagree(trial, ...)                                                                       \
    do {                                                                                           \
        print_error("seed %" PRIu64 ", family \"%s\": ", (trial)->seed, (trial)->family.name);     \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        if (++(trial)->differences == 20)                                                          \
            fail();                                                                                \
    } while (0)

static void start(struct trial *t, uint64_t seed, const struct family *family, bool record)
{
    bx_error e = {0};

    *t = (struct trial){.seed = seed, .dice = seed};
    t->family = family ? *family : ivbep_random_family(&t->dice);
    if (family && seed % 8 > 4)
        t->family.steer = 20;
    if (family && seed % 4 > 1)
        t->family.prefetch = 30;
    t->family.divided = seed / 8 % 2;
    const struct family *f = &t->family;
    bx_model_shape shape = {.packages = f->packages,
                            .cores = f->cores,
                            .llc_bytes = UINT64_C(64) * LLC_WAYS * f->llc_sets * f->cores,
                            .measured_replacement = seed % 2,
                            .prefetch = f->prefetch != 0,
                            .times = late_times_of_trial(seed / 4),
                            .dram = oracle_dram_of_trial(seed / 2),
                            .hz = 1000000000 + seed % 7 * 500000001};
    static const uint32_t link_rate[] = {0, 25500, 1500};

    shape.times.link_rate = link_rate[seed % 3];
    shape.times.link_modified = seed % 4 == 1 ? 75 : 0;
    private_trial(&shape, seed, f->name);
    t->dram = shape.dram;
    t->hz = shape.hz;
    t->oracle = ivbep_oracle_new(&shape, f->llc_sets, record);
    t->model = bx_model_new("ivbep", &shape, &e);
    assert_non_null(t->model);
    if (f->divided) {
        ivbep_oracle_divide_memory(t->oracle);
        bx_model_divide_memory(t->model, f->packages);
    }
    t->signals = bx_model_signals(t->model);
    for (unsigned core = 0; core < f->packages * f->cores; core++) {
        unsigned off = prefetchers_off(seed, core);
        ivbep_oracle_set_prefetchers(t->oracle, core, off);
        t->signals->set_prefetchers(t->signals, core, off);
    }
}

static void finish(struct trial *t)
{
    assert_int_equal(t->differences, 0);
    ivbep_oracle_free(t->oracle);
    bx_model_free(t->model);
}

static void give(struct trial *t, struct pieces pieces[BX_AGENTS])
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        const struct ivbep_trace *trace = &t->traces[agent];
        if (trace->n == 0)
            continue;
        pieces[agent] = pieces_of(trace->access, trace->n, 1000, dice_next(&t->dice));
        bx_model_feed(t->model, agent, &pieces[agent].feed);
    }
}

static void take_away(struct trial *t)
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        if (t->traces[agent].n != 0)
            bx_model_feed(t->model, agent, NULL);
    ivbep_free_traces(t->traces);
}

static void check_now(struct trial *t)
{
    uint64_t now = t->signals->now(t->signals), expected = ivbep_oracle_now(t->oracle);

    if (now != expected)
        disagree(t, "now: %" PRIu64 ", not %" PRIu64, now, expected);
}

/* ---- selections ---- */

enum { ALL_STATES = 0x3f << 17, TID = 0x1f };

/* FILTER0's states apply to lookups; its thread and core apply with TID_EN. */
static bx_selection selection(unsigned code, unsigned umask, bool tid_en, uint64_t filter0,
                              uint64_t filter1)
{
    bx_selection sel = {.box = BX_IVBEP_CBO,
                        .code = (uint16_t)code,
                        .umask = umask,
                        .filter = {filter0, filter1},
                        .levels = BX_LEVELS};

    rig_apply_filters(&sel, tid_en);
    return sel;
}

/* Codes of a memory channel with their modelled bits: docs/explanation/model-ivbep.md, "Signals of
 * the memory channels". */
static const struct {
    unsigned code, bits;
    bool plain; /* also without DRAM */
} memory[] = {
    {0x00, 0, false},    {0xff, 0, false},    {0x01, 0x03, false}, {0x02, 0x0f, false},
    {0x11, 0, false},    {0x04, 0x0f, true},  {0x10, 0, true},     {0x20, 0, true},
    {0xb0, 0xff, false}, {0xb1, 0xff, false}, {0xb2, 0xff, false}, {0xb3, 0xff, false},
    {0xb4, 0xff, false}, {0xb5, 0xff, false}, {0xb6, 0xff, false}, {0xb7, 0xff, false},
    {0xb8, 0xff, false}, {0xb9, 0xff, false}, {0xba, 0xff, false}, {0xbb, 0xff, false},
    {0xbc, 0xff, false}, {0xbd, 0xff, false}, {0xbe, 0xff, false}, {0xbf, 0xff, false},
};
enum { MEMORY = sizeof memory / sizeof *memory };

static bx_selection memory_selection(unsigned code, unsigned umask)
{
    return (bx_selection){
        .box = BX_IVBEP_IMC, .code = (uint16_t)code, .umask = umask, .levels = BX_LEVELS};
}

static bool memory_is_listed(const bx_model_dram *dram, uint64_t hz, unsigned code, unsigned umask)
{
    unsigned writes = umask & 0x0c;
    bool closes = code == 0x02 && (umask & 3) == 2; /* PAGE_CLOSE, which there is none of, alone */
    bool underfills = code == 0x04 && (umask & 3) == 2;

    if (code == 0x11 && (uint64_t)dram->rate * 500000 > hz) /* a faster clock than the machine's */
        return false;
    for (unsigned i = 0; i < MEMORY; i++)
        if (memory[i].code == code)
            return (umask & ~memory[i].bits) == 0 && !closes && !underfills &&
                   (dram->rate
                        ? code != 0x04 || writes != 0x08
                        : memory[i].plain && (code != 0x04 || writes == 0 || writes == 0x0c));
    return false;
}

static const unsigned codes[] = {0x00, 0x02, 0x11, 0x13, 0x1b, 0x1c, 0x1d, 0x1e,
                                 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x39};
static const unsigned opcodes[] = {0x180, 0x181, 0x182, 0x18c, 0x18d, 0x190, 0x191, 0x192,
                                   0x193, 0x194, 0x195, 0x19c, 0x19e, 0x1c4, 0x1c5, 0x1c8};

enum { CODES = sizeof codes / sizeof *codes, OPCODES = sizeof opcodes / sizeof *opcodes };

static bx_selection random_memory_selection(struct trial *t)
{
    bx_selection sel;

    do {
        unsigned i = dice_below(&t->dice, MEMORY);
        sel = memory_selection(memory[i].code, dice_below(&t->dice, 256) & memory[i].bits);
        sel.rises = dice_below(&t->dice, 2);
    } while (!bx_model_produces(t->model, &sel));
    return sel;
}

/* A random selection that the model produces. */
static bx_selection random_selection(struct trial *t)
{
    uint64_t *dice = &t->dice;
    bx_selection sel;

    if (dice_below(dice, 4) == 0)
        return random_memory_selection(t);

    do {
        uint64_t filter0 = dice_below(dice, 2) ? ALL_STATES : dice_next(dice) & ALL_STATES;
        uint64_t filter1 = dice_below(dice, 8) | opcodes[dice_below(dice, OPCODES)] << 20;
        if (dice_below(dice, 20) == 0)
            filter1 |= dice_next(dice) & UINT64_C(3) << 30;
        sel = selection(codes[dice_below(dice, CODES)], dice_below(dice, 256),
                        dice_below(dice, 4) == 0, filter0 | (dice_next(dice) & TID), filter1);
    } while (!bx_model_produces(t->model, &sel));
    return sel;
}

static void compare(struct trial *t, bx_selection *sel, unsigned package, unsigned unit)
{
    uint64_t sum = 0, expected;

    sel->package = (uint16_t)package;
    sel->unit = (uint16_t)unit;
    expected = ivbep_oracle_sum(t->oracle, sel);
    if (!bx_model_produces(t->model, sel) || !t->signals->tally(t->signals, sel, &sum))
        disagree(t, "code %#x umask %#x is not produced", sel->code, sel->umask);
    else if (sum != expected)
        disagree(t,
                 "package %u %s %u code %#x umask %#x filters %#" PRIx64 " %#" PRIx64
                 " applied %#" PRIx64 ": %" PRIu64 ", not %" PRIu64,
                 package, sel->box == BX_IVBEP_CBO ? "C-Box" : "channel", unit, sel->code,
                 sel->umask, sel->filter[0], sel->filter[1], sel->applies[0], sum, expected);
}

static void compare_units(struct trial *t, bx_selection sel)
{
    unsigned units = sel.box == BX_IVBEP_CBO ? t->family.cores : t->dram.channels;

    for (unsigned package = 0; package < t->family.packages; package++)
        for (unsigned unit = 0; unit < units; unit++)
            compare(t, &sel, package, unit);
}

/* The page's table: codes with their modelled bits, except those with filters. */
static const struct {
    unsigned code, bits;
} plain[] = {{0x02, 0x7f}, {0x11, 0x17}, {0x13, 0x17}, {0x1b, 0xff}, {0x1c, 0xff}, {0x1d, 0xff},
             {0x1e, 0xff}, {0x31, 0x07}, {0x32, 0x1f}, {0x33, 0x81}, {0x37, 0x0f}, {0x39, 0x0f}};

enum { PLAIN = sizeof plain / sizeof *plain, LISTED = 137 };

/* Gets the i-th selection of the page's table, bit by bit; false: there is none. */
static bool listed(unsigned i, bx_selection *sel)
{
    static const uint8_t of_tor[] = {0x04, 0x08, 0x0a, 0x10, 0x28, 0x2a, 0x88, 0x8a};
    unsigned lookups = 6 * 4, tor = sizeof of_tor + OPCODES;

    for (unsigned k = 0; k < PLAIN; k++)
        for (unsigned bit = 1; bit < 0x100; bit <<= 1)
            if (plain[k].bits & bit && i-- == 0) {
                *sel = selection(plain[k].code, bit, false, 0, 0);
                return true;
            }
    if (i < lookups) {
        *sel = selection(0x34, 0x02u << i % 4, false, UINT64_C(1) << (17 + i / 4), 0);
        return true;
    }
    i -= lookups;
    *sel = i % tor < sizeof of_tor ? selection(0x35 + i / tor, of_tor[i % tor], false, 0, 0)
                                   : selection(0x35 + i / tor, 0x01, false, 0,
                                               (uint64_t)opcodes[i % tor - sizeof of_tor] << 20);
    return i < 2 * tor;
}

static void compare_listed(struct trial *t)
{
    bx_selection sel;

    for (unsigned i = 0; listed(i, &sel); i++) {
        compare_units(t, sel);
        for (unsigned unit = 0; t->seen && unit < t->family.cores; unit++) {
            sel.unit = (uint16_t)unit;
            t->seen[i] |= ivbep_oracle_sum(t->oracle, &sel) != 0;
        }
    }
}

/* Bit by bit. */
static void compare_memory(struct trial *t)
{
    for (unsigned i = 0; i < MEMORY; i++)
        for (unsigned bit = 0; bit <= 0x80; bit = bit ? 2 * bit : 1)
            if (memory_is_listed(&t->dram, t->hz, memory[i].code, bit))
                compare_units(t, memory_selection(memory[i].code, bit));
}

static void wrong(void *trial, const char *text)
{
    struct trial *t = trial;
    disagree(t, "%s", text);
}

static bx_selection core_selection(const struct trial *t, unsigned core)
{
    return (bx_selection){.box = BX_IVBEP_CORE,
                          .package = (uint16_t)(core / t->family.cores),
                          .unit = (uint16_t)(core % t->family.cores),
                          .levels = BX_LEVELS};
}

static void compare_cores(struct trial *t)
{
    for (unsigned core = 0; core < t->family.packages * t->family.cores; core++)
        core_compare(t->model, core_selection(t, core), ORACLE_IVY_BRIDGE,
                     ivbep_oracle_core_counts(t->oracle, core), wrong, t);
}

static void compare_all(struct trial *t)
{
    check_now(t);
    compare_cores(t);
    compare_listed(t);
    compare_memory(t);
    for (unsigned i = 0; i < 100; i++)
        compare_units(t, random_selection(t));
}

/* ---- whole runs ---- */

/* Model and oracle run the family's streams to their end; the model in one go or in random slices
 * of time. */
static void run_both(struct trial *t, size_t accesses, bool sliced)
{
    struct pieces pieces[BX_AGENTS];
    uint64_t until = sliced ? t->signals->now(t->signals) : BX_NEVER;
    unsigned slice = 1 + dice_below(&t->dice, 20000);

    ivbep_new_traces(t->traces, &t->family, accesses, &t->dice);
    ivbep_oracle_run(t->oracle, t->traces);
    give(t, pieces);
    while (!bx_model_run(t->model, until))
        until += dice_below(&t->dice, slice);
    take_away(t);
    check_now(t);
}

static void idle_both(struct trial *t, uint64_t cycles)
{
    ivbep_oracle_idle(t->oracle, cycles);
    bx_model_idle(t->model, cycles);
}

/* Two runs, the second some time later and on the first one's cache contents. */
static void whole_trial(uint64_t seed, const struct family *family, size_t accesses, bool *seen)
{
    struct trial t;

    start(&t, seed, family, false);
    t.seen = seen;
    run_both(&t, accesses, seed % 2);
    idle_both(&t, dice_below(&t.dice, 300));
    run_both(&t, accesses, seed % 3 == 0);
    idle_both(&t, DRAIN);
    compare_all(&t);
    finish(&t);
}

/* Everything in the page's table occurs in some family, on package 0, with these exceptions. */
static void check_seen(const bool *seen)
{
    bx_selection sel;

    assert_true(listed(LISTED - 1, &sel) && !listed(LISTED, &sel));
    for (unsigned i = 0; listed(i, &sel); i++) {
        bool cannot = sel.code == 0x1e && sel.umask & 0xf0; /* IV has one virtual ring */
        if (seen[i] == cannot)
            fail_msg("code %#x umask %#x filters %#" PRIx64 " %#" PRIx64 " is%s counted", sel.code,
                     sel.umask, sel.filter[0], sel.filter[1], seen[i] ? "" : " not");
    }
}

static void test_families(void **state)
{
    bool seen[LISTED] = {false};

    (void)state;
    for (unsigned i = 0; i < IVBEP_FAMILIES; i++)
        for (unsigned seed = 0; seed < rounds_of(2, 40); seed++)
            whole_trial(seed, &ivbep_families[i], is_long() ? 2000 : 1000, seen);
    check_seen(seen);
}

static void test_random_families(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < rounds_of(20, 600); seed++)
        whole_trial(seed, NULL, 1500, NULL);
}

/* ---- all unit masks ---- */

static bool is_listed(unsigned code, unsigned umask)
{
    for (unsigned i = 0; i < PLAIN; i++)
        if (plain[i].code == code)
            return (umask & ~plain[i].bits) == 0 || (code == 0x37 && (umask & ~0x4fu) == 0);
    return code == 0x00 || code == 0x35 || code == 0x36 || (code == 0x34 && (umask & ~0x5fu) == 0);
}

/* The model produces a code and unit mask, and counts it, as the page says. */
static void test_all_masks(void **state)
{
    struct trial t;
    bx_selection sel;

    (void)state;
    start(&t, 1, &ivbep_families[6], false);
    run_both(&t, 2000, false);
    idle_both(&t, DRAIN);
    for (unsigned code = 0; code < 0x100; code++)
        for (unsigned umask = 0; umask < 0x100; umask++) {
            sel = selection(code, umask, umask % 3 == 0, ALL_STATES | 2, 2 | UINT64_C(0x182) << 20);
            bool produced = bx_model_produces(t.model, &sel);
            if (produced != is_listed(code, umask))
                disagree(&t, "code %#x umask %#x is%s produced", code, umask,
                         produced ? "" : " not");
            else if (produced)
                compare(&t, &sel, umask % 2, code % 3);
        }
    for (unsigned opcode = 0; opcode < 0x200; opcode++) {
        sel = selection(0x35, 0x01, false, 0, (uint64_t)opcode << 20);
        bool modelled = false;
        for (unsigned i = 0; i < OPCODES; i++)
            modelled |= opcodes[i] == opcode;
        if (bx_model_produces(t.model, &sel) != modelled)
            disagree(&t, "opcode %#x", opcode);
    }
    finish(&t);
}

/* The same for memory channels, without DRAM and with it. The quick suite tries all of 8 bits, and
 * an eighth of those with a ninth bit, which no code and no mask has: each of them is there. */
static void test_all_masks_of_memory(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 4; seed += 2) {
        struct trial t;
        start(&t, seed, &ivbep_families[10], false);
        run_both(&t, 2000, false);
        idle_both(&t, DRAIN);
        for (unsigned code = 0; code < 0x200; code++)
            for (unsigned umask = 0; umask < 0x200; umask++) {
                if (!is_long() && (code | umask) > 0xff && (code ^ umask) % 8)
                    continue;
                bx_selection sel = memory_selection(code, umask);
                bool produced = bx_model_produces(t.model, &sel);
                if (produced != memory_is_listed(&t.dram, t.hz, code, umask))
                    disagree(&t, "code %#x umask %#x is%s produced", code, umask,
                             produced ? "" : " not");
                else if (produced)
                    compare(&t, &sel, umask % 2, code % t.dram.channels);
            }
        bx_selection beyond = memory_selection(0x04, 0x03);
        beyond.unit = (uint16_t)t.dram.channels;
        uint64_t sum;
        assert_false(t.signals->tally(t.signals, &beyond, &sum));
        finish(&t);
    }
}

/* ---- cycle by cycle ---- */

enum { WATCHED = 60 };

/* Cycles in which a core has a request outstanding, or is idle meanwhile. */
static const uint8_t of_core[][3] = {
    {0x60, 0x01, 1}, {0x60, 0x02, 1}, {0x60, 0x04, 1}, {0xa3, 0x01, 1}, {0xa3, 0x05, 5}};
enum { OF_CORE = sizeof of_core / sizeof *of_core };

static void watch_core(struct trial *t, struct watched_signal *signal, uint64_t cycles)
{
    const uint8_t *event = of_core[dice_below(&t->dice, OF_CORE)];
    unsigned core = dice_below(&t->dice, t->family.packages * t->family.cores);

    signal->sel = core_selection(t, core);
    signal->sel.code = event[0];
    signal->sel.umask = event[1];
    signal->sel.threshold = event[2];
    core_levels(ivbep_oracle_core_counts(t->oracle, core), &signal->sel, signal->expected, cycles);
}

static void watch_uncore(struct trial *t, struct watched_signal *signal, uint64_t cycles)
{
    bx_selection *sel = &signal->sel;

    *sel = random_selection(t);
    sel->package = (uint16_t)dice_below(&t->dice, t->family.packages);
    sel->unit = (uint16_t)dice_below(&t->dice,
                                     sel->box == BX_IVBEP_CBO ? t->family.cores : t->dram.channels);
    ivbep_oracle_levels(t->oracle, sel, signal->expected, cycles);
}

static void watched_trial(uint64_t seed, const struct family *family, size_t accesses)
{
    struct trial t;
    struct pieces pieces[BX_AGENTS];

    start(&t, seed, family, true);
    ivbep_new_traces(t.traces, &t.family, accesses, &t.dice);
    ivbep_oracle_run(t.oracle, t.traces);
    uint64_t end = ivbep_oracle_now(t.oracle);
    struct watched w = watched_new(t.model, &t.dice, WATCHED, end + 2000);
    w.disagree = wrong;
    w.trial = &t;
    for (unsigned i = 0; i < WATCHED; i++)
        (i % 6 ? watch_uncore : watch_core)(&t, &w.signal[i], w.cycles);
    give(&t, pieces);
    watched_run(&w, end);
    watched_compare(&w);
    take_away(&t);
    finish(&t);
}

static void test_levels_and_alarms(void **state)
{
    (void)state;
    for (unsigned i = 0; i < IVBEP_FAMILIES; i++)
        for (unsigned seed = 0; seed < rounds_of(2, 20); seed++)
            watched_trial(seed, &ivbep_families[i], is_long() ? 400 : 150);
    for (unsigned seed = 0; seed < rounds_of(10, 200); seed++)
        watched_trial(seed, NULL, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),          cmocka_unit_test(test_random_families),
        cmocka_unit_test(test_all_masks),         cmocka_unit_test(test_all_masks_of_memory),
        cmocka_unit_test(test_levels_and_alarms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
