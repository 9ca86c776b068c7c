/* A session leaves every register as it was, also when accesses fail on the way. Addresses:
 * document 334060-001 table 2-1. */
#include "cmocked.h"

#include "trial.h"

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

/* Somebody else's set-up: all counters hold something, events are selected with OVF_EN, interrupts
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

/* ---- a bus that fails ---- */

struct faulty {
    struct bx_bus bus;
    struct bx_bus *inner;
    size_t n, fail_at; /* accesses so far, and the one that fails */
    bx_address failed; /* which one that was */
    bool failed_write;
    uint64_t dead; /* an address that always fails; 0: none */
    int why;
};

static bool fails(struct faulty *f, const bx_address *at, bool write)
{
    bool hit = f->n++ == f->fail_at;
    if (hit) {
        f->failed = *at;
        f->failed_write = write;
    }
    return hit || (f->dead && at->offset == f->dead);
}

static int faulty_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    struct faulty *f = (struct faulty *)bus;
    return fails(f, at, false) ? f->why : f->inner->read(f->inner, at, value);
}

static int faulty_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    struct faulty *f = (struct faulty *)bus;
    return fails(f, at, true) ? f->why : f->inner->write(f->inner, at, value);
}

/* A read of many: by way of the single ones, up to the first that fails. */
static size_t faulty_read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                               int *err)
{
    size_t i = 0;
    while (i < n && (*err = faulty_read(bus, &at[i], &values[i])) == 0)
        i++;
    return i;
}

static void wrap(struct faulty *f, bx_machine *m, size_t fail_at, uint64_t dead, int why)
{
    *f = (struct faulty){
        .bus = {.read = faulty_read, .write = faulty_write},
        .inner = m->bus,
        .fail_at = fail_at,
        .dead = dead,
        .why = why,
    };
    m->bus = &f->bus;
}

static void unwrap(const struct faulty *f, bx_machine *m)
{
    m->bus = f->inner;
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
    bool reported; /* an error code, or trouble with a blocked reading */
    unsigned blocked;
    bx_reading readings[EVENTS];
    bx_error trouble;
};

/* Counters that the list does not use. If somebody else enabled them they go on while we count. */
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
        bx_machine *m = trial_machine("virtual:skl");
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
    bx_machine *m = trial_machine("virtual:skl");
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

/* Each access fails once, in turn. The others' registers are restored, the failure is told, and
 * nothing counts on. */
static void any_one_access_may_fail(void **state)
{
    (void)state;
    bool over = false;
    unsigned told = 0;
    for (size_t k = 0; !over; k++) {
        bx_machine *m = trial_machine("virtual:skl");
        uint64_t before[REGISTERS], after[REGISTERS];
        struct faulty f;
        struct outcome o;
        if (k % 2)
            set_up(m->bus, false);
        read_all(m->bus, before);
        wrap(&f, m, k, 0, k % 3 ? EIO : EPERM);
        measure(m, &o);
        unwrap(&f, m);
        over = f.n <= k;
        read_all(m->bus, after);
        for (unsigned i = 0; i < REGISTERS; i++) {
            bool failed = o.reported && f.failed_write && f.failed.offset == registers[i];
            if (!failed)
                assert_int_equal(after[i], before[i]);
        }
        assert_int_equal(after[GLOBAL] & 0x20000000, 0);
        /* What fails once on the way back is written again. */
        assert_true(o.reported || over || f.failed_write);
        assert_true(o.reported || o.blocked == 0);
        told += o.reported;
        bx_machine_close(m);
    }
    assert_true(told > 100);
}

/* ---- what fails for good ---- */

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
        {0xe01, 0xff},        /* all but the free-running one */
    };
    struct outcome fine;
    bx_machine *m = trial_machine("virtual:skl");
    measure(m, &fine);
    bx_machine_close(m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome o;
        struct faulty f;
        m = trial_machine("virtual:skl");
        wrap(&f, m, SIZE_MAX, cases[i].dead, EIO);
        measure(m, &o);
        unwrap(&f, m);
        assert_true(o.reported);
        assert_int_equal(o.trouble.code, BX_FAULT);
        for (unsigned event = 0; event < EVENTS; event++) {
            if (cases[i].blocked >> event & 1)
                assert_int_equal(o.readings[event].state, BX_BLOCKED);
            else
                assert_memory_equal(&o.readings[event], &fine.readings[event],
                                    sizeof fine.readings[event]);
        }
        bx_machine_close(m);
    }
}

static void a_bus_that_reads_many(void **state)
{
    (void)state;
    struct outcome fine, o;
    struct faulty f;
    bx_machine *m = trial_machine("virtual:skl");
    measure(m, &fine);
    bx_machine_close(m);
    static const uint64_t dead[] = {0, 0x716, 0x3b0};
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
        m = trial_machine("virtual:skl");
        wrap(&f, m, SIZE_MAX, dead[i], EIO);
        f.bus.read_many = faulty_read_many;
        measure(m, &o);
        unwrap(&f, m);
        for (unsigned event = 0; event < EVENTS; event++)
            if (o.readings[event].state != BX_BLOCKED)
                assert_memory_equal(&o.readings[event], &fine.readings[event], sizeof(bx_reading));
        assert_int_equal(o.blocked, dead[i] == 0 ? 0 : dead[i] == 0x716 ? 3 : 1);
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
    bx_machine *m = trial_machine("virtual:skl");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_come_back),     cmocka_unit_test(close_restores),
        cmocka_unit_test(any_one_access_may_fail), cmocka_unit_test(the_others_go_on),
        cmocka_unit_test(a_bus_that_reads_many),   cmocka_unit_test(no_access_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
