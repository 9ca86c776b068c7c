/* Schedules of event lists. Counters of each box: 334060-001 tables 1-2, 3-1 and 3-2. */
#include "../cmocked.h"

#include "schedule/schedule.h"

#include <string.h>

enum { MOST = 16 };

struct fixture {
    bx_topology topology;
    bx_evsel events[MOST];
    size_t n;
    bx_schedule schedule;
    bx_error e;
};

static int make(struct fixture *f, const char *machine, const char *events)
{
    *f = (struct fixture){0};
    const bx_catalog *c = bx_catalog_builtin();
    assert_int_equal(bx_topology_parse(c, bx_str_of(machine), &f->topology, &f->e), BX_OK);
    if (bx_events_parse(c, f->topology.cpu, events, f->events, MOST, &f->n, &f->e) != BX_OK)
        fail_msg("%s: %s", events, f->e.message);
    return bx_schedule_make(&f->topology, f->events, f->n, &f->schedule, &f->e);
}

static void made(struct fixture *f, const char *machine, const char *events)
{
    if (make(f, machine, events) != BX_OK)
        fail_msg("%s: %s", events, f->e.message);
}

static void assignment(const struct fixture *f, size_t i, unsigned event, unsigned unit,
                       unsigned counter, unsigned pass, unsigned passes)
{
    assert_true(i < f->schedule.n);
    const bx_assignment *s = &f->schedule.assignments[i];
    assert_int_equal(s->event, event);
    assert_int_equal(s->package, 0);
    assert_int_equal(s->unit, unit);
    assert_int_equal(bx_cat_counters(f->topology.catalog)[s->counter].index, counter);
    assert_int_equal(bx_cat_counters(f->topology.catalog)[s->counter].pmu, f->events[event].pmu);
    assert_int_equal(s->pass, pass);
    assert_int_equal(s->passes, passes);
}

static void nothing(void **state)
{
    (void)state;
    struct fixture f;
    bx_topology t;
    bx_schedule s;
    assert_int_equal(bx_topology_parse(bx_catalog_builtin(), BX_STR("virtual:skl"), &t, NULL),
                     BX_OK);
    assert_int_equal(bx_schedule_make(&t, f.events, 0, &s, NULL), BX_OK);
    assert_int_equal(s.n, 0);
    assert_int_equal(s.passes, 1);
    bx_schedule_free(&s);
}

static void one_event_on_all_units(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl", "UNC_CBO_CACHE_LOOKUP.ANY_I");
    assert_int_equal(f.schedule.n, 4);
    assert_int_equal(f.schedule.passes, 1);
    for (unsigned u = 0; u < 4; u++)
        assignment(&f, u, 0, u, 0, 0, 1);
    bx_schedule_free(&f.schedule);

    made(&f, "virtual:skl,cores=2", "UNC_CBO_CACHE_LOOKUP.ANY_I");
    assert_int_equal(f.schedule.n, 2);
    bx_schedule_free(&f.schedule);
}

static void one_unit(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl", "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(f.schedule.n, 1);
    assignment(&f, 0, 0, 2, 0, 0, 1);
    bx_schedule_free(&f.schedule);
}

/* In order, the first event would take counter 0 of the ARB, the only one that counts occupancy. */
static void occupancy_gets_its_counter(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl", "UNC_ARB_TRK_REQUESTS:ALL,UNC_ARB_TRK_OCCUPANCY:ALL");
    assert_int_equal(f.schedule.passes, 1);
    assignment(&f, 0, 0, 0, 1, 0, 1);
    assignment(&f, 1, 1, 0, 0, 0, 1);
    bx_schedule_free(&f.schedule);

    made(&f, "virtual:skl",
         "UNC_ARB_TRK_OCCUPANCY:ALL,UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST,"
         "UNC_ARB_TRK_REQUESTS:ALL,UNC_ARB_TRK_REQUESTS:WRITES");
    assert_int_equal(f.schedule.passes, 2);
    assignment(&f, 0, 0, 0, 0, 0, 2);
    assignment(&f, 1, 1, 0, 0, 1, 2);
    assignment(&f, 2, 2, 0, 1, 0, 2);
    assignment(&f, 3, 3, 0, 1, 1, 2);
    bx_schedule_free(&f.schedule);
}

/* Two counters in each C-Box: five events take three passes; the ARB's one event takes one. */
static void passes_of_each_box(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:WRITE_M,"
         "UNC_ARB_TRK_REQUESTS:ALL,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,"
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_M,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_ES");
    assert_int_equal(f.schedule.passes, 3);
    assignment(&f, 0, 0, 1, 0, 0, 3);
    assignment(&f, 1, 1, 1, 1, 0, 3);
    assignment(&f, 2, 2, 0, 0, 0, 1);
    assignment(&f, 3, 3, 1, 0, 1, 3);
    assignment(&f, 4, 4, 1, 1, 1, 3);
    assignment(&f, 5, 5, 1, 0, 2, 3);
    bx_schedule_free(&f.schedule);
}

#define LOOKUP "UNC_CBO_CACHE_LOOKUP:"

static unsigned pass_of(const struct fixture *f, unsigned event)
{
    size_t i = 0;
    while (i < f->schedule.n && f->schedule.assignments[i].event != event)
        i++;
    return f->schedule.assignments[i].pass;
}

/* The events of llc_read_miss_ratio share a pass, as do those of llc_miss_ratio. llc_read_share
 * needs one event of each pass, so it cannot have its events together. */
static void events_of_a_metric_share_a_pass(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         LOOKUP "READ_I," LOOKUP "WRITE_M," LOOKUP "ANY_I," LOOKUP "ANY_M," LOOKUP
                "ANY_MESI," LOOKUP "READ_MESI");
    assert_int_equal(f.schedule.passes, 3);
    assert_int_equal(pass_of(&f, 0), pass_of(&f, 5));
    assert_int_equal(pass_of(&f, 2), pass_of(&f, 4));
    assert_int_equal(pass_of(&f, 1), pass_of(&f, 3));
    bx_schedule_free(&f.schedule);
    /* The caller's own groups come first. */
    made(&f, "virtual:skl",
         "{" LOOKUP "READ_I," LOOKUP "WRITE_M}," LOOKUP "ANY_I," LOOKUP "READ_MESI");
    assert_int_equal(pass_of(&f, 0), pass_of(&f, 1));
    assert_int_equal(pass_of(&f, 2), pass_of(&f, 3));
    bx_schedule_free(&f.schedule);
    /* The three events of snoop_hitm_ratio do not fit one pass, but are counted nevertheless. */
    made(&f, "virtual:skl",
         "UNC_CBO_XSNP_RESPONSE:MISS_XCORE,UNC_CBO_XSNP_RESPONSE:HIT_XCORE,"
         "UNC_CBO_XSNP_RESPONSE:HITM_XCORE");
    assert_int_equal(f.schedule.passes, 2);
    bx_schedule_free(&f.schedule);
}

/* One unit has more events than the others: only its events are multiplexed. */
static void units_differ(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl,cores=2",
         "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CBO_CACHE_LOOKUP:ANY_I,"
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_M");
    assert_int_equal(f.schedule.passes, 2);
    assignment(&f, 0, 0, 0, 0, 0, 1);
    assignment(&f, 1, 0, 1, 0, 0, 2);
    assignment(&f, 2, 1, 0, 1, 0, 1);
    assignment(&f, 3, 1, 1, 1, 0, 2);
    assignment(&f, 4, 2, 1, 0, 1, 2);
    bx_schedule_free(&f.schedule);
}

static void the_same_event_twice_takes_two_counters(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,"
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(f.schedule.passes, 1);
    assignment(&f, 0, 0, 0, 0, 0, 1);
    assignment(&f, 1, 1, 0, 1, 0, 1);
    bx_schedule_free(&f.schedule);
}

static void fixed_and_free_running_counters_are_shared(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "UNC_CLOCK:SOCKET,UNC_CLOCK:SOCKET,DRAM_DATA_READS,DRAM_DATA_READS,DRAM_GT_REQUESTS");
    assert_int_equal(f.schedule.passes, 1);
    assignment(&f, 0, 0, 0, 0, 0, 1);
    assignment(&f, 1, 1, 0, 0, 0, 1);
    assignment(&f, 2, 2, 0, 3, 0, 1);
    assignment(&f, 3, 3, 0, 3, 0, 1);
    assignment(&f, 4, 4, 0, 0, 0, 1);
    bx_schedule_free(&f.schedule);
}

static void a_named_counter_is_kept_to(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "UNC_CBO_CACHE_LOOKUP_ANY_I:CBOX0C1,UNC_CBO_CACHE_LOOKUP_ANY_M:CBOX0C1,"
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_I");
    assert_int_equal(f.schedule.passes, 2);
    assignment(&f, 0, 0, 0, 1, 0, 2);
    assignment(&f, 1, 1, 0, 1, 1, 2);
    assignment(&f, 2, 2, 0, 0, 0, 2);
    bx_schedule_free(&f.schedule);
}

static void refused(struct fixture *f, const char *message, const char *hint, const char *list,
                    const char *at_fault)
{
    assert_int_equal(f->e.code, BX_NO_FIT);
    assert_string_equal(f->e.message, message);
    assert_string_equal(f->e.hint, hint);
    assert_true(bx_str_eq(bx_str_sub(bx_str_of(list), f->e.at, f->e.len), bx_str_of(at_fault)));
    assert_null(f->schedule.assignments);
}

static void units_that_are_not_there(void **state)
{
    (void)state;
    struct fixture f;
    const char *list = "UNC_CLOCK:SOCKET,skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I";
    assert_int_equal(make(&f, "virtual:skl,cores=2", list), BX_NO_FIT);
    refused(&f, "this machine has no C-Box 3", "it has C-Box 0 to C-Box 1", list,
            "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(make(&f, "virtual:skl,cores=1", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I"),
                     BX_NO_FIT);
    assert_string_equal(f.e.hint, "it has C-Box 0 only");
}

/* The parser refuses these lists, too, but a caller may construct them. */
static void packages_that_are_not_there(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl", "UNC_CBO_CACHE_LOOKUP:ANY_I");
    bx_schedule_free(&f.schedule);
    f.events[0].package = 1;
    f.schedule = (bx_schedule){0};
    assert_int_equal(bx_schedule_make(&f.topology, f.events, 1, &f.schedule, &f.e), BX_NO_FIT);
    refused(&f, "this machine has no package 1", "it has package 0 only",
            "UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_I");
}

static void counters_that_cannot(void **state)
{
    (void)state;
    struct fixture f;
    static const int16_t counters[] = {1, 2, 31, 32, 200};
    made(&f, "virtual:skl", "UNC_ARB_TRK_OCCUPANCY:ALL");
    bx_schedule_free(&f.schedule);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        f.events[0].counter = counters[i];
        f.schedule = (bx_schedule){0};
        f.e = (bx_error){0};
        assert_int_equal(bx_schedule_make(&f.topology, f.events, 1, &f.schedule, &f.e), BX_NO_FIT);
        assert_string_equal(f.e.hint, "these can: 0; name none to take any of them");
    }
    assert_string_equal(f.e.message, "counter 200 cannot count UNC_ARB_TRK_OCCUPANCY");
}

/* Table 2-4: OVF_EN is bit 20 of MSR_UNC_PERF_FIXED_CTRL. */
static void fixed_counter_required_in_two_ways(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl", "UNC_CLOCK:SOCKET,UNC_CLOCK:SOCKET");
    bx_schedule_free(&f.schedule);
    f.events[1].control |= 1 << 20;
    assert_int_equal(bx_schedule_make(&f.topology, f.events, 2, &f.schedule, &f.e), BX_OK);
    assert_int_equal(f.schedule.passes, 2);
    bx_schedule_free(&f.schedule);

    f.events[0].group = f.events[1].group = 1;
    f.schedule = (bx_schedule){0};
    assert_int_equal(bx_schedule_make(&f.topology, f.events, 2, &f.schedule, &f.e), BX_NO_FIT);
    assert_string_equal(f.e.message, "UNC_CLOCK:SOCKET and UNC_CLOCK:SOCKET need different OVF_EN "
                                     "in MSR_UNC_PERF_FIXED_CTRL of clock");
    assert_int_equal(f.e.at, strlen("UNC_CLOCK:SOCKET,"));
}

/* ---- pinned ---- */

/* A C-Box has two counters (334060-001 table 1-2): the other events take turns on the second. */
static void pinned_is_in_every_pass(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES:D,"
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(f.schedule.passes, 2);
    assignment(&f, 0, 0, 0, 1, 0, 2);
    assignment(&f, 1, 1, 0, 0, 0, 1);
    assignment(&f, 2, 2, 0, 1, 1, 2);
    bx_schedule_free(&f.schedule);
}

/* Occupancy of the ARB is counted on counter 0 only (table 3-1), so a pinned event uses the other
 * counter. */
static void pinned_leaves_what_others_need(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "UNC_ARB_TRK_REQUESTS:ALL:D,UNC_ARB_TRK_OCCUPANCY:ALL,UNC_ARB_TRK_OCCUPANCY:ALL:t=1");
    assert_int_equal(f.schedule.passes, 2);
    assignment(&f, 0, 0, 0, 1, 0, 1);
    assignment(&f, 1, 1, 0, 0, 0, 2);
    assignment(&f, 2, 2, 0, 0, 1, 2);
    bx_schedule_free(&f.schedule);
}

static void a_pinned_group(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:skl",
         "{skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_ARB_TRK_REQUESTS:ALL}:D,"
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES,"
         "UNC_ARB_TRK_OCCUPANCY:ALL");
    assert_int_equal(f.schedule.passes, 2);
    assignment(&f, 0, 0, 0, 0, 0, 1);
    assignment(&f, 1, 1, 0, 1, 0, 1);
    assignment(&f, 2, 2, 0, 1, 0, 2);
    assignment(&f, 3, 3, 0, 1, 1, 2);
    assignment(&f, 4, 4, 0, 0, 0, 1);
    bx_schedule_free(&f.schedule);
}

static void assert_refused(const char *events, const char *message, const char *at)
{
    struct fixture f;
    assert_int_equal(make(&f, "virtual:skl", events), BX_NO_FIT);
    assert_string_equal(f.e.message, message);
    assert_string_equal(f.e.hint,
                        "pinned events (:D) are counted all the time and keep their counters; pin "
                        "fewer");
    assert_int_equal(f.e.at, strstr(events, at) - events);
}

/* EN of a P6's PerfEvtSel0 enables both counters (document 002): a third event cannot take turns.
 */
static void counters_that_stop_together(void **state)
{
    (void)state;
    struct fixture f;
    made(&f, "virtual:p6", "L2_LD:MESI:D,L2_ST:MESI");
    assert_int_equal(f.schedule.passes, 1);
    bx_schedule_free(&f.schedule);
    assert_int_equal(make(&f, "virtual:p6", "L2_LINES_IN,L2_LD:MESI:D,L2_ST:MESI"), BX_NO_FIT);
    assert_string_equal(f.e.message,
                        "this cannot be pinned: its counter stops for a moment at each "
                        "turn of the others");
    assert_int_equal(f.e.at, strlen("L2_LINES_IN,"));
}

static void what_cannot_be_pinned(void **state)
{
    (void)state;
    assert_refused("UNC_CBO_CACHE_LOOKUP:ANY_M:D,UNC_CBO_CACHE_LOOKUP:ANY_ES:D,"
                   "UNC_CBO_CACHE_LOOKUP:ANY_I:D",
                   "no counter of C-Box 0 is left for UNC_CBO_CACHE_LOOKUP:ANY_I",
                   "UNC_CBO_CACHE_LOOKUP:ANY_I:D");
    assert_refused("UNC_CBO_CACHE_LOOKUP:ANY_M:D,UNC_CBO_CACHE_LOOKUP:ANY_ES:D,"
                   "UNC_CBO_CACHE_LOOKUP:ANY_I",
                   "no counter of C-Box 0 is left for UNC_CBO_CACHE_LOOKUP:ANY_I",
                   "UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_refused("UNC_ARB_TRK_OCCUPANCY:ALL:D,UNC_ARB_TRK_OCCUPANCY:ALL:t=1",
                   "no counter of ARB is left for UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST",
                   "UNC_ARB_TRK_OCCUPANCY:ALL:t=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(one_event_on_all_units),
        cmocka_unit_test(one_unit),
        cmocka_unit_test(occupancy_gets_its_counter),
        cmocka_unit_test(passes_of_each_box),
        cmocka_unit_test(events_of_a_metric_share_a_pass),
        cmocka_unit_test(units_differ),
        cmocka_unit_test(the_same_event_twice_takes_two_counters),
        cmocka_unit_test(fixed_and_free_running_counters_are_shared),
        cmocka_unit_test(a_named_counter_is_kept_to),
        cmocka_unit_test(units_that_are_not_there),
        cmocka_unit_test(packages_that_are_not_there),
        cmocka_unit_test(counters_that_cannot),
        cmocka_unit_test(fixed_counter_required_in_two_ways),
        cmocka_unit_test(pinned_is_in_every_pass),
        cmocka_unit_test(pinned_leaves_what_others_need),
        cmocka_unit_test(a_pinned_group),
        cmocka_unit_test(counters_that_stop_together),
        cmocka_unit_test(what_cannot_be_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
