/* The order of accesses (docs/explanation/model-order.md, "Order"). Cases worked out by hand from
 * the page run on the model and on the oracle. Shared lines run on all models with several cores,
 * and are compared with a simulator that models only the order. */
#include "../cmocked.h"

#include "client_rig.h"
#include "oracle.h"

#include "model/machine/ivbep/boxes.h"
#include "model/machine/nhmex/boxes.h"

#include <stdio.h>
#include <string.h>

/* ---- cases worked out by hand: cores of a client with one slice ---- */

enum { X = 5, Y = 6, LOCK = 7, CORES = 2, STEPS = 16 };

#define LOAD(line, cost)      bx_access_make(line, BX_LOAD, 0, cost)
#define LOAD_WAIT(line, cost) bx_access_make(line, BX_LOAD, BX_ACCESS_DEPENDENT, cost)
#define STORE(line, cost)     bx_access_make(line, BX_STORE, 0, cost)

/* The accesses of two cores, and their counts. A cost is the time since the previous access, or
 * since its completion if the core waited for it. */
struct expected {
    uint64_t lookup[BX_MESI_STATES]; /* READ, by the state found */
    uint64_t hit, hitm;              /* snoops of the other core */
    uint64_t end;
};

struct order_case {
    bx_access access[CORES][STEPS];
    size_t n[CORES];
    struct expected expected;
};

static void expect_counts(const struct expected *e, const uint64_t lookup[BX_MESI_STATES],
                          const uint64_t xsnp[BX_SNOOP_RESPONSES], uint64_t end)
{
    for (unsigned state = 0; state < BX_MESI_STATES; state++)
        assert_int_equal(lookup[state], e->lookup[state]);
    assert_int_equal(xsnp[BX_SNOOP_HIT], e->hit);
    assert_int_equal(xsnp[BX_SNOOP_HITM], e->hitm);
    assert_int_equal(end, e->end);
}

static void expect_of_oracle(const struct order_case *c)
{
    static const unsigned state_of[] = {[ORACLE_M] = BX_LINE_M,
                                        [ORACLE_E] = BX_LINE_E,
                                        [ORACLE_S] = BX_LINE_S,
                                        [ORACLE_I] = BX_LINE_I};
    const bx_model_shape shape = {.packages = 1, .cores = 2, .slices = 1, .llc_bytes = 2 << 20};
    struct oracle_trace traces[BX_AGENTS] = {{c->access[0], c->n[0]}, {c->access[1], c->n[1]}};
    struct oracle *o = oracle_new(&shape, false);
    uint64_t lookup[BX_MESI_STATES];

    oracle_run(o, traces);
    const struct oracle_counts *counts = oracle_counts(o);
    for (unsigned s = 0; s < ORACLE_STATES; s++)
        lookup[state_of[s]] = counts->lookup[0][ORACLE_READ][s];
    const uint64_t xsnp[] = {
        [BX_SNOOP_HIT] = counts->xsnp[0][ORACLE_XCORE][ORACLE_HIT],
        [BX_SNOOP_HITM] = counts->xsnp[0][ORACLE_XCORE][ORACLE_HITM],
    };
    expect_counts(&c->expected, lookup, xsnp, counts->end);
    oracle_free(o);
}

static void expect_of_model(const struct order_case *c, uint64_t piece)
{
    struct rig r = rig_new(2, 1, 2 << 20);

    for (unsigned core = 0; core < CORES; core++)
        rig_feed(&r, core, c->access[core], c->n[core]);
    for (uint64_t until = piece; !bx_model_run(r.m, until); until += piece)
        continue;
    expect_counts(&c->expected, rig_counts(&r)->lookup[0][BX_CLIENT_READ],
                  rig_counts(&r)->xsnp[0][BX_SNOOP_XCORE], rig_now(&r));
    rig_free(&r);
}

static void expect_case(const struct order_case *c)
{
    expect_of_oracle(c);
    expect_of_model(c, BX_NEVER);
    expect_of_model(c, 7);
}

/* The page's first case: the upgrade completes at 442 + 34 + 25. */
static void test_one_line(void **state)
{
    (void)state;
    expect_case(&(struct order_case){
        {{STORE(X, 0), STORE(X, 300), STORE(X, 1), STORE(X, 99)}, {STORE(X, 100), LOAD(X, 202)}},
        {4, 2},
        {{[BX_LINE_I] = 1, [BX_LINE_E] = 1, [BX_LINE_M] = 3}, 1, 3, 501}});
}

/* Equal times. Core 0 misses, 150 cycles; core 1 waits for the line until 151, finds it in E, and
 * in M in core 0: 151 + 34 + ring 2 + 35. */
static void test_ties(void **state)
{
    (void)state;
    expect_case(&(struct order_case){
        {{STORE(X, 0)}, {STORE(X, 0)}}, {1, 1}, {{[BX_LINE_I] = 1, [BX_LINE_E] = 1}, 0, 1, 222}});
}

/* The store at 1000 finds S, which the load at 500 left, so core 1 is snooped and invalidated. It
 * completes at 1000 + 34 + 25. */
static void test_not_before_its_time(void **state)
{
    (void)state;
    expect_case(
        &(struct order_case){{{LOAD(X, 0), STORE(X, 1000)}, {LOAD(X, 500)}},
                             {2, 1},
                             {{[BX_LINE_I] = 1, [BX_LINE_E] = 1, [BX_LINE_S] = 1}, 2, 0, 1059}});
}

/* Both take the lock by a load that is waited for and a store, change Y, and store to the lock
 * again to leave it. 0 core 0 loads the lock: READ I, there at 150. At 150 it stores: private, E
 * becomes M. 160: stores Y: READ I. 180: leaves: private. 400 core 1 loads the lock: READ E, HITM;
 * S in both; there at 400 + 34 + 2 + 35 = 471. 471: it stores to it: READ M, HIT: core 0 loses its
 * copy. 481: stores Y: READ E, HITM. 501: leaves: private. 800 core 0 (620 after it has left) loads
 * the lock: READ M, HITM; there at 869. 869: stores: READ M, HIT: core 1 loses it. 879: stores Y:
 * READ M, HITM. 899: leaves: private. The last store to Y completes at 879 + 34 + 35. */
static void test_lock(void **state)
{
    (void)state;
    expect_case(&(struct order_case){
        {{LOAD_WAIT(LOCK, 0), STORE(LOCK, 0), STORE(Y, 10), STORE(LOCK, 20), LOAD_WAIT(LOCK, 620),
          STORE(LOCK, 0), STORE(Y, 10), STORE(LOCK, 20)},
         {LOAD_WAIT(LOCK, 400), STORE(LOCK, 0), STORE(Y, 10), STORE(LOCK, 20)}},
        {8, 4},
        {{[BX_LINE_I] = 2, [BX_LINE_E] = 2, [BX_LINE_M] = 4}, 2, 4, 948}});
}

/* Core 0 writes X and then the flag Y; core 1 looks at the flag and then reads X; twice.
 *      0 core 0 stores X: READ I. 10: Y: READ I.
 *    200 core 1 loads Y: READ E, HITM, there at 200 + 34 + 2 + 35 = 271. 281: X: READ E, HITM,
 * there at 352. Both lines are S in both. 500 core 0 stores X: READ M, HIT. 510: Y: READ M, HIT.
 *    700 core 1 loads Y: READ M, HITM, there at 771. 781: X: READ M, HITM, there at 852. */
static void test_producer(void **state)
{
    (void)state;
    expect_case(&(struct order_case){
        {{STORE(X, 0), STORE(Y, 10), STORE(X, 490), STORE(Y, 10)},
         {LOAD_WAIT(Y, 200), LOAD_WAIT(X, 10), LOAD_WAIT(Y, 348), LOAD_WAIT(X, 10)}},
        {4, 4},
        {{[BX_LINE_I] = 2, [BX_LINE_E] = 2, [BX_LINE_M] = 4}, 2, 4, 852}});
}

/* Stores of core 0 at 0, 100, 200, 300, of core 1 at 50, 150, 250, 350. In one line: core 0's first
 * one misses and has its line from 150 on. Core 1 asks at 50: READ E, HITM, and has it from 151 +
 * 71 = 222 on. So core 0's store at 100 waits for 150 beside its first one, and core 1's at 150 for
 * 222. Core 0 asks again at 200: READ M, HITM, there at 223 + 69 = 292; core 1 at 250: there at 293
 * + 71 = 364; core 0 at 300: there at 365 + 69 = 434, the end. Core 1's last one, at 350, waits for
 * 364. In a line for each there are two misses, on different channels: core 1's is there at 50 +
 * 150 + 2, and its last store at 350 is the end. */
static void test_false_sharing(void **state)
{
    (void)state;
    expect_case(
        &(struct order_case){{{STORE(X, 0), STORE(X, 100), STORE(X, 100), STORE(X, 100)},
                              {STORE(X, 50), STORE(X, 100), STORE(X, 100), STORE(X, 100)}},
                             {4, 4},
                             {{[BX_LINE_I] = 1, [BX_LINE_E] = 1, [BX_LINE_M] = 3}, 0, 4, 434}});
    expect_case(&(struct order_case){{{STORE(X, 0), STORE(X, 100), STORE(X, 100), STORE(X, 100)},
                                      {STORE(Y, 50), STORE(Y, 100), STORE(Y, 100), STORE(Y, 100)}},
                                     {4, 4},
                                     {{[BX_LINE_I] = 2}, 0, 0, 350}});
}

/* Core 1's store completes at 200 + 34 + 2 + 35. Its load at 210 finds the line in L1D and waits
 * until then; the store 5 later is the end. A load that is not dependent goes on: the end is the
 * store's completion. */
static void test_value_after_its_line(void **state)
{
    (void)state;
    expect_case(
        &(struct order_case){{{STORE(X, 0)}, {STORE(X, 200), LOAD_WAIT(X, 10), STORE(X, 5)}},
                             {1, 3},
                             {{[BX_LINE_I] = 1, [BX_LINE_E] = 1}, 0, 1, 276}});
    expect_case(&(struct order_case){{{STORE(X, 0)}, {STORE(X, 200), LOAD(X, 10), STORE(X, 5)}},
                                     {1, 3},
                                     {{[BX_LINE_I] = 1, [BX_LINE_E] = 1}, 0, 1, 271}});
}

/* The line comes from memory at 150. A dependent load at 10 finds it in L1D and waits for it, if a
 * load has requested it; the store 5 later is the end. What a store has written is forwarded. */
static void test_value_after_its_own_load(void **state)
{
    (void)state;
    expect_case(&(struct order_case){
        {{LOAD(X, 0), LOAD_WAIT(X, 10), STORE(X, 5)}}, {3, 0}, {{[BX_LINE_I] = 1}, 0, 0, 155}});
    expect_case(&(struct order_case){
        {{LOAD(X, 0), LOAD(X, 10), STORE(X, 5)}}, {3, 0}, {{[BX_LINE_I] = 1}, 0, 0, 150}});
    expect_case(&(struct order_case){
        {{STORE(X, 0), LOAD_WAIT(X, 10), STORE(X, 5)}}, {3, 0}, {{[BX_LINE_I] = 1}, 0, 0, 150}});
}

/* ---- the simulator: lines change hands in the order of time, nothing else is modelled ---- */

enum { BUFFERS = 10, MOST_CORES = 8, MOST_LINES = 64 };

struct strict_core {
    bx_feed *feed;
    bool stopped;
    unsigned came; /* for a line that is not free; 0: it does not wait for one */
    uint64_t time, buffer[BUFFERS];
    uint64_t store[BUFFERS]; /* the line of the buffer's store, and 1 */
    unsigned next_buffer;
};

struct strict_line {
    uint64_t line;
    unsigned holders;
    bool exclusive;
    uint64_t busy; /* until its last lookup is done */
};

static bool next_of(struct strict_core *c, uint64_t now)
{
    if (c->feed->next == c->feed->end && c->feed->refill(c->feed) != BX_FEED_MORE)
        return false;
    c->stopped = false;
    c->came = 0;
    c->time = now + (*c->feed->next >> 4 & BX_ACCESS_COST_MAX);
    return true;
}

static struct strict_line *strict_find(struct strict_line *of, uint64_t line)
{
    while (of->line != line && of->holders)
        of++;
    of->line = line;
    return of;
}

/* Whether another core came for the line of c's access before c. */
static bool is_behind(const struct strict_core *core, unsigned cores, const struct strict_core *c)
{
    for (unsigned i = 0; i < cores; i++)
        if (core[i].came && (!c->came || core[i].came < c->came) &&
            bx_access_line(*core[i].feed->next) == bx_access_line(*c->feed->next))
            return true;
    return false;
}

/* Whether a store to the line that c has lost is still to come. */
static bool is_to_come(const struct strict_core *c, uint64_t line)
{
    for (unsigned i = 0; i < BUFFERS; i++)
        if (c->store[i] == line + 1 && c->buffer[i] > c->time)
            return true;
    return false;
}

/* Lookups, if each takes `latency` cycles. A lookup has its line for `hold` cycles. queues: cores
 * wait for the line before they look it up, but stores in their buffers. */
static uint64_t strict_lookups(bx_feed *feed[], unsigned cores, uint64_t latency, uint64_t hold,
                               bool queues)
{
    unsigned came = 0;
    struct strict_core core[MOST_CORES] = {{0}}, *c;
    struct strict_line lines[MOST_LINES + 1] = {{0}};
    unsigned left = 0, lookups = 0;

    for (unsigned i = 0; i < cores; i++, left++) {
        core[i].feed = feed[i];
        assert_true(next_of(&core[i], 0));
    }
    while (left) {
        c = core;
        for (unsigned i = 1; i < cores; i++)
            c = core[i].time < c->time ? &core[i] : c;
        unsigned self = 1u << (c - core);
        bool store = (*c->feed->next & 3) == BX_STORE;
        struct strict_line *l = strict_find(lines, bx_access_line(*c->feed->next));
        uint64_t *buffer = &c->buffer[c->next_buffer];
        bool absent = !(l->holders & self) || (store && !l->exclusive);
        if (absent && !(queues && l->busy > c->time && is_to_come(c, l->line))) {
            bool behind = is_behind(core, cores, c);
            if (!c->stopped && *buffer > c->time) { /* wait for it */
                c->stopped = true;
                c->time = *buffer;
                continue;
            }
            if (queues && (behind || (l->busy > c->time && !store))) {
                c->came = c->came ? c->came : ++came;
                c->stopped = true;
                c->time = l->busy > c->time ? l->busy : c->time + 1;
                continue;
            }
            c->came = 0;
            lookups++;
            uint64_t begin = hold && l->busy > c->time ? l->busy : c->time;
            *buffer = begin + latency;
            c->store[c->next_buffer] = store ? l->line + 1 : 0;
            if (store || l->exclusive || !queues) /* else, the LLC gives it to several at once */
                l->busy = begin + hold;
            c->next_buffer = (c->next_buffer + 1) % BUFFERS;
            l->exclusive = store || !l->holders;
            l->holders = store ? self : l->holders | self;
        }
        c->feed->next++;
        if (!next_of(c, c->time)) {
            c->time = UINT64_MAX;
            left--;
        }
    }
    return lookups;
}

/* ---- the same on the models ---- */

/* Lookups of cores' requests, of a slice. */
static uint64_t client_lookups(const struct rig *r, unsigned package, unsigned slice)
{
    return rig_tally(r, &(bx_selection){.box = BX_CLIENT_CBO,
                                        .package = (uint16_t)package,
                                        .unit = (uint16_t)slice,
                                        .code = 0x34,
                                        .umask = 0x1f});
}

static uint64_t ivbep_lookups(const struct rig *r, unsigned package, unsigned slice)
{
    enum { ANY_STATE = 0x7e0000 }; /* FILTER0 */
    return rig_tally(r, &(bx_selection){.box = BX_IVBEP_CBO,
                                        .package = (uint16_t)package,
                                        .unit = (uint16_t)slice,
                                        .code = 0x34,
                                        .umask = 0x02,
                                        .filter = {ANY_STATE},
                                        .applies = {ANY_STATE}});
}

static uint64_t nhmex_lookups(const struct rig *r, unsigned package, unsigned slice)
{
    bx_selection sel = {.box = BX_NHMEX_C,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)slice,
                        .code = 0x14, /* LLC_MISSES:ALL */
                        .umask = 0x07};
    uint64_t misses = rig_tally(r, &sel);
    sel.code = 0x15; /* LLC_HITS:ALL */
    sel.umask = 0x0f;
    return misses + rig_tally(r, &sel);
}

/* latency: of a hit whose line another core has modified, near the sum on the model's page. */
static const struct machine {
    const char *model;
    bx_model_shape shape;
    uint64_t latency;
    uint64_t hold; /* so long requests for a line wait for each other: ADDR_CONFLICT, PA_BLOCK */
    bool queues;   /* at the core */
    uint64_t (*lookups)(const struct rig *r, unsigned package, unsigned slice);
} machines[] = {
    {"client",
     {.packages = 1, .cores = 4, .slices = 4, .llc_bytes = 8 << 20},
     71,
     72,
     true,
     client_lookups},
    {"ivbep",
     {.packages = 1, .cores = 4, .llc_bytes = 4 * 2560 << 10},
     73,
     73,
     false,
     ivbep_lookups},
    {"nhmex",
     {.packages = 1, .cores = 4, .llc_bytes = 4 * 3072 << 10},
     75,
     61,
     false,
     nhmex_lookups},
};

static uint64_t lookups_of_model(const struct machine *machine, const char *spec)
{
    struct rig r = rig_of(machine->model, machine->shape);
    uint64_t sum = 0;

    rig_work(&r, spec);
    for (unsigned slice = 0; slice < r.cores; slice++)
        sum += machine->lookups(&r, 0, slice);
    rig_free(&r);
    return sum;
}

static uint64_t lookups_in_order(const struct machine *machine, const char *spec, unsigned cores)
{
    bx_error e = {0};
    struct bx_frames *frames = bx_frames_new(1);
    struct bx_workload *workload;
    bx_feed *feed[MOST_CORES];

    assert_non_null(frames);
    assert_int_equal(bx_workload_new(spec, strlen(spec), cores, frames, &workload, &e), BX_OK);
    for (unsigned i = 0; i < cores; i++)
        feed[i] = bx_workload_feed(workload, i);
    uint64_t lookups =
        strict_lookups(feed, cores, machine->latency, machine->hold, machine->queues);
    bx_workload_free(workload);
    bx_frames_free(frames);
    return lookups;
}

static void expect_near(const struct machine *machine, const char *spec, unsigned cores,
                        unsigned percent)
{
    uint64_t model = lookups_of_model(machine, spec);
    uint64_t order = lookups_in_order(machine, spec, cores);

    if (model * 100 < order * (100 - percent) || model * 100 > order * (100 + percent))
        fail_msg("%s, %s: %llu lookups, %llu in strict order", machine->model, spec,
                 (unsigned long long)model, (unsigned long long)order);
}

/* The models differ from the simulator, because they have rings, responses and queues. With few
 * lines the difference is larger, because cores mostly wait. Two lines for which cores wait are not
 * compared: single cycles decide whether each core has the line that the other one wants. */
static void test_shared_lines(void **state)
{
    enum { ITERATIONS = 20000 };
    static const unsigned lines[] = {1, 2, 8, 64}, writes[] = {100, 30};

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (unsigned cores = 2; cores <= 4; cores += 2)
            for (unsigned l = 0; l < 4; l++)
                for (unsigned w = 0; w < (machines[i].queues && lines[l] == 2 ? 0 : 2); w++)
                    for (unsigned seed = 1; seed <= 2; seed++) {
                        char spec[120];
                        snprintf(spec, sizeof spec,
                                 "random,size=4K,stride=%u,cores=%u,write=%u,seed=%u,iterations=%d",
                                 4096 / lines[l], cores, writes[w], seed, ITERATIONS);
                        expect_near(&machines[i], spec, cores, lines[l] < 8 ? 30 : 10);
                    }
}

/* Core 0 has the line modified, core 1 makes these accesses. The cycles that they take. */
static uint64_t taken_over(const struct machine *machine, const bx_access *access, size_t n)
{
    struct rig r = rig_of(machine->model, machine->shape);

    rig_do(&r, 0, BX_STORE, X, 0);
    uint64_t cycles = rig_play(&r, 1, access, n);
    rig_free(&r);
    return cycles;
}

/* The line is core 1's from its request on, so what comes after it hits. But a dependent access
 * waits until the line has arrived; the store 5 later is the end. Ivy Bridge-EP: into the TOR 2,
 * hit 34, snoop of a modified line 35. Xeon 7500: ring 4, IRQ 4, hit 26, snoop 35, egress BL 2,
 * ring 4. */
static void test_servers_value_after_its_line(void **state)
{
    const bx_access dependent[] = {STORE(X, 0), LOAD_WAIT(X, 10), STORE(X, 5)};
    const bx_access other[] = {STORE(X, 0), LOAD(X, 10), STORE(X, 5)};
    static const struct {
        const char *model;
        uint64_t arrives;
    } servers[] = {{"ivbep", 71}, {"nhmex", 75}};

    (void)state;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        const struct machine *of = machines;
        while (strcmp(of->model, servers[i].model) != 0)
            of++;
        assert_int_equal(taken_over(of, dependent, 1), servers[i].arrives);
        assert_int_equal(taken_over(of, dependent, 3), servers[i].arrives + 5);
        assert_int_equal(taken_over(of, other, 3), servers[i].arrives);
    }
}

/* The cycles that these accesses of core 0 take. */
static uint64_t alone(const struct machine *machine, const bx_access *access, size_t n)
{
    struct rig r = rig_of(machine->model, machine->shape);
    uint64_t cycles = rig_play(&r, 0, access, n);

    rig_free(&r);
    return cycles;
}

/* The same for a line from memory that a load has requested, on all machines. */
static void test_value_after_the_load_of_its_line(void **state)
{
    const bx_access first[] = {LOAD_WAIT(X, 0)};
    const bx_access dependent[] = {LOAD(X, 0), LOAD_WAIT(X, 10), STORE(X, 5)};
    const bx_access other[] = {LOAD(X, 0), LOAD(X, 10), STORE(X, 5)};
    const bx_access stored[] = {STORE(X, 0), LOAD_WAIT(X, 10), STORE(X, 5)};

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        uint64_t arrives = alone(&machines[i], first, 1);
        assert_true(arrives > 50);
        assert_int_equal(alone(&machines[i], dependent, 3), arrives + 5);
        assert_int_equal(alone(&machines[i], other, 3), arrives);
        assert_int_equal(alone(&machines[i], stored, 3), arrives);
    }
}

/* Two packages with a core each. Core 0 has the line modified; core 1, of the other package, makes
 * these accesses. */
static uint64_t taken_over_far(const char *model, uint64_t llc, const bx_access *access, size_t n)
{
    struct rig r = rig_of(model, (bx_model_shape){.packages = 2, .cores = 1, .llc_bytes = llc});

    rig_do(&r, 0, BX_STORE, X, 0);
    uint64_t cycles = rig_play(&r, 1, access, n);
    rig_free(&r);
    return cycles;
}

/* The same between packages: what depends on the line waits for the way there and back. Ivy
 * Bridge-EP: into the TOR 2, link 40, into the other package's TOR 2, peer_snoop 20, snoop of a
 * modified line 35, link 40. Xeon 7500: at least a hit, the snoop, and the link twice. */
static void test_servers_value_after_its_line_from_afar(void **state)
{
    const bx_access dependent[] = {STORE(X, 0), LOAD_WAIT(X, 10), STORE(X, 5)};
    const bx_access other[] = {STORE(X, 0), LOAD(X, 10), STORE(X, 5)};
    static const struct {
        const char *model;
        uint64_t llc, least, most;
    } servers[] = {{"ivbep", 2560 << 10, 139, 139},
                   {"nhmex", 3072 << 10, 26 + 35 + 2 * 30, 2 * 121}};

    (void)state;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        uint64_t arrives = taken_over_far(servers[i].model, servers[i].llc, dependent, 1);
        assert_in_range(arrives, servers[i].least, servers[i].most);
        assert_int_equal(taken_over_far(servers[i].model, servers[i].llc, dependent, 3),
                         arrives + 5);
        assert_int_equal(taken_over_far(servers[i].model, servers[i].llc, other, 3), arrives);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_not_before_its_time),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_producer),
        cmocka_unit_test(test_false_sharing),
        cmocka_unit_test(test_value_after_its_line),
        cmocka_unit_test(test_value_after_its_own_load),
        cmocka_unit_test(test_servers_value_after_its_line),
        cmocka_unit_test(test_value_after_the_load_of_its_line),
        cmocka_unit_test(test_servers_value_after_its_line_from_afar),
        cmocka_unit_test(test_shared_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
