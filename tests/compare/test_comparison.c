/* Comparisons of two runs: differences worked out by hand, and Welch's test against a published
 * one. */
#include "compare/runs.h"

#include "report/statistics.h"

#include <math.h>
#include <stdio.h>

static bool near_to(double a, double b, double within)
{
    return fabs(a - b) <= within;
}

static void differences(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    bx_comparison c;
    compare_saved(&a,
                  COUNT("a::X", "200") COUNT("a::OLD", "5") COUNT("a::ZERO", "0")
                      COUNT("a::BIG", "18446744073709551614")
                          COUNT_MORE("a::M", "1", ", \"metrics\" : [" METRIC("m", "-2") "]") LAST,
                  COUNT("a::ZERO", "3") COUNT("a::X", "206") COUNT("a::BIG", "18446744073709551615")
                      COUNT("a::NEW", "5")
                          COUNT_MORE("a::M", "1", ", \"metrics\" : [" METRIC("m", "-1") "]") LAST,
                  &c);
    assert_int_equal(c.n, 8);
    assert_true(c.rows[0].both && c.rows[0].difference == 6 &&
                near_to(c.rows[0].percent, 3, 1e-12));
    assert_true(!c.rows[0].equal && !c.rows[0].tested);
    assert_true(!c.rows[1].both && !c.rows[1].is); /* OLD */
    assert_true(c.rows[2].both && c.rows[2].difference == 3 && !c.rows[2].relative);
    /* As doubles these two values would be equal. */
    assert_true(c.rows[3].difference == 1 && !c.rows[3].equal);
    assert_true(c.rows[4].equal && c.rows[4].percent == 0);
    assert_true(c.rows[5].difference == 1 &&
                near_to(c.rows[5].percent, 50, 1e-12)); /* from -2 to -1 is up */
    assert_string_equal(bx_compared_value(&c.rows[6])->name, "time_elapsed");
    assert_string_equal(bx_compared_value(&c.rows[7])->name, "a::NEW");
    assert_null(c.rows[7].was);
    bx_arena_free(&a);
}

/* Each unit and each region is compared with itself, in any order. If both runs have an event
 * twice, the first is compared with the first and the second with the second. */
static void places(void **unused)
{
    (void)unused;
#define UNIT(event, value, unit)                                                                   \
    COUNT_MORE(event, value, ", \"package\" : 0, \"pmu-unit\" : \"" unit "\"")
#define REGION(event, value, name) COUNT_MORE(event, value, ", \"region\" : \"" name "\"")
    bx_arena a = {0};
    bx_comparison c;
    compare_saved(&a,
                  UNIT("a::X", "1", "Box 0") UNIT("a::X", "2", "Box 1") REGION("a::X", "3", "r")
                      COUNT("a::X", "4") COUNT("a::X", "5") LAST,
                  REGION("a::X", "30", "r") COUNT("a::X", "40") UNIT("a::X", "20", "Box 1")
                      COUNT("a::X", "50") UNIT("a::X", "10", "Box 0") LAST,
                  &c);
    assert_int_equal(c.n, 6);
    for (size_t i = 0; i < 5; i++)
        assert_true(c.rows[i].is && c.rows[i].is->value == 10 * c.rows[i].was->value);
    bx_arena_free(&a);
}

static void repeated_line(char *to, size_t room, const double *value, size_t n)
{
    bx_running_stats s = {0};
    for (size_t i = 0; i < n; i++)
        bx_running_stats_add(&s, value[i]);
    snprintf(
        to, room,
        "{\"unit\" : \"h\", \"event\" : \"sleep\", \"value\" : %.17g, \"state\" : \"counted\", "
        "\"standard-deviation\" : %.17g}\n" RUN_OF("10", "m"),
        s.mean, bx_running_stats_deviation(&s));
}

/* Student's data of sleep, as R prints t.test(extra ~ group, data = sleep): p 0.07939, interval of
 * the difference -3.3654832 to 0.2054832. */
static void welch(void **unused)
{
    (void)unused;
    static const double groups[2][10] = {{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
                                         {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}};
    char text[2][512];
    bx_arena a = {0};
    bx_comparison c;
    for (size_t i = 0; i < 2; i++)
        repeated_line(text[i], sizeof text[i], groups[i], 10);
    compare_saved(&a, text[0], text[1], &c);
    const bx_compared *row = &c.rows[0];
    assert_true(row->tested && !row->significant);
    assert_true(near_to(row->difference, 1.58, 1e-12));
    assert_true(near_to(row->difference - row->within, -0.2054832, 5e-8));
    assert_true(near_to(row->difference + row->within, 3.3654832, 5e-8));
    bx_arena_free(&a);
}

#define REPEATED(value, deviation)                                                                 \
    COUNT_MORE("a::X", value, ", \"standard-deviation\" : " deviation) RUN_OF("5", "m")

static void significance(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    bx_comparison c;
    /* If no deviation is above 0, any difference is significant. */
    compare_saved(&a, REPEATED("100", "0"), REPEATED("101", "0"), &c);
    assert_true(c.rows[0].tested && c.rows[0].significant && c.rows[0].within == 0);
    compare_saved(&a, REPEATED("100", "0"), REPEATED("100", "0"), &c);
    assert_true(c.rows[0].tested && !c.rows[0].significant);
    /* Equal deviations of 5 runs each: 8 degrees of freedom, t = 2.306, x sqrt(2 / 5). */
    compare_saved(&a, REPEATED("100", "1"), REPEATED("101.5", "1"), &c);
    assert_true(c.rows[0].significant && near_to(c.rows[0].within, 2.306 * sqrt(0.4), 0.0005));
    compare_saved(&a, REPEATED("100", "1"), REPEATED("101.4", "1"), &c);
    assert_true(c.rows[0].tested && !c.rows[0].significant);
    /* One run has no deviation. */
    compare_saved(&a, REPEATED("100", "1"), COUNT("a::X", "200") RUN_OF("1", "m"), &c);
    assert_false(c.rows[0].tested);
    bx_arena_free(&a);
}

/* Errors of 300 and 400 are 500 together: the root of the sum of squares. An exact count has no
 * error; some errors are unknown. */
static void scaled_values(void **unused)
{
    (void)unused;
#define SCALED(value, more)                                                                        \
    "{\"unit\" : \"lines\", \"event\" : \"a::X\", \"value\" : " value                              \
    ", \"state\" : \"scaled\"" more "}\n" LAST
#define ERROR(error) ", \"error\" : " error
    static const struct {
        const char *was, *is;
        bool tested, significant;
        double within;
    } of[] = {
        {SCALED("10000", ERROR("300")), SCALED("10500", ERROR("400")), true, false, 500},
        {SCALED("10000", ERROR("300")), SCALED("10501", ERROR("400")), true, true, 500},
        {SCALED("10000", ERROR("300")), COUNT("a::X", "10301") LAST, true, true, 300},
        {SCALED("10000", ERROR("300")), SCALED("20000", ""), false, false, 0},
        {SCALED("10000", ""), SCALED("20000", ""), false, false, 0},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_comparison c;
        compare_saved(&a, of[i].was, of[i].is, &c);
        assert_true(c.rows[0].tested == of[i].tested && c.rows[0].within == of[i].within);
        assert_true(c.rows[0].significant == of[i].significant);
        bx_arena_free(&a);
    }
}

static void what_cannot_be_compared(void **unused)
{
    (void)unused;
#define WITH(status, facts)                                                                        \
    "{\"run\" : {\"work\" : \"x\", \"runs\" : 1, \"seconds\" : 1, \"exit-status\" : " status       \
    ", \"environment\" : {" facts "}}}"
    static const struct {
        const char *was, *is, *message;
    } of[] = {
        {WITH("0", "\"machine\" : \"a\""), WITH("0", "\"machine\" : \"b\""),
         "not compared: 'machine' is 'a' in old and 'b' in new"},
        {WITH("0", "\"features\" : \"avx\""), WITH("0", ""),
         "not compared: 'features' is 'avx' in old and not known in new"},
        {WITH("0", ""), WITH("0", "\"cpu\" : \"X\""),
         "not compared: 'cpu' is not known in old and 'X' in new"},
        {WITH("0", ""), WITH("139", ""),
         "not compared: the program ended with 0 in old and with 139 in new"},
        {COUNT("a::X", "1") LAST,
         "{\"unit\" : \"cycles\", \"event\" : \"a::X\", \"value\" : 1, \"state\" : "
         "\"counted\"}" LAST,
         "not compared: 'a::X' is in 'lines' in old and in 'cycles' in new"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_saved was, is;
        bx_comparison c;
        bx_error e = {0};
        read_saved(&a, "old", of[i].was, &was);
        read_saved(&a, "new", of[i].is, &is);
        assert_int_equal(bx_compare(&was, &is, &a, &c, &e), BX_BAD_INPUT);
        assert_string_equal(e.message, of[i].message);
        bx_arena_free(&a);
    }
}

#define LACKS(list)                                                                                \
    "{\"run\" : {\"work\" : \"'x'\", \"runs\" : 1, \"seconds\" : 0.5, \"exit-status\" : 0, "       \
    "\"remark\" : \"some\", \"incomplete\" : [" list "], \"environment\" : {}}}\n"
#define MARKS(more) COUNT_MORE("a::X", "1", ", \"region\" : \"r\"" more)

/* Runs that lack the same: equal texts except for numbers of processes, in the same regions. */
static void what_runs_lack(void **unused)
{
    (void)unused;
    static const struct {
        const char *was, *is;
        bool same;
    } of[] = {
        {LACKS(""), LACKS(""), true},
        {LACKS("\"sh (process 12)\""), LACKS("\"sh (process 7)\""), true},
        {LACKS("\"sh (process 12)\""), LACKS("\"sh (process 12), a (process 1)\""), false},
        {LACKS("\"sh 12\""), LACKS("\"sh 7\""), false},
        {LACKS("\"sh (process 12)\""), LACKS(""), false},
        {LACKS("\"a\", \"b\""), LACKS("\"a\""), false},
        {MARKS(", \"not-begun\" : 2") LACKS(""), MARKS(", \"not-begun\" : 2") LACKS(""), true},
        {MARKS(", \"not-begun\" : 2") LACKS(""), MARKS(", \"not-begun\" : 3") LACKS(""), false},
        {MARKS(", \"not-ended\" : 2") LACKS(""), MARKS("") LACKS(""), false},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_comparison c;
        compare_saved(&a, of[i].was, of[i].is, &c);
        if (c.same_unseen != of[i].same)
            fail_msg("%s%s", of[i].was, of[i].is);
        bx_arena_free(&a);
    }
}

/* What a region lacks concerns its values alone. */
static void what_a_region_lacks(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    bx_comparison c;
    compare_saved(&a, MARKS(", \"not-begun\" : 2") COUNT("a::X", "9") LACKS(""),
                  MARKS("") COUNT("a::X", "9") LACKS(""), &c);
    assert_string_equal(bx_compare_unseen(&c, c.was, &c.rows[0])->text,
                        "ended 2 times without a begin");
    assert_null(bx_compare_unseen(&c, c.is, &c.rows[0]));
    assert_null(bx_compare_unseen(&c, c.was, &c.rows[1]));
    bx_arena_free(&a);
}

/* Of a metric, which may be negative, any deviation is possible. */
#define REPEATED_METRIC(deviation)                                                                 \
    COUNT_MORE("a::M", "1",                                                                        \
               ", \"metrics\" : [{\"name\" : \"m\", \"value\" : 1, \"unit\" : \"\", "              \
               "\"standard-deviation\" : " deviation "}]")                                         \
    RUN_OF("5", "m")

/* The largest and smallest numbers that are read have finite differences. */
static void limits(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    bx_comparison c;
    compare_saved(&a, COUNT_MORE("a::M", "1", ", \"metrics\" : [" METRIC("m", "1e-60") "]") LAST,
                  COUNT_MORE("a::M", "1", ", \"metrics\" : [" METRIC("m", "-1e60") "]") LAST, &c);
    assert_true(isfinite(c.rows[1].difference) && isfinite(c.rows[1].percent));
    compare_saved(&a, REPEATED_METRIC("1e-60"), REPEATED_METRIC("1e60"), &c);
    assert_true(isfinite(c.rows[1].within) && !c.rows[1].significant);
    compare_saved(&a, REPEATED("100", "1e-60"), REPEATED("101", "1e-60"), &c);
    assert_true(isfinite(c.rows[0].within) && c.rows[0].significant);
    bx_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences),    cmocka_unit_test(places),
        cmocka_unit_test(welch),          cmocka_unit_test(significance),
        cmocka_unit_test(scaled_values),  cmocka_unit_test(what_cannot_be_compared),
        cmocka_unit_test(what_runs_lack), cmocka_unit_test(what_a_region_lacks),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
