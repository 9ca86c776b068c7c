/* The cycles of cores by cause: cases by hand from docs/explanation/cycle-stack.md, and sums over
 * all machines. Memory takes 150 cycles. */
#include "../cmocked.h"

#include "rig.h"

#include "model/engine/attribution_course.h"
#include "model/machine/client/boxes.h"
#include "model/machine/ivbep/boxes.h"
#include "model/machine/nhmex/boxes.h"

#include <string.h>

/* Codes of catalog/NAME/stalls.pmu. */
enum {
    ALL,
    BASE,
    L2,
    FLIGHT,
    LLC,
    CORE,
    PACKAGE,
    TURN,
    OF_MEMORY,
    REMOTE_MEMORY,
    TLB,
    BUFFER,
    STORES,
    LOCK,
    KERNEL,
    BRANCH,
    END = 0x10,
    FETCH,
    DATA,
    CODES
};
enum { MEMORY = 150, STEP = 20 };

static bool is_there(const struct rig *r, unsigned box, unsigned code)
{
    const bx_selection sel = {.box = (uint16_t)box, .code = (uint16_t)code};
    return bx_model_produces(r->m, &sel);
}

static uint64_t cycles(const struct rig *r, unsigned box, unsigned core, unsigned code)
{
    const bx_selection sel = {.box = (uint16_t)box,
                              .package = (uint16_t)(core / r->cores),
                              .unit = (uint16_t)(core % r->cores),
                              .code = (uint16_t)code};
    return rig_tally(r, &sel);
}

static void plays(bx_model_times times, const bx_access *a, size_t n,
                  const uint64_t expected[CODES])
{
    struct rig r =
        rig_of("client",
               (bx_model_shape){
                   .packages = 1, .cores = 2, .slices = 1, .llc_bytes = 1 << 20, .times = times});
    rig_play(&r, 0, a, n);
    for (unsigned code = 0; code < CODES; code++)
        if (is_there(&r, BX_CLIENT_STALLS, code) &&
            cycles(&r, BX_CLIENT_STALLS, 0, code) != expected[code])
            fail_msg("cause %u: %u", code, (unsigned)cycles(&r, BX_CLIENT_STALLS, 0, code));
    rig_free(&r);
}

static bx_access miss(unsigned i, unsigned kind, unsigned flags)
{
    return bx_access_make(0x1000 + i * 3, kind, flags, STEP);
}

/* A load that is waited for; a hit; a store, at the end of which nothing is left to do. */
static void by_hand(void **state)
{
    (void)state;
    const bx_access a[] = {miss(0, BX_LOAD, BX_ACCESS_DEPENDENT), miss(0, BX_LOAD, 0),
                           miss(1, BX_STORE, 0)};
    plays((bx_model_times){0}, a, 3,
          (uint64_t[CODES]){[ALL] = 3 * STEP + 2 * MEMORY,
                            [BASE] = 3 * STEP,
                            [OF_MEMORY] = MEMORY,
                            [END] = MEMORY});
}

/* At 20 and 40; the third would come at 60, the end of the first one's window, and waits until 170.
 * Its own line and the second's: until 320. */
static void in_a_window(void **state)
{
    (void)state;
    const bx_access a[] = {miss(0, BX_LOAD, 0), miss(1, BX_LOAD, 0), miss(2, BX_LOAD, 0)};
    plays((bx_model_times){.window = 40}, a, 3,
          (uint64_t[CODES]){[ALL] = 320, [BASE] = 60, [OF_MEMORY] = 110, [END] = 150});
}

/* The third has no buffer at 60, and waits for that of the first until 170. */
static void for_a_buffer(void **state)
{
    (void)state;
    const bx_access a[] = {miss(0, BX_LOAD, 0), miss(1, BX_LOAD, 0), miss(2, BX_LOAD, 0)};
    plays((bx_model_times){.fill_buffers = 2}, a, 3,
          (uint64_t[CODES]){[ALL] = 320, [BASE] = 60, [BUFFER] = 110, [END] = 150});
}

/* Lines of a page walk and of a kernel have their own causes. A kernel's are not waited for, except
 * for buffers. */
static void by_whom(void **state)
{
    (void)state;
    const bx_access walk[] = {miss(0, BX_LOAD, BX_ACCESS_DEPENDENT) | BX_ACCESS_AUXILIARY};
    const bx_access kernel[] = {miss(0, BX_LOAD, 0) | BX_ACCESS_AUXILIARY,
                                miss(1, BX_LOAD, 0) | BX_ACCESS_AUXILIARY};
    plays((bx_model_times){0}, walk, 1,
          (uint64_t[CODES]){[ALL] = STEP + MEMORY, [BASE] = STEP, [TLB] = MEMORY});
    plays((bx_model_times){.fill_buffers = 1}, kernel, 2,
          (uint64_t[CODES]){
              [ALL] = STEP + 2 * MEMORY, [BASE] = 2 * STEP, [KERNEL] = 130, [END] = MEMORY});
}

static void expect(const struct rig *r, const uint64_t expected[CODES])
{
    for (unsigned code = 0; code < CODES; code++)
        if (is_there(r, BX_CLIENT_STALLS, code) &&
            cycles(r, BX_CLIENT_STALLS, 0, code) != expected[code])
            fail_msg("at %u, cause %u: %u", (unsigned)rig_now(r), code,
                     (unsigned)cycles(r, BX_CLIENT_STALLS, 0, code));
}

/* It waits for a store until 170, but gets a load at 60, which it makes at 80. */
static void work_before_the_end(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20});
    const bx_access store = miss(0, BX_STORE, 0), load = miss(1, BX_LOAD, BX_ACCESS_DEPENDENT);
    rig_feed(&r, 0, &store, 1);
    assert_false(bx_model_run(r.m, 60));
    expect(&r, (uint64_t[CODES]){[ALL] = 60, [BASE] = 20, [END] = 40});
    rig_feed(&r, 0, &load, 1);
    assert_false(bx_model_run(r.m, 100));
    expect(&r, (uint64_t[CODES]){[ALL] = 100, [BASE] = 40, [END] = 40, [OF_MEMORY] = 20});
    rig_run(&r);
    expect(&r, (uint64_t[CODES]){[ALL] = 230, [BASE] = 40, [END] = 40, [OF_MEMORY] = 150});
    rig_free(&r);
}

/* While an access of a kernel waits for a buffer, from 40 to 170, the wait is the kernel's, as it
 * is afterwards. */
static void while_it_waits(void **state)
{
    (void)state;
    struct rig r = rig_of("client", (bx_model_shape){.packages = 1,
                                                     .cores = 1,
                                                     .slices = 1,
                                                     .llc_bytes = 1 << 20,
                                                     .times = {.fill_buffers = 1}});
    const bx_access a[] = {miss(0, BX_LOAD, 0) | BX_ACCESS_AUXILIARY,
                           miss(1, BX_LOAD, 0) | BX_ACCESS_AUXILIARY};
    rig_feed(&r, 0, a, 2);
    assert_false(bx_model_run(r.m, 100));
    expect(&r, (uint64_t[CODES]){[ALL] = 100, [BASE] = 40, [KERNEL] = 60});
    rig_run(&r);
    expect(&r, (uint64_t[CODES]){[ALL] = 320, [BASE] = 40, [KERNEL] = 130, [END] = 150});
    rig_free(&r);
}

/* A pause of the machine belongs to no core, also while one waits. */
static void in_a_pause(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20});
    const bx_access a[] = {miss(0, BX_LOAD, BX_ACCESS_DEPENDENT), miss(0, BX_LOAD, 0)};
    rig_feed(&r, 0, a, 2);
    assert_false(bx_model_run(r.m, 60));
    assert_int_equal(cycles(&r, BX_CLIENT_STALLS, 0, OF_MEMORY), 40);
    bx_model_idle(r.m, 1000);
    rig_run(&r);
    assert_int_equal(cycles(&r, BX_CLIENT_STALLS, 0, BASE) +
                         cycles(&r, BX_CLIENT_STALLS, 0, OF_MEMORY),
                     cycles(&r, BX_CLIENT_STALLS, 0, ALL));
    assert_int_equal(cycles(&r, BX_CLIENT_STALLS, 0, OF_MEMORY), 40);
    assert_int_equal(cycles(&r, BX_CLIENT_STALLS, 0, BASE), 40);
    rig_free(&r);
}

/* On the servers the wait until another core is done with a line is part of the line's own wait. */
static void turns_of_lines(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 2, .slices = 1, .llc_bytes = 1 << 20});
    assert_true(is_there(&r, BX_CLIENT_STALLS, TURN));
    rig_free(&r);
    r = rig_of("client",
               (bx_model_shape){.packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20});
    assert_false(is_there(&r, BX_CLIENT_STALLS, TURN));
    rig_free(&r);
    r = rig_of("ivbep", (bx_model_shape){.packages = 1, .cores = 2});
    assert_false(is_there(&r, BX_IVBEP_STALLS, TURN));
    rig_free(&r);
}

/* What a machine does not have is not there. */
static void not_there(void **state)
{
    (void)state;
    static const struct {
        bx_model_shape shape;
        unsigned code;
    } with[] = {
        {{.cores = 2}, CORE},        {{.times.mispredict = 9}, BRANCH},
        {{.packages = 2}, PACKAGE},  {{.packages = 2}, REMOTE_MEMORY},
        {{.tlb = true}, TLB},        {{.times.store_buffer = 9}, STORES},
        {{.times.locked = 9}, LOCK},
    };
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        for (unsigned has = 0; has < 2; has++) {
            bx_model_shape shape = has ? with[i].shape : (bx_model_shape){0};
            shape.packages += shape.packages == 0;
            shape.cores += shape.cores == 0;
            struct rig r = rig_of("ivbep", shape);
            if (is_there(&r, BX_IVBEP_STALLS, with[i].code) != has)
                fail_msg("case %zu with %u", i, has);
            assert_true(is_there(&r, BX_IVBEP_STALLS, OF_MEMORY));
            assert_false(is_there(&r, BX_IVBEP_STALLS, DATA));
            rig_free(&r);
        }
}

/* ---- sums ---- */

struct machine {
    const char *name;
    unsigned box, core_box, clock; /* the event of unhalted cycles: its code */
    bx_model_shape shape;
};

#define BOUNDED                                                                                    \
    {                                                                                              \
        .window = 40, .store_buffer = 12, .fill_buffers = 4, .locked = 18                          \
    }
static const struct machine machines[] = {
    {"client",
     BX_CLIENT_STALLS,
     BX_CLIENT_CORE,
     0x3c,
     {.packages = 1, .cores = 4, .slices = 4, .llc_bytes = 1 << 20}},
    {"client",
     BX_CLIENT_STALLS,
     BX_CLIENT_CORE,
     0x3c,
     {.packages = 1,
      .cores = 4,
      .slices = 4,
      .llc_bytes = 1 << 20,
      .prefetch = true,
      .tlb = true,
      .hz = 3600000000,
      .core_hz = 4200000000,
      .times = BOUNDED}},
    {"ivbep", BX_IVBEP_STALLS, BX_IVBEP_CORE, 0x3c, {.packages = 2, .cores = 3, .times = BOUNDED}},
    {"nhmex",
     BX_NHMEX_STALLS,
     BX_NHMEX_CORE,
     0x3c,
     {.packages = 2, .cores = 2, .tlb = true, .times = BOUNDED}},
    {"p6", 1, 0, 0x79, {.packages = 1, .cores = 1}},
};
static const char *const works[] = {
    "stream,size=64K,passes=2",
    "sharing,cores=4,iterations=1000,write=30",
    "pingpong,cores=3,iterations=500,size=512",
    "lock,cores=4,iterations=100",
    "random,cores=2,size=4M,iterations=1500+dma,iterations=500",
    "random,cores=4,size=1M,iterations=6000,write=40",
};

/* Causes add up to the unhalted cycles of each core, and none decreases. */
static void check(const struct rig *r, const struct machine *m, uint64_t last[][CODES])
{
    for (unsigned core = 0; core < r->packages * r->cores; core++) {
        uint64_t sum = 0;
        const bx_selection clock = {.box = (uint16_t)m->core_box,
                                    .package = (uint16_t)(core / r->cores),
                                    .unit = (uint16_t)(core % r->cores),
                                    .code = (uint16_t)m->clock,
                                    .levels = BX_LEVELS};
        for (unsigned code = 0; code < CODES; code++) {
            if (!is_there(r, m->box, code))
                continue;
            uint64_t now = cycles(r, m->box, core, code);
            sum += code == ALL ? 0 : now;
            if (now < last[core][code])
                fail_msg("%s, core %u, cause %u goes back", m->name, core, code);
            last[core][code] = now;
        }
        assert_int_equal(sum, last[core][ALL]);
        assert_int_equal(sum, rig_tally(r, &clock));
    }
}

static void sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
            if (machines[i].shape.packages * machines[i].shape.cores == 1 &&
                strstr(works[w], "cores"))
                continue;
            struct rig r = rig_of(machines[i].name, machines[i].shape);
            uint64_t last[16][CODES] = {{0}}, worked = 0;
            bool done = false;
            rig_begin(&r, works[w]);
            for (uint64_t until = 1013; !done; until += 1013) {
                done = bx_model_run(r.m, until);
                check(&r, &machines[i], last);
            }
            for (unsigned core = 0; core < r.packages * r.cores; core++)
                worked += last[core][ALL] > 0;
            assert_true(worked > 0);
            rig_free(&r);
        }
}

/* Runs the work in steps of so many cycles, with a reading after each. 0: with one at the end. */
static void in_steps(const struct machine *m, const char *spec, uint64_t step,
                     uint64_t last[][CODES])
{
    struct rig r = rig_of(m->name, m->shape);
    bool done = false;

    rig_begin(&r, spec);
    if (!step)
        rig_run(&r);
    for (uint64_t until = step; step && !done; until += step) {
        done = bx_model_run(r.m, until);
        check(&r, m, last);
    }
    check(&r, m, last);
    rig_free(&r);
}

/* The sums do not depend on when they were read before: here, in each cycle. */
static void at_every_step(void **state)
{
    (void)state;
    static const char *const each[] = {
        "stream,size=4K,passes=2",
        "sharing,cores=4,iterations=60,write=30",
        "pingpong,cores=3,iterations=30,size=512",
        "lock,cores=4,iterations=8",
        "random,cores=2,size=4M,iterations=100,write=40+dma,iterations=50",
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (size_t w = 0; w < sizeof each / sizeof *each; w++) {
            if (machines[i].shape.packages * machines[i].shape.cores == 1 &&
                strstr(each[w], "cores"))
                continue;
            uint64_t found[3][16][CODES] = {{{0}}};
            in_steps(&machines[i], each[w], 0, found[0]);
            in_steps(&machines[i], each[w], 1, found[1]);
            in_steps(&machines[i], each[w], 997, found[2]);
            for (unsigned k = 1; k < 3; k++)
                for (unsigned core = 0; core < 16; core++)
                    for (unsigned code = 0; code < CODES; code++)
                        if (found[0][core][code] != found[k][core][code])
                            fail_msg("%s %zu, %s, core %u, cause %u: %u, in steps %u",
                                     machines[i].name, i, each[w], core, code,
                                     (unsigned)found[0][core][code],
                                     (unsigned)found[k][core][code]);
        }
}

static void ignore(bx_watcher *w, unsigned id, uint64_t start, uint64_t n, uint32_t level)
{
    (void)w, (void)id, (void)start, (void)n, (void)level;
}

static uint64_t no_alarm(bx_watcher *w, uint64_t now)
{
    (void)w, (void)now;
    return BX_NEVER;
}

/* Runs the work, and watches a core if asked. */
static void work(struct rig *r, const struct machine *m, const char *spec, bool watched,
                 uint64_t found[16][CODES])
{
    bx_watcher w = {ignore, no_alarm};
    const bx_selection clock = {
        .box = (uint16_t)m->core_box, .code = (uint16_t)m->clock, .levels = BX_LEVELS};

    r->s->set_watcher(r->s, &w);
    if (watched)
        assert_true(r->s->watch(r->s, 0, &clock));
    rig_work(r, spec);
    r->s->set_watcher(r->s, NULL);
    for (unsigned core = 0; core < r->packages * r->cores; core++)
        for (unsigned code = 0; code < CODES; code++)
            if (is_there(r, m->box, code))
                found[core][code] = cycles(r, m->box, core, code);
}

/* A watched core runs cycle by cycle, others ahead of each other: the causes are the same. */
static void cycle_by_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
            if (machines[i].shape.packages * machines[i].shape.cores == 1 &&
                strstr(works[w], "cores"))
                continue;
            uint64_t found[2][16][CODES] = {{{0}}};
            for (unsigned watched = 0; watched < 2; watched++) {
                struct rig r = rig_of(machines[i].name, machines[i].shape);
                work(&r, &machines[i], works[w], watched, found[watched]);
                rig_free(&r);
            }
            for (unsigned core = 0; core < 16; core++)
                for (unsigned code = 0; code < CODES; code++)
                    if (found[0][core][code] != found[1][core][code])
                        fail_msg("%s, %s, core %u, cause %u: %u, watched %u", machines[i].name,
                                 works[w], core, code, (unsigned)found[0][core][code],
                                 (unsigned)found[1][core][code]);
        }
}

/* Attribution computes the cycles of issue from the accesses, not from what is left. */
static void as_attributed(void **state)
{
    (void)state;
    struct rig r = rig_of("client", (bx_model_shape){.packages = 1,
                                                     .cores = 4,
                                                     .slices = 4,
                                                     .llc_bytes = 1 << 20,
                                                     .prefetch = true,
                                                     .times = BOUNDED});
    static const enum bx_cause causes[] = {
        [BASE] = BX_ISSUE,
        [L2] = BX_WAIT_L2,
        [FLIGHT] = BX_WAIT_FLIGHT,
        [LLC] = BX_WAIT_LLC,
        [CORE] = BX_WAIT_CORE,
        [TURN] = BX_WAIT_TURN,
        [OF_MEMORY] = BX_WAIT_MEMORY,
        [BUFFER] = BX_WAIT_BUFFER,
        [STORES] = BX_WAIT_STORES,
        [LOCK] = BX_WAIT_LOCK,
        [BRANCH] = BX_WAIT_BRANCH,
        [KERNEL] = BX_WAIT_KERNEL,
        [END] = BX_WAIT_END,
    };
    rig_begin(&r, works[1]);
    assert_true(bx_attribution_begin(r.m, NULL, 0, 0));
    while (!bx_model_run(r.m, rig_now(&r) + 5003))
        ;
    bx_attribution_settle(r.m);
    const bx_costs *c = &r.m->attribution->costs;
    for (unsigned core = 0; core < 4; core++)
        for (unsigned code = BASE; code < sizeof causes / sizeof *causes; code++) {
            uint64_t sum = 0;
            if (!is_there(&r, BX_CLIENT_STALLS, code))
                continue;
            for (size_t i = 0; i < c->n; i++)
                if (c->row[i].key.core == core && c->row[i].key.event == causes[code])
                    sum += c->row[i].count;
            if (sum != cycles(&r, BX_CLIENT_STALLS, core, code))
                fail_msg("core %u, cause %u: %u, attributed %u", core, code,
                         (unsigned)cycles(&r, BX_CLIENT_STALLS, core, code), (unsigned)sum);
        }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),        cmocka_unit_test(in_a_window),
        cmocka_unit_test(for_a_buffer),   cmocka_unit_test(by_whom),
        cmocka_unit_test(in_a_pause),     cmocka_unit_test(not_there),
        cmocka_unit_test(turns_of_lines), cmocka_unit_test(sums),
        cmocka_unit_test(as_attributed),  cmocka_unit_test(cycle_by_cycle),
        cmocka_unit_test(at_every_step),  cmocka_unit_test(work_before_the_end),
        cmocka_unit_test(while_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
