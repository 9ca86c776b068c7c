/* Checks the tables of docs/reference/events.md. In a row of two cells whose second begins with a
 * PMU's name, the first is a spelling and the second its canonical string. */
#include "event_case.h"

#include <stdlib.h>

/* The text between the next two backquotes; false if the line has none. */
static bool quoted(const char **at, char *to)
{
    const char *start = strchr(*at, '`');
    const char *end = start ? strchr(start + 1, '`') : NULL;
    if (!end)
        return false;
    assert_true(end - start < TEXT);
    memcpy(to, start + 1, (size_t)(end - start - 1));
    to[end - start - 1] = '\0';
    *at = end + 1;
    return true;
}

static bool names_pmu(const char *text)
{
    return strstr(text, "::") &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789@")] == ':';
}

/* The CPU model of a canonical string's PMU. */
static int cpu_of(const char *text)
{
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), -1, text, strlen(text), &event, &e))
        fail_msg("'%s': %s (%s)", text, e.message, e.hint);
    return bx_cat_pmus(built_in())[event.pmu].cpu;
}

static void every_row(void **state)
{
    (void)state;
    char path[4096], line[1024];
    const char *root = getenv("SOURCE_ROOT");
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/docs/reference/events.md", root);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned rows = 0;
    while (fgets(line, sizeof line, file)) {
        char spelling[TEXT], means[TEXT];
        const char *at = line;
        if (strncmp(line, "| `", 3) != 0 || !quoted(&at, spelling) || !quoted(&at, means) ||
            !names_pmu(means))
            continue;
        bx_evsel event;
        bx_error e = {0};
        char is[TEXT];
        if (bx_event_parse(built_in(), cpu_of(means), spelling, strlen(spelling), &event, &e))
            fail_msg("'%s': %s (%s)", spelling, e.message, e.hint);
        assert_string_equal(canonical(&event, is), means);
        rows++;
    }
    fclose(file);
    assert_true(rows >= 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
