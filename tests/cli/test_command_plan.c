/* boxscore plan: the operations in JSON as docs/reference/output.md has them, and as text. */
#include "../cmocked.h"

#include "cli/run.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(json_object *o, const char *key)
{
    json_object *value;
    if (!json_object_object_get_ex(o, key, &value))
        fail_msg("no '%s' in %s", key, json_object_to_json_string(o));
    return value ? json_object_get_string(value) : "null";
}

/* The operations as "step op space:address=value", in order; counted by *n. */
static bool has(json_object *plan, const char *wanted)
{
    for (size_t i = 0; i < json_object_array_length(plan); i++) {
        json_object *o = json_object_array_get_idx(plan, i);
        char line[128];
        snprintf(line, sizeof line, "%s %s %s:%s=%s", text_of(o, "step"), text_of(o, "op"),
                 text_of(o, "space"), text_of(o, "address"), text_of(o, "value"));
        if (strcmp(line, wanted) == 0)
            return true;
    }
    return false;
}

static json_object *plan_of(const char *machine, const char *event)
{
    ran r = RUN("plan", "--json", "--machine", machine, "-e", event);
    json_object *plan = json_tokener_parse(r.out);
    assert_non_null(plan);
    assert_silent(&r);
    return plan;
}

static void assert_form(json_object *plan)
{
    static const char *const steps[] = {"save", "setup", "start", "stop", "read", "restore"};
    size_t step = 0;
    for (size_t i = 0; i < json_object_array_length(plan); i++) {
        json_object *o = json_object_array_get_idx(plan, i);
        while (step < 6 && strcmp(steps[step], text_of(o, "step")) != 0)
            step++;
        assert_true(step < 6); /* one pass: the steps in their order */
        assert_string_equal(text_of(o, "package"), "0");
        assert_string_equal(text_of(o, "pass"), "0");
        bool writes = strcmp(text_of(o, "op"), "write") == 0;
        bool has_value = strcmp(text_of(o, "value"), "null") != 0;
        if (step != 5) /* saved registers are put back */
            assert_int_equal(has_value, writes);
        json_object *keep;
        bool keeps = json_object_object_get_ex(o, "keep", &keep);
        assert_true(!keeps || step == 5);
        bool reads = step == 4; /* less-start */
        assert_int_equal(json_object_object_length(o), keeps || reads ? 9 : 8);
    }
}

/* Table 2-1: 700H selects, 706H counts, E01H enables (EN is bit 29, table 2-2). */
static void one_event_of_one_unit(void **state)
{
    (void)state;
    json_object *plan =
        plan_of("virtual:skl,part=plain", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_form(plan);
    assert_true(has(plan, "save read msr:0x700=null"));
    assert_true(has(plan, "save read msr:0xe01=null"));
    assert_true(has(plan, "setup write msr:0x706=0x0"));
    assert_true(has(plan, "setup write msr:0x700=0x408834"));
    assert_true(has(plan, "start write msr:0xe01=0x20000000"));
    assert_true(has(plan, "read read msr:0x706=null"));
    assert_true(has(plan, "restore write msr:0x700=null"));
    assert_true(has(plan, "restore write msr:0xe01=null"));
    assert_false(has(plan, "setup write msr:0x710=0x408834"));
    json_object_put(plan);
}

/* Without a number: every unit of the machine. */
static void every_unit(void **state)
{
    (void)state;
    json_object *plan = plan_of("virtual:skl,part=plain,cores=2", "UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_form(plan);
    assert_true(has(plan, "setup write msr:0x700=0x408834"));
    assert_true(has(plan, "setup write msr:0x710=0x408834"));
    assert_false(has(plan, "setup write msr:0x720=0x408834"));
    json_object_put(plan);
}

/* A free-running counter is only read (section 3.3). */
static void free_running(void **state)
{
    (void)state;
    json_object *plan = plan_of("virtual:skl,part=plain", "DRAM_DATA_READS");
    /* Read 48H and mask it; read, read again, subtract. */
    assert_int_equal(json_object_array_length(plan), 3);
    assert_string_equal(text_of(json_object_array_get_idx(plan, 0), "address"), "00:00.0+0x48");
    assert_string_equal(text_of(json_object_array_get_idx(plan, 0), "bar"), "0x7fffff8000");
    assert_string_equal(text_of(json_object_array_get_idx(plan, 1), "step"), "start");
    assert_string_equal(text_of(json_object_array_get_idx(plan, 1), "address"), "BAR+0x5050");
    assert_string_equal(text_of(json_object_array_get_idx(plan, 2), "less-start"), "0xffffffff");
    assert_true(has(plan, "start read mmio:BAR+0x5050=null"));
    assert_true(has(plan, "read read mmio:BAR+0x5050=null"));
    for (size_t i = 0; i < json_object_array_length(plan); i++)
        assert_string_equal(text_of(json_object_array_get_idx(plan, i), "op"), "read");
    json_object_put(plan);
}

/* The position of an operation in the plan; -1: it is not there. */
static int index_of(json_object *plan, const char *step, const char *op, const char *address)
{
    for (size_t i = 0; i < json_object_array_length(plan); i++) {
        json_object *o = json_object_array_get_idx(plan, i);
        if (!strcmp(text_of(o, "step"), step) && !strcmp(text_of(o, "op"), op) &&
            !strcmp(text_of(o, "address"), address))
            return (int)i;
    }
    return -1;
}

/* 323535-001 p14: en_all is cleared before the counters are read. */
static void reads_stopped_counters(void **state)
{
    (void)state;
    json_object *plan =
        plan_of("virtual:nhmex,part=plain,packages=1", "nhmex_unc_cbox0::LLC_MISSES:ALL");
    int started = index_of(plan, "start", "write", "0xc00");
    int first = index_of(plan, "start", "read", "0xd11");
    int stopped = index_of(plan, "stop", "write", "0xc00");
    int last = index_of(plan, "read", "read", "0xd11");
    int back = index_of(plan, "restore", "write", "0xc00");
    assert_true(0 < started && started < first && first < stopped && stopped < last && last < back);
    json_object_put(plan);
}

/* Three events on two counters make two passes. */
/* The reason for several passes is printed beside the plan. */
static void several_passes(void **state)
{
    (void)state;
    ran r = RUN("plan", "--json", "--machine=virtual:skl,part=plain", "-e",
                "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,"
                "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,"
                "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES");
    json_object *plan = json_tokener_parse(r.out);
    assert_non_null(plan);
    assert_string_equal(r.err, "boxscore: 2 passes: no counter of C-Box 0 is left for "
                               "UNC_CBO_CACHE_LOOKUP:ANY_ES\n");
    ran_free(&r);
    bool second = false;
    for (size_t i = 0; i < json_object_array_length(plan); i++)
        second |= strcmp(text_of(json_object_array_get_idx(plan, i), "pass"), "1") == 0;
    assert_true(second);
    json_object_put(plan);
}

static void as_text(void **state)
{
    (void)state;
    ran r = RUN("plan", "--machine=virtual:skl,part=plain",
                "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I", "-e", "UNC_CLOCK");
    assert_has(r.out, "pass  step     op     package  space  address       value               "
                      "register\n");
    assert_has(r.out, "   0  setup    write        0  msr    0x700         0x408834            "
                      "MSR_UNC_CBO_0_PERFEVTSEL0\n");
    assert_has(r.out, "   0  setup    write        0  msr    0x394         0x400000            "
                      "MSR_UNC_PERF_FIXED_CTRL\n");
    assert_has(r.out, "   0  restore  write        0  msr    0x700         as saved            "
                      "MSR_UNC_CBO_0_PERFEVTSEL0\n");
    assert_silent(&r);
    r = RUN("plan", "--machine=virtual:skl,part=plain", "skl_core2::INST_RETIRED");
    assert_has(r.out, "   0  setup    write        0  msr    0x186         0x4300c0            "
                      "IA32_PERFEVTSEL0 of core 2\n");
    assert_silent(&r);
}

/* No machine is named. If this machine cannot be counted on, a line says so; the JSON remains
 * valid. */
static void a_machine_nobody_named(void **state)
{
    (void)state;
    ran text = RUN("plan", "-e", "UNC_CLOCK"), json = RUN("plan", "-j", "-e", "UNC_CLOCK");
    bool is_virtual = text.out[0] == '#';
    if (is_virtual) {
        assert_int_equal(strncmp(text.out, "# for a virtual machine, virtual:skl,part=plain", 36),
                         0);
        assert_int_equal(
            strncmp(json.err, "boxscore: for a virtual machine, virtual:skl,part=plain", 44), 0);
    } else {
        assert_string_equal(json.err, "");
    }
    assert_int_equal(json.out[0], '[');
    assert_int_equal(json.status, 0);
    ran_free(&json);
    assert_silent(&text);
}

static void refuses(void **state)
{
    (void)state;
    ran r = RUN("plan", "--machine=virtual:skl,part=plain");
    assert_failed(&r, 2, "boxscore: 'plan' needs events\n  hint: boxscore plan -e EVENTS\n");
    /* all texts are shown as one list, with the caret under the error */
    r = RUN("plan", "--machine=virtual:skl,part=plain", "-e", "UNC_CLOCK", "-e", "UNC_CLOKC");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "\n  UNC_CLOCK,UNC_CLOKC\n            ^^^^^^^^^\n");
    ran_free(&r);
    r = RUN("plan", "--machine=virtual:skl,part=plain,cores=2", "-e",
            "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "^^^");
    ran_free(&r);
    r = RUN("plan", "--machine", "virtual:skl,part=plain,cores=many", "-e", "UNC_CLOCK");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "\n  virtual:skl,part=plain,cores=many\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_event_of_one_unit),  cmocka_unit_test(every_unit),
        cmocka_unit_test(free_running),           cmocka_unit_test(reads_stopped_counters),
        cmocka_unit_test(several_passes),         cmocka_unit_test(as_text),
        cmocka_unit_test(a_machine_nobody_named), cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
