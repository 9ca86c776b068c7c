/* The built-in workloads: their traffic, and messages for bad text. */
#include "../cmocked.h"

#include "client_rig.h"

#include "model/engine/access_pattern.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static struct rig run_on(const char *spec, unsigned cores)
{
    struct rig r = rig_new(cores, 4, 8 << 20);
    rig_begin(&r, spec);
    rig_run(&r);
    return r;
}

static struct rig run(const char *spec)
{
    return run_on(spec, 4);
}

static bool works(const struct rig *r, unsigned agent)
{
    return bx_workload_feed(r->workload, agent);
}

/* ---- patterns ---- */

static void test_stream(void **state)
{
    (void)state;
    struct rig r = run("stream");
    const struct bx_client_counts *c = rig_counts(&r);

    assert_int_equal(bx_model_accesses(r.m), 3 * (16 << 20) / 8);
    assert_int_equal(c->arb[BX_ARB_DATA_READ], 2 * (16 << 20) / 64);
    assert_int_equal(c->arb[BX_ARB_OTHER_READ], (16 << 20) / 64);
    assert_true(c->arb[BX_ARB_WRITE] > 0);
    assert_true(rig_lookups(&r, BX_CLIENT_WRITE, BX_LINE_E) > 200000);
    assert_true(works(&r, 0) && !works(&r, 1) && !works(&r, BX_AGENT_GT));
    rig_free(&r);
}

/* Three cores share 1000 elements, two times: 333 or 334 each. */
static void test_shares(void **state)
{
    (void)state;
    struct rig r = run("copy,size=64000,stride=64,cores=3,passes=2");

    assert_int_equal(bx_model_accesses(r.m), 2 * 2 * 1000);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 2000); /* each line once */
    assert_true(works(&r, 2) && !works(&r, 3));
    rig_free(&r);
}

/* A stride leaves lines out. */
static void test_stride(void **state)
{
    (void)state;
    struct rig r = run("stream,size=1M,stride=256");

    assert_int_equal(bx_model_accesses(r.m), 3 * 4096);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 3 * 4096);
    rig_free(&r);
}

/* A cycle through all lines: in a cache that is large enough, each misses once. */
static void test_chase(void **state)
{
    (void)state;
    struct rig r = run("chase,size=1000K,passes=3");

    assert_int_equal(bx_model_accesses(r.m), 3 * 16000);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 16000);
    assert_true(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E) > 20000); /* not in L2 either */
    rig_free(&r);
}

static void test_random(void **state)
{
    (void)state;
    struct rig stores = run("random,size=16M,iterations=40000,write=100");
    struct rig loads = run("random,size=16M,iterations=40000,write=0");
    struct rig again = run("random,size=16M,iterations=40000,write=0");
    struct rig other = run("random,size=16M,iterations=40000,write=0,seed=2");

    assert_int_equal(rig_counts(&stores)->arb[BX_ARB_DATA_READ], 0);
    assert_true(rig_counts(&stores)->arb[BX_ARB_OTHER_READ] > 30000);
    assert_int_equal(rig_counts(&loads)->arb[BX_ARB_OTHER_READ], 0);
    assert_int_equal(rig_counts(&loads)->data_writes, 0);
    assert_memory_equal(rig_counts(&loads), rig_counts(&again), sizeof *rig_counts(&loads));
    assert_memory_not_equal(rig_counts(&loads), rig_counts(&other), sizeof *rig_counts(&loads));
    rig_free(&stores);
    rig_free(&loads);
    rig_free(&again);
    rig_free(&other);
}

/* Every store to a line, except the first, takes the modified line from another core. The LLC has
 * it in E the first time, and in M from then on. Between two stores of a core to a line, the others
 * have got it. */
static void test_pingpong(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t stores, lines;
    } row[] = {{"pingpong", 200000, 64},
               {"pingpong,cores=4,iterations=1000", 4000, 64},
               {"pingpong,cores=3,size=640,iterations=500,period=40", 1500, 10}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rig r = run(row[i].spec);
        assert_int_equal(bx_model_accesses(r.m), row[i].stores);
        assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), row[i].lines);
        assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E), row[i].lines);
        assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_M),
                         row[i].stores - 2 * row[i].lines);
        assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HITM),
                         row[i].stores - row[i].lines);
        rig_free(&r);
    }
}

static void test_sharing(void **state)
{
    (void)state;
    struct rig r = run("sharing,cores=4"), readers = run("sharing,cores=4,write=0");

    assert_true(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_S) > 1000);
    assert_true(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HIT) > 1000);
    assert_true(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HITM) > 1000);
    assert_true(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_MISS) > 1000);
    assert_int_equal(rig_snoops(&readers, BX_SNOOP_XCORE, BX_SNOOP_HITM), 0);
    assert_int_equal(rig_counts(&readers)->arb[BX_ARB_OTHER_READ], 0);
    rig_free(&r);
    rig_free(&readers);
}

/* n times each, in turns. The load finds the lock modified in the other core, the store then takes
 * it from both, and the data is modified in the other core: three lookups. But the first core's
 * first load and store to the data find nothing and its store to the lock is private; the second
 * core's first load and store to the data find E. */
static void test_lock(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct rig r = run("lock,iterations=1000");

    assert_int_equal(bx_model_accesses(r.m), 2 * 4 * N);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 2);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E), 2);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_M), 3 * 2 * N - 1 - 4);
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HITM), 2 * (2 * N - 1));
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HIT), 2 * N - 1);
    rig_free(&r);
}

/* 64 lines, each stored to L times by the first core and loaded L times by the second, half a round
 * later: 32 lines stored to first, 32 loaded first. A load finds the line modified in the first
 * core, except for the first load of the latter. A store takes it from both (M in the LLC), or from
 * the second core (E, the first one of the latter), but for the first store of the former. The LLC
 * has E as long as no modified line came back: the first lookup that hits, of the lines loaded
 * first the second as well. */
static void test_producer(void **state)
{
    (void)state;
    enum { LINES = 64, L = 50 };
    struct rig r = run("producer,iterations=3200");

    assert_int_equal(bx_model_accesses(r.m), 2 * LINES * L);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), LINES);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E), LINES + LINES / 2);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_M),
                     2 * LINES * L - 2 * LINES - LINES / 2);
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HITM), LINES * L - LINES / 2);
    assert_int_equal(rig_snoops(&r, BX_SNOOP_XCORE, BX_SNOOP_HIT), LINES * L - LINES / 2);
    rig_free(&r);
}

/* Load-to-use on one slice, which is core 0's: 34 cycles, 35 more if the line is modified in the
 * other core, 25 if clean there, and nothing if two have it. */
static void test_transfer(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t cycles;
    } row[] = {{"transfer", 34 + 35},
               {"transfer,state=m,cores=4", 34 + 35},
               {"transfer,state=E", 34 + 25},
               {"transfer,state=S,cores=3", 34}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rig r = rig_new(4, 1, 8 << 20);
        rig_begin(&r, row[i].spec);
        assert_int_equal(rig_run(&r), 4000 + 1024 * row[i].cycles);
        rig_free(&r);
    }
}

/* Two passes over 1,024 lines of code: the first misses the LLC, and the second L1I and nothing
 * else. */
static void test_code(void **state)
{
    (void)state;
    struct rig r = run("code,size=64K");

    assert_int_equal(bx_model_accesses(r.m), 2 * 1024);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 1024);
    assert_int_equal(rig_counts(&r)->arb[BX_ARB_DATA_READ], 0);
    assert_int_equal(rig_counts(&r)->data_reads, 1024);
    rig_free(&r);
}

/* Each store goes to memory, a whole line or a part of one; none reads. */
static void test_non_temporal(void **state)
{
    (void)state;
    struct rig r = run("nontemporal,iterations=1000"),
               parts = run("nontemporal,iterations=1000,step=8,cores=2");

    assert_int_equal(rig_counts(&r)->data_writes, 1000);
    assert_int_equal(rig_counts(&r)->data_reads, 0);
    assert_int_equal(bx_model_accesses(parts.m), 2 * 1000);
    rig_free(&r);
    rig_free(&parts);
}

static void test_dma(void **state)
{
    (void)state;
    struct rig r = run("dma,iterations=10000"), parts = run("dma,iterations=10000,step=8");
    const struct bx_client_counts *c = rig_counts(&r), *p = rig_counts(&parts);

    assert_int_equal(c->coh, 10000);
    assert_int_equal(c->imc[BX_IMC_IO], 10000);
    assert_int_equal(c->data_reads, 5000);
    assert_int_equal(c->data_writes, 5000);
    assert_in_range(rig_now(&r), 10000 * 20, 10000 * 20 + 200);
    /* Eight pieces make a line. */
    assert_int_equal(p->imc[BX_IMC_IO], 10000);
    assert_int_equal(p->data_writes, 5000 / 8);
    assert_true(works(&r, BX_AGENT_IO) && !works(&r, 0));
    rig_free(&r);
    rig_free(&parts);
}

static void test_gfx(void **state)
{
    (void)state;
    struct rig r = run("gfx,iterations=10000,write=10");
    const struct bx_client_counts *c = rig_counts(&r);

    assert_int_equal(rig_lookups(&r, BX_CLIENT_WRITE, BX_LINE_I), 1000);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I) +
                         rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E),
                     9000);
    assert_int_equal(c->imc[BX_IMC_GT], c->data_reads + c->data_writes);
    assert_int_equal(c->arb[BX_ARB_WRITE], 1000);
    assert_true(works(&r, BX_AGENT_GT) && !works(&r, BX_AGENT_IO));
    rig_free(&r);
}

/* Parts share memory: a device finds lines that cores have, unless `at` separates them. */
static void test_together(void **state)
{
    (void)state;
    struct rig r = run("stream,size=1M,cores=2,passes=4+chase,size=64K+gfx,iterations=5000+"
                       "dma,size=1M,iterations=20000");
    struct rig apart = run("stream,size=1M,cores=2+dma,size=1M,iterations=20000,at=1G");

    assert_true(works(&r, 0) && works(&r, 1) && works(&r, 2) && !works(&r, 3));
    assert_true(works(&r, BX_AGENT_GT) && works(&r, BX_AGENT_IO));
    assert_true(rig_lookups(&r, BX_CLIENT_EXTSNP, BX_LINE_E) > 0);
    assert_true(rig_snoops(&r, BX_SNOOP_EXTERNAL, BX_SNOOP_HITM) > 0);
    assert_true(rig_snoops(&r, BX_SNOOP_EXTERNAL, BX_SNOOP_HIT) > 0);
    assert_true(rig_snoops(&r, BX_SNOOP_EXTERNAL, BX_SNOOP_MISS) > 0);
    assert_int_equal(rig_lookups(&apart, BX_CLIENT_EXTSNP, BX_LINE_I), 20000);
    rig_free(&r);
    rig_free(&apart);
}

/* The smallest machine can run what needs one core. */
static void test_one_core(void **state)
{
    (void)state;
    struct rig r = run_on("random,iterations=10+gfx,iterations=10+dma,iterations=10", 1);

    assert_int_equal(bx_model_accesses(r.m), 30);
    rig_free(&r);
}

/* ---- text ---- */

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int code;
        size_t at, len;
        const char *message, *hint;
    } row[] = {
        {"", BX_BAD_INPUT, 0, 0, "a workload's name is missing",
         "workloads are stream, copy, chase, random, pingpong, sharing, lock, producer, transfer, "
         "code, nontemporal, instructions, branches, mmio, ports, dma, gfx"},
        {"strem", BX_NOT_FOUND, 0, 5, "there is no workload 'strem'",
         BX_DID_YOU_MEAN_NAME("stream")},
        {"xyzzy,size=1", BX_NOT_FOUND, 0, 5, "there is no workload 'xyzzy'",
         "workloads are stream, copy, chase, random, pingpong, sharing, lock, producer, transfer, "
         "code, nontemporal, instructions, branches, mmio, ports, dma, gfx"},
        {"stream,", BX_BAD_INPUT, 6, 1, "nothing follows the comma", ""},
        {"stream,,size=1M", BX_BAD_INPUT, 6, 1, "nothing follows the comma", ""},
        {"stream, size=1X", BX_BAD_INPUT, 13, 2, "key 'size' of workload 'stream' cannot be '1X'",
         "4K to 4G"},
        {"stream,siz=1M", BX_NOT_FOUND, 7, 3, "workload 'stream' has no key 'siz'",
         BX_DID_YOU_MEAN_NAME("size")},
        {"chase,write=1", BX_NOT_FOUND, 6, 5, "workload 'chase' has no key 'write'",
         "its keys and their presets are size=16M,stride=line,cores=1,passes=2,order=random,at=0,"
         "seed=1"},
        {"stream,size", BX_BAD_INPUT, 7, 4, "key 'size' has no value", "size=NUMBER"},
        {"stream,size=", BX_BAD_INPUT, 7, 5, "key 'size' has no value", "size=NUMBER"},
        {"stream,size=0", BX_BAD_INPUT, 12, 1, "key 'size' of workload 'stream' cannot be '0'",
         "4K to 4G"},
        {"stream,size=8G", BX_BAD_INPUT, 12, 2, "key 'size' of workload 'stream' cannot be '8G'",
         "4K to 4G"},
        {"stream,size=8MB", BX_BAD_INPUT, 12, 3, "key 'size' of workload 'stream' cannot be '8MB'",
         "write 8M for powers of 1024: with a B some mean powers of 1000"},
        {"stream,size=16T", BX_BAD_INPUT, 12, 3, "key 'size' of workload 'stream' cannot be '16T'",
         "4K to 4G"},
        {"stream,stride=0", BX_BAD_INPUT, 14, 1, "key 'stride' of workload 'stream' cannot be '0'",
         "1 to 1G"},
        {"random,write=101", BX_BAD_INPUT, 13, 3,
         "key 'write' of workload 'random' cannot be '101'", "0 to 100"},
        {"dma,period=-1", BX_BAD_INPUT, 11, 2, "key 'period' of workload 'dma' cannot be '-1'",
         "1 to 4095"},
        {"dma,step=65", BX_BAD_INPUT, 9, 2, "key 'step' of workload 'dma' cannot be '65'",
         "1 to 64"},
        {"pingpong,cores=1", BX_BAD_INPUT, 15, 1,
         "key 'cores' of workload 'pingpong' cannot be '1'", NULL},
        {"transfer,state=I", BX_BAD_INPUT, 15, 1,
         "key 'state' of workload 'transfer' cannot be 'I'", "M, E or S"},
        {"chase,order=left", BX_BAD_INPUT, 12, 4,
         "key 'order' of workload 'chase' cannot be 'left'", "random, up, down or page"},
        {"chase,size=32", BX_BAD_INPUT, 11, 2, "key 'size' of workload 'chase' cannot be '32'",
         "64 to 4G"},
        {"transfer,state=S", BX_BAD_INPUT, 0, 16,
         "state=S takes two cores that hold the lines and one that loads them", "cores=3"},
        {"transfer,stat=S", BX_NOT_FOUND, 9, 4, "workload 'transfer' has no key 'stat'",
         BX_DID_YOU_MEAN_NAME("state")},
        {"transfer,write=S", BX_NOT_FOUND, 9, 5, "workload 'transfer' has no key 'write'",
         "its keys and their presets are size=64K,stride=line,cores=2,state=M,at=0,seed=1"},
        {"copy,seed=1,seed=2", BX_BAD_INPUT, 12, 6, "key 'seed' is given twice", ""},
        {"copy,size=4K,stride=8K", BX_BAD_INPUT, 0, 22,
         "a stride of 8192 is larger than the size of 4096", "give a larger size"},
        {"chase,cores=5", BX_NO_FIT, 0, 13, "workload 'chase' needs 5 cores, the machine has 4",
         "a machine with 5 cores has room: each workload uses cores of its own"},
        {"chase,cores=4+chase", BX_NO_FIT, 14, 5,
         "workload 'chase' needs 1 core, the machine has 4 and uses 4 for workloads before it",
         "a machine with 5 cores has room: each workload uses cores of its own"},
        {"stream,cores=3+pingpong", BX_NO_FIT, 15, 8,
         "workload 'pingpong' needs 2 cores, the machine has 4 and uses 3 for workloads before it",
         "a machine with 5 cores has room: each workload uses cores of its own"},
        {"copy+dma+dma", BX_NO_FIT, 9, 3, "two workloads 'dma' at once", ""},
        {"copy+", BX_BAD_INPUT, 5, 0, "a workload's name is missing",
         "workloads are stream, copy, chase, random, pingpong, sharing, lock, producer, transfer, "
         "code, nontemporal, instructions, branches, mmio, ports, dma, gfx"},
        {"copy++dma", BX_BAD_INPUT, 5, 0, "a workload's name is missing",
         "workloads are stream, copy, chase, random, pingpong, sharing, lock, producer, transfer, "
         "code, nontemporal, instructions, branches, mmio, ports, dma, gfx"},
        {"dma+stream,size=4G,at=5G", BX_NO_FIT, 4, 20,
         "workload 'stream' needs 18253611008 bytes of memory, the machine has 17179869184",
         "give a smaller size or at"},
    };
    struct bx_frames *frames = bx_frames_new(1);

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bx_workload *w = NULL;
        bx_error e = {0};
        assert_int_equal(bx_workload_new(row[i].spec, strlen(row[i].spec), 4, frames, &w, &e),
                         row[i].code);
        assert_null(w);
        assert_int_equal(e.code, row[i].code);
        assert_string_equal(e.message, row[i].message);
        assert_int_equal(e.at, row[i].at);
        assert_int_equal(e.len, row[i].len);
        if (row[i].hint)
            assert_string_equal(e.hint, row[i].hint);
    }
    bx_frames_free(frames);
    bx_workload_free(NULL);
}

/* ---- the time of a core ---- */

static struct bx_workload *timed(const char *spec, struct bx_frames *frames,
                                 const bx_core_time *core)
{
    struct bx_workload *w = NULL;
    assert_int_equal(bx_workload_new(spec, strlen(spec), 4, frames, &w, NULL), BX_OK);
    bx_workload_time(w, core);
    return w;
}

/* The costs of the first accesses of core 0. */
static void costs(const char *spec, const bx_core_time *core, const unsigned *expected, size_t n)
{
    struct bx_frames *frames = bx_frames_new(1);
    struct bx_workload *w = timed(spec, frames, core);
    bx_feed *feed = bx_workload_feed(w, 0);
    assert_int_equal(feed->refill(feed), BX_FEED_MORE);
    assert_true((size_t)(feed->end - feed->next) >= n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(feed->next[i] >> 4 & BX_ACCESS_COST_MAX, expected[i]);
    bx_workload_free(w);
    bx_frames_free(frames);
}

#define COSTS(spec, core, ...)                                                                     \
    costs(spec, core, (const unsigned[]){__VA_ARGS__},                                             \
          sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

/* An iteration of a lock in two lines has a load and two stores that are misaligned. */
static void test_split_lock_is_misaligned(void **state)
{
    (void)state;
    enum { MISALIGN_MEM_REF = 0x05 };
    const bx_core_time plain = {0};
    const bx_selection misaligned = {.code = MISALIGN_MEM_REF, .levels = BX_LEVELS};

    for (unsigned split = 0; split <= 1; split++) {
        struct rig r = rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1});
        rig_begin(&r,
                  split ? "lock,cores=1,split=1,iterations=100" : "lock,cores=1,iterations=100");
        assert_true(bx_workload_execute(r.workload, &plain, true));
        rig_run(&r);
        assert_int_equal(rig_tally(&r, &misaligned), 300 * split);
        rig_free(&r);
    }
}

/* A load that waits for the previous one takes at least the L1's latency, in uncore cycles. */
static void test_core_time(void **state)
{
    (void)state;
    const bx_core_time plain = {0}, four = {.l1 = 4}, fifteen = {.l1 = 15};
    const bx_core_time faster = {.l1 = 4, .core_hz = 3000000000, .uncore_hz = 2000000000};

    COSTS("chase", &plain, 1, 1, 1);
    COSTS("chase", &four, 4, 4, 4);
    COSTS("chase", &faster, 2, 3, 3, 2, 3, 3); /* 8/3 each */
    COSTS("sharing", &four, 10, 10, 10);
    COSTS("sharing", &fifteen, 15, 15, 15);
    COSTS("transfer", &plain, 4000, 0, 0);
    COSTS("transfer", &four, 4000, 4, 4);
    COSTS("stream", &four, 1, 0, 1, 1, 0, 1); /* they do not wait for a load */
    COSTS("random", &four, 4, 4, 4);
}

/* The lines of the first two pages that `chase` loads, 64 of each, each counted from its page. The
 * pages' frames are `page`. */
static void chased(const char *spec, unsigned line[128], uint64_t page[2])
{
    struct bx_frames *frames = bx_frames_new(1);
    const bx_core_time plain = {0};
    struct bx_workload *w = timed(spec, frames, &plain);
    bx_feed *feed = bx_workload_feed(w, 0);
    assert_int_equal(feed->refill(feed), BX_FEED_MORE);
    assert_true((size_t)(feed->end - feed->next) >= 128);
    for (unsigned i = 0; i < 128; i++) {
        uint64_t at = bx_access_line(feed->next[i]);
        line[i] = (unsigned)(at % 64);
        if (i % 64 == 0)
            page[i / 64] = at / 64;
        else
            assert_int_equal(at / 64, page[i / 64]);
    }
    bx_workload_free(w);
    bx_frames_free(frames);
}

/* Pages one after the other, up or down; the lines of a page likewise or at random. */
static void test_orders(void **state)
{
    (void)state;
    unsigned line[128];
    uint64_t up[2], down[2], in_pages[2];

    chased("chase,size=8K,order=up", line, up);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(line[i], i % 64);
    chased("chase,size=8K,order=down", line, down);
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(line[i], 63 - i % 64);
    assert_int_equal(down[0], up[1]);
    assert_int_equal(down[1], up[0]);
    chased("chase,size=8K,order=page", line, in_pages);
    assert_memory_equal(in_pages, up, sizeof up);
    uint64_t seen[2] = {0};
    unsigned ascending = 0;
    for (unsigned i = 0; i < 128; i++) {
        seen[i / 64] |= UINT64_C(1) << line[i];
        ascending += i % 64 && line[i] == line[i - 1] + 1;
    }
    assert_true(seen[0] == UINT64_MAX && seen[1] == UINT64_MAX);
    assert_true(ascending < 32);
}

/* Each element once in a pass, in any order and with any stride; in all orders but `random`, a line
 * is loaded as often as it has elements before the next one is. */
static void test_order_counts(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        uint64_t accesses, lookups;
    } row[] = {
        {"order=up,stride=8", 128000, 16000},   {"order=down,stride=8", 128000, 16000},
        {"order=page,stride=8", 128000, 16000}, {"order=page,stride=3000", 341, 341},
        {"order=page,stride=8K", 125, 125},     {"order=up,stride=3000", 341, 341},
        {"order=page,stride=4095", 250, 250},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "chase,size=1000K,passes=1,%s", row[i].keys);
        struct rig r = run(spec);
        assert_int_equal(bx_model_accesses(r.m), row[i].accesses);
        assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), row[i].lookups);
        assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_E), 0);
        rig_free(&r);
    }
}

/* Names in any case, numbers in C notation; the text need not end in a NUL. */
static void test_spellings(void **state)
{
    (void)state;
    struct bx_frames *frames = bx_frames_new(1);
    struct bx_workload *w = NULL;
    const char spec[] = "Chase,SIZE=0x8000,passes=1+dma;rest";

    assert_int_equal(
        bx_workload_new(spec, strlen("Chase,SIZE=0x8000,passes=1"), 1, frames, &w, NULL), BX_OK);
    assert_non_null(bx_workload_feed(w, 0));
    assert_null(bx_workload_feed(w, BX_AGENT_IO));
    assert_null(bx_workload_feed(w, 1000));
    bx_workload_free(w);
    bx_frames_free(frames);
}

static void test_described(void **state)
{
    (void)state;
    static const char *const name[] = {
        "stream",   "copy",     "chase",    "random", "pingpong",    "sharing",
        "lock",     "producer", "transfer", "code",   "nontemporal", "instructions",
        "branches", "mmio",     "ports",    "dma",    "gfx"};
    char keys[200], few[8];
    size_t i = 0;

    for (; i < sizeof name / sizeof *name; i++) {
        assert_string_equal(bx_workload_name(i), name[i]);
        assert_true(strlen(bx_workload_title(i)) > 10);
        size_t n = bx_workload_keys(i, keys, sizeof keys);
        assert_int_equal(n, strlen(keys));
        assert_true(n < 120);
        assert_int_equal(bx_workload_keys(i, few, sizeof few), n);
        assert_int_equal(strlen(few), sizeof few - 1);
        assert_int_equal(bx_workload_keys(i, NULL, 0), n);
    }
    assert_null(bx_workload_name(i));
    assert_null(bx_workload_title(i));
    assert_int_equal(bx_workload_keys(i, keys, sizeof keys), 0);
    bx_workload_keys(0, keys, sizeof keys);
    assert_string_equal(keys, "size=16M,stride=8,cores=1,passes=1,at=0,seed=1");
    bx_workload_keys(15, keys, sizeof keys);
    assert_string_equal(
        keys, "size=4M,iterations=200000,write=50,step=line,read=line,period=20,at=0,seed=1");
}

/* ---- prefetchers ---- */

/* The next access of a core that is not a prefetch; 0: none. */
static bx_access next_access(bx_feed *feed, size_t *prefetches)
{
    for (;; ++*prefetches) {
        if (feed->next == feed->end && feed->refill(feed) != BX_FEED_MORE)
            return 0;
        bx_access a = *feed->next++;
        if (!(a & BX_ACCESS_PREFETCH))
            return a;
    }
}

/* Prefetchers add to the accesses of cores, and change none. Devices have no prefetchers. */
static void test_prefetches_are_added(void **state)
{
    (void)state;
    for (size_t i = 0; i < BX_PATTERNS; i++) {
        const char *spec = bx_workload_name(i);
        struct rig plain = rig_new(4, 4, 8 << 20), with = rig_new(4, 4, 8 << 20);
        size_t none = 0, asked = 0, accesses = 0;
        rig_begin(&plain, spec);
        rig_begin(&with, spec);
        assert_true(bx_workload_prefetch(with.workload));
        for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
            if (!works(&plain, agent))
                continue;
            for (size_t n = 0; n < 50000; n++, accesses++) {
                bx_access a = next_access(bx_workload_feed(plain.workload, agent), &none);
                assert_int_equal(next_access(bx_workload_feed(with.workload, agent), &asked), a);
                if (!a)
                    break;
            }
        }
        assert_int_equal(none, 0);
        assert_in_range(asked, 0, accesses * BX_PREFETCH_MOST);
        if (i == BX_PATTERN_STREAM || i == BX_PATTERN_COPY)
            assert_true(asked >= accesses / 8);
        if (bx_patterns[i].agent != BX_PATTERN_CORES || i == BX_PATTERN_LOCK)
            assert_int_equal(asked, 0);
        rig_free(&plain);
        rig_free(&with);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),    cmocka_unit_test(test_shares),
        cmocka_unit_test(test_stride),    cmocka_unit_test(test_chase),
        cmocka_unit_test(test_orders),    cmocka_unit_test(test_order_counts),
        cmocka_unit_test(test_random),    cmocka_unit_test(test_pingpong),
        cmocka_unit_test(test_sharing),   cmocka_unit_test(test_lock),
        cmocka_unit_test(test_producer),  cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_code),      cmocka_unit_test(test_non_temporal),
        cmocka_unit_test(test_dma),       cmocka_unit_test(test_gfx),
        cmocka_unit_test(test_together),  cmocka_unit_test(test_one_core),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_split_lock_is_misaligned),
        cmocka_unit_test(test_core_time), cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_described), cmocka_unit_test(test_prefetches_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
