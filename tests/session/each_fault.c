/* A fault at every register access of a whole measurement, one after the other. The measurement
 * ends with a message, every writable register is restored and others are named, and no impossible
 * value is shown as a count. The check reads the virtual machine's own registers, not those that
 * the session reads. */
#include "../cmocked.h"

#include "each_fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKUP "UNC_CBO_CACHE_LOOKUP:"
#define MBOX   "nhmex_unc_mbox0::FVC:"

/* Events of all boxes. The quick suite has only the first course of each CPU. */
static const struct course courses[] = {
    {"virtual:skl,part=plain",
     "skl_unc_cbo1::" LOOKUP "READ_I,skl_unc_cbo1::" LOOKUP "ANY_MESI,skl_unc_cbo1::" LOOKUP
     "ANY_I,skl_unc_cbo2::" LOOKUP
     "ANY_I:e=1,UNC_ARB_TRK_OCCUPANCY:ALL:t=2,UNC_CLOCK:SOCKET,DRAM_DATA_READS",
     .rotate = 2000, .foreign = true},
    {"virtual:skl,part=plain,cores=2", NULL, .rotate = 1000, .every = 3000},
    {"virtual:skl,part=plain",
     "{skl_unc_cbo0::" LOOKUP "ANY_I,skl_unc_cbo0::" LOOKUP "ANY_M},{skl_unc_cbo0::" LOOKUP
     "READ_I,skl_unc_cbo0::" LOOKUP "ANY_ES},UNC_CLOCK:SOCKET,DRAM_GT_REQUESTS,DRAM_DATA_WRITES",
     .rotate = 1500, .every = 700, .interval = 1000},
    {"virtual:skl,part=plain,cores=2", LOOKUP "ANY_I,UNC_ARB_TRK_REQUESTS:ALL,DRAM_DATA_READS",
     .runs = 3},

    {"virtual:ivbep,part=plain,packages=2,cores=2", NULL, .rotate = 4000, .foreign = true},
    {"virtual:ivbep,part=plain,packages=2,cores=3",
     "UNC_C_CLOCKTICKS,UNC_C_TOR_INSERTS:OPCODE:OPC_RFO,UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD,"
     "UNC_C_LLC_LOOKUP:ANY,UNC_C_LLC_VICTIMS:STATE_M,UNC_C_TOR_OCCUPANCY:ALL",
     .rotate = 1500, .every = 4000, .foreign = true},

    {"virtual:nhmex,part=plain,packages=1,cores=2", NULL, .rotate = 4000, .foreign = true},
    {"virtual:nhmex,part=plain,packages=2,cores=2",
     "nhmex_unc_rbox::NULL_IDLE:port=0,nhmex_unc_rbox::FLITS_SENT:port=0,"
     "nhmex_unc_rbox::OUTPUTQ_NE:port=1,nhmex_unc_rbox::XBAR_MATCH:port=5:mc=14,"
     "nhmex_unc_rbox::QUE_ARB_BID:SNP:port=1,nhmex_unc_sbox0::TO_R_PROG_EV:mc=1,"
     "nhmex_unc_bbox0::TF_ALL,nhmex_unc_wbox::RAW:code=5",
     .rotate = 2000},
    {"virtual:nhmex,part=plain,packages=1,cores=2",
     MBOX "BBOX_CMDS.READS," MBOX "BBOX_CMDS.WRITES," MBOX "SMI_CRC_ERR,"
          "nhmex_unc_cbox0::LLC_MISSES:ALL,nhmex_unc_cbox0::ARB_WINS:ALL,"
          "nhmex_unc_cbox0::SINKS_P2C:AD,nhmex_unc_cbox0::SINKS_P2C:AK,"
          "nhmex_unc_cbox0::SINKS_P2C:BL,nhmex_unc_cbox0::SINKS_C2P:IV,"
          "nhmex_unc_cbox0::BOUNCES_C2P_IV,nhmex_unc_ubox::U2R_REQUESTS,nhmex_unc_ubox::RECOV",
     .rotate = 1000, .every = 2500},

    {"virtual:p6,part=plain", NULL, .rotate = 4000, .foreign = true},
    {"virtual:p6,part=plain",
     "p6::DATA_MEM_REFS,p6::DCU_LINES_IN,p6::L2_LD:M,p6::L2_RQSTS:MESI,p6::BUS_TRAN_ANY:ANY",
     .rotate = 500, .every = 1100, .foreign = true},
    {"virtual:p6,part=plain", "{p6::DATA_MEM_REFS,p6::DCU_LINES_IN}", .interval = 100, .runs = 2},
};
enum { COURSES = sizeof courses / sizeof *courses };

static const char *cpu; /* the beginning of the courses' machine strings */

static bool is_long(void)
{
    return getenv("BX_LONG");
}

/* In the quick suite only the first course of a CPU. */
static bool is_due(size_t i)
{
    size_t n = strlen(cpu);
    bool first = i == 0 || strncmp(courses[i - 1].machine, cpu, n) != 0;
    return strncmp(courses[i].machine, cpu, n) == 0 && (first || is_long());
}

/* ---- one run ---- */

/* The result of a course without faults. */
struct fine {
    const struct course *course;
    bx_evsel events[TRIAL_EVENTS];
    size_t n, accesses, ended;
    struct contents before;
    struct run run;
    bool writes[FAULT_ACCESSES];
};

static struct fine fine;

static bx_machine *machine_of(const struct course *c)
{
    bx_machine *m = trial_machine(c->machine);
    contents_set(m, c->foreign);
    return m;
}

static void take_fine(size_t i)
{
    contents_free(&fine.before);
    fine = (struct fine){.course = &courses[i]};
    bx_machine *m = machine_of(&courses[i]);
    static struct faulty f;
    f = (struct faulty){.from = SIZE_MAX, .to = SIZE_MAX, .writes = fine.writes};
    fine.n = course_events(&courses[i], m, fine.events);
    contents_read(&fine.before, m);
    faults_wrap(&f, m);
    faults_measure(&f, &courses[i], fine.events, fine.n, &fine.run);
    faults_unwrap(&f);
    bx_machine_close(m);
    fine.accesses = f.n;
    assert_true(f.n < FAULT_ACCESSES);
    if (fine.run.code || fine.run.trouble.code)
        fail_msg("%s: %s%s", courses[i].machine, fine.run.error.message, fine.run.trouble.message);
}

/* For messages. */
static const char *what(const struct faulty *f)
{
    static char text[128];
    snprintf(text, sizeof text, "%s, %s 0x%llx, access %zu to %zu, fault %d%s",
             fine.course->machine, fine.course->events ? "events" : "defaults",
             (unsigned long long)f->first.offset, f->from, f->to, f->kind,
             f->sticks ? " for good" : "");
    return text;
}

/* Of the uncore: a P6 that is idle stops its own. */
static bool is_clock(uint16_t event)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    uint16_t e = fine.events[event].event;
    return e != BX_NONE && strstr(bx_cat_z(c, bx_cat_events(c)[e].name), "CLOCK") &&
           strcmp(cpu, "virtual:p6,part=plain") != 0;
}

/* Slow accesses let time pass. Clocks and occupancies count it; nothing else happens then, and no
 * counter counts 64 in each of those cycles. However long an access takes, a clock's count must
 * equal its running time: otherwise scaled values would be wrong. */
static bool may_be(const bx_reading *is, const bx_reading *was, const struct faulty *f)
{
    if (f->kind == FAULT_SLOW && is_clock(is->event) && f->from == f->to)
        return is->count + 1 >= is->running && is->count <= is->running + 1;
    if (f->kind == FAULT_SLOW)
        return is->count <= was->count + UINT64_C(64) * 3000000 * (f->to - f->from + 1);
    return is->count == was->count && is->running == was->running && is->enabled == was->enabled;
}

/* A counter that repeats a value, or is always wrong by the same amount, cannot be distinguished
 * from a correct one. */
static bool is_detectable(const struct faulty *f)
{
    bool once = f->to == f->from && !f->sticks;
    return once || f->kind == FAULT_ERROR || f->kind == FAULT_ONES || f->kind == FAULT_WIDE ||
           f->kind == FAULT_RANDOM || f->kind == FAULT_LOST || f->kind == FAULT_SLOW;
}

static void check(const struct run *r, const struct faulty *f)
{
    bool all_there = true;
    assert_int_equal(r->n, fine.run.n);
    for (size_t i = 0; i < r->n; i++) {
        const bx_reading *is = &r->readings[i], *was = &fine.run.readings[i];
        assert_true(is->state <= BX_IMPLAUSIBLE);
        if (is->state == BX_COUNTED || is->state == BX_SCALED) {
            if (is_detectable(f) && !may_be(is, was, f))
                fail_msg("%s: reading %zu is %llu of %llu/%llu, not %llu of %llu/%llu", what(f), i,
                         (unsigned long long)is->count, (unsigned long long)is->running,
                         (unsigned long long)is->enabled, (unsigned long long)was->count,
                         (unsigned long long)was->running, (unsigned long long)was->enabled);
        } else {
            assert_true(bx_reading_value(is) == 0);
            all_there &= is->state == was->state;
        }
    }
    /* A missing count has a reason. */
    if (!all_there && f->kind != FAULT_SLOW)
        assert_true(r->code != BX_OK || r->trouble.code != BX_OK);
    if (r->not_restored_n)
        assert_true(r->code != BX_OK && r->error.message[0]);
    if (r->code != BX_OK)
        assert_true(r->error.code == r->code && r->error.message[0]);
}

/* Returns the number of registers that were not restored. */
static size_t run_once(struct faulty *f)
{
    static struct run r;
    struct contents after;
    bx_machine *m = machine_of(fine.course);
    faults_wrap(f, m);
    faults_measure(f, fine.course, fine.events, fine.n, &r);
    faults_unwrap(f);
    contents_read(&after, m);
    check(&r, f);
    /* A register that always reads wrongly cannot be restored. */
    contents_exempt(&after, &fine.before, is_detectable(f) ? NULL : &f->first);
    size_t differ = contents_compare(&fine.before, &after, m->topology.catalog, &r, what(f));
    if (differ > r.not_restored_n)
        fail_msg("%s: %zu registers differ", what(f), differ);
    if (f->to == f->from && !f->sticks && r.not_restored_n) /* it is written once more */
        fail_msg("%s: %s", what(f), r.not_restored[0]);
    contents_free(&after);
    bx_machine_close(m);
    return r.not_restored_n;
}

/* ---- kinds of faults ---- */

static const struct {
    enum fault kind;
    int err;
    bool reads, writes; /* the accesses that it can affect */
} faults[] = {
    {FAULT_ERROR, EIO, true, true},    {FAULT_ERROR, ENXIO, true, true},
    {FAULT_ERROR, EACCES, true, true}, {FAULT_ERROR, EPERM, false, true},
    {FAULT_ERROR, EROFS, false, true}, {FAULT_LOST, 0, false, true},
    {FAULT_SLOW, 0, true, true},       {FAULT_ONES, 0, true, false},
    {FAULT_ZERO, 0, true, false},      {FAULT_RANDOM, 0, true, false},
    {FAULT_FLIP, 0, true, false},      {FAULT_WIDE, 0, true, false},
    {FAULT_OLD, 0, true, false},       {FAULT_BACK, 0, true, false},
    {FAULT_JUMP, 0, true, false},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static struct faulty fault_of(size_t k, size_t from, size_t to)
{
    return (struct faulty){.kind = faults[k].kind,
                           .err = faults[k].err,
                           .from = from,
                           .to = to,
                           .seed = from * FAULTS + k,
                           .many = (from + k) % 2};
}

static bool concerns(size_t k, size_t at)
{
    return fine.writes[at] ? faults[k].writes : faults[k].reads;
}

/* The first access of each kind, and then one in `step`. */
static size_t first_of(size_t k, size_t step)
{
    return k * 5 % step;
}

/* How many accesses of a course are tried in the quick suite. The long suite tries all, or one in
 * `of`; with sanitizers it tries one in seven where that takes too long. */
static size_t step_of(size_t most, size_t of)
{
#ifdef __SANITIZE_ADDRESS__
    of *= 7;
#endif
    return is_long() ? of : fine.accesses / most + 1;
}

static void at_each_access(void **state)
{
    (void)state;
    for (size_t i = 0; i < COURSES; i++) {
        if (!is_due(i))
            continue;
        take_fine(i);
        size_t step = step_of(12, 1);
        for (size_t k = 0; k < FAULTS; k++) {
            for (size_t at = first_of(k, step); at < fine.accesses; at += step) {
                struct faulty f = fault_of(k, at, at);
                if (!concerns(k, at))
                    continue;
                run_once(&f);
                assert_true(f.hit);
            }
        }
    }
}

/* From some access on, that register always returns the fault. */
static void a_register_that_breaks(void **state)
{
    (void)state;
    size_t named = 0;
    for (size_t i = 0; i < COURSES; i++) {
        if (!is_due(i))
            continue;
        take_fine(i);
        size_t step = step_of(4, 3);
        for (size_t k = 0; k < FAULTS; k++) {
            for (size_t at = first_of(k, step); at < fine.accesses; at += step) {
                struct faulty f = fault_of(k, at, at);
                f.sticks = true;
                if (concerns(k, at) && f.kind != FAULT_SLOW)
                    named += run_once(&f);
            }
        }
    }
    assert_true(named > 20);
}

/* From some access on, every access fails: all changed registers are named. */
static void a_device_that_vanishes(void **state)
{
    (void)state;
    size_t named = 0;
    for (size_t i = 0; i < COURSES; i++) {
        if (!is_due(i))
            continue;
        take_fine(i);
        size_t step = step_of(4, 3);
        for (size_t k = 0; k < FAULTS; k++) {
            for (size_t at = first_of(k, step); at < fine.accesses; at += step) {
                struct faulty f = fault_of(k, at, SIZE_MAX - 1);
                if (f.kind != FAULT_SLOW && is_detectable(&f))
                    named += run_once(&f);
            }
        }
    }
    assert_true(named > 100);
}

/* The device is missing for a while and comes back. A register that always reads the same wrong
 * value while it is saved, and is correct afterwards, cannot be detected. */
static void a_device_that_comes_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COURSES; i++) {
        if (!is_due(i))
            continue;
        take_fine(i);
        size_t step = step_of(4, 3);
        for (size_t at = 0; at + fine.accesses / 3 < fine.accesses; at += step) {
            struct faulty f = fault_of(at % FAULTS, at, at + fine.accesses / 3);
            if (is_detectable(&f) && f.kind != FAULT_WIDE && f.kind != FAULT_ONES)
                run_once(&f);
        }
    }
}

int each_fault(const char *machines)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_each_access),
        cmocka_unit_test(a_register_that_breaks),
        cmocka_unit_test(a_device_that_vanishes),
        cmocka_unit_test(a_device_that_comes_back),
    };
    cpu = machines;
    int failed = cmocka_run_group_tests_name(machines, tests, NULL, NULL);
    contents_free(&fine.before);
    return failed;
}
