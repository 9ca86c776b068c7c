/* Selections and numbers that no parser made: the event functions return nothing for them. */
#include "../cmocked.h"
#include "event/decode/decode.h"
#include "event/event.h"

#include <boxscore/boxscore.h>

#include <string.h>

static void finds_nothing(const bx_evsel *event)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_regvalue registers[1 + BX_EXTRAS];
    char text[64] = "x";
    assert_int_equal(bx_event_registers(c, event, BX_LOWEST, registers), 0);
    assert_int_equal(bx_event_registers(c, event, 0, registers), 0);
    assert_int_equal(bx_event_lowest_counter(c, event), -1);
    assert_int_equal(bx_event_format_perf(c, event, text, sizeof text), 0);
    assert_int_equal(bx_event_format(c, event, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static bx_evsel lookups(void)
{
    static const char text[] = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I";
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(bx_catalog_builtin(), -1, text, strlen(text), &event, &e) != BX_OK)
        fail_msg("%s", e.message);
    return event;
}

static void of_a_kernel(void **state)
{
    (void)state;
    finds_nothing(&(bx_evsel){.pmu = BX_KERNEL, .unit = BX_ANY, .counter = BX_ANY});
}

static void out_of_range(void **state)
{
    (void)state;
    bx_evsel pmu = lookups(), event = lookups(), counter = lookups(), many = lookups(),
             extra = lookups();
    pmu.pmu = 0x7fff;
    event.event = 0x7fff;
    counter.counter = 0x7fff;
    many.extras = UINT8_MAX;
    extra.extras = 1;
    extra.extra[0].reg = 0x7fff;
    finds_nothing(&pmu);
    finds_nothing(&event);
    finds_nothing(&counter);
    finds_nothing(&many);
    finds_nothing(&extra);
    /* 334060-001 table 2-7: the unit mask has eight bits, the threshold five. */
    bx_evsel umask = lookups(), wide = lookups(), code = lookups();
    umask.umask = 0x100;
    wide.modifier[0] = UINT64_MAX;
    code.event = 0xffff;
    code.code = 0x100;
    finds_nothing(&umask);
    finds_nothing(&wide);
    finds_nothing(&code);
}

/* A counter that the unit does not have. */
static void no_such_counter(void **state)
{
    (void)state;
    const bx_evsel event = lookups();
    bx_regvalue registers[1 + BX_EXTRAS];
    assert_int_equal(bx_event_registers(bx_catalog_builtin(), &event, 99, registers), 0);
}

static void no_such_cpu(void **state)
{
    (void)state;
    static const char text[] = "UNC_CBO_CACHE_LOOKUP:ANY_I";
    static const int cpus[] = {99, -2, 0xffff};
    const bx_catalog *c = bx_catalog_builtin();
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        bx_evsel event;
        bx_decoded decoded;
        bx_error one = {0}, list = {0}, values = {0};
        size_t n;
        assert_int_equal(bx_event_parse(c, cpus[i], text, strlen(text), &event, &one),
                         BX_BAD_INPUT);
        assert_non_null(strstr(one.message, "there is no CPU model"));
        assert_int_equal(bx_events_parse(c, cpus[i], text, &event, 1, &n, &list), BX_BAD_INPUT);
        assert_non_null(strstr(list.message, "there is no CPU model"));
        assert_int_equal(
            bx_decode(c, cpus[i], &(bx_raw){.address = 0x700}, 1, &decoded, 1, &n, &values),
            BX_BAD_INPUT);
        assert_true(*values.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_kernel),
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(no_such_counter),
        cmocka_unit_test(no_such_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
