/* How saved runs are read. */
#include "compare/runs.h"

#include <stdio.h>

#define METRICS                                                                                    \
    ", \"metrics\" : [" METRIC("m",                                                                \
                               "0.5") ", {\"name\" : \"n\", \"value\" : null, \"unit\" : \"MB\", " \
                                      "\"state\" : \"divided by 0\"}]"
#define REPEATED ", \"standard-deviation\" : 0.25, \"package\" : 1, \"pmu-unit\" : \"C-Box 2\""
#define REGION   ", \"region\" : \"copy\", \"region-runtime\" : 2500000, \"thread\" : 2"
#define NOT_MODELLED                                                                               \
    "{\"counter-value\" : \"<not modelled>\", \"unit\" : \"\", \"event\" : \"a::Z\\u001b\", "      \
    "\"value\" : null, \"state\" : \"not modelled\"}\n"

#define EVENT(text, value, state)                                                                  \
    "{\"counter-value\" : " text ", \"unit\" : \"\", \"event\" : \"a::X\", \"value\" : " value     \
    ", \"state\" : \"" state "\"}\n"
#define OTHER_UNIT "{\"name\" : \"m\", \"value\" : 1, \"unit\" : \"GB\"}"
#define WITH(member)                                                                               \
    "{\"run\" : {\"work\" : \"\", \"runs\" : 1, \"seconds\" : 1, \"exit-status\" : 0, "            \
    "\"environment\" : {}, " member "}}"

static const char all[] = "\n" COUNT_MORE("a::X", "18446744073709551615", METRICS);
static const char rest[] = COUNT_MORE("a::Y", "2.5", REPEATED);
static const char region[] = COUNT_MORE("a::X", "7", REGION);
static const char last[] = NOT_MODELLED RUN_OF("4", "virtual:skl,part=plain");

static void everything(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s%s", all, rest, region, last);
    bx_arena a = {0};
    bx_saved s;
    read_saved(&a, "file", text, &s);
    assert_int_equal(s.n, 8);
    assert_int_equal(s.runs, 4);
    assert_string_equal(s.work, "'x'");
    assert_int_equal(s.environment_n, 2);
    assert_string_equal(s.environment[1].key, "machine");
    assert_string_equal(s.environment[1].value, "virtual:skl,part=plain");

    const bx_saved_value *v = s.values;
    assert_string_equal(v[0].name, "a::X");
    assert_true(v[0].whole && v[0].count == UINT64_MAX && !v[0].missing && !v[0].repeated);
    assert_string_equal(v[0].place, "");
    assert_true(v[1].metric && v[1].value == 0.5 && !v[1].whole && !v[1].missing);
    assert_string_equal(v[1].unit, "MB");
    assert_string_equal(v[2].missing, "divided by 0");
    assert_string_equal(v[3].place, "S1 C-Box 2");
    assert_true(v[3].repeated && v[3].deviation == 0.25 && v[3].value == 2.5 && !v[3].whole);
    assert_string_equal(v[4].name, "time_elapsed");
    assert_string_equal(v[4].region, "copy");
    assert_true(v[4].value == 0.0025 && v[4].thread == 2);
    assert_string_equal(v[5].region, "copy");
    assert_int_equal(v[5].thread, 2);
    assert_string_equal(v[6].name, "a::Z?"); /* no escape reaches the terminal */
    assert_string_equal(v[6].missing, "not modelled");
    assert_string_equal(v[7].name, "time_elapsed");
    assert_true(v[7].value == 0.5);
    bx_arena_free(&a);
}

/* How long threads waited for words of others is compared like metrics of the whole run. */
static void waits_in_order(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *unit;
        double value;
    } expected[] = {{"order_waits", "waits", 3},
                    {"order_wait_mean", "ns", 20.5},
                    {"order_wait_longest", "ns", 40},
                    {"order_wait_share", "%", 1.25}};
    bx_arena a = {0};
    bx_saved s;
    read_saved(&a, "file",
               WITH("\"order-waits\" : {\"waits\" : 3, \"mean-ns\" : 20.5, \"longest-ns\" : 40, "
                    "\"percent\" : 1.25}"),
               &s);
    assert_int_equal(s.n, 5); /* the first is the time elapsed */
    for (size_t i = 0; i < 4; i++) {
        const bx_saved_value *v = &s.values[1 + i];
        assert_string_equal(v->name, expected[i].name);
        assert_string_equal(v->unit, expected[i].unit);
        assert_true(v->metric && v->value == expected[i].value);
    }
    bx_arena_free(&a);
}

/* An event of a whole package, and those of a thread and of a cgroup that the kernel counted. */
static void other_places(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    bx_saved s;
    read_saved(&a, "file",
               COUNT_MORE("a::X", "1", ", \"package\" : 3")
                   COUNT_MORE("a::X", "2", ", \"tid\" : 77, \"thread-name\" : \"sh-77\"")
                       COUNT_MORE("a::X", "3", ", \"cgroup\" : \"shop/web\"") LAST,
               &s);
    assert_string_equal(s.values[0].place, "S3");
    assert_string_equal(s.values[1].place, "sh-77");
    assert_int_equal(s.values[1].thread, 0);
    assert_string_equal(s.values[2].place, "shop/web");
    bx_arena_free(&a);
}

/* A count of 100. */
#define SHARE(percent, state)                                                                      \
    "{\"unit\" : \"\", \"event\" : \"a::X\", \"pcnt-running\" : " percent                          \
    ", \"value\" : 100, \"state\" : " state "}\n"

static void what_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } of[] = {
        {"", "f: the line of the run is missing, so it is not complete"},
        {COUNT("a::X", "1"), "f: the line of the run is missing, so it is not complete"},
        {COUNT("a::X", "1") "{\"run\" : {\"work\" : ", "f: it ends where a value is missing"},
        {"7", "f: this is no JSON object"},
        {LAST LAST, "f: this follows the line of the run, which is the last"},
        {"{\"counter-value\" : \"1\"}", "f: there is no 'event' here"},
        {"{\"event\" : 1}", "f: 'event' is not a text"},
        {COUNT_MORE("a::X", "\"1\"", ""), "f: this is not ',' or '}'"},
        {COUNT_MORE("a::X", "-1e999", ""), "f: the number is too large"},
        {COUNT_MORE("a::X", "1", ", \"metrics\" : 5"), "f: 'metrics' is not an array"},
        {COUNT_MORE("a::X", "1", ", \"standard-deviation\" : -1"),
         "f: 'standard-deviation' is not 0 or above"},
        {COUNT_MORE("a::X", "1", ", \"interval\" : 0.1"),
         "f: it has intervals, and runs are compared as a whole"},
        {COUNT_MORE("a::X", "1", ", \"unit\" : \"lines\""), "f: there are two members 'unit' here"},
        {COUNT("a::X", "-1"), "f: 'value' is not 0 or above"},
        {COUNT("a::X", "NaN"), "f: this is not a value"},
        {COUNT("a::X", "Infinity"), "f: this is not a value"},
        {COUNT("a::X", "1e308"), "f: 'value' is not a number that 'stat' writes: it is too large"},
        {COUNT("a::X", "1e-308"),
         "f: 'value' is not a number that 'stat' writes: it is too near to 0"},
        {COUNT("a::X", "18446744073709551616"), "f: 'value' is not a count: it is too large"},
        {COUNT("a::X", "null"), "f: this 'value' does not fit the state 'counted'"},
        {EVENT("\"1\"", "1", "guessed"), "f: 'state' is not one that 'stat' writes"},
        {EVENT("\"1\"", "1", "divided by 0"), "f: 'state' is not one that 'stat' writes"},
        {EVENT("\"1\"", "1", "not modelled"),
         "f: this 'value' does not fit the state 'not modelled'"},
        {EVENT("\"1\"", "null", "not modelled"),
         "f: this 'counter-value' does not fit the state 'not modelled'"},
        {EVENT("\"<blocked>\"", "null", "not modelled"),
         "f: this 'counter-value' does not fit the state 'not modelled'"},
        {EVENT("\"2\"", "1", "counted"),
         "f: this 'counter-value' does not fit the state 'counted'"},
        {EVENT("\"1.5\"", "2.5", "counted"),
         "f: this 'counter-value' does not fit the state 'counted'"},
        {COUNT_MORE("", "1", ""), "f: 'event' is not a name"},
        {COUNT_MORE("a::X", "1", ", \"units-without-value\" : -1"),
         "f: 'units-without-value' is not a number that 'stat' writes"},
        {COUNT_MORE("a::X", "1", ", \"scale\" : \"2\""), "f: 'scale' is not a number"},
        {EVENT("1", "1", "counted"), "f: 'counter-value' is not a text"},
        {COUNT_MORE("a::X", "1", ", \"units\" : 4, \"units-without-value\" : 1"),
         "f: this 'units-without-value' does not fit the state 'counted'"},
        {SHARE("50.00", "\"counted\""), "f: this 'pcnt-running' does not fit the state 'counted'"},
        {SHARE("50.00", "\"scaled\", \"error\" : 9, \"error-percent\" : 5.00"),
         "f: 'error-percent' is not 'error' in percent of the value"},
        {SHARE("50.00", "\"scaled\", \"error\" : 1e17, \"error-percent\" : 1e17") LAST,
         "f: no turns give 'a::X', 100, an error of 1e+17"},
        {COUNT_MORE("a::X", "100", ", \"standard-deviation\" : 250") RUN_OF("5", "m"),
         "f: 5 runs whose mean is 100 cannot have the standard deviation of 'a::X', 250"},
        {COUNT_MORE("a::X", "1", ", \"error\" : 1"),
         "f: this 'error' does not fit the state 'counted'"},
        {COUNT_MORE("a::X", "1", ", \"package\" : -1"),
         "f: 'package' is not a whole number from 0 to 65535"},
        {COUNT_MORE("a::X", "1", ", \"region\" : \"r\", \"thread\" : 1.5"),
         "f: 'thread' is not a whole number from 1 to 4294967295"},
        {COUNT_MORE("a::X", "1", ", \"region\" : \"r\", \"region-runtime\" : 1e3"),
         "f: 'region-runtime' is not a whole number from 0 to 18446744073709551615"},
        {COUNT_MORE("a::X", "1", ", \"region\" : \"r\", \"not-begun\" : 0"),
         "f: 'not-begun' is not a whole number from 1 to 18446744073709551615"},
        {COUNT_MORE("a::X", "1", ", \"metrics\" : [" METRIC("m", "null") "]"),
         "f: this 'value' does not fit the state 'counted'"},
        {COUNT_MORE("a::X", "1", ", \"metrics\" : [5]"), "f: there is no 'name' here"},
        {COUNT_MORE("a::X", "1", ", \"metrics\" : [" METRIC("m", "1e61") "]"),
         "f: 'value' is not a number that 'stat' writes: it is too large"},
        {COUNT_MORE("a::X", "1", ", \"standard-deviation\" : 1") LAST,
         "f: values have a standard deviation, and there was 1 run"},
        {COUNT_MORE("a::X", "1", ", \"metrics\" : [" METRIC("m", "1") ", " OTHER_UNIT "]") LAST,
         "f: 'm' is in 'MB' and in 'GB'"},
        {WITH("\"incomplete\" : \"all\""), "f: 'incomplete' is not an array"},
        {WITH("\"incomplete\" : [7]"), "f: 'incomplete' is not a list of texts"},
        {WITH("\"left-running\" : [7]"), "f: 'left-running' is not a text"},
        {WITH("\"order-waits\" : 7"), "f: 'order-waits' is not an object"},
        {WITH("\"order-waits\" : {\"waits\" : 2}"), "f: there is no 'mean-ns' here"},
        {WITH("\"remark\" : 7"), "f: 'remark' is not a text"},
        {WITH("\"seconds\" : 1"), "f: there are two members 'seconds' here"},
        {RUN_OF("0", "x"), "f: 'runs' is not a whole number from 1 to 4294967295"},
        {"{\"run\" : {\"interrupted\" : \"SIGINT\"}}",
         "f: the run was interrupted by SIGINT, and its counts are not whole"},
        {"{\"run\" : {\"work\" : \"\", \"runs\" : 1, \"seconds\" : 1, \"exit-status\" : 0}}",
         "f: there is no 'environment' here"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_saved s;
        bx_error e = {0};
        assert_int_equal(bx_saved_read("f", bx_str_of(of[i].text), &a, &s, &e), BX_BAD_INPUT);
        assert_string_equal(e.message, of[i].message);
        assert_true(*e.hint);
        bx_arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(waits_in_order),
        cmocka_unit_test(other_places),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
