/* Agents that wait (docs/explanation/model-order.md, "Waiting"): which agent is asked for accesses,
 * and when. Cases are worked out by hand; random ones are compared with runs in which nobody waits.
 */
#include "../cmocked.h"

#include "client_rig.h"

#include "../dice.h"

#include "model/engine/turns.h"

#include <stdio.h>
#include <string.h>

/* ---- scripts ---- */

enum { CORES = 4, STEPS = 12, BATCH = 16, LOG = 400, X = 5 };

enum step_kind { STOP, GO, WAKE, PARK, AWAIT };

struct step {
    enum step_kind kind;
    unsigned n, cost; /* GO: loads of the core's own line, which it has, at `cost` each */
    unsigned x_at;    /* number of the access that is to X instead; n: none */
    unsigned x_kind;
    unsigned other; /* WAKE; AWAIT: for access `n` of its batch */
};

#define GO(n, cost)                                                                                \
    {                                                                                              \
        GO, n, cost, n, 0, 0                                                                       \
    }
#define GO_X(n, cost, at, kind)                                                                    \
    {                                                                                              \
        GO, n, cost, at, kind, 0                                                                   \
    }
#define WAKE(other)                                                                                \
    {                                                                                              \
        WAKE, 0, 0, 0, 0, other                                                                    \
    }
#define PARK                                                                                       \
    {                                                                                              \
        PARK, 0, 0, 0, 0, 0                                                                        \
    }
#define AWAIT(other, n)                                                                            \
    {                                                                                              \
        AWAIT, n, 0, 0, 0, other                                                                   \
    }

struct stage;

struct actor {
    bx_feed feed; /* first */
    struct stage *stage;
    unsigned agent;
    const struct step *step;
    bx_access batch[BATCH];
};

/* log: "agent@time" for each call of a refill, in order. */
struct stage {
    struct rig rig;
    uint64_t start;
    struct actor actor[CORES];
    char log[LOG];
};

static void note(struct stage *s, unsigned agent, uint64_t time)
{
    size_t n = strlen(s->log);
    assert_true(n + 20 < LOG);
    snprintf(s->log + n, LOG - n, "%s%u@%llu", n ? " " : "", agent,
             (unsigned long long)(time - s->start));
}

static enum bx_feed_state give(struct actor *a, const struct step *step)
{
    for (unsigned i = 0; i < step->n; i++)
        a->batch[i] = i == step->x_at ? bx_access_make(X, step->x_kind, 0, step->cost)
                                      : bx_access_make(100 + a->agent, BX_LOAD, 0, step->cost);
    a->feed.next = a->batch;
    a->feed.end = a->batch + step->n;
    return BX_FEED_MORE;
}

static enum bx_feed_state refill(bx_feed *feed)
{
    struct actor *a = (struct actor *)feed;
    bx_model *m = a->stage->rig.m;

    note(a->stage, a->agent, bx_model_clock(m, a->agent));
    for (; a->step->kind == WAKE; a->step++)
        bx_model_wake(m, a->step->other);
    const struct step *step = a->step;
    if (step->kind == STOP)
        return BX_FEED_END;
    a->step++;
    if (step->kind == GO)
        return give(a, step);
    if (step->kind == AWAIT)
        bx_model_wait_for(m, a->agent, step->other, a->stage->actor[step->other].batch + step->n);
    return BX_FEED_WAITS;
}

static const struct machine {
    const char *model;
    bx_model_shape shape;
} machines[] = {
    {"client", {.packages = 1, .cores = 4, .slices = 1, .llc_bytes = 2 << 20}},
    {"ivbep", {.packages = 1, .cores = 4, .llc_bytes = 4 * 2560 << 10}},
    {"ivbep", {.packages = 2, .cores = 2, .llc_bytes = 2 * 2560 << 10}},
    {"nhmex", {.packages = 1, .cores = 4, .llc_bytes = 4 * 3072 << 10}},
    {"nhmex", {.packages = 2, .cores = 2, .llc_bytes = 2 * 3072 << 10}},
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* Every core has its own line, and core 0 also has X. */
static void stage_set(struct stage *s, const struct machine *of, unsigned cores,
                      const struct step (*script)[STEPS])
{
    *s = (struct stage){.rig = rig_of(of->model, of->shape)};
    for (unsigned core = 0; core < cores; core++)
        rig_do(&s->rig, core, BX_LOAD, 100 + core, BX_ACCESS_DEPENDENT);
    rig_do(&s->rig, 0, BX_LOAD, X, BX_ACCESS_DEPENDENT);
    s->start = rig_now(&s->rig);
    for (unsigned core = 0; core < cores; core++) {
        struct actor *a = &s->actor[core];
        *a = (struct actor){{a->batch, a->batch, refill}, s, core, script[core], {0}};
        bx_model_feed(s->rig.m, core, &a->feed);
    }
}

static void play_in_pieces(struct stage *s, uint64_t piece)
{
    uint64_t until = piece == BX_NEVER ? piece : rig_now(&s->rig) + piece;
    for (; !bx_model_run(s->rig.m, until); until += piece)
        continue;
}

static const uint64_t pieces[] = {BX_NEVER, 1, 7, 20};
enum { PIECES = sizeof pieces / sizeof *pieces };

static void expect_log(const struct step (*script)[STEPS], const char *log)
{
    struct stage s;
    for (unsigned i = 0; i < MACHINES * PIECES; i++) {
        stage_set(&s, &machines[i / PIECES], CORES, script);
        play_in_pieces(&s, pieces[i % PIECES]);
        assert_string_equal(s.log, log);
        rig_free(&s.rig);
    }
}

/* Cores 2 and 3 are idle in most cases: they are asked once, at 0. */
#define expect(log, ...) expect_log((const struct step[CORES][STEPS]){__VA_ARGS__}, log)

/* ---- parked agents ---- */

/* One core wakes the other at 30. Both make two more accesses, up to 40. */
static void test_woken_at_the_time_of_the_other(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@30 0@30 0@40 1@40", {PARK, GO(2, 5)}, {GO(3, 10), WAKE(0), GO(2, 5)});
    expect("0@0 1@0 2@0 3@0 0@30 1@30 0@40 1@40", {GO(3, 10), WAKE(1), GO(2, 5)}, {PARK, GO(2, 5)});
}

/* Core 1 is woken while it has accesses, and after its feed has ended: no effect. */
static void test_not_parked(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 0@10 1@20 0@30", {GO(1, 10), WAKE(1), GO(1, 20), WAKE(1)}, {GO(1, 20)});
}

/* One core wakes three, and core 1 wakes the others again. */
static void test_several_are_woken(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 3@10 0@10 1@10 2@10 2@11 1@12 0@13 3@20", {PARK, GO(1, 3)},
           {PARK, GO(1, 2)}, {PARK, GO(1, 1)}, {GO(1, 10), WAKE(2), WAKE(0), WAKE(1), GO(1, 10)});
    expect("0@0 1@0 2@0 3@0 3@10 1@10 0@10 2@10 0@13 2@14 3@20", {PARK, GO(1, 3)},
           {PARK, WAKE(0), WAKE(2)}, {PARK, GO(1, 4)}, {GO(1, 10), WAKE(1), GO(1, 10)});
}

/* Core 0 parks at 10, and the run ends. It is woken then, and again after a pause. */
static void test_several_runs(void **state)
{
    const struct step script[CORES][STEPS] = {{GO(1, 10), PARK, GO(1, 10), PARK, GO(1, 10)}};
    struct stage s;

    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        stage_set(&s, &machines[i], 1, script);
        assert_true(bx_model_run(s.rig.m, BX_NEVER));
        assert_true(bx_model_run(s.rig.m, BX_NEVER));
        assert_int_equal(rig_now(&s.rig), s.start + 10);
        bx_model_wake(s.rig.m, 0);
        assert_false(bx_model_run(s.rig.m, s.start + 15));
        assert_true(bx_model_run(s.rig.m, s.start + 50));
        assert_int_equal(rig_now(&s.rig), s.start + 20);
        bx_model_idle(s.rig.m, 5);
        bx_model_wake(s.rig.m, 0);
        bx_model_wake(s.rig.m, 3);
        bx_model_wake(s.rig.m, BX_AGENT_GT);
        assert_true(bx_model_run(s.rig.m, BX_NEVER));
        assert_string_equal(s.log, "0@0 0@10 0@10 0@20 0@25 0@35");
        rig_free(&s.rig);
    }
}

/* ---- agents that wait for an access ---- */

/* Core 0's accesses are at 10, 20 … 100. Core 1 waits at 25 for the one at 50. */
static void test_not_done(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@25 1@50 1@51 0@100", {GO(10, 10)},
           {GO(1, 25), AWAIT(0, 4), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 0@25 0@50 0@51 1@100", {GO(1, 25), AWAIT(1, 4), GO(1, 1)},
           {GO(10, 10)});
    expect("0@0 1@0 2@0 3@0 1@50 1@51 0@100", {GO(2, 50)}, {AWAIT(0, 0), GO(1, 1)});
}

/* At 25 the accesses at 10 and 20 are done. At 30 the access at 30 is done, unless its core is the
 * later one. */
static void test_done_already(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@25 1@25 1@26 0@100", {GO(10, 10)},
           {GO(1, 25), AWAIT(0, 1), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 1@30 1@30 1@31 0@100", {GO(10, 10)},
           {GO(1, 30), AWAIT(0, 2), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 0@25 0@25 0@26 1@100", {GO(1, 25), AWAIT(1, 1), GO(1, 1)},
           {GO(10, 10)});
}

/* A cost comes before its access. The access costs 100 cycles and is at 120, so core 1 waits from
 * 70 until 120. */
static void test_costs_count_before_the_access(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 0@20 1@70 1@120 1@121 0@220", {GO(2, 10), GO(2, 100)},
           {GO(2, 35), AWAIT(0, 0), GO(1, 1)});
}

static void test_two_waiters(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@15 2@25 1@40 1@41 2@70 2@71 0@100", {GO(10, 10)},
           {GO(1, 15), AWAIT(0, 3), GO(1, 1)}, {GO(1, 25), AWAIT(0, 6), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 1@15 2@25 2@40 2@41 1@70 1@71 0@100", {GO(10, 10)},
           {GO(1, 15), AWAIT(0, 6), GO(1, 1)}, {GO(1, 25), AWAIT(0, 3), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 1@15 2@25 1@40 2@40 1@41 2@41 0@100", {GO(10, 10)},
           {GO(1, 15), AWAIT(0, 3), GO(1, 1)}, {GO(1, 25), AWAIT(0, 3), GO(1, 1)});
}

/* Core 2 waits for core 1, which first waits for core 0: core 1 continues at 50, and its access is
 * at 55. */
static void test_a_chain(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@25 1@50 2@53 2@55 2@56 1@60 0@100", {GO(10, 10)},
           {GO(1, 25), AWAIT(0, 4), GO(2, 5)}, {GO(1, 53), AWAIT(1, 0), GO(1, 1)});
}

/* The access is the last one of a feed that then ends or waits. A core whose feed has ended, or
 * that is parked, has done all its accesses. */
static void test_the_other_ends(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@5 0@30 1@30 1@31", {GO(3, 10)}, {GO(1, 5), AWAIT(0, 2), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 1@5 0@30 1@30 0@30 0@31 1@31", {GO(3, 10), PARK, GO(1, 1)},
           {GO(1, 5), AWAIT(0, 2), WAKE(0), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 0@30 1@45 1@45 1@46", {GO(3, 10)}, {GO(1, 45), AWAIT(0, 2), GO(1, 1)});
    expect("0@0 1@0 2@0 3@0 0@30 1@45 1@45 1@46", {GO(3, 10), PARK},
           {GO(1, 45), AWAIT(0, 2), GO(1, 1)});
}

/* Core 1 has no batch yet, so it has no such access. Core 0 continues when core 1 is asked for a
 * batch. */
static void test_not_in_the_batch(void **state)
{
    (void)state;
    expect("0@0 1@0 0@0 2@0 3@0 0@1 1@100", {AWAIT(1, 0), GO(1, 1)}, {GO(2, 50)});
}

/* Core 2 wakes core 1 before the access is done. Core 1 parks then, and nobody wakes it. */
static void test_woken_early(void **state)
{
    (void)state;
    expect("0@0 1@0 2@0 3@0 1@25 2@30 1@30 1@31 0@100", {GO(10, 10)},
           {GO(1, 25), AWAIT(0, 4), GO(1, 1), PARK}, {GO(1, 30), WAKE(1)});
}

/* Core 0's feed is removed at 45, while core 1 waits for its access at 50. */
static void test_the_other_is_fed_anew(void **state)
{
    const struct step script[CORES][STEPS] = {{GO(10, 10)}, {GO(1, 25), AWAIT(0, 4), GO(1, 1)}};
    struct stage s;

    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        stage_set(&s, &machines[i], 2, script);
        assert_false(bx_model_run(s.rig.m, s.start + 45));
        bx_model_feed(s.rig.m, 0, NULL);
        assert_true(bx_model_run(s.rig.m, BX_NEVER));
        assert_string_equal(s.log, "0@0 1@0 1@25 1@45 1@46");
        rig_free(&s.rig);
    }
}

/* ---- effects on coherence ---- */

/* On the client, whose core 0 has X in E. hit, hitm: answers of cores that are snooped. */
static void expect_snoops_of(const struct step (*script)[STEPS], uint64_t hit, uint64_t hitm)
{
    struct stage s;
    for (unsigned i = 0; i < PIECES; i++) {
        stage_set(&s, &machines[0], 2, script);
        play_in_pieces(&s, pieces[i]);
        assert_int_equal(rig_snoops(&s.rig, BX_SNOOP_XCORE, BX_SNOOP_HIT), hit);
        assert_int_equal(rig_snoops(&s.rig, BX_SNOOP_XCORE, BX_SNOOP_HITM), hitm);
        rig_free(&s.rig);
    }
}
#define expect_snoops(hit, hitm, ...)                                                              \
    expect_snoops_of((const struct step[CORES][STEPS]){__VA_ARGS__}, hit, hitm)

/* Core 0 stores X at 50. If core 1 loads it at 26: a HIT, and another one when core 0 upgrades it.
 * If core 1 waits for the store, it loads X at 51, or at 50 as the later core: a HITM. If it waits
 * for the access at 40 and loads X at 49: as at 26. */
static void test_what_a_waiter_sees(void **state)
{
    (void)state;
    expect_snoops(2, 0, {GO_X(10, 10, 4, BX_STORE)}, {GO(1, 25), GO_X(1, 1, 0, BX_LOAD)});
    expect_snoops(0, 1, {GO_X(10, 10, 4, BX_STORE)},
                  {GO(1, 25), AWAIT(0, 4), GO_X(1, 1, 0, BX_LOAD)});
    expect_snoops(0, 1, {GO_X(10, 10, 4, BX_STORE)},
                  {GO(1, 25), AWAIT(0, 4), GO_X(1, 0, 0, BX_LOAD)});
    expect_snoops(2, 0, {GO_X(10, 10, 4, BX_STORE)},
                  {GO(1, 25), AWAIT(0, 3), GO_X(1, 9, 0, BX_LOAD)});
}

/* Core 1 stores X at 50; core 0 has it: a HIT. At 50 core 0 comes first, and loads its own copy. If
 * it waits at 50 for the store, it loads X after it, also at 50: a HITM. */
static void test_what_an_earlier_core_sees(void **state)
{
    (void)state;
    expect_snoops(1, 0, {GO_X(1, 50, 0, BX_LOAD)}, {GO_X(10, 10, 4, BX_STORE)});
    expect_snoops(1, 1, {GO(1, 50), AWAIT(1, 4), GO_X(1, 0, 0, BX_LOAD)},
                  {GO_X(10, 10, 4, BX_STORE)});
}

/* ---- one core and a device: P6 ---- */

/* The processor parks at 10. The device's request at 40 wakes it, and later the caller does. The
 * device asks for more accesses as soon as its request is made. */
static void test_p6(void **state)
{
    static const struct machine p6 = {"p6", {.packages = 1, .cores = 1}};
    const struct step script[CORES][STEPS] = {{GO(1, 10), PARK, GO(2, 10), PARK, GO(1, 10)},
                                              {GO(1, 40), WAKE(0), PARK, GO(1, 10)}};
    struct stage s;

    (void)state;
    stage_set(&s, &p6, 1, script);
    struct actor *io = &s.actor[1];
    *io = (struct actor){{io->batch, io->batch, refill}, &s, BX_AGENT_IO, script[1], {0}};
    bx_model_feed(s.rig.m, BX_AGENT_IO, &io->feed);
    play_in_pieces(&s, 7);
    assert_string_equal(s.log, "65@0 0@0 0@10 65@40 0@40 0@60");
    uint64_t end = rig_now(&s.rig) - s.start;
    bx_model_wake(s.rig.m, BX_AGENT_IO);
    bx_model_wake(s.rig.m, 0);
    play_in_pieces(&s, BX_NEVER);
    char log[LOG];
    snprintf(log, sizeof log, "65@0 0@0 0@10 65@40 0@40 0@60 65@%u 0@%u 0@%u 65@%u", (unsigned)end,
             (unsigned)end, (unsigned)end + 10, (unsigned)end + 10);
    assert_string_equal(s.log, log);
    rig_free(&s.rig);
}

/* ---- against runs in which nobody waits ---- */

/* Random accesses, some of them to lines that the cores share. Before some batches a core waits for
 * an access of another core's batch. Then the same accesses run again without waiting: the access
 * after each wait has a cost that is higher by the wait. */
enum { ACCESSES = 400, MOST_BATCH = 24, SHARED = 6, LINES = 3000, WAITS = ACCESSES };

struct waited {
    unsigned core, at; /* before its access `at` */
    unsigned other, position;
    uint64_t from, until;
};

struct walk;

struct walker {
    bx_feed feed; /* first */
    struct walk *walk;
    unsigned core, begin; /* of its batch */
    bool ends_here[ACCESSES + 1], waits, did_wait;
    uint64_t time[ACCESSES + 1]; /* when it reached the end of a batch */
    bx_access access[ACCESSES];
};

struct walk {
    struct rig rig;
    uint64_t dice;
    bool again;     /* nobody waits */
    uint64_t asked; /* the last time that a feed was asked */
    struct walker walker[CORES];
    unsigned waits;
    struct waited waited[WAITS];
};

static bool begins_to_wait(struct walk *walk, struct walker *w, unsigned at, uint64_t now)
{
    unsigned o = (unsigned)(dice_next(&walk->dice) % CORES);
    struct walker *other = &walk->walker[o];
    unsigned size = (unsigned)(other->feed.end - other->access) - other->begin;

    if (walk->again || dice_next(&walk->dice) % 2 || o == w->core || !size)
        return false;
    unsigned position = other->begin + (unsigned)(dice_next(&walk->dice) % size);
    assert_true(walk->waits < WAITS);
    walk->waited[walk->waits++] = (struct waited){w->core, at, o, position, now, BX_NEVER};
    bx_model_wait_for(walk->rig.m, w->core, o, other->access + position);
    return true;
}

static void end_to_wait(struct walk *walk, unsigned core, uint64_t now)
{
    for (unsigned i = walk->waits; i-- > 0;)
        if (walk->waited[i].core == core) {
            walk->waited[i].until = now;
            return;
        }
}

static enum bx_feed_state walk_on(bx_feed *feed)
{
    struct walker *w = (struct walker *)feed;
    unsigned at = (unsigned)(feed->next - w->access), end = at;
    uint64_t now = bx_model_clock(w->walk->rig.m, w->core);

    assert_true(now >= w->walk->asked);
    w->walk->asked = now;
    if (w->waits)
        end_to_wait(w->walk, w->core, now);
    else
        w->time[at] = now;
    if (at == ACCESSES)
        return BX_FEED_END;
    w->waits = !w->waits && begins_to_wait(w->walk, w, at, now);
    if (w->waits)
        return BX_FEED_WAITS;
    while (!w->ends_here[++end])
        continue;
    w->begin = at;
    feed->end = w->access + end;
    return BX_FEED_MORE;
}

static bx_access any_access(uint64_t *dice, unsigned core)
{
    uint64_t r = dice_next(dice);
    uint64_t line = r % 4 ? 1000 * core + 100 + (r >> 8) % LINES : (r >> 8) % SHARED;
    unsigned dependent = r >> 32 & 3 ? 0 : BX_ACCESS_DEPENDENT;
    return bx_access_make(line, r >> 24 & 1 ? BX_STORE : BX_LOAD, dependent, 1 + (r >> 40) % 20);
}

static void walk_begin(struct walk *walk, const struct machine *of)
{
    walk->rig = rig_of(of->model, of->shape);
    for (unsigned core = 0; core < CORES; core++) {
        struct walker *w = &walk->walker[core];
        w->feed = (bx_feed){w->access, w->access, walk_on};
        w->walk = walk;
        w->core = core;
        w->begin = 0;
        bx_model_feed(walk->rig.m, core, &w->feed);
    }
}

static void walk_new(struct walk *walk, uint64_t seed)
{
    *walk = (struct walk){.dice = seed};
    for (unsigned core = 0; core < CORES; core++) {
        struct walker *w = &walk->walker[core];
        for (unsigned i = 0; i < ACCESSES; i++)
            w->access[i] = any_access(&walk->dice, core);
        for (unsigned i = 0; i < ACCESSES; i += 1 + (unsigned)(dice_next(&walk->dice) % MOST_BATCH))
            w->ends_here[i] = true;
        w->ends_here[ACCESSES] = true;
    }
}

static void wait_in_costs(struct walk *walk)
{
    for (unsigned i = 0; i < walk->waits; i++) {
        const struct waited *w = &walk->waited[i];
        bx_access *a = &walk->walker[w->core].access[w->at];
        uint64_t cost = (*a >> 4 & BX_ACCESS_COST_MAX) + w->until - w->from;
        assert_in_range(cost, 0, BX_ACCESS_COST_MAX);
        *a = (*a & ~((bx_access)BX_ACCESS_COST_MAX << 4)) | cost << 4;
        walk->walker[w->other].ends_here[w->position + 1] = true;
    }
}

static void expect_waits(const struct walk *walk)
{
    for (unsigned i = 0; i < walk->waits; i++) {
        const struct waited *w = &walk->waited[i];
        uint64_t done = walk->walker[w->other].time[w->position + 1];
        assert_int_equal(w->until, done > w->from ? done : w->from);
    }
}

static void expect_equal_runs(const struct walk *a, const struct walk *b)
{
    assert_int_equal(rig_now(&a->rig), rig_now(&b->rig));
    assert_int_equal(bx_model_accesses(a->rig.m), CORES * ACCESSES);
    assert_int_equal(bx_model_accesses(b->rig.m), CORES * ACCESSES);
    for (unsigned core = 0; core < CORES; core++)
        for (unsigned i = 0; i <= ACCESSES; i++)
            if (a->walker[core].ends_here[i])
                assert_int_equal(a->walker[core].time[i], b->walker[core].time[i]);
}

static void test_as_if_nobody_waited(void **state)
{
    enum { TRIALS = 60 };
    static struct walk waiting, again;

    (void)state;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        walk_new(&waiting, trial + 1);
        again = waiting;
        walk_begin(&waiting, &machines[trial % MACHINES]);
        uint64_t most = trial % 3 ? 1 + trial * 100 : BX_NEVER, until = most;
        for (; !bx_model_run(waiting.rig.m, until); until += 1 + dice_next(&waiting.dice) % most)
            continue;
        again.again = true;
        memcpy(again.waited, waiting.waited, sizeof again.waited);
        again.waits = waiting.waits;
        wait_in_costs(&again);
        walk_begin(&again, &machines[trial % MACHINES]);
        assert_true(bx_model_run(again.rig.m, BX_NEVER));
        expect_waits(&again);
        expect_equal_runs(&waiting, &again);
        rig_free(&waiting.rig);
        rig_free(&again.rig);
    }
}

/* ---- cycles ---- */

/* Core 1 waits for an access that core 0 has made, so it is asked again at once. It works from 0 to
 * 30, and from there to 80. */
static void goes_on_at_once(void **state)
{
    (void)state;
    static const struct step script[2][STEPS] = {{GO(10, 10), {STOP}},
                                                 {GO(3, 10), AWAIT(0, 0), GO(5, 10), {STOP}}};
    for (size_t i = 0; i < MACHINES; i++) {
        struct stage s;
        stage_set(&s, &machines[i], 2, script);
        const struct bx_core_counts *counts = &s.rig.m->turns->agent[1].counts;
        uint64_t before = bx_core_counts_unhalted(counts, s.start);
        play_in_pieces(&s, BX_NEVER);
        assert_int_equal(bx_core_counts_unhalted(counts, rig_now(&s.rig)) - before, 80);
        rig_free(&s.rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_at_once),
        cmocka_unit_test(test_woken_at_the_time_of_the_other),
        cmocka_unit_test(test_not_parked),
        cmocka_unit_test(test_several_are_woken),
        cmocka_unit_test(test_several_runs),
        cmocka_unit_test(test_not_done),
        cmocka_unit_test(test_done_already),
        cmocka_unit_test(test_costs_count_before_the_access),
        cmocka_unit_test(test_two_waiters),
        cmocka_unit_test(test_a_chain),
        cmocka_unit_test(test_the_other_ends),
        cmocka_unit_test(test_not_in_the_batch),
        cmocka_unit_test(test_woken_early),
        cmocka_unit_test(test_the_other_is_fed_anew),
        cmocka_unit_test(test_what_a_waiter_sees),
        cmocka_unit_test(test_what_an_earlier_core_sees),
        cmocka_unit_test(test_p6),
        cmocka_unit_test(test_as_if_nobody_waited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
