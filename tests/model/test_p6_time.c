/* What is reported to watchers of a P6: in sum, what is counted; each alarm at its time. */
#include "../cmocked.h"

#include "p6_rig.h"

/* A watcher that adds up what is reported to it, and remembers how many cycles were not 0. */
struct ear {
    bx_watcher watcher; /* first */
    bx_signals *s;
    uint64_t sum[BX_WATCHES], busy[BX_WATCHES];
    uint64_t since[BX_WATCHES]; /* from here on the level is `open` */
    uint32_t open[BX_WATCHES];
    uint64_t last;             /* start of what was reported last */
    uint64_t period, alarm_at; /* of alarms */
    bx_selection sel;          /* what is read at each alarm */
    uint64_t alarms, heard;    /* its tallies then, mixed into one number */
};

static void close_at(struct ear *ear, unsigned id, uint64_t t)
{
    assert_true(t >= ear->since[id]);
    ear->sum[id] += ear->open[id] * (t - ear->since[id]);
    ear->busy[id] += ear->open[id] ? t - ear->since[id] : 0;
    ear->since[id] = t;
}

static void see(bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level)
{
    struct ear *ear = (struct ear *)(void *)w;

    assert_true(start >= ear->last);
    ear->last = start;
    close_at(ear, id, start);
    ear->open[id] = cycles == BX_OPEN_ENDED ? level : 0;
    if (cycles == BX_OPEN_ENDED)
        return;
    assert_int_equal(cycles, 1);
    ear->sum[id] += level;
    ear->busy[id]++;
    ear->since[id] = start + 1;
}

static uint64_t alarm_rings(bx_watcher *w, uint64_t now)
{
    struct ear *ear = (struct ear *)(void *)w;
    uint64_t sum;

    assert_int_equal(now, ear->alarm_at);
    assert_int_equal(ear->s->now(ear->s), now);
    assert_true(ear->s->tally(ear->s, &ear->sel, &sum));
    ear->alarms++;
    ear->heard = ear->heard * 31 + sum;
    return ear->alarm_at = now + ear->period;
}

static void listen(struct ear *ear, const struct p6_rig *r)
{
    *ear = (struct ear){.watcher = {see, alarm_rings}, .s = r->s};
    r->s->set_watcher(r->s, &ear->watcher);
}

/* Every code with the unit mask that takes in most. */
static unsigned selections(const struct p6_rig *r, bx_selection sel[BX_WATCHES])
{
    static const uint8_t umasks[] = {MESI, ANY, 0};
    unsigned n = 0;

    for (unsigned i = 0; i < sizeof umasks; i++) {
        for (unsigned code = 0; code < 256 && n < BX_WATCHES; code++) {
            sel[n] = (bx_selection){.code = (uint16_t)code,
                                    .umask = umasks[i],
                                    .levels = n % 3 ? BX_LEVELS : BX_LEVEL_USER};
            n += bx_model_produces(r->m, &sel[n]);
        }
    }
    return n;
}

static const char work[] = "random,size=1M,iterations=20000,write=40+dma,size=256K,step=16,"
                           "iterations=2000,period=150";

/* What is reported adds up to what is counted, whatever stands for it: pulses or spans. */
static void test_told_is_counted(void **state)
{
    (void)state;
    static struct ear ear;
    bx_selection sel[BX_WATCHES];
    uint64_t before[BX_WATCHES];
    struct p6_rig r = p6_new();
    unsigned n = selections(&r, sel);

    assert_true(n > 50);
    p6_load_workload(&r, work);
    bx_model_run(r.m, 12345);
    listen(&ear, &r);
    for (unsigned i = 0; i < n; i++) {
        assert_true(r.s->tally(r.s, &sel[i], &before[i]));
        ear.since[i] = 12345;
        assert_true(r.s->watch(r.s, i, &sel[i]));
    }
    for (uint64_t step = 1; !bx_model_run(r.m, p6_now(&r) + step); step = step * 5 % 4001 + 1)
        ;
    bx_model_idle(r.m, 1000);
    for (unsigned i = 0; i < n; i++) {
        uint64_t after;
        assert_true(r.s->tally(r.s, &sel[i], &after));
        close_at(&ear, i, p6_now(&r));
        if (ear.sum[i] != after - before[i])
            fail_msg("event %02x:%02x: reported %llu, counted %llu", sel[i].code, sel[i].umask,
                     (unsigned long long)ear.sum[i], (unsigned long long)(after - before[i]));
        assert_true(ear.busy[i] <= p6_now(&r) - 12345);
        r.s->unwatch(r.s, i);
    }
    p6_free(&r);
}

/* Whoever watches changes nothing. */
static void test_watching_changes_nothing(void **state)
{
    (void)state;
    static struct ear ear;
    bx_selection sel[BX_WATCHES];
    struct p6_rig r = p6_new(), alone = p6_new();
    unsigned n = selections(&r, sel);

    p6_load_workload(&r, work);
    p6_load_workload(&alone, work);
    listen(&ear, &r);
    for (unsigned i = 0; i < n; i++)
        assert_true(r.s->watch(r.s, i, &sel[i]));
    assert_true(bx_model_run(r.m, BX_NEVER));
    assert_true(bx_model_run(alone.m, BX_NEVER));
    assert_int_equal(p6_now(&r), p6_now(&alone));
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(p6_at(&r, sel[i].code, sel[i].umask, BX_LEVELS),
                         p6_at(&alone, sel[i].code, sel[i].umask, BX_LEVELS));
    p6_free(&r);
    p6_free(&alone);
}

/* Tallies at an alarm are those of a run up to its time. */
static void test_alarms(void **state)
{
    (void)state;
    static const uint8_t codes[][2] = {{DATA_MEM_REFS, 0},        {INST_RETIRED, 0},
                                       {DCU_MISS_OUTSTANDING, 0}, {BUS_DRDY_CLOCKS, ANY},
                                       {L2_RQSTS, MESI},          {CPU_CLK_UNHALTED, 0}};
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        static struct ear ear;
        struct p6_rig r = p6_new(), stepped = p6_new();
        uint64_t heard = 0, alarms = 0;
        listen(&ear, &r);
        ear.period = ear.alarm_at = 61;
        ear.sel = (bx_selection){.code = codes[i][0], .umask = codes[i][1], .levels = BX_LEVELS};
        r.s->set_alarm(r.s, 61);
        p6_load_workload(&r, work);
        p6_load_workload(&stepped, work);
        bx_model_run(r.m, 61 * 2000 + 1);
        for (; alarms < 2000; alarms++) {
            bx_model_run(stepped.m, 61 * (alarms + 1));
            heard = heard * 31 + p6_count(&stepped, codes[i][0], codes[i][1]);
        }
        assert_int_equal(ear.alarms, alarms);
        assert_int_equal(ear.heard, heard);
        p6_free(&r);
        p6_free(&stepped);
    }
}

/* A load at 3, from memory: DRDY from 84 to 139, the miss from 3 to 137, each in one go. */
static void test_edges(void **state)
{
    (void)state;
    static struct ear ear;
    const bx_access a = bx_access_make(1, BX_LOAD, BX_ACCESS_DEPENDENT, 3);
    const bx_selection drdy = {.code = BUS_DRDY_CLOCKS, .umask = ANY, .levels = BX_LEVELS},
                       miss = {.code = DCU_MISS_OUTSTANDING, .levels = BX_LEVELS};
    struct p6_rig r = p6_new();

    listen(&ear, &r);
    r.s->watch(r.s, 0, &drdy);
    r.s->watch(r.s, 1, &miss);
    p6_feed(&r, 0, &a, 1);
    bx_model_run(r.m, 100);
    assert_int_equal(ear.since[0], 84);
    assert_int_equal(ear.open[0], 1);
    assert_int_equal(ear.since[1], 3);
    assert_int_equal(ear.open[1], 1);
    bx_model_run(r.m, 139);
    assert_int_equal(ear.open[0], 1);
    assert_int_equal(ear.since[1], 138);
    assert_int_equal(ear.open[1], 0);
    bx_model_run(r.m, BX_NEVER);
    assert_int_equal(ear.since[0], 140);
    assert_int_equal(ear.open[0], 0);
    assert_int_equal(ear.sum[0], 56);
    assert_int_equal(ear.sum[1], 135);
    p6_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_is_counted),
        cmocka_unit_test(test_watching_changes_nothing),
        cmocka_unit_test(test_alarms),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
