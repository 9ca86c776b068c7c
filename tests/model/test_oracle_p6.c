/* Compares the P6 model with its oracle, under random work of both agents: every signal of either
 * has equal counts, and equal levels in each cycle in which it is watched. BX_LONG in the
 * environment adds much more. Time may pass between works, but not while work waits. */
#include "../cmocked.h"

#include "../rounds.h"

#include "pieces.h"
#include "watched.h"
#include "oracle/p6/oracle.h"
#include "oracle/traces.h"

#include "model/model.h"

#include <stdlib.h>

enum { CODES = 256, MASKS = 256, MOST_SIGNALS = 1024, MOST_LINES = 64, SPARE_CYCLES = 1000 };

/* The work of a trial: accesses to a few lines that compete for the same sets, in percent. */
struct work {
    uint64_t line[MOST_LINES];
    unsigned lines;
    unsigned store, fetch, dependent, partial;
    unsigned processor_cost, io_cost; /* the most cycles between two accesses */
};

struct trial {
    uint64_t seed, random;
    struct work work;
    struct p6_oracle *oracle;
    bx_model *model;
    struct p6_signal signal[MOST_SIGNALS];
    unsigned signals;
    bool *moved; /* [signal]: counted something in this trial or an earlier one */
};

#define disagree(trial, ...)                                                                       \
    do {                                                                                           \
        print_error("seed %llu: ", (unsigned long long)(trial)->seed);                             \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        fail();                                                                                    \
    } while (0)

static unsigned seeds(unsigned quick)
{
    return rounds_of(quick, 50 * quick);
}

/* ---- work ---- */

/* Distances of lines that share a set: of no cache, DCU and L1I, ITLB, L2. */
static uint64_t random_line(uint64_t *random)
{
    static const uint64_t distance[] = {1, 128, 128 * 8, 4096};
    return distance[random_below(random, 4)] * random_below(random, 10);
}

static struct work random_work(uint64_t *random)
{
    static const unsigned cost[] = {1, 2, 8, 40, 300};
    struct work w = {
        .lines = 1 + (unsigned)random_below(random, MOST_LINES),
        .store = (unsigned)random_below(random, 101),
        .fetch = (unsigned)random_below(random, 60),
        .dependent = (unsigned)random_below(random, 60),
        .partial = (unsigned)random_below(random, 101),
        .processor_cost = cost[random_below(random, 5)],
        .io_cost = cost[random_below(random, 5)],
    };

    for (unsigned i = 0; i < w.lines; i++)
        w.line[i] = random_line(random);
    return w;
}

static bool percent(uint64_t *random, unsigned chance)
{
    return random_below(random, 100) < chance;
}

enum { REMARKS = 10 }; /* percent */

static bx_access random_remark(struct trial *t, unsigned most_cost)
{
    unsigned branch = percent(&t->random, 30) ? (unsigned)random_below(&t->random, 256) : 0;

    return BX_ACCESS_REMARK | (bx_access)random_below(&t->random, BX_CLASSES) << 32 |
           bx_access_make(random_below(&t->random, 4) | branch << 8, 0, 0,
                          (unsigned)random_below(&t->random, most_cost));
}

static bx_access random_access(struct trial *t, unsigned most_cost)
{
    const struct work *w = &t->work;
    uint64_t line = w->line[random_below(&t->random, w->lines)];
    unsigned kind = percent(&t->random, w->fetch)   ? BX_FETCH
                    : percent(&t->random, w->store) ? BX_STORE
                                                    : BX_LOAD;
    unsigned flags = (percent(&t->random, w->dependent) ? BX_ACCESS_DEPENDENT : 0) |
                     (percent(&t->random, w->partial) ? BX_ACCESS_PARTIAL : 0);

    return bx_access_make(line, kind, flags, (unsigned)random_below(&t->random, most_cost));
}

/* Into L1D it is a load. */
static bx_access random_prefetch(struct trial *t)
{
    const struct work *w = &t->work;
    uint64_t line = w->line[random_below(&t->random, w->lines)];
    enum bx_prefetcher by = (enum bx_prefetcher)random_below(&t->random, BX_PREFETCHERS);
    unsigned kind = (unsigned)random_below(&t->random, BX_FETCH + 1);

    return bx_access_prefetch(line, by, bx_prefetches_l1(by) ? BX_LOAD : kind);
}

/* Some are on two lines. */
static bx_access random_lock(struct trial *t, unsigned most_cost)
{
    bx_access cost = random_below(&t->random, most_cost) << 4;

    return percent(&t->random, 30) ? bx_access_steer(0, BX_STEER_LOCK_BUS) | cost
                                   : BX_ACCESS_LOCK | cost;
}

/* IN and OUT, and accesses of registers. */
static bx_access random_device(struct trial *t, unsigned most_cost)
{
    unsigned kind = percent(&t->random, 50) ? BX_LOAD : BX_STORE;
    unsigned flags = percent(&t->random, 70) ? BX_ACCESS_PARTIAL : 0;

    return bx_access_uncacheable(random_below(&t->random, 64), kind, flags,
                                 (unsigned)random_below(&t->random, most_cost)) |
           (percent(&t->random, 40) ? BX_ACCESS_PORT : 0);
}

static struct p6_trace random_trace(struct trial *t, size_t n, unsigned most_cost, unsigned remarks)
{
    const unsigned locks = remarks && t->seed % 4 == 1 ? 5 : 0;
    const unsigned devices = remarks && t->seed % 5 == 2 ? 10 : 0;
    const unsigned prefetches = remarks && t->seed % 3 == 2 ? 20 : 0;
    bx_access *access = calloc(n + 1, sizeof *access);

    assert_non_null(access);
    for (size_t i = 0; i < n; i++)
        access[i] = percent(&t->random, remarks)      ? random_remark(t, most_cost)
                    : percent(&t->random, locks)      ? random_lock(t, most_cost)
                    : percent(&t->random, devices)    ? random_device(t, most_cost)
                    : percent(&t->random, prefetches) ? random_prefetch(t)
                                                      : random_access(t, most_cost);
    return (struct p6_trace){access, n};
}

/* ---- trials ---- */

static bx_selection selection(struct p6_signal s)
{
    return (bx_selection){.code = (uint16_t)s.code, .umask = s.umask, .levels = (uint8_t)s.levels};
}

/* Whether the page has the signal at this privilege level. At CPL 0 alone it has only what devices
 * cause: no kernel is executed. */
static bool has_signal(struct p6_signal s)
{
    bool of_io = s.code == 0x21 || s.code == 0x26 || s.code == 0x27 || s.code == 0x47 ||
                 s.code == 0x7a || s.code == 0x7b || s.code == 0x7e ||
                 (s.umask == 0x20 && s.code < 0x80 && s.code != 0x63 && s.code != 0x6c &&
                  (s.code < 0x66 || (s.code > 0x69 && s.code != 0x6d)));
    bool drives = s.code == 0x62; /* an implicit write-back, also when it is halted */
    bool of_kernel = s.code == 0xc6 || s.code == 0xc7;

    return p6_oracle_produces(s.code, s.umask) &&
           (s.levels != BX_LEVEL_OS || of_io || drives || of_kernel);
}

static void list_signals(struct trial *t)
{
    for (unsigned code = 0; code < CODES; code++)
        for (unsigned umask = 0; umask < MASKS; umask++)
            for (unsigned levels = 1; levels <= BX_LEVELS; levels++)
                if (has_signal((struct p6_signal){code, umask, levels}))
                    t->signal[t->signals++] = (struct p6_signal){code, umask, levels};
}

/* Every third trial has the page's times. All have a timer. */
static bx_model_times times_of(uint64_t seed)
{
    if (seed % 3 == 0)
        return (bx_model_times){.interrupt = 3001};
    return (bx_model_times){.bus_lock = (uint32_t)(seed % 211),
                            .fill_buffers = (uint32_t)(seed % 7),
                            .store_buffer = (uint32_t)(seed % 17),
                            .super_queue = (uint32_t)(seed % 9),
                            .l1_hit = (uint32_t)(seed % 5),
                            .l2_lookup = (uint32_t)(seed % 11),
                            .l2_line = (uint32_t)(seed % 29),
                            .itlb_walk = (uint32_t)(seed % 41),
                            .bus_clock = (uint32_t)(seed % 10),
                            .bus_request = (uint32_t)(seed % 5),
                            .bus_snoop = (uint32_t)(seed % 8),
                            .bus_stall = (uint32_t)(seed % 6),
                            .bus_read = (uint32_t)(seed % 23),
                            .bus_defer = (uint32_t)(seed % 37),
                            .bus_write = (uint32_t)(seed % 9),
                            .bus_invalidate = (uint32_t)(seed % 13),
                            .locked = (uint32_t)(seed % 31),
                            .mispredict = (uint32_t)(seed % 23),
                            .resteer = (uint32_t)(seed % 7),
                            .divide = (uint32_t)(seed % 53),
                            .interrupt = 100 + (uint32_t)(seed % 1009),
                            .interrupt_cycles = (uint32_t)(seed % 307)};
}

static void start(struct trial *t, uint64_t seed, bool moved[MOST_SIGNALS])
{
    bx_error e = {0};

    *t = (struct trial){.seed = seed, .random = seed, .moved = moved};
    t->work = random_work(&t->random);
    const bx_model_times times = times_of(seed);
    t->oracle = p6_oracle_new(times);
    t->model = bx_model_new("p6", &(bx_model_shape){.packages = 1, .cores = 1, .times = times}, &e);
    if (t->model == NULL)
        disagree(t, "no model: %s", e.message);
    list_signals(t);
}

static void finish(struct trial *t)
{
    p6_oracle_free(t->oracle);
    bx_model_free(t->model);
}

static uint64_t tally(struct trial *t, struct p6_signal s)
{
    bx_signals *signals = bx_model_signals(t->model);
    bx_selection sel = selection(s);
    uint64_t sum = 0;

    if (!signals->tally(signals, &sel, &sum))
        disagree(t, "%02XH, mask %02XH is not produced", s.code, s.umask);
    return sum;
}

/* All work has ended. The last access may be in the same cycle. */
static void compare_counts(struct trial *t)
{
    size_t cycles = p6_oracle_now(t->oracle) + 1;
    uint32_t *level = calloc(cycles, sizeof *level);

    assert_non_null(level);
    for (unsigned i = 0; i < t->signals; i++) {
        struct p6_signal s = t->signal[i];
        uint64_t sum = 0;
        p6_oracle_levels(t->oracle, s, level, cycles);
        for (size_t c = 0; c < cycles; c++)
            sum += level[c];
        if (tally(t, s) != sum)
            disagree(t, "%02XH, mask %02XH, levels %u: %llu, not %llu (model, oracle)", s.code,
                     s.umask, s.levels, (unsigned long long)tally(t, s), (unsigned long long)sum);
        t->moved[i] |= sum != 0;
    }
    free(level);
}

/* ---- feeds ---- */

static void give(struct trial *t, unsigned agent, struct p6_trace trace, struct pieces *pieces)
{
    *pieces = pieces_of(trace.access, trace.n, trace.n, dice_next(&t->random));
    bx_model_feed(t->model, agent, trace.n != 0 ? &pieces->feed : NULL);
}

/* ---- whole runs ---- */

static void check_end(struct trial *t)
{
    bx_signals *signals = bx_model_signals(t->model);

    if (signals->now(signals) != p6_oracle_now(t->oracle))
        disagree(t, "end: %llu, not %llu (model, oracle)",
                 (unsigned long long)signals->now(signals),
                 (unsigned long long)p6_oracle_now(t->oracle));
}

/* Runs the model in one go, or in pieces. */
static void run_model(struct trial *t)
{
    bx_signals *signals = bx_model_signals(t->model);
    uint64_t piece = 1 + random_below(&t->random, 5000);
    uint64_t until = percent(&t->random, 50) ? BX_NEVER : signals->now(signals);

    while (!bx_model_run(t->model, until)) {
        if (signals->now(signals) != until)
            disagree(t, "stopped at %llu, not at %llu", (unsigned long long)signals->now(signals),
                     (unsigned long long)until);
        until += 1 + random_below(&t->random, piece);
    }
}

/* In some trials one of the agents is idle. */
static void run_both(struct trial *t, size_t accesses)
{
    size_t n = percent(&t->random, 15) ? 0 : accesses,
           n_io = percent(&t->random, 15) ? 0 : accesses;
    struct p6_trace processor =
        random_trace(t, n * (1 + random_below(&t->random, 3)), t->work.processor_cost, REMARKS);
    struct p6_trace io = random_trace(t, n_io, t->work.io_cost, 0);
    struct pieces pieces[2];

    p6_oracle_run(t->oracle, processor, io);
    give(t, 0, processor, &pieces[0]);
    give(t, BX_AGENT_IO, io, &pieces[1]);
    run_model(t);
    bx_model_feed(t->model, 0, NULL);
    bx_model_feed(t->model, BX_AGENT_IO, NULL);
    check_end(t);
    free(processor.access);
    free(io.access);
}

static void idle_both(struct trial *t, uint64_t cycles)
{
    p6_oracle_idle(t->oracle, cycles);
    bx_model_idle(t->model, cycles);
}

static void whole_trial(uint64_t seed, size_t accesses, bool moved[MOST_SIGNALS])
{
    struct trial t;

    start(&t, seed, moved);
    run_both(&t, accesses);
    compare_counts(&t);
    idle_both(&t, random_below(&t.random, 300));
    t.work = random_work(&t.random);
    run_both(&t, accesses);
    idle_both(&t, SPARE_CYCLES);
    compare_counts(&t);
    finish(&t);
}

/* Whether the page lets the signal count anything. These do not: unit masks without a state, and
 * a kernel's work at CPL 3. */
static bool can_move(struct p6_signal s)
{
    bool of_states = s.code == 0x28 || s.code == 0x29 || s.code == 0x2a || s.code == 0x2e;

    bool of_kernel = s.code == 0xc6 || s.code == 0xc7;

    return !(of_states && s.umask == 0) && !(of_kernel && s.levels == BX_LEVEL_USER);
}

static void test_counts(void **state)
{
    struct trial t;
    bool moved[MOST_SIGNALS] = {false};

    (void)state;
    for (unsigned seed = 0; seed < seeds(40); seed++)
        whole_trial(seed, 20 + seed * 37 % 400, moved);
    start(&t, 0, NULL);
    for (unsigned i = 0; i < t.signals; i++)
        if (moved[i] != can_move(t.signal[i]))
            disagree(&t, "%02XH, mask %02XH, levels %u: %s", t.signal[i].code, t.signal[i].umask,
                     t.signal[i].levels, moved[i] ? "counts" : "never counts");
    finish(&t);
}

/* The model produces exactly the signals of the page's table. */
static void test_produced(void **state)
{
    struct trial t;

    (void)state;
    start(&t, 0, NULL);
    for (unsigned code = 0; code < CODES; code++)
        for (unsigned umask = 0; umask < MASKS; umask++)
            for (unsigned levels = 1; levels <= BX_LEVELS; levels++) {
                struct p6_signal s = {code, umask, levels};
                bx_selection sel = selection(s);
                if (bx_model_produces(t.model, &sel) != has_signal(s))
                    disagree(&t, "%02XH, mask %02XH, levels %u: only one produces it", code, umask,
                             levels);
            }
    finish(&t);
}

/* ---- cycle by cycle ---- */

enum { WATCHED = 64 };

static void wrong(void *trial, const char *text)
{
    struct trial *t = trial;
    disagree(t, "%s", text);
}

static void watched_trial(uint64_t seed, size_t accesses)
{
    struct trial t;
    struct pieces pieces[2];

    start(&t, seed, NULL);
    struct p6_trace processor = random_trace(&t, accesses, t.work.processor_cost, REMARKS);
    struct p6_trace io = random_trace(&t, seed % 8 ? accesses : 0, t.work.io_cost, 0);
    p6_oracle_run(t.oracle, processor, io);
    uint64_t end = p6_oracle_now(t.oracle);
    struct watched w = watched_new(t.model, &t.random, WATCHED, end + SPARE_CYCLES);
    w.disagree = wrong;
    w.trial = &t;
    w.after_end = true; /* see compare_counts */
    for (unsigned i = 0; i < WATCHED; i++) {
        struct p6_signal s = t.signal[random_below(&t.random, t.signals)];
        w.signal[i].sel = selection(s);
        p6_oracle_levels(t.oracle, s, w.signal[i].expected, w.cycles);
    }
    give(&t, 0, processor, &pieces[0]);
    give(&t, BX_AGENT_IO, io, &pieces[1]);
    watched_run(&w, end);
    watched_compare(&w);
    finish(&t);
    free(processor.access);
    free(io.access);
}

static void test_levels_and_alarms(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < seeds(100); seed++)
        watched_trial(seed, 10 + seed * 13 % 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_produced),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_levels_and_alarms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
