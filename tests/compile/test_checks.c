/* Each folder of tests/bad is refused by the check that has its name, at the position in its file
 * `expect`: "file:line:column: [check]". */
#include "../cmocked.h"

#include "folder.h"

#include "compile/compile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static struct dirent **cases;
static int cases_n;

static int find_cases(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/bad", getenv("SOURCE_ROOT"));
    cases_n = scandir(path, &cases, is_visible, alphasort);
    return cases_n > 0 ? 0 : -1;
}

static int free_cases(void **state)
{
    (void)state;
    for (int i = 0; i < cases_n; i++)
        free(cases[i]);
    free(cases);
    return 0;
}

static void assert_refused(const char *check)
{
    char path[512], name[300];
    snprintf(path, sizeof path, "tests/bad/%s/expect", check);
    size_t n;
    char *expect = file_text(path, &n), *where = strchr(expect, '[');
    assert_non_null(where);
    where[strcspn(where, "\n")] = '\0';
    snprintf(name, sizeof name, "[%s]", check);
    assert_string_equal(where, name);
    *where = '\0';

    folder f = {.n = 0};
    snprintf(path, sizeof path, "tests/bad/%s", check);
    folder_read(&f, path, "");
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(f.files, f.n, &e);
    assert_null(c);
    assert_int_equal(e.code, BX_BAD_INPUT);
    if (strncmp(e.message, expect, strlen(expect)) != 0 || !strstr(e.message, name))
        fail_msg("%s: wanted %s%s, got %s", check, expect, name, e.message);
    assert_non_null(strstr(e.message, "\n")); /* the line with its carets */
    assert_non_null(strstr(e.message, "^"));
    folder_free(&f);
    free(expect);
}

static void every_bad_folder_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < cases_n; i++)
        assert_refused(cases[i]->d_name);
}

/* The notation's page lists the same checks as the folders. */
static void every_check_has_a_folder(void **state)
{
    (void)state;
    size_t n;
    char *page = file_text("catalog/NOTATION.md", &n);
    char *table = strstr(page, "## Checks");
    assert_non_null(table);
    int rows = 0;
    for (char *row = strstr(table, "\n| `"); row; row = strstr(row + 1, "\n| `")) {
        char name[64] = {0};
        assert_int_equal(sscanf(row, "\n| `%63[a-z-]`", name), 1);
        bool found = false;
        for (int i = 0; i < cases_n; i++)
            found |= strcmp(name, cases[i]->d_name) == 0;
        if (!found)
            fail_msg("no tests/bad/%s", name);
        rows++;
    }
    assert_int_equal(rows, cases_n);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_folder_is_refused),
        cmocka_unit_test(every_check_has_a_folder),
    };
    return cmocka_run_group_tests(tests, find_cases, free_cases);
}
