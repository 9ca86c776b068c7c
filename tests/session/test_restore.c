/* A session leaves every register as it was, even if accesses fail. Addresses: document 334060-001
 * table 2-1. */
#include "../cmocked.h"

#include "faults.h"

#include <errno.h>
#include <string.h>

static const uint64_t registers[] = {
    0x394, 0x395, 0x396, 0x3b0, 0x3b1, 0x3b2, 0x3b3, 0x700, 0x701, 0x706, 0x707, 0x710, 0x711,
    0x716, 0x717, 0x720, 0x721, 0x726, 0x727, 0x730, 0x731, 0x736, 0x737, 0xe01, 0xe02,
};
enum { REGISTERS = sizeof registers / sizeof *registers };

enum { GLOBAL = REGISTERS - 2 }; /* MSR_UNC_PERF_GLOBAL_CTRL; the status register behind it */

static uint64_t read_msr(struct bx_bus *bus, uint64_t address)
{
    uint64_t value = 0;
    assert_int_equal(bus->read(bus, &(bx_address){.width = 64, .offset = address}, &value), 0);
    return value;
}

static void write_msr(struct bx_bus *bus, uint64_t address, uint64_t value)
{
    assert_int_equal(bus->write(bus, &(bx_address){.width = 64, .offset = address}, value), 0);
}

static void read_all(struct bx_bus *bus, uint64_t *values)
{
    for (unsigned i = 0; i < REGISTERS; i++)
        values[i] = read_msr(bus, registers[i]);
}

/* Other software's set-up: all counters are non-zero, events are selected with OVF_EN, interrupts
 * are routed to cores 0 and 2. */
static void set_up(struct bx_bus *bus, bool counting)
{
    uint64_t enable = counting ? 0x400000 : 0;
    for (unsigned i = 0; i < REGISTERS; i++) {
        uint64_t a = registers[i];
        if ((a >= 0x700 && a < 0x740 && (a & 0xf) >= 6) || a == 0x395 || a == 0x3b0 || a == 0x3b1)
            write_msr(bus, a, 0x123456789 + a);
        else if (a >= 0x700 && a < 0x740)
            write_msr(bus, a, 0x10ff34 | enable);
        else if (a == 0x3b2 || a == 0x3b3)
            write_msr(bus, a, 0x000181 | enable);
    }
    write_msr(bus, 0x394, enable);
    write_msr(bus, 0xe01, counting ? 0x20000005 : 0x5);
}

/* ---- sessions ---- */

/* Three passes of one C-Box, one of the ARB, the clock, and a free-running counter. */
static const char list[] =
    "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_MESI,"
    "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_ES,"
    "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_M,skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I:e=1,"
    "UNC_ARB_TRK_OCCUPANCY:ALL:t=2,UNC_CLOCK:SOCKET,DRAM_DATA_READS";
enum { EVENTS = 9 };

struct outcome {
    bool reported; /* an error code, or a problem of a blocked reading */
    unsigned blocked;
    bx_reading readings[EVENTS];
    bx_error trouble;
};

/* Counters outside the list. If other software enabled them they continue to count. */
static bool foreign(uint64_t address)
{
    return address == 0x706 || address == 0x707 || address == 0x727 || address == 0x736 ||
           address == 0x737 || address == 0x3b1;
}

static void measure(bx_machine *m, struct outcome *o)
{
    bx_evsel events[TRIAL_EVENTS];
    bx_session *s;
    bx_error e = {0};
    bool done = false;
    size_t n;
    assert_int_equal(trial_parse(list, events), EVENTS);
    *o = (struct outcome){0};
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
    bx_session_options options = {.size = sizeof options, .rotate = 5000};
    int rc = bx_session_open(m, events, EVENTS, &options, &s, &e);
    assert_int_equal(rc, BX_OK);
    rc = bx_session_start(s, &e);
    while (rc == BX_OK && !done)
        rc = bx_session_run(s, UINT64_MAX, &done, &e);
    if (rc == BX_OK)
        rc = bx_session_stop(s, &e);
    const bx_reading *readings = bx_session_readings(s, &n);
    assert_int_equal(n, EVENTS);
    memcpy(o->readings, readings, sizeof o->readings);
    for (size_t i = 0; i < n; i++)
        o->blocked += readings[i].state == BX_BLOCKED;
    if (bx_session_trouble(s))
        o->trouble = *bx_session_trouble(s);
    o->reported = rc != BX_OK || bx_session_trouble(s);
    assert_int_equal(rc, e.code);
    bx_session_close(s);
}

static void registers_come_back(void **state)
{
    (void)state;
    for (int counting = 0; counting < 2; counting++) {
        bx_machine *m = trial_machine("virtual:skl,part=plain");
        uint64_t before[REGISTERS], after[REGISTERS];
        struct outcome o;
        set_up(m->bus, counting);
        read_all(m->bus, before);
        measure(m, &o);
        read_all(m->bus, after);
        assert_false(o.reported);
        for (unsigned i = 0; i < REGISTERS; i++) {
            if (!counting || !foreign(registers[i]))
                assert_int_equal(after[i], before[i]);
        }
        bx_machine_close(m);
    }
}

/* Closing without a stop restores as well. */
static void close_restores(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_evsel events[TRIAL_EVENTS];
    uint64_t before[REGISTERS], after[REGISTERS];
    bx_session *s;
    set_up(m->bus, false);
    read_all(m->bus, before);
    size_t n = trial_parse(list, events);
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    assert_int_equal(read_msr(m->bus, 0xe01), 0x20000000); /* EN alone while counting */
    assert_int_equal(read_msr(m->bus, 0x710), 0x401834);
    bx_session_close(s);
    read_all(m->bus, after);
    assert_memory_equal(after, before, sizeof before);
    bx_machine_close(m);
}

/* ---- permanent failures ---- */

/* One address always faults, by one read at a time or by many at once. */
static void measure_with(bx_machine *m, uint64_t dead, bool many, struct outcome *o)
{
    static struct faulty f;
    f = (struct faulty){
        .dead = dead, .mute = true, .err = EIO, .from = SIZE_MAX, .to = SIZE_MAX, .many = many};
    faults_wrap(&f, m);
    measure(m, o);
    faults_unwrap(&f);
}

static void the_others_go_on(void **state)
{
    (void)state;
    static const struct {
        uint64_t dead;
        uint32_t blocked; /* mask of events */
    } cases[] = {
        {0x716, 1 << 0 | 1 << 2 | 1 << 4}, /* counter 0 of C-Box 1: three passes */
        {0x717, 1 << 1 | 1 << 3},
        {0x711, 1 << 1 | 1 << 3},
        {0x726, 1 << 5},
        {0x3b2, 1 << 6},
        {0x394, 1 << 7},
        {0xfed15050, 1 << 8}, /* section 3.3: DRAM_DATA_READS at BAR + 5050H */
        {0x48, 1 << 8},       /* the BAR itself */
        {0xe02, 0},           /* the status register is not needed */
        {0xe01, 0xff},        /* all except the free-running one */
    };
    struct outcome fine;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    measure(m, &fine);
    bx_machine_close(m);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct outcome o;
        m = trial_machine("virtual:skl,part=plain");
        measure_with(m, cases[i / 2].dead, i % 2, &o);
        assert_true(o.reported);
        assert_int_equal(o.trouble.code, BX_FAULT);
        for (unsigned event = 0; event < EVENTS; event++) {
            if (cases[i / 2].blocked >> event & 1)
                assert_int_equal(o.readings[event].state, BX_BLOCKED);
            else
                assert_memory_equal(&o.readings[event], &fine.readings[event],
                                    sizeof fine.readings[event]);
        }
        bx_machine_close(m);
    }
}

static int refuse_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus, (void)at, (void)value;
    return EACCES;
}

static int refuse_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)bus, (void)at, (void)value;
    fail_msg("what could not be saved was written");
    return EACCES;
}

static void no_access_at_all(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    struct bx_bus bus = {.read = refuse_read, .write = refuse_write}, *inner = m->bus;
    bx_evsel events[TRIAL_EVENTS];
    bx_session *s;
    bx_error e = {0};
    size_t n = trial_parse("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I", events);
    m->bus = &bus;
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, &e), BX_NO_ACCESS);
    assert_string_equal(e.message,
                        "MSR_UNC_PERF_GLOBAL_CTRL (0xe01) cannot be read: Permission denied");
    assert_int_equal(bx_session_readings(s, &n)->state, BX_BLOCKED);
    assert_int_equal(bx_session_sample(s, NULL), BX_BAD_INPUT);
    bx_session_close(s);
    m->bus = inner;
    bx_machine_close(m);
}

/* ---- set-ups of other software ---- */

static int measure_list(bx_machine *m, const char *list_of_events, uint64_t interval, bx_error *e)
{
    bx_evsel events[TRIAL_EVENTS];
    bx_session *s;
    bool done = false;
    size_t n;
    const bx_session_options o = {.size = sizeof o, .interval = interval};
    if (bx_events_parse(bx_catalog_builtin(), m->topology.cpu, list_of_events, events, TRIAL_EVENTS,
                        &n, e))
        fail_msg("%s", e->message);
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
    assert_int_equal(bx_session_open(m, events, n, &o, &s, e), BX_OK);
    int rc = bx_session_start(s, e);
    while (rc == BX_OK && !done)
        rc = bx_session_run(s, UINT64_MAX, &done, e);
    if (rc == BX_OK)
        rc = bx_session_stop(s, e);
    assert_null(bx_session_left(s, 0));
    bx_session_close(s);
    return rc;
}

/* A pass by itself, as of `--passes repeat`. */
static void measure_pass(bx_machine *m, unsigned pass)
{
    bx_evsel events[TRIAL_EVENTS];
    bx_session *s;
    const bx_session_options o = {.size = sizeof o, .repeat = true, .pass = pass};
    assert_int_equal(bx_session_open(m, events, trial_parse(list, events), &o, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    assert_int_equal(bx_session_stop(s, NULL), BX_OK);
    bx_session_close(s);
}

typedef struct found {
    const char *machine, *events;
    uint64_t interval;
    struct {
        uint64_t msr, value;
    } regs[8]; /* written in this order, and the same afterwards */
} found;

/* The addresses of the client: 334060-001 table 2-1; of the 7500: 323535-001, EN_ALL and RST_ALL
 * are bits 28 and 29 of C00H (table 2-3), which resets all counts of the package whenever it is
 * written with RST_ALL as 1. D04H, FRZ bit 8, and D16H are an Ivy Bridge-EP C-Box's (Linux
 * uncore_snbep.c); 186H, EN bit 22, and C2H a P6's (SDM). */
static const found founds[] = {
    /* the clock is enabled, and E01H stops it: it must not continue after the measurement */
    {"virtual:skl,part=plain",
     "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I",
     0,
     {{0x395, 777}, {0x394, 0x400000}}},
    /* the same with a counter of the same C-Box, which is frozen */
    {"virtual:ivbep,part=plain",
     "ivbep_unc_cbo0::UNC_C_CLOCKTICKS",
     0,
     {{0xd04, 0x100}, {0xd17, 4711}, {0xd11, 0x400011}}},
    /* PerfCtr1 needs only the EN of the other one */
    {"virtual:p6,part=plain", "{p6::DATA_MEM_REFS}", 0, {{0xc2, 4711}, {0x187, 0x30043}}},
    /* reset bits that are 1; counts of the U-Box, two S-Boxes and a C-Box */
    {"virtual:nhmex,part=plain,packages=1",
     "nhmex_unc_sbox0::TO_R_PROG_EV",
     0,
     {{0xc00, 0x20000000}, {0xc11, 0x1234}, {0xc51, 1}, {0xc53, 2}, {0xcd1, 3}, {0xd11, 4}}},
    {"virtual:nhmex,part=plain,packages=1",
     "nhmex_unc_sbox0::TO_R_PROG_EV",
     0,
     {{0xc00, 0x20000001}, {0xc11, 0x1234}, {0xc51, 1}, {0xc53, 2}, {0xcd1, 3}, {0xd11, 4}}},
    {"virtual:nhmex,part=plain,packages=1",
     "nhmex_unc_sbox0::TO_R_PROG_EV",
     0,
     {{0xc00, 0x3000000f}, {0xc11, 0x1234}, {0xc51, 1}, {0xc53, 2}, {0xcd1, 3}, {0xd11, 4}}},
    /* status of the S-Box and the package, some set; the clock overflows (C81H bit 31) */
    {"virtual:nhmex,part=plain,packages=1",
     "FIXED_UNCORE_CLOCK,nhmex_unc_sbox0::TO_R_PROG_EV",
     1000,
     {{0xc41, 3}, {0xc81, 2}, {0xc01, 0x80000000}, {0x394, 9}}},
    {"virtual:nhmex,part=plain,packages=1",
     "FIXED_UNCORE_CLOCK,nhmex_unc_sbox0::TO_R_PROG_EV",
     1000,
     {{0xc41, 0}, {0xc81, 0}, {0xc01, 0}}},
};

static void what_others_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof founds / sizeof *founds; i++) {
        const found *f = &founds[i];
        bx_machine *m = trial_machine(f->machine);
        bx_error e = {0};
        uint64_t before[8];
        for (unsigned k = 0; k < 8 && f->regs[k].msr; k++)
            write_msr(m->bus, f->regs[k].msr, f->regs[k].value);
        for (unsigned k = 0; k < 8 && f->regs[k].msr; k++)
            before[k] = read_msr(m->bus, f->regs[k].msr);
        if (measure_list(m, f->events, f->interval, &e))
            fail_msg("%zu: %s", i, e.message);
        for (unsigned k = 0; k < 8 && f->regs[k].msr; k++)
            if (read_msr(m->bus, f->regs[k].msr) != before[k])
                fail_msg("%zu: 0x%llx is 0x%llx, was 0x%llx", i, (unsigned long long)f->regs[k].msr,
                         (unsigned long long)read_msr(m->bus, f->regs[k].msr),
                         (unsigned long long)before[k]);
        bx_machine_close(m);
    }
}

/* 334060-001 table 2-3: a 1 clears an overflow bit of E02H, and nothing sets it. The clock's bit 0
 * is found set and stays. A C-Box's bit 3 comes from the measurement, and is cleared. */
static void an_overflow_that_was_there(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_error e = {0};
    write_msr(m->bus, 0x395, (UINT64_C(1) << 48) - 9);
    write_msr(m->bus, 0x394, 0x500000);
    write_msr(m->bus, 0xe01, 0x20000000);
    bx_machine_idle(m, 100);
    write_msr(m->bus, 0xe01, 0);
    write_msr(m->bus, 0x394, 0);
    assert_int_equal(read_msr(m->bus, 0xe02), 1);
    assert_int_equal(measure_list(m, "UNC_CLOCK:SOCKET,UNC_CBO_CACHE_LOOKUP:ANY_I", 100, &e),
                     BX_OK);
    assert_int_equal(read_msr(m->bus, 0xe02), 1);
    measure_pass(m, 1);
    assert_int_equal(read_msr(m->bus, 0xe02), 1);
    bx_machine_close(m);
}

/* A count that cannot be read would be lost by the reset bit that is 1, so nothing is written. */
static void a_reset_that_would_lose_a_count(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:nhmex,part=plain,packages=1");
    bx_error e = {0};
    static struct faulty f;
    write_msr(m->bus, 0xc00, 0x20000001);
    write_msr(m->bus, 0xc11, 0x1234);
    write_msr(m->bus, 0xd11, 4711);
    f = (struct faulty){.dead = 0xd11, .mute = true, .err = EIO, .from = SIZE_MAX, .to = SIZE_MAX};
    faults_wrap(&f, m);
    assert_int_equal(measure_list(m, "nhmex_unc_sbox0::TO_R_PROG_EV", 0, &e), BX_FAULT);
    faults_unwrap(&f);
    assert_string_equal(e.message,
                        "CB0_CR_C_MSR_PMON_CTR_0 (0xd11) cannot be read: the access faults");
    assert_int_equal(read_msr(m->bus, 0xc11), 0x1234);
    assert_int_equal(read_msr(m->bus, 0xd11), 4711);
    bx_machine_close(m);
}

/* SDM, P6 family: a write sets bits 31:0 of a count and copies bit 31 upwards, so that a count of
 * more bits could not be written back. */
static void a_count_that_cannot_be_written(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:p6,part=plain");
    bx_error e = {0};
    write_msr(m->bus, 0xc1, 0x7fffffff);
    write_msr(m->bus, 0x187, 0);
    write_msr(m->bus, 0x186, 0x430079); /* CPU_CLK_UNHALTED at all levels */
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
    bool done = false;
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, &e), BX_OK);
    write_msr(m->bus, 0x186, 0);
    uint64_t count = read_msr(m->bus, 0xc1);
    assert_true(count > 0x80000000);
    assert_int_equal(measure_list(m, "{p6::DATA_MEM_REFS}", 0, &e), BX_SYSTEM);
    assert_string_equal(e.message, "PerfCtr0 (0xc1) cannot be put back: it holds a count that "
                                   "cannot be written; write 0 to it first");
    assert_int_equal(read_msr(m->bus, 0xc1), count);
    bx_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_left),
        cmocka_unit_test(an_overflow_that_was_there),
        cmocka_unit_test(a_reset_that_would_lose_a_count),
        cmocka_unit_test(a_count_that_cannot_be_written),
        cmocka_unit_test(registers_come_back),
        cmocka_unit_test(close_restores),
        cmocka_unit_test(the_others_go_on),
        cmocka_unit_test(no_access_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
