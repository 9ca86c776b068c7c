/* Where loads find their lines, as counters of cores count it: cases worked out by hand. */
#include "../cmocked.h"

#include "rig.h"

#include "model/machine/client/boxes.h"
#include "model/machine/ivbep/boxes.h"
#include "model/machine/nhmex/boxes.h"

#include <string.h>

enum { LINE = 0x1000 };

static uint64_t count(const struct rig *r, unsigned box, unsigned core, unsigned code,
                      unsigned umask)
{
    const bx_selection sel = {.box = (uint16_t)box,
                              .package = (uint16_t)(core / r->cores),
                              .unit = (uint16_t)(core % r->cores),
                              .code = (uint16_t)code,
                              .umask = umask,
                              .levels = BX_LEVELS};
    return rig_tally(r, &sel);
}

/* A core loads a line: this unit mask counts one more, and no other one does. */
static void loads_from(struct rig *r, unsigned box, unsigned code, unsigned core, uint64_t line,
                       uint32_t expected)
{
    uint64_t before[5], after[5];
    for (unsigned bit = 0; bit < 5; bit++)
        before[bit] = count(r, box, core, code, 1u << bit);
    rig_do(r, core, BX_LOAD, line, 0);
    for (unsigned bit = 0; bit < 5; bit++) {
        after[bit] = count(r, box, core, code, 1u << bit);
        assert_int_equal(after[bit] - before[bit], expected >> bit & 1);
    }
}

/* Of MEM_LOAD_L3_HIT_RETIRED and MEM_LOAD_RETIRED's lower six bits. */
static void of_the_client(void **state)
{
    (void)state;
    struct rig r =
        rig_of("client",
               (bx_model_shape){
                   .packages = 1, .cores = 4, .slices = 4, .llc_bytes = 1 << 20, .hz = 1000000000});
    enum { L1 = 1, L3 = 4, NOT_L1 = 8, NOT_L2 = 16, NOT_L3 = 32 };
    for (unsigned agent = 0; agent < 4; agent++)
        assert_int_equal(count(&r, BX_CLIENT_CORE, agent, 0xd1, 0x3f), 0);
    rig_do(&r, 0, BX_STORE, LINE, 0);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0x24, 0x22), 1);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xd1, 0x38), 0); /* it was not a load */
    rig_do(&r, 1, BX_LOAD, LINE, 0);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 1, 0xd2, 0x04), 1); /* XSNP_HITM */
    assert_int_equal(count(&r, BX_CLIENT_CORE, 1, 0xd1, L3), 1);
    rig_do(&r, 2, BX_LOAD, LINE, 0); /* two cores share it, so none is snooped */
    assert_int_equal(count(&r, BX_CLIENT_CORE, 2, 0xd2, 0x08), 1);
    rig_do(&r, 3, BX_LOAD, LINE + 1, 0);
    /* a load counts once, however many bits are selected */
    assert_int_equal(count(&r, BX_CLIENT_CORE, 3, 0xd1, NOT_L1 | NOT_L2 | NOT_L3), 1);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 3, 0xd1, L1 | NOT_L1), 1);
    rig_do(&r, 2, BX_LOAD, LINE + 1, 0);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 2, 0xd2, 0x02), 1); /* XSNP_HIT */
    rig_do(&r, 2, BX_LOAD, LINE + 1, 0);
    rig_do(&r, 2, BX_STORE, LINE + 1, 0); /* store to a shared line: it asks for ownership */
    assert_int_equal(count(&r, BX_CLIENT_CORE, 2, 0x24, 0xe2), 1);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 2, 0x51, 0x01), 2); /* and fills nothing */
    rig_do(&r, 3, BX_LOAD, LINE + 1, 0);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 3, 0xd2, 0x04), 1);
    rig_free(&r);
}

/* MEM_LOAD_UOPS_LLC_HIT_RETIRED: snoop missed 1, snoop hit 2, hit a modified line 4, no snoop 8.
 * MEM_LOAD_UOPS_LLC_MISS_RETIRED: local memory 3, remote memory 0CH, modified 10H, forwarded 20H.
 * Even and odd lines are alternately in the two packages' memories. */
static void of_ivy_bridge(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "ivbep",
        (bx_model_shape){.packages = 2, .cores = 4, .llc_bytes = 4 * 2560 << 10, .hz = 1000000000});
    enum { HIT = 0xd2, MISS = 0xd3 };
    uint64_t memory[2];
    rig_do(&r, 0, BX_LOAD, LINE, 0);
    rig_do(&r, 0, BX_LOAD, LINE + 64 * 64 + 1, 0);
    for (unsigned of = 0; of < 2; of++)
        memory[of] = count(&r, BX_IVBEP_CORE, 0, MISS, of ? 0x0c : 0x03);
    assert_int_equal(memory[0] + memory[1], 2);
    rig_do(&r, 1, BX_LOAD, LINE, 0); /* core 0 has it alone, clean */
    assert_int_equal(count(&r, BX_IVBEP_CORE, 1, HIT, 2), 1);
    rig_do(&r, 2, BX_LOAD, LINE, 0); /* two have it */
    assert_int_equal(count(&r, BX_IVBEP_CORE, 2, HIT, 8), 1);
    rig_do(&r, 0, BX_STORE, LINE, 0);
    rig_do(&r, 3, BX_LOAD, LINE, 0);
    assert_int_equal(count(&r, BX_IVBEP_CORE, 3, HIT, 4), 1);
    rig_do(&r, 0, BX_STORE, LINE, 0);
    rig_do(&r, 4, BX_LOAD, LINE, 0); /* from the other package, modified there */
    assert_int_equal(count(&r, BX_IVBEP_CORE, 4, MISS, 0x10), 1);
    rig_do(&r, 0, BX_LOAD, LINE + 2, 0);
    rig_do(&r, 5, BX_LOAD, LINE + 2, 0); /* the same, clean: forwarded */
    assert_int_equal(count(&r, BX_IVBEP_CORE, 5, MISS, 0x20), 1);
    assert_int_equal(count(&r, BX_IVBEP_CORE, 4, 0xd1, 0x20), 1);
    assert_int_equal(count(&r, BX_IVBEP_CORE, 5, 0x2e, 0x41), 1);
    rig_free(&r);
}

/* MEM_LOAD_RETIRED: in the LLC without a snoop 4; in another core 8; elsewhere 10H. */
static void of_the_7500(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "nhmex",
        (bx_model_shape){.packages = 2, .cores = 4, .llc_bytes = 4 * 3072 << 10, .hz = 1000000000});
    loads_from(&r, BX_NHMEX_CORE, 0xcb, 0, LINE, 0x10);
    loads_from(&r, BX_NHMEX_CORE, 0xcb, 0, LINE, 0x01);
    loads_from(&r, BX_NHMEX_CORE, 0xcb, 1, LINE, 0x08);
    loads_from(&r, BX_NHMEX_CORE, 0xcb, 2, LINE, 0x04);
    rig_do(&r, 0, BX_STORE, LINE, 0);
    loads_from(&r, BX_NHMEX_CORE, 0xcb, 2, LINE, 0x08);
    loads_from(&r, BX_NHMEX_CORE, 0xcb, 4, LINE, 0x10);
    rig_free(&r);
}

/* Two packages: a Xeon 7500 and Ivy Bridge-EP. */
static void both_servers(struct rig of[2])
{
    of[0] = rig_of(
        "nhmex",
        (bx_model_shape){.packages = 2, .cores = 4, .llc_bytes = 4 * 3072 << 10, .hz = 1000000000});
    of[1] = rig_of(
        "ivbep",
        (bx_model_shape){.packages = 2, .cores = 4, .llc_bytes = 4 * 2560 << 10, .hz = 1000000000});
}

/* A store to a line that the other package may have, too. The Xeon 7500's slice asks the home,
 * which is a miss of the LLC. Ivy Bridge-EP invalidates the other package's copies. */
static void stores_to_shared_lines(void **state)
{
    (void)state;
    struct rig of[2];
    both_servers(of);
    for (unsigned i = 0; i < 2; i++) {
        unsigned box = i ? BX_IVBEP_CORE : BX_NHMEX_CORE;
        rig_do(&of[i], 0, BX_LOAD, LINE, 0);
        rig_do(&of[i], 4, BX_LOAD, LINE, 0);
        assert_int_equal(count(&of[i], box, 0, 0x2e, 0x41), 1);
        rig_do(&of[i], 0, BX_STORE, LINE, 0);
        assert_int_equal(count(&of[i], box, 0, 0x2e, 0x4f), 2);
        assert_int_equal(count(&of[i], box, 0, 0x2e, 0x41), i ? 1 : 2);
        assert_int_equal(count(&of[i], box, 0, 0x51, 0x01), 1); /* it fills nothing */
        rig_free(&of[i]);
    }
}

/* Eight fetches evict from L2, which has 512 sets of 8 ways, a line that only L1D has modified. L2
 * writes it back, and L1D keeps it. Lines that a non-temporal store drops are not counted here. */
static void write_backs_of_l2(void **state)
{
    (void)state;
    enum { L1D_WRITE_BACKS = 0x10, L2_FILLS = 0x20, L2_WRITE_BACKS = 0x40 };
    struct rig of[2];
    both_servers(of);
    for (unsigned i = 0; i < 2; i++) {
        unsigned box = i ? BX_IVBEP_CORE : BX_NHMEX_CORE, loads = i ? 0xd1 : 0xcb;
        rig_do(&of[i], 0, BX_STORE, LINE, 0);
        for (unsigned line = 1; line <= 8; line++) {
            assert_int_equal(count(&of[i], box, 0, 0xf0, L2_WRITE_BACKS), 0);
            rig_do(&of[i], 0, BX_FETCH, LINE + line * 512, 0);
        }
        rig_do(&of[i], 0, BX_LOAD, LINE, 0);
        assert_int_equal(count(&of[i], box, 0, loads, 0x01), 1); /* L1D has it */
        rig_do(&of[i], 0, BX_STORE, LINE + 1, 0);
        rig_do(&of[i], 0, BX_NON_TEMPORAL, LINE + 1, 0);
        assert_int_equal(count(&of[i], box, 0, 0xf0, L2_WRITE_BACKS), 1);
        assert_int_equal(count(&of[i], box, 0, 0xf0, L1D_WRITE_BACKS), 0);
        assert_int_equal(count(&of[i], box, 0, 0xf0, L2_FILLS), 10);
        rig_free(&of[i]);
    }
}

/* A halted core counts no cycles, and the others' work does not wake it. */
static void cycles_of_a_core(void **state)
{
    (void)state;
    struct rig r = rig_of("client", (bx_model_shape){.packages = 1,
                                                     .cores = 2,
                                                     .slices = 2,
                                                     .llc_bytes = 1 << 20,
                                                     .hz = 2000000000,
                                                     .core_hz = 3000000000});
    uint64_t first = rig_do(&r, 0, BX_LOAD, LINE, 0);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0x30b, 0), first);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0x30a, 0), first * 3 / 2);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 1, 0x30a, 0), 0);
    bx_model_idle(r.m, 1000);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0x30b, 0), first);
    uint64_t second = rig_do(&r, 1, BX_LOAD, LINE, 0);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0x30b, 0), first);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 1, 0x30b, 0), second);
    rig_free(&r);
}

/* Requests of others do not wake it either. On the Xeon 7500 core 0 reads memory, and core 1, at
 * 10, a line that core 0 has: ring 4, IRQ 4, 26 + 25, and 2 + 4 back. */
static void its_own_cycles(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "nhmex",
        (bx_model_shape){.packages = 1, .cores = 2, .llc_bytes = 2 * 3072 << 10, .hz = 1000000000});
    const bx_access far = bx_access_make(LINE + 129, BX_LOAD, 0, 0);
    const bx_access near = bx_access_make(LINE, BX_LOAD, 0, 10);
    uint64_t first = rig_do(&r, 0, BX_LOAD, LINE, 0);
    rig_feed(&r, 0, &far, 1);
    rig_feed(&r, 1, &near, 1);
    uint64_t both = rig_run(&r);
    assert_true(both > 75);
    assert_int_equal(count(&r, BX_NHMEX_CORE, 0, 0x30b, 0), first + both);
    assert_int_equal(count(&r, BX_NHMEX_CORE, 1, 0x30b, 0), 75);
    rig_free(&r);
}

/* Instructions retire between the accesses that src/model/engine/retirement.h says; counts can be
 * read at any time. */
static void in_the_middle(void **state)
{
    (void)state;
    struct rig r =
        rig_of("client",
               (bx_model_shape){
                   .packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20, .hz = 1000000000});
    bx_retired_table *table = bx_retired_table_new();
    bx_retired block = {{0}};
    block.n[BX_RETIRED_INSTRUCTIONS] = 3;
    block.n[BX_RETIRED_BRANCHES] = 1;
    uint32_t of_block = bx_retired_table_add(table, &block);
    assert_int_equal(bx_retired_table_add(table, &block), of_block);
    block.n[BX_RETIRED_INSTRUCTIONS] = 100;
    uint32_t other = bx_retired_table_add(table, &block);
    assert_int_not_equal(other, of_block);
    const bx_access access[] = {
        bx_access_make(LINE, BX_LOAD, BX_ACCESS_DEPENDENT, 10),
        bx_access_make(LINE, BX_LOAD, 0, 1000),
        bx_access_make(LINE, BX_LOAD, 0, 1000),
    };
    const bx_retirement retires[] = {{0, of_block}, {1, of_block}, {1, other}, {3, of_block}};
    rig_feed(&r, 0, access, 3); /* sets the feed up */
    bx_model_feed(r.m, 0, NULL);
    r.of[0].feed.each_retires = false;
    r.of[0].feed.retirement = retires;
    r.of[0].feed.retirement_end = retires + 4;
    r.of[0].feed.origin = access;
    r.of[0].feed.retired = table;
    r.of[0].feed.retired_n = bx_retired_table_n(table);
    bx_model_feed(r.m, 0, &r.of[0].feed);
    bx_model_run(r.m, 5);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xc0, 0), 3);
    bx_model_run(r.m, 500);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xc0, 0), 106);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xc4, 0), 3);
    bx_model_run(r.m, 1500);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xc0, 0), 106);
    assert_true(bx_model_run(r.m, BX_NEVER));
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xc0, 0), 109);
    bx_model_feed(r.m, 0, NULL);
    bx_retired_table_free(table);
    assert_int_equal(count(&r, BX_CLIENT_CORE, 0, 0xc0, 0), 109);
    rig_free(&r);
}

/* The events of all cores, hashed. */
static uint64_t all_counts(const struct rig *r)
{
    static const uint16_t events[][2] = {{0xc0, 0},    {0x3c, 0},    {0xd1, 1},    {0xd1, 2},
                                         {0xd1, 4},    {0xd1, 0x20}, {0x24, 0xc2}, {0x24, 0x22},
                                         {0x51, 0x01}, {0xf1, 0x1f}, {0xf2, 0x02}, {0x2e, 0x4f}};
    uint64_t mixed = 0;
    for (unsigned core = 0; core < r->cores; core++)
        for (size_t e = 0; e < sizeof events / sizeof *events; e++)
            mixed = mixed * 31 + count(r, BX_CLIENT_CORE, core, events[e][0], events[e][1]);
    return mixed;
}

static void no_level(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles,
                     uint32_t level)
{
    (void)w, (void)id, (void)start, (void)cycles, (void)level;
}

/* Alarms at these times; `seen` gets the cores' counts at each. */
struct alarms {
    bx_watcher watcher; /* first */
    const struct rig *rig;
    uint64_t every, seen[64];
    size_t n;
};

static uint64_t at_alarm(struct bx_watcher *w, uint64_t now)
{
    struct alarms *a = (struct alarms *)(void *)w;
    if (a->n < 64)
        a->seen[a->n++] = all_counts(a->rig);
    return now + a->every;
}

enum { EVERY = 997, TIMES = 40 };

/* The counts at each of some times, and at the end, from a run in pieces or from alarms in one run.
 * watched: levels of the uncore, or of a core, are reported meanwhile. */
static size_t counts_at_times(uint64_t seen[64], bool alarms, unsigned watched)
{
    struct rig r =
        rig_of("client",
               (bx_model_shape){
                   .packages = 1, .cores = 4, .slices = 4, .llc_bytes = 1 << 20, .hz = 1000000000});
    struct alarms a = {
        .watcher = {.on_level = no_level, .alarm = at_alarm}, .rig = &r, .every = EVERY};
    const bx_selection uncore = {.box = BX_CLIENT_ARB, .code = 0x80, .umask = 1};
    const bx_selection core = {
        .box = BX_CLIENT_CORE, .unit = 1, .code = 0x24, .umask = 0x21, .levels = BX_LEVELS};
    rig_begin(&r, "sharing,size=64K,iterations=4000,cores=4");
    all_counts(&r);
    r.s->set_watcher(r.s, &a.watcher);
    if (watched)
        assert_true(r.s->watch(r.s, 0, watched == 1 ? &uncore : &core));
    if (alarms)
        r.s->set_alarm(r.s, EVERY);
    for (unsigned i = 1; i <= TIMES && !alarms; i++) {
        bx_model_run(r.m, i * EVERY);
        a.seen[a.n++] = all_counts(&r);
    }
    size_t n = a.n;
    if (alarms) {
        bx_model_run(r.m, TIMES * EVERY + 1);
        n = a.n;
        r.s->set_alarm(r.s, BX_NEVER);
    }
    rig_run(&r);
    a.seen[n++] = rig_now(&r);
    a.seen[n++] = all_counts(&r);
    memcpy(seen, a.seen, sizeof a.seen);
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(r.m, agent, NULL);
    rig_free(&r);
    return n;
}

/* The counts do not depend on what stops the machine, nor on how it runs: with a watcher it runs
 * cycle by cycle. */
static void the_same_at_any_time(void **state)
{
    (void)state;
    uint64_t expected[64], is[64];
    assert_int_equal(counts_at_times(expected, false, 0), TIMES + 2);
    assert_int_not_equal(expected[0], expected[TIMES - 1]);
    for (unsigned alarms = 0; alarms < 2; alarms++)
        for (unsigned watched = 0; watched < 3; watched++) {
            assert_int_equal(counts_at_times(is, alarms, watched), TIMES + 2);
            assert_memory_equal(is, expected, (TIMES + 2) * sizeof *is);
        }
}

/* Reports of a count, one after the other. */
struct reports {
    bx_watcher watcher; /* first */
    uint64_t of[1 << 14];
    size_t n;
};

static void note_report(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles,
                        uint32_t level)
{
    struct reports *r = (struct reports *)(void *)w;

    assert_int_equal(cycles, 1);
    assert_true(r->n < sizeof r->of / sizeof *r->of);
    r->of[r->n++] = start << 16 | id << 8 | level;
}

static uint64_t no_alarm(struct bx_watcher *w, uint64_t now)
{
    (void)w, (void)now;
    return BX_NEVER;
}

/* The requests of each core that L2 cannot serve. */
static void watch_requests(const bx_model_shape *shape, const char *spec, bool relaxed,
                           struct reports *reports)
{
    struct rig r = rig_of("client", *shape);

    *reports = (struct reports){.watcher = {note_report, no_alarm}};
    r.s->set_watcher(r.s, &reports->watcher);
    for (uint16_t core = 0; core < r.cores; core++) {
        const bx_selection misses = {
            .box = BX_CLIENT_CORE, .unit = core, .code = 0x24, .umask = 0x3f, .levels = BX_LEVELS};
        assert_true(r.s->watch(r.s, core, &misses));
        r.s->relax(r.s, core, relaxed);
    }
    rig_work(&r, spec);
    rig_free(&r);
}

/* Requests are reported in their cycles also where the model passes L1 hits by, as the watcher
 * needs nothing but the reports. */
static void reports_of_requests(void **state)
{
    (void)state;
    static struct reports expected, is;
    static const char *const works[] = {"sharing,size=64K,iterations=300,cores=4",
                                        "random,cores=4,size=40K,iterations=1500,write=40",
                                        "stream,size=64K"};
    bx_model_shape shape = {
        .packages = 1, .cores = 4, .slices = 4, .llc_bytes = 1 << 20, .hz = 1000000000};
    for (unsigned bounded = 0; bounded < 2; bounded++) {
        shape.prefetch = bounded;
        shape.times.window = shape.times.store_buffer = bounded ? 56 : 0;
        for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
            watch_requests(&shape, works[w], false, &expected);
            watch_requests(&shape, works[w], true, &is);
            assert_in_range(expected.n, 500, sizeof is.of / sizeof *is.of);
            assert_int_equal(is.n, expected.n);
            assert_memory_equal(is.of, expected.of, is.n * sizeof *is.of);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_client),        cmocka_unit_test(of_ivy_bridge),
        cmocka_unit_test(of_the_7500),          cmocka_unit_test(stores_to_shared_lines),
        cmocka_unit_test(write_backs_of_l2),    cmocka_unit_test(cycles_of_a_core),
        cmocka_unit_test(its_own_cycles),       cmocka_unit_test(in_the_middle),
        cmocka_unit_test(the_same_at_any_time), cmocka_unit_test(reports_of_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
