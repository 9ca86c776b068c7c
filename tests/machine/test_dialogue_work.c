/* Virtual PMUs on the machine model while work runs. A count is the same as a difference of tallies
 * and as the sum over all levels. A freeze is exact to the cycle. */
#include "../cmocked.h"

#include "machine/dialogue/dialogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct player {
    bx_machine *m;
    bx_dialogue *d;
};

static void open_player(struct player *p)
{
    bx_error e = {0};
    assert_int_equal(
        bx_machine_open(bx_catalog_builtin(), "virtual:skl,part=plain,llc=1M", &p->m, &e), BX_OK);
    p->d = bx_dialogue_new(p->m, &e);
    assert_non_null(p->d);
}

static void close_player(struct player *p)
{
    bx_dialogue_free(p->d);
    bx_machine_close(p->m);
}

/* Executes one line; returns the last number of its output, 0 if none. */
static uint64_t say(struct player *p, const char *format, unsigned long long a,
                    unsigned long long b)
{
    char line[128];
    bx_buf out = {0};
    bx_error e = {0};
    snprintf(line, sizeof(line), format, a, b);
    assert_int_equal(bx_dialogue_line(p->d, bx_str_of(line), &out, &e), BX_OK);
    uint64_t value = out.p && strncmp(out.p, "0x", 2) == 0 ? strtoull(out.p, NULL, 16) : 0;
    bx_buf_free(&out);
    return value;
}

static uint64_t rdmsr(struct player *p, unsigned msr)
{
    return say(p, "rdmsr 0 0x%llx", msr, 0);
}

static void wrmsr(struct player *p, unsigned msr, uint64_t value)
{
    say(p, "wrmsr 0 0x%llx 0x%llx", msr, value);
}

static void run(struct player *p, const char *workload)
{
    char line[128];
    snprintf(line, sizeof(line), "run %s", workload);
    say(p, line, 0, 0);
}

static const char *const workloads[] = {
    "stream,size=64K,stride=64,cores=2,passes=4",
    "chase,size=256K",
    "random,size=4M,cores=4,iterations=2000",
    "pingpong,iterations=2000",
    "sharing,cores=4,iterations=2000",
    "lock,cores=4,iterations=500",
    "producer,cores=3,iterations=2000",
    "transfer,state=S,cores=4",
    "copy,size=512K,stride=64+gfx,size=1M,iterations=4000",
    "dma,size=1M,iterations=4000",
};
enum { WORKLOADS = sizeof(workloads) / sizeof(*workloads) };

#define EN   UINT64_C(0x400000)
#define OVF  UINT64_C(0x100000)
#define EDGE UINT64_C(0x40000)
#define THR1 UINT64_C(0x1000000)

/* Code and unit mask of two events for each of two C-Boxes and the ARB. */
struct box {
    unsigned select, count; /* for counter 0; counter 1 is next */
    uint64_t code;
};

static const struct box boxes[] = {
    {0x700, 0x706, 0x8f34}, /* all lookups */
    {0x710, 0x716, 0x1834}, /* reads that miss */
    {0x720, 0x726, 0x2134}, /* write-backs */
    {0x730, 0x736, 0xed22}, /* all answers to snoops */
    {0x3b2, 0x3b0, 0x0181}, /* requests */
};
enum { BOXES = sizeof(boxes) / sizeof(*boxes) };

static void test_tallied_and_watched(void **state)
{
    (void)state;
    uint64_t moved = 0;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        struct player p;
        open_player(&p);
        for (unsigned i = 0; i < BOXES; i++) {
            wrmsr(&p, boxes[i].select, boxes[i].code | EN);
            wrmsr(&p, boxes[i].select + 1, boxes[i].code | EN | OVF);
        }
        wrmsr(&p, 0xe01, 0x20000000);
        run(&p, workloads[w]);
        for (unsigned i = 0; i < BOXES; i++) {
            uint64_t tallied = rdmsr(&p, boxes[i].count);
            assert_int_equal(tallied, rdmsr(&p, boxes[i].count + 1));
            moved += tallied != 0;
        }
        close_player(&p);
    }
    assert_true(moved > WORKLOADS * 3);
}

/* Counts the requests under way, on counter 0 only. */
static void test_occupancy_tallied_and_watched(void **state)
{
    (void)state;
    unsigned moved = 0;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        uint64_t count[2];
        for (unsigned watched = 0; watched < 2; watched++) {
            struct player p;
            open_player(&p);
            wrmsr(&p, 0x3b2, 0x0180 | EN | (watched ? OVF : 0));
            wrmsr(&p, 0x3b0, watched ? (UINT64_C(1) << 44) - 2 : 0);
            wrmsr(&p, 0xe01, 0x20000000);
            run(&p, workloads[w]);
            count[watched] = rdmsr(&p, 0x3b0);
            assert_int_equal(rdmsr(&p, 0x3b1), 0);
            close_player(&p);
        }
        assert_int_equal(count[1], (count[0] - 2) & ((UINT64_C(1) << 44) - 1));
        moved += count[0] > 2;
    }
    assert_true(moved > 2);
}

/* Cycles with a level are at most the sum of levels, and edges at most those cycles. All three are
 * 0, or none is. */
static void test_rises_cycles_and_sums(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        struct player sum, rise;
        open_player(&sum);
        open_player(&rise);
        for (unsigned i = 0; i < BOXES; i++) {
            wrmsr(&sum, boxes[i].select, boxes[i].code | EN);
            wrmsr(&sum, boxes[i].select + 1, boxes[i].code | EN | THR1);
            wrmsr(&rise, boxes[i].select, boxes[i].code | EN | THR1 | EDGE);
            wrmsr(&rise, boxes[i].select + 1, boxes[i].code | EN | EDGE);
        }
        wrmsr(&sum, 0xe01, 0x20000000);
        wrmsr(&rise, 0xe01, 0x20000000);
        run(&sum, workloads[w]);
        run(&rise, workloads[w]);
        for (unsigned i = 0; i < BOXES; i++) {
            uint64_t all = rdmsr(&sum, boxes[i].count), cycles = rdmsr(&sum, boxes[i].count + 1);
            uint64_t rises = rdmsr(&rise, boxes[i].count);
            assert_int_equal(rises, rdmsr(&rise, boxes[i].count + 1));
            assert_true(cycles <= all && rises <= cycles);
            assert_int_equal(all == 0, rises == 0);
        }
        close_player(&sum);
        close_player(&rise);
    }
}

/* All counters, as tallies, with the clock. */
static void count_everything(struct player *p, uint64_t global)
{
    for (unsigned i = 0; i < BOXES; i++)
        wrmsr(p, boxes[i].select, boxes[i].code | EN);
    wrmsr(p, 0x394, EN);
    wrmsr(p, 0xe01, global);
}

/* An overflow in the middle of the work freezes all counters. Another machine that is stopped at
 * that cycle must have the same counts. */
static void test_a_freeze_is_exact(void **state)
{
    (void)state;
    unsigned frozen = 0;
    for (unsigned w = 0; w < WORKLOADS; w++)
        for (unsigned watched = 0; watched < BOXES; watched++) {
            struct player a, b;
            bx_error e = {0};
            bool done;
            open_player(&a);
            wrmsr(&a, boxes[watched].select + 1, boxes[watched].code | EN | OVF);
            wrmsr(&a, boxes[watched].count + 1, (UINT64_C(1) << 44) - 300);
            count_everything(&a, 0xa0000001);
            run(&a, workloads[w]);
            uint64_t stopped = rdmsr(&a, 0x395);
            frozen += rdmsr(&a, 0xe01) == 0x80000001;
            open_player(&b);
            count_everything(&b, 0x20000000);
            assert_int_equal(bx_machine_load_workload(b.m, workloads[w], &e), BX_OK);
            assert_int_equal(bx_machine_run(b.m, stopped, &done, &e), BX_OK);
            assert_int_equal(rdmsr(&b, 0x395), stopped);
            for (unsigned i = 0; i < BOXES; i++)
                assert_int_equal(rdmsr(&a, boxes[i].count), rdmsr(&b, boxes[i].count));
            close_player(&a);
            close_player(&b);
        }
    assert_true(frozen > WORKLOADS * 2);
}

/* Work at the latest time that a machine can idle to takes as long as work at its beginning. */
static void test_work_at_the_latest_time(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:skl,part=plain", "virtual:ivbep,part=plain",
                                           "virtual:nhmex,part=plain", "virtual:p6,part=plain"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct player p;
        bx_buf out = {0};
        bx_error e = {0};
        bx_machine *m;
        assert_int_equal(bx_machine_open(bx_catalog_builtin(), machines[i], &m, &e), BX_OK);
        p = (struct player){m, bx_dialogue_new(m, &e)};
        run(&p, "stream,size=64K");
        uint64_t took = bx_machine_now(m);
        say(&p, "cycles %llu", BX_TIME_MOST - took, 0);
        assert_int_equal(bx_dialogue_line(p.d, BX_STR("cycles 1"), &out, &e), BX_BAD_INPUT);
        bx_buf_free(&out);
        run(&p, "stream,size=64K");
        assert_true(bx_machine_now(m) > BX_TIME_MOST);
        assert_true(bx_machine_now(m) - BX_TIME_MOST <= took);
        close_player(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tallied_and_watched),
        cmocka_unit_test(test_occupancy_tallied_and_watched),
        cmocka_unit_test(test_rises_cycles_and_sums),
        cmocka_unit_test(test_a_freeze_is_exact),
        cmocka_unit_test(test_work_at_the_latest_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
