/* docs/events.md: what its tables say is so. A row of two cells, the second of which begins with
 * the name of a PMU, is a spelling and its canonical string. */
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

static void every_row(void **state)
{
    (void)state;
    char path[4096], line[1024];
    const char *root = getenv("SOURCE_ROOT");
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/docs/events.md", root);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned rows = 0;
    while (fgets(line, sizeof line, file)) {
        char spelling[TEXT], means[TEXT];
        const char *at = line;
        if (strncmp(line, "| `", 3) != 0 || !quoted(&at, spelling) || !quoted(&at, means) ||
            strncmp(means, "skl_unc_", 8) != 0)
            continue;
        assert_canonical(spelling, means);
        rows++;
    }
    fclose(file);
    assert_true(rows >= 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
