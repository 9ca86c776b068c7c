/* Impossible counter values are marked, and never shown as counts. Widths: 334060-001 tables 1-2,
 * 2-5 and 2-8. */
#include "../cmocked.h"

#include "trial.h"

#include "report/report.h"

#include <string.h>

/* A virtual machine's bus on which one register reads a fake value. */
static struct {
    struct bx_bus bus, *inner;
    uint64_t address;
    uint64_t value;
    unsigned times;  /* how often; afterwards it reads its real value */
    unsigned behind; /* so many of its reads */
    uint64_t late;   /* cycles that pass before the first real read after the fake ones */
    bx_machine *machine;
    bx_machine *moves; /* time advances with every read; NULL: it does not */
    uint64_t pause;    /* cycles that pass after a read of the register */
    unsigned pauses;   /* how many */
} odd;

static int odd_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus;
    bool done;
    if (odd.moves)
        bx_machine_run(odd.moves, bx_machine_time(odd.moves) + 1000, &done, NULL);
    bool of_register = at->offset == odd.address;
    if (of_register && !odd.times && odd.late) {
        bx_machine_idle(odd.machine, odd.late);
        odd.late = 0;
    }
    if (!of_register || odd.behind || !odd.times) {
        odd.behind -= of_register && odd.behind;
        int err = odd.inner->read(odd.inner, at, value);
        if (of_register && odd.pauses) {
            bx_machine_idle(odd.machine, odd.pause);
            odd.pauses--;
        }
        return err;
    }
    odd.times--;
    *value = odd.value;
    return 0;
}

static int odd_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)bus;
    return odd.inner->write(odd.inner, at, value);
}

static bx_session *started(bx_machine *m, const char *list)
{
    odd.inner = m->bus;
    odd.machine = m;
    odd.times = 0;
    odd.bus = (struct bx_bus){.read = odd_read, .write = odd_write};
    m->bus = &odd.bus;
    return trial_start(m, list);
}

static void ended(bx_machine *m, bx_session *s)
{
    bx_session_close(s);
    m->bus = odd.inner;
    bx_machine_close(m);
}

static const char lookups[] = "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_MESI";
static const char reads[] = "DRAM_DATA_READS";

/* `value` is read from now on, `cycles` after the last sample. */
static void implausible(const char *event, uint64_t address, uint64_t value, uint64_t cycles,
                        const char *message)
{
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = started(m, event);
    bx_machine_idle(m, 1000);
    assert_int_equal(trial_sample(s)->state, BX_COUNTED);
    bx_machine_idle(m, cycles);
    odd.address = address;
    odd.value = value;
    odd.times = ~0u;
    const bx_reading *r = trial_sample(s);
    assert_int_equal(r->state, BX_IMPLAUSIBLE);
    assert_true(bx_reading_value(r) == 0);
    assert_string_equal(bx_session_trouble(s)->message, message);
    odd.times = 0; /* it stays implausible, whatever it reads afterwards */
    bx_machine_idle(m, 1000);
    assert_int_equal(trial_sample(s)->state, BX_IMPLAUSIBLE);
    odd.times = 0;
    ended(m, s);
}

static void what_no_counter_holds(void **state)
{
    (void)state;
    implausible(lookups, 0x726, UINT64_MAX, 1000,
                "MSR_UNC_CBO_2_PERFCTR0 (0x726) reads more than the counter's bits");
    implausible(lookups, 0x726, UINT64_C(1) << 44, 1000,
                "MSR_UNC_CBO_2_PERFCTR0 (0x726) reads more than the counter's bits");
    implausible(reads, 0xfed15050, UINT32_MAX, 1000,
                "DRAM_DATA_READS (BAR+0x5050) reads as all ones, as a device does that is gone");
    implausible(lookups, 0x726, UINT64_C(1) << 40, 1000,
                "MSR_UNC_CBO_2_PERFCTR0 (0x726) counted faster than the machine can");
    implausible("UNC_CLOCK:SOCKET", 0x395, 10, 1000,
                "MSR_UNC_PERF_FIXED_CTR (0x395) went backwards");
}

/* 2^32 cycles, in which a counter of 32 bits may have wrapped. */
static void what_went_unread(void **state)
{
    (void)state;
    implausible(reads, 0xfed15050, 5, UINT64_C(1) << 33,
                "DRAM_DATA_READS (BAR+0x5050) was not read for so long that it may have wrapped "
                "unseen");
}

/* A value that is wrong once is read again. */
static void one_slip(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = started(m, "UNC_CLOCK:SOCKET");
    bx_machine_idle(m, 1000);
    odd.address = 0x395;
    odd.value = UINT64_MAX;
    odd.times = 1;
    assert_int_equal(trial_sample(s)->count, 1000);
    assert_int_equal(trial_sample(s)->state, BX_COUNTED);
    assert_null(bx_session_trouble(s));
    ended(m, s);
}

/* A busy host pauses us after each read, before the time is asked for: the pauses are part of what
 * passes between two reads. */
static void pauses_behind_reads(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    odd.address = 0x395;
    odd.pause = 1000000;
    odd.pauses = ~0u;
    bx_session *s = started(m, "UNC_CLOCK:SOCKET");
    const bx_reading *r = trial_sample(s);
    assert_int_equal(r->state, BX_COUNTED);
    assert_true(r->count > 0 && r->count % odd.pause == 0);
    assert_null(bx_session_trouble(s));
    odd.pause = odd.pauses = 0;
    ended(m, s);
}

/* The same on a busy host: the second of three samples is wrong, and the third comes so late that
 * the counter can have any value. It confirms nothing. */
static void one_slip_before_a_pause(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = started(m, reads);
    bx_machine_idle(m, 1000);
    odd.address = 0xfed15050;
    odd.value = 64;
    odd.times = odd.behind = 1;
    odd.late = UINT64_C(1100000000);
    assert_int_equal(trial_sample(s)->count, 0);
    assert_int_equal(odd.late, 0);
    assert_int_equal(trial_sample(s)->state, BX_COUNTED);
    assert_null(bx_session_trouble(s));
    ended(m, s);
}

/* A host so busy that two attempts, and more, are too slow to tell anything. */
static void many_pauses(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = started(m, reads);
    odd.address = 0xfed15050;
    odd.pause = 20000000;
    odd.pauses = 30;
    assert_int_equal(trial_sample(s)->state, BX_COUNTED);
    assert_int_equal(odd.pauses, 0);
    assert_null(bx_session_trouble(s));
    odd.pauses = ~0u;
    assert_int_equal(trial_sample(s)->state, BX_IMPLAUSIBLE);
    assert_string_equal(
        bx_session_trouble(s)->message,
        "DRAM_DATA_READS (BAR+0x5050) is read too slowly on this busy host to tell a wrong value");
    odd.pause = odd.pauses = 0;
    ended(m, s);
}

/* This counter can have any value of 32 bits after so many cycles: only a second sample shows the
 * error. */
static void one_slip_of_a_full_register(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = started(m, reads);
    bx_machine_idle(m, 1000000000);
    odd.address = 0xfed15050;
    odd.value = 0x6fcfb6b6;
    odd.times = 1;
    assert_int_equal(trial_sample(s)->count, 0);
    assert_int_equal(trial_sample(s)->state, BX_COUNTED);
    assert_null(bx_session_trouble(s));
    ended(m, s);
}

/* The saved value is restored: it must be the real one. */
static void what_is_saved(void **state)
{
    (void)state;
    static const struct {
        uint64_t address, value;
        unsigned times;
    } cases[] = {{0x720, UINT64_MAX, ~0u}, {0x726, UINT64_MAX, 2}, {0xe01, UINT64_MAX, ~0u}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_machine *m = trial_machine("virtual:skl,part=plain");
        bx_evsel event[TRIAL_EVENTS];
        bx_session *s;
        bx_error e = {0};
        size_t n = trial_parse(lookups, event);
        uint64_t control;
        odd.inner = m->bus;
        odd.address = cases[i].address;
        odd.value = cases[i].value;
        odd.times = cases[i].times;
        odd.bus = (struct bx_bus){.read = odd_read, .write = odd_write};
        m->bus = &odd.bus;
        assert_int_equal(bx_session_open(m, event, n, NULL, &s, NULL), BX_OK);
        assert_int_equal(bx_session_start(s, &e), BX_FAULT);
        assert_non_null(strstr(e.message, "cannot be read: it reads what it cannot hold"));
        const bx_address at = {.width = 64, .offset = 0x720};
        assert_int_equal(odd.inner->read(odd.inner, &at, &control), 0);
        assert_int_equal(control, 0);
        ended(m, s);
    }
}

static uint64_t read_msr(uint64_t address)
{
    const bx_address at = {.width = 64, .offset = address};
    uint64_t value;
    assert_int_equal(odd.inner->read(odd.inner, &at, &value), 0);
    return value;
}

/* One of several samples is wrong, here by one bit: the counter is restored correctly
 * nevertheless. */
static void one_slip_while_saving(void **state)
{
    (void)state;
    static const struct {
        uint64_t address, value;
    } cases[] = {{0x720, 0x123}, {0x726, 0x7101}, {0x726, 0x7110}, {0x726, UINT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_machine *m = trial_machine("virtual:skl,part=plain");
        bx_evsel event[TRIAL_EVENTS];
        bx_session *s;
        size_t n = trial_parse(lookups, event);
        odd.inner = m->bus;
        odd.address = cases[i].address;
        odd.value = cases[i].value;
        odd.times = 1;
        odd.bus = (struct bx_bus){.read = odd_read, .write = odd_write};
        const bx_address counter = {.width = 64, .offset = 0x726};
        assert_int_equal(odd.inner->write(odd.inner, &counter, 0x7100), 0);
        m->bus = &odd.bus;
        assert_int_equal(bx_session_open(m, event, n, NULL, &s, NULL), BX_OK);
        assert_int_equal(bx_session_start(s, NULL), BX_OK);
        assert_int_equal(bx_session_stop(s, NULL), BX_OK);
        assert_int_equal(odd.times, 0);
        assert_int_equal(read_msr(0x726), 0x7100);
        assert_int_equal(read_msr(0x720), 0);
        ended(m, s);
    }
}

/* Other software writes a control register or an enable while we count: the count is of another
 * event. */
static void changed_by_somebody_else(void **state)
{
    (void)state;
    static const struct {
        uint64_t address, value;
        const char *message;
    } cases[] = {
        {0x720, 0x401134,
         "MSR_UNC_CBO_2_PERFEVTSEL0 (0x720) was changed by other software: 0x401134"},
        {0xe01, 0, "MSR_UNC_PERF_GLOBAL_CTRL (0xe01) was changed by other software: 0x0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_machine *m = trial_machine("virtual:skl,part=plain");
        bx_session *s = started(m, lookups);
        size_t n;
        const bx_address at = {.width = 64, .offset = cases[i].address};
        bx_machine_idle(m, 1000);
        assert_int_equal(trial_sample(s)->state, BX_COUNTED);
        assert_int_equal(odd.inner->write(odd.inner, &at, cases[i].value), 0);
        assert_int_equal(bx_session_stop(s, NULL), BX_OK);
        assert_int_equal(bx_session_readings(s, &n)->state, BX_IMPLAUSIBLE);
        assert_string_equal(bx_session_trouble(s)->message, cases[i].message);
        assert_int_equal(read_msr(cases[i].address), 0);
        ended(m, s);
    }
}

static void its_word(void **state)
{
    (void)state;
    assert_string_equal(bx_state_text(BX_IMPLAUSIBLE), "<implausible>");
    assert_string_equal(bx_state_text(BX_NOT_COUNTED), "<not counted>");
}

/* The enable of a single P6 counter is set with the rest of its control register. No write stops
 * it, and it counts during its last read. */
static void what_runs_to_the_end(void **state)
{
    static const char *const events[] = {"p6::CPU_CLK_UNHALTED",
                                         "p6::CPU_CLK_UNHALTED,p6::INST_RETIRED"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bx_machine *m = trial_machine("virtual:p6,part=plain");
        assert_int_equal(bx_machine_load_workload(m, "stream,size=1M", NULL), BX_OK);
        odd.moves = m;
        bx_session *s = started(m, events[i]);
        assert_int_equal(bx_session_stop(s, NULL), BX_OK);
        size_t n;
        const bx_reading *r = bx_session_readings(s, &n);
        assert_int_equal(n, i + 1);
        assert_int_equal(r[0].state, BX_COUNTED);
        assert_true(r[0].count >= 1000);
        odd.moves = NULL;
        ended(m, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_counter_holds),
        cmocka_unit_test(what_went_unread),
        cmocka_unit_test(one_slip),
        cmocka_unit_test(pauses_behind_reads),
        cmocka_unit_test(one_slip_before_a_pause),
        cmocka_unit_test(many_pauses),
        cmocka_unit_test(one_slip_of_a_full_register),
        cmocka_unit_test(what_is_saved),
        cmocka_unit_test(one_slip_while_saving),
        cmocka_unit_test(changed_by_somebody_else),
        cmocka_unit_test(its_word),
        cmocka_unit_test(what_runs_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
