/* Conditions, NAME OP AMOUNT: how they are read, and how they judge runs typed by hand. */
#include "compare/runs.h"

#include "compare/condition.h"

static void reading(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *name, *place, *unit;
        bool above, relative;
        double amount;
    } of[] = {
        {"dram_bytes_read > +2%", "dram_bytes_read", "", "%", true, true, 2},
        {"X<-0.5 %", "X", "", "%", false, true, -0.5},
        {"a::X:Y:t=1>500", "a::X:Y:t=1", "", "", true, false, 500},
        {" m @ S0 C-Box 2 < 1.25 MB ", "m", "S0 C-Box 2", "MB", false, false, 1.25},
        {"nhmex_unc_rbox@0::FLITS@1 > 3", "nhmex_unc_rbox@0::FLITS", "1", "", true, false, 3},
        {"llc_miss_ratio > 5%", "llc_miss_ratio", "", "%", true, false, 5},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_condition c;
        bx_error e = {0};
        if (bx_condition_read(of[i].text, &c, &e))
            fail_msg("%s: %s", of[i].text, e.message);
        assert_true(bx_str_eq(c.name, bx_str_of(of[i].name)));
        assert_true(bx_str_eq(c.place, bx_str_of(of[i].place)));
        assert_true(bx_str_eq(c.unit, bx_str_of(of[i].unit)));
        assert_true(c.above == of[i].above && c.relative == of[i].relative);
        assert_true(c.amount == of[i].amount);
    }
}

static void mistakes(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
        size_t at;
    } of[] = {
        {"", "this is not NAME > AMOUNT or NAME < AMOUNT", 0},
        {"x = 5", "this is not NAME > AMOUNT or NAME < AMOUNT", 0},
        {" > 5", "the name before this is missing", 1},
        {"x >= 5", "the operator is '>' or '<'", 2},
        {"x >", "the amount is missing", 3},
        {"x > y", "this is not an amount", 4},
        {"x > .", "this is not an amount", 4},
        {"x > --1%", "this is not an amount", 4},
        {"x > +5", "an amount with a sign is in percent of the old value", 4},
        {"x > +5 MB", "an amount with a sign is in percent of the old value", 4},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_condition c;
        bx_error e = {0};
        assert_int_equal(bx_condition_read(of[i].text, &c, &e), BX_BAD_INPUT);
        assert_string_equal(e.message, of[i].message);
        assert_int_equal(e.at, of[i].at);
    }
}

typedef struct judged {
    int code;
    bx_verdict verdict;
    bx_error e;
} judged;

static judged judge(const bx_comparison *c, const char *text, bool strict)
{
    static bx_condition condition;
    const bx_judging how = {.strict = strict};
    judged j = {0};
    assert_int_equal(bx_condition_read(text, &condition, &j.e), BX_OK);
    j.code = bx_condition_judge(&condition, c, &how, &j.verdict, &j.e);
    return j;
}

#define UNIT(value, unit)                                                                          \
    COUNT_MORE("a::X", value, ", \"package\" : 0, \"pmu-unit\" : \"" unit "\"")
#define COPY(value) COUNT_MORE("a::READS", value, ", \"region\" : \"copy\"")
#define READS(value, bytes)                                                                        \
    COUNT_MORE("a::READS", value, ", \"metrics\" : [" METRIC("bytes", bytes) "]")
#define NONE                                                                                       \
    "{\"unit\" : \"\", \"event\" : \"a::NONE\", \"value\" : null, \"state\" : \"blocked\"}\n"

static const char was[] = READS("1000", "3.145728") COUNT("a::ZERO", "0") COUNT("b::ZERO", "0")
    UNIT("10", "C-Box 0") UNIT("20", "C-Box 1") COPY("7") NONE LAST;
/* The first is 2 % more. The metric is 3.145728 x 1.02 as a double. The region has 3 instead of
 * 7. */
static const char is[] = READS("1020", "3.20864256") COUNT("a::ZERO", "5") COUNT("b::ZERO", "0")
    UNIT("10", "C-Box 0") UNIT("21", "C-Box 1") COPY("3") NONE LAST;

static void judging(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        bool fails;
    } of[] = {
        {"READS > +2%", false},        {"reads > +1.99%", true},     {"a::READS > +1%", true},
        {"READS < -1%", false},        {"READS < +2%", false},       {"READS < +2.1%", true},
        {"READS > -1%", true},         {"READS > 1019", true},       {"READS > 1020", false},
        {"READS < 1021", true},        {"READS > 1019 lines", true}, {"bytes > +2%", false},
        {"bytes > +1.999%", true},     {"bytes > 3.2 MB", true},     {"bytes > 3.21 MB", false},
        {"X@C-Box 0 > +0%", false},    {"X@C-Box 1 > +0%", true},    {"X@s0 c-box 1 > 20.5", true},
        {"READS@copy > +0%", false},   {"READS@copy < -50%", true},  {"a::ZERO > 4", true},
        {"time_elapsed > +1%", false},
    };
    bx_arena a = {0};
    bx_comparison c;
    compare_saved(&a, was, is, &c);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        judged j = judge(&c, of[i].text, false);
        if (j.code || j.verdict.fails != of[i].fails)
            fail_msg("%s: %d %s", of[i].text, j.code, j.e.message);
    }
    bx_arena_free(&a);
}

static void what_cannot_be_judged(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } of[] = {
        {"a::ZERO > +2%", "the old value is 0: no percentage of it can be told"},
        {"ZERO > 2", "this may be 'a::ZERO' or 'b::ZERO'"},
        {"NONE > 2", "old has no value of this: blocked"},
        {"WRITES > 2", "neither run has this event or metric"},
        {"X > 2", "the runs have it by unit or region alone"},
        {"X@C-Box 7 > 2", "the runs have no such unit or region of it"},
        {"READS@copies > 2", "the runs have no such unit or region of it"},
        {"bytes > 2 GB", "its unit is 'MB'"},
        {"READS > 2%", "its unit is 'lines'"},
    };
    bx_arena a = {0};
    bx_comparison c;
    compare_saved(&a, was, is, &c);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        judged j = judge(&c, of[i].text, false);
        assert_int_not_equal(j.code, BX_OK);
        assert_string_equal(j.e.message, of[i].message);
    }
    compare_saved(&a, COUNT("a::X", "1") LAST, COUNT("a::X", "1") COUNT("a::X", "9") LAST, &c);
    assert_string_equal(judge(&c, "X > +2%", false).e.message,
                        "old has no value of this: it was not counted");
    compare_saved(&a, COUNT("a::X", "1") LAST, LAST, &c);
    assert_string_equal(judge(&c, "X > +2%", false).e.message,
                        "new has no value of this: it was not counted");
    bx_arena_free(&a);
}

/* Whichever of the rows of an event fails, the condition fails. */
static void an_event_that_occurs_twice(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    bx_comparison c;
    for (unsigned first = 0; first < 2; first++) {
        compare_saved(&a, COUNT("a::X", "1") COUNT("a::X", "1") LAST,
                      first ? COUNT("a::X", "9") COUNT("a::X", "1") LAST
                            : COUNT("a::X", "1") COUNT("a::X", "9") LAST,
                      &c);
        judged j = judge(&c, "X > +2%", false);
        assert_true(!j.code && j.verdict.fails && j.verdict.row->is->count == 9);
        assert_false(judge(&c, "X > 9", false).verdict.fails);
    }
    bx_arena_free(&a);
}

#define REPEATED(value, deviation)                                                                 \
    COUNT_MORE("a::X", value, ", \"standard-deviation\" : " deviation) RUN_OF("5", "m")

/* Two means of 5 runs with a deviation of 1 each differ significantly from 1.4585 on (8 degrees of
 * freedom). A mean differs significantly from a limit from 1.2415 on (4 degrees: 2.776 /
 * sqrt(5)). */
static void repeated_runs(void **unused)
{
    (void)unused;
    static const struct {
        const char *was, *is, *text;
        bool beyond, fails;
    } of[] = {
        {REPEATED("100", "1"), REPEATED("101.4", "1"), "X > +1%", true, false},
        {REPEATED("100", "1"), REPEATED("101.5", "1"), "X > +1%", true, true},
        {REPEATED("100", "1"), REPEATED("101.5", "1"), "X > +2%", false, false},
        {REPEATED("100", "1"), REPEATED("101.5", "1"), "X > 100.3", true, false},
        {REPEATED("100", "1"), REPEATED("101.5", "1"), "X > 100.2", true, true},
        {REPEATED("100", "0"), REPEATED("101.5", "0"), "X > +1%", true, true},
    };
    bx_arena a = {0};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_comparison c;
        compare_saved(&a, of[i].was, of[i].is, &c);
        judged j = judge(&c, of[i].text, false);
        assert_int_equal(j.code, BX_OK);
        assert_true(j.verdict.beyond == of[i].beyond && j.verdict.fails == of[i].fails);
        assert_true(judge(&c, of[i].text, true).verdict.fails == of[i].beyond);
    }
    bx_arena_free(&a);
}

#define LACKS(list)                                                                                \
    "{\"run\" : {\"work\" : \"'x'\", \"runs\" : 1, \"seconds\" : 0.5, \"exit-status\" : 0, "       \
    "\"incomplete\" : [" list "], \"environment\" : {\"boxscore\" : \"0.1.0\", \"machine\" : "     \
    "\"virtual:skl,part=plain\"}}}\n"

#define LEFT(names)                                                                                \
    "{\"run\" : {\"work\" : \"'x'\", \"runs\" : 1, \"seconds\" : 0.5, \"exit-status\" : 0, "       \
    "\"left-running\" : \"" names "\", \"remark\" : \"some\", \"incomplete\" : [], "               \
    "\"environment\" : {\"boxscore\" : \"0.1.0\", \"machine\" : \"virtual:skl,part=plain\"}}}\n"

/* Runs that left the same processes running are judged as usual, others never. */
static void processes_that_still_run(void **unused)
{
    (void)unused;
    static const char one[] = COUNT("a::X", "1") LEFT("dbus (process 1)");
    static const char same[] = COUNT("a::X", "1") LEFT("dbus (process 2)");
    static const char two[] = COUNT("a::X", "1") LEFT("dbus (process 1), dbus (process 2)");
    static const char none[] = COUNT("a::X", "1") LACKS("");
    static const struct {
        const char *was, *is;
        bool judged;
    } of[] = {{one, one, true},  {one, same, true},  {one, two, false},
              {two, one, false}, {none, one, false}, {one, none, false}};
    for (size_t i = 0; i < 2 * sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_comparison c;
        bx_condition condition;
        bx_verdict v;
        bx_error e = {0};
        const bx_judging how = {.accept_incomplete = i % 2};
        compare_saved(&a, of[i / 2].was, of[i / 2].is, &c);
        assert_int_equal(bx_condition_read("X > +2%", &condition, &e), BX_OK);
        assert_int_equal(bx_condition_judge(&condition, &c, &how, &v, &e), BX_OK);
        assert_true(!v.unseen == of[i / 2].judged && v.fails == !of[i / 2].judged);
        assert_true(!v.unseen || v.unseen->left);
        bx_arena_free(&a);
    }
}

/* A run that lacks a process does not pass. Runs that lack the same pass if that is accepted. */
static void incomplete_runs(void **unused)
{
    (void)unused;
    static const char more[] = COUNT("a::X", "1") LACKS("\"sh (process 1)\"");
    static const char other[] = COUNT("a::X", "1") LACKS("\"sh (process 2)\"");
    static const char none[] = COUNT("a::X", "1") LACKS("");
    static const struct {
        const char *was, *is;
        bool accepts, judged;
    } of[] = {
        {none, none, false, true},   {more, none, false, false}, {none, more, false, false},
        {more, other, false, false}, {more, other, true, true},  {more, none, true, false},
        {none, more, true, false},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_comparison c;
        bx_condition condition;
        bx_verdict v;
        bx_error e = {0};
        const bx_judging how = {.accept_incomplete = of[i].accepts};
        compare_saved(&a, of[i].was, of[i].is, &c);
        assert_int_equal(bx_condition_read("X > +2%", &condition, &e), BX_OK);
        assert_int_equal(bx_condition_judge(&condition, &c, &how, &v, &e), BX_OK);
        assert_true(!v.unseen == of[i].judged && v.fails == !of[i].judged);
        assert_true(!v.unseen || v.unseen_in == (of[i].was == none ? c.is : c.was));
        bx_arena_free(&a);
    }
}

#define VAGUE(value, error, percent)                                                               \
    "{\"unit\" : \"\", \"event\" : \"a::X\", \"pcnt-running\" : 50.00, \"value\" : " value         \
    ", \"state\" : \"scaled\", \"error\" : " error ", \"error-percent\" : " percent "}\n" LAST

/* By hand: the intervals of 10 +- 30 and 10 +- 9, on either side of a limit. Means of 5 runs have
 * 10 +- 11.17 and 10 +- 9.93 (2.776 / sqrt(5) of the deviation). */
static void errors_larger_than_the_value(void **unused)
{
    (void)unused;
    static const char vague[] = VAGUE("10", "30", "300.00"), sharp[] = VAGUE("10", "9", "90.00");
    static const char vague_mean[] = REPEATED("10", "9"), sharp_mean[] = REPEATED("10", "8");
    static const struct {
        const char *was, *is, *condition;
        bool strict, judged, fails;
    } of[] = {
        {sharp, vague, "X > 50", false, true, false},
        {sharp, vague, "X > 40", false, true, false},
        {sharp, vague, "X > 39", false, false, true},
        {sharp, vague, "X > 9", false, false, true},
        {sharp, vague, "X > 9", true, true, true},
        {sharp, sharp, "X > 9", false, true, false},
        {vague, sharp, "X > 19", false, true, false},
        {vague, sharp, "X > +2%", false, false, true},
        {vague, vague, "X > +2%", false, false, true},
        {sharp, vague, "X < +2%", false, false, true},
        {sharp, sharp, "X > +2%", false, true, false},
        {vague, sharp, "X > +900%", false, false, true},
        {sharp, vague, "X > +900%", false, false, true},
        {sharp, vague, "X > +1900%", false, true, false},
        {vague_mean, vague_mean, "X > +1%", false, false, true},
        {vague_mean, vague_mean, "X < -1%", false, false, true},
        {sharp_mean, vague_mean, "X > 21.1", false, false, true},
        {sharp_mean, vague_mean, "X > 21.2", false, true, false},
        {sharp_mean, sharp_mean, "X > +1%", false, true, false},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_comparison c;
        bx_condition condition;
        bx_verdict v;
        bx_error e = {0};
        const bx_judging how = {.strict = of[i].strict, .accept_incomplete = true};
        compare_saved(&a, of[i].was, of[i].is, &c);
        assert_int_equal(bx_condition_read(of[i].condition, &condition, &e), BX_OK);
        assert_int_equal(bx_condition_judge(&condition, &c, &how, &v, &e), BX_OK);
        if (v.unseen ? of[i].judged : !of[i].judged || v.fails != of[i].fails)
            fail_msg("%zu: %s: %s", i, of[i].condition, v.unseen ? v.unseen->text : "judged");
        assert_true(!v.unseen || v.fails);
        bx_arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(judging),
        cmocka_unit_test(what_cannot_be_judged),
        cmocka_unit_test(an_event_that_occurs_twice),
        cmocka_unit_test(incomplete_runs),
        cmocka_unit_test(errors_larger_than_the_value),
        cmocka_unit_test(processes_that_still_run),
        cmocka_unit_test(repeated_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
