/* Events of a hybrid CPU's cores on chosen CPUs: each type of core has a PMU of its own, which the
 * kernel refuses on the others. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "host/pmus.h"

#include <string.h>

/* PERF_TYPE_HARDWARE, and its config for a type of core: perf_event_open(2) */
enum { CYCLES = 0, INSTRUCTIONS = 1, CORE = 10, ATOM = 11 };
#define OF(pmu, event) ((uint64_t)(pmu) << 32 | (event))

static bx_session_options on(const uint16_t *cpus, size_t n)
{
    return (bx_session_options){.size = sizeof(bx_session_options), .cpus = cpus, .cpus_n = n};
}

/* CPU 3 is of neither type. */
static void open_hybrid(host_rig *r)
{
    static const char *const pmus[][3] = {{"cpu_core", "10", "0-1"}, {"cpu_atom", "11", "2"}};
    folder f = host_rig_threads();
    for (size_t i = 0; i < 2; i++) {
        pmus_put(&f, pmus[i][0], "type", pmus[i][1]);
        pmus_put(&f, pmus[i][0], "cpus", pmus[i][2]);
        pmus_put(&f, pmus[i][0], "format/event", "config:0-7");
    }
    host_rig_open(r, f, BX_DRIVER_AUTO);
}

static void of_one_type(void **state)
{
    (void)state;
    host_rig r;
    static const uint16_t cpus[] = {1, 2};
    const bx_session_options both = on(cpus, 2), other = on(cpus + 1, 1);
    open_hybrid(&r);
    assert_int_equal(host_rig_session(&r, "cpu_core/event=0x3c/", &both), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(host_rig_readings(&r, 1)[0].on_cpu, 1 + 1);
    host_rig_opens(&r, 0, CORE, 0x3c, 1);
    host_rig_end(&r);
    open_hybrid(&r);
    assert_int_equal(host_rig_session(&r, "cpu_core/event=0x3c/", &other), BX_NO_FIT);
    assert_string_equal(r.e.message, "cpu_core counts on none of these CPUs");
    assert_string_equal(r.e.hint, "cpu_core counts on 0-1");
    host_rig_end(&r);
}

/* A generic event is counted by the PMU of each chosen CPU, also if they are all of one type. */
static void of_all_types(void **state)
{
    (void)state;
    static const struct {
        uint16_t cpus[3];
        size_t n;
        struct {
            uint32_t pmu;
            int cpu;
        } opens[3]; /* by PMU: cpu_atom before cpu_core */
    } cases[] = {{{0, 1}, 2, {{CORE, 0}, {CORE, 1}}},
                 {{2}, 1, {{ATOM, 2}}},
                 {{0, 1, 2}, 3, {{ATOM, 2}, {CORE, 0}, {CORE, 1}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bx_session_options o = on(cases[i].cpus, cases[i].n);
        host_rig r;
        open_hybrid(&r);
        if (host_rig_session(&r, "cycles,instructions", &o) != BX_OK)
            fail_msg("case %zu: %s", i, r.e.message);
        assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
        const bx_reading *all = host_rig_readings(&r, 2 * cases[i].n);
        assert_int_equal(r.kernel.n, 2 * cases[i].n);
        for (size_t k = 0; k < 2 * cases[i].n; k++) {
            uint64_t event = k < cases[i].n ? CYCLES : INSTRUCTIONS;
            size_t which = k % cases[i].n;
            host_rig_opens(&r, (int)k, 0, OF(cases[i].opens[which].pmu, event),
                           cases[i].opens[which].cpu);
            assert_int_equal(all[k].on_cpu, 1 + cases[i].opens[which].cpu);
        }
        host_rig_end(&r);
    }
}

static void of_no_type(void **state)
{
    (void)state;
    static const uint16_t cpus[] = {3};
    bx_session_options o = on(cpus, 1);
    host_rig r;
    open_hybrid(&r);
    assert_int_equal(host_rig_session(&r, "cpu-clock,cycles", &o), BX_NO_FIT);
    assert_string_equal(r.e.message, "cpu_atom, cpu_core count on none of these CPUs");
    assert_string_equal(r.e.hint, "cpu_atom counts on 2; cpu_core counts on 0-1");
    assert_int_equal(r.e.at, strlen("cpu-clock,"));
    r.e = (bx_error){0};
    o.skip_unsupported = true;
    assert_int_equal(host_rig_session(&r, "cpu-clock,cycles", &o), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 2);
    assert_int_equal(r.kernel.n, 1);
    assert_int_equal(all[0].on_cpu, 1 + 3);
    assert_int_equal(all[1].state, BX_NOT_SUPPORTED);
    host_rig_end(&r);
}

/* An event that is refused after some of its counters were added has none. */
static void refused_on_a_later_cpu(void **state)
{
    (void)state;
    static const uint16_t cpus[] = {1, 7};
    bx_session_options o = on(cpus, 2);
    host_rig r;
    open_hybrid(&r);
    o.skip_unsupported = true;
    assert_int_equal(host_rig_session(&r, "cpu_core/event=0x3c/,UNC_CLOCK:SOCKET", &o), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_string_equal(bx_session_unsupported(r.s, 0)->message, "CPU 7 is not online");
    const bx_reading *all = host_rig_readings(&r, 2);
    assert_int_equal(r.kernel.n, 1);
    assert_int_equal(r.kernel.all[0].cpu, 0); /* of the clock's cpumask */
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(all[i].state == BX_NOT_SUPPORTED, all[i].event == 0);
    host_rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_type),
        cmocka_unit_test(of_all_types),
        cmocka_unit_test(of_no_type),
        cmocka_unit_test(refused_on_a_later_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
