/* Formulas of derived metrics: precedence, names, missing values and errors. */
#include "../cmocked.h"

#include "base/error.h"
#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

typedef struct known {
    const char *name;
    double value;
} known;

/* The values of a measurement; all others are "not measured". */
static const known measured[] = {
    {"UNC_CBO_CACHE_LOOKUP:ANY_I", 250},
    {"UNC_CBO_CACHE_LOOKUP:ANY_MESI", 1000},
    {"seconds", 0.5},
    {"nothing", 0},
};

static bool look_up(void *context, bx_str name, double *value)
{
    unsigned *asked = context;
    if (asked)
        ++*asked;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (bx_str_eq(name, bx_str_of(measured[i].name))) {
            *value = measured[i].value;
            return true;
        }
    return false;
}

static void gives(const char *formula, double expected)
{
    bx_error e = {0};
    double value = -1;
    enum bx_metric_state state;
    assert_int_equal(bx_metric_eval(bx_str_of(formula), look_up, NULL, &value, &state, &e), BX_OK);
    assert_int_equal(state, BX_METRIC_OK);
    assert_true(value == expected);
}

static void gives_state(const char *formula, enum bx_metric_state expected)
{
    bx_error e = {0};
    double value = -1;
    enum bx_metric_state state = BX_METRIC_OK;
    assert_int_equal(bx_metric_eval(bx_str_of(formula), look_up, NULL, &value, &state, &e), BX_OK);
    assert_int_equal(state, expected);
    assert_true(value == 0);
}

static void refused(const char *formula, size_t at, size_t len, const char *message)
{
    bx_error e = {0};
    double value = -1;
    enum bx_metric_state state = BX_METRIC_OK;
    assert_int_equal(bx_metric_eval(bx_str_of(formula), look_up, NULL, &value, &state, &e),
                     BX_BAD_INPUT);
    assert_string_equal(e.message, message);
    assert_int_equal(e.at, at);
    assert_int_equal(e.len, len);
    assert_true(value == -1); /* unchanged */
}

static void arithmetic(void **unused)
{
    (void)unused;
    gives("1", 1);
    gives("1 + 2 * 3", 7);
    gives("(1 + 2) * 3", 9);
    gives("10 - 4 - 3", 3);
    gives("64 / 4 / 2", 8);
    gives("2 * -3", -6);
    gives("--4", 4);
    gives("+5 - -1", 6);
    gives("\t( 8 ) ", 8);
}

static void numbers(void **unused)
{
    (void)unused;
    gives("0.25", 0.25);
    gives(".5", 0.5);
    gives("3.", 3);
    gives("1e9", 1e9);
    gives("2.5E-3", 0.0025);
    gives("1e+2", 100);
    /* perf's operators and their precedence: util/expr.y of Linux */
    gives("7 % 4 + 1", 4);
    gives("1 + 2 < 2 * 2", 1);
    gives("3 > = 3", 1);
    gives("6 & 3 | 8 ^ 1", 11);
    gives("2 > 1 & 4 > 3", 1);
    gives("min(3, max(1, 2)) * 5", 10);
    gives("d_ratio(1, 0)", 0);
    gives("1 if 0 > 2 else 2 if 1 < 2 else 3", 2);
    gives("4 if 1 else 1 / 0", 4);
    gives("(1 / 0) if 0 else 5", 5);
    gives("64e0", 64);
    gives("0.1", 0.1);
    gives("1e-22", 1e-22);
}

static void names(void **unused)
{
    (void)unused;
    gives("seconds", 0.5);
    gives("{UNC_CBO_CACHE_LOOKUP:ANY_I}", 250);
    gives("{ UNC_CBO_CACHE_LOOKUP:ANY_I }", 250);
    gives("100 * {UNC_CBO_CACHE_LOOKUP:ANY_I} / {UNC_CBO_CACHE_LOOKUP:ANY_MESI}", 25);
    gives("{UNC_CBO_CACHE_LOOKUP:ANY_MESI}*64/seconds/1e9", 1000 * 64 / 0.5 / 1e9);
}

static void every_name_is_asked_for(void **unused)
{
    (void)unused;
    bx_error e = {0};
    unsigned asked = 0;
    double value;
    enum bx_metric_state state;
    assert_int_equal(bx_metric_eval(BX_STR("{a} / nothing + {b} * seconds"), look_up, &asked,
                                    &value, &state, &e),
                     BX_OK);
    assert_int_equal(asked, 4);
}

static void missing(void **unused)
{
    (void)unused;
    gives_state("{UNC_ARB_TRK_REQUESTS:ALL}", BX_METRIC_NOT_MEASURED);
    gives_state("1 + hours", BX_METRIC_NOT_MEASURED);
    /* "Not measured" takes precedence over a division by 0 in another part. */
    gives_state("seconds / nowhere", BX_METRIC_NOT_MEASURED);
    gives_state("1 / 0 + nowhere", BX_METRIC_NOT_MEASURED);
}

static void undefined(void **unused)
{
    (void)unused;
    gives_state("1 / 0", BX_METRIC_UNDEFINED);
    gives_state("nothing / nothing", BX_METRIC_UNDEFINED);
    gives_state("5 / (2 - 2)", BX_METRIC_UNDEFINED);
    gives_state("1 / (1 / nothing)", BX_METRIC_UNDEFINED);
    gives_state("1e300 * 1e300", BX_METRIC_UNDEFINED);
    gives("nothing / 5", 0);
}

static void malformed(void **unused)
{
    (void)unused;
    refused("", 0, 0, "the formula ends where a number, a name or '{event}' belongs");
    refused("1 +", 3, 0, "the formula ends where a number, a name or '{event}' belongs");
    refused("1 + * 2", 4, 1, "'*' where a number, a name or '{event}' belongs");
    refused("1 2", 2, 1, "'2' where an operator or the end belongs");
    refused("2 ! 3", 2, 1, "'!' where an operator or the end belongs");
    refused("min(1)", 0, 5, "'min' needs two values");
    refused("1 if 2", 6, 1, "an 'if' without its 'else'");
    refused("source_count(3)", 0, 13, "an event belongs here");
    refused("(1 + 2", 0, 6, "a '(' without its ')'");
    refused("1 + 2)", 5, 1, "')' where an operator or the end belongs");
    refused("2 * {a", 4, 2, "a '{' without its '}'");
    refused("2 * { }", 4, 3, "no event between the braces");
    refused("1 + .", 4, 1, "a '.' without digits");
    refused("3e", 1, 1, "the exponent is not a number up to 300");
    refused("3e-x", 1, 2, "the exponent is not a number up to 300");
    refused("3e301", 1, 4, "the exponent is not a number up to 300");
    refused("123456789012e300", 0, 16, "the number is too large");
    /* A syntax error after a missing value is still reported. */
    refused("nowhere + $", 10, 1, "'$' where a number, a name or '{event}' belongs");
}

static void depth(void **unused)
{
    (void)unused;
    char formula[512];
    snprintf(formula, sizeof formula, "%.*s1%.*s", 63,
             "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((", 63,
             "))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))");
    gives(formula, 1);
    memset(formula, '(', 400);
    formula[400] = '\0';
    refused(formula, 64, 1, "more than 64 nested parts");
    memset(formula, '-', 400);
    refused(formula, 64, 1, "more than 64 nested parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic), cmocka_unit_test(numbers),
        cmocka_unit_test(names),      cmocka_unit_test(every_name_is_asked_for),
        cmocka_unit_test(missing),    cmocka_unit_test(undefined),
        cmocka_unit_test(malformed),  cmocka_unit_test(depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
