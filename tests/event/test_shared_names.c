/* Event names of several CPUs, written without a PMU: catalog/NOTATION.md, `first`. */
#include "refusal.h"

#include "compile/folder.h"
#include "compile/compile.h"

#include <stdlib.h>

/* The folder of a CPU, and a copy of it with names that come first in the alphabet. A contributor
 * who describes a new CPU begins with such a copy. */
static struct bx_catalog *with_copy(const char *mark, const char *mark_of_copy, bx_error *e)
{
    folder f = {.n = 0};
    folder_read(&f, "catalog/ivbep", "iabcd/");
    folder_read(&f, "catalog/ivbep", "ivbep/");
    for (size_t i = 0; i < f.n; i++) {
        bool copy = i < f.n / 2;
        char *text = (char *)(uintptr_t)f.files[i].text.p, *cpu = strstr(text, "\ncpu ivbep");
        for (char *p = text; copy && (p = strstr(p, "ivbep_")); p++)
            memcpy(p, "iabcd", 5);
        if (!cpu)
            continue;
        if (copy) {
            memcpy(cpu + 5, "iabcd", 5);
            memcpy(strstr(cpu, "6/0x3e"), "6/0xfe", 6); /* another processor */
        }
        /* in place of the clause that names the clock */
        char *clock = strstr(cpu, "clock   \"uncore cycles\"");
        const char *clause = copy ? mark_of_copy : mark;
        assert_non_null(clock);
        memset(clock, ' ', strlen("clock   \"uncore cycles\""));
        memcpy(clock, clause, strlen(clause));
    }
    struct bx_catalog *c = bx_catalog_parse(f.files, f.n, e);
    folder_free(&f);
    return c;
}

static struct bx_catalog *must_have_copy(const char *mark, const char *mark_of_copy)
{
    bx_error e = {0};
    struct bx_catalog *c = with_copy(mark, mark_of_copy, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}

static void neither_is_marked(void **state)
{
    (void)state;
    static const refusal two = {
        "UNC_C_CLOCKTICKS", "^^^^^^^^^^^^^^^^", BX_BAD_INPUT,
        "'UNC_C_CLOCKTICKS' is an event of two CPUs, iabcd and ivbep",
        "iabcd_unc_cbo::UNC_C_CLOCKTICKS or ivbep_unc_cbo::UNC_C_CLOCKTICKS"};
    struct bx_catalog *c = must_have_copy("", "");
    bx_evsel event;
    bx_error e = {0};
    assert_refusal(&two, bx_event_parse(c, -1, two.text, strlen(two.text), &event, &e), &e);
    /* If a CPU is named, its own event is meant. */
    for (int cpu = 0; cpu < 2; cpu++) {
        assert_int_equal(bx_event_parse(c, cpu, two.text, strlen(two.text), &event, NULL), BX_OK);
        assert_int_equal(bx_cat_pmus(c)[event.pmu].cpu, cpu);
    }
    free(c);
}

static void one_is_marked(void **state)
{
    (void)state;
    static const struct {
        const char *mark, *mark_of_copy, *meant;
    } rows[] = {
        {"first", "", "ivbep_unc_cbo::UNC_C_CLOCKTICKS"},
        {"first 7", "", "ivbep_unc_cbo::UNC_C_CLOCKTICKS"},
        {"", "first", "iabcd_unc_cbo::UNC_C_CLOCKTICKS"},
        {"first 1", "first 2", "ivbep_unc_cbo::UNC_C_CLOCKTICKS"},
        {"first", "first 1", "ivbep_unc_cbo::UNC_C_CLOCKTICKS"},
        {"first 2", "first 1", "iabcd_unc_cbo::UNC_C_CLOCKTICKS"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bx_catalog *c = must_have_copy(rows[i].mark, rows[i].mark_of_copy);
        static const char text[] = "UNC_C_CLOCKTICKS";
        bx_evsel event;
        char is[TEXT];
        assert_int_equal(bx_event_parse(c, -1, text, strlen(text), &event, NULL), BX_OK);
        bx_event_format(c, &event, is, sizeof is);
        assert_string_equal(is, rows[i].meant);
        free(c);
    }
}

static void both_are_marked_alike(void **state)
{
    (void)state;
    bx_error e = {0};
    assert_null(with_copy("first", "first 0", &e));
    assert_non_null(strstr(e.message, "'iabcd' is `first` with the same number [duplicate]"));
    assert_non_null(strstr(e.message, "\n  first ")); /* the line that says so, with its position */
    assert_non_null(strstr(e.hint, "give the newer one another number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neither_is_marked),
        cmocka_unit_test(one_is_marked),
        cmocka_unit_test(both_are_marked_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
