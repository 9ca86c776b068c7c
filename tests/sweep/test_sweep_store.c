/* Parts of a sweep that tasks of an engine write, and the file that takes their outcomes. */
#include "tests/cmocked.h"

#include "sweep/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const bx_sweep_about about = {.work = "w", .definition = "d", .points = 2, .shows = "shows"};

static bx_sweep_store *open_store(const char *path)
{
    bx_sweep_store *s = NULL;
    bool resumed;
    bx_error e = {0};
    if (bx_sweep_store_open(path, &about, &s, &resumed, &e))
        fail_msg("%s", e.message);
    return s;
}

static int take_number(void *context, int n, char **value, char **name)
{
    (void)n, (void)name;
    *(int *)context = atoi(value[0]);
    return 0;
}

static int outcomes(bx_sweep_store *s)
{
    int n = -1;
    bx_error e = {0};
    if (bx_sweep_store_query(s, "SELECT count(*) FROM point", take_number, &n, &e))
        fail_msg("%s", e.message);
    return n;
}

static void merge(bx_sweep_store *s, const char *path)
{
    bx_error e = {0};
    if (bx_sweep_store_merge(s, path, &e))
        fail_msg("%s", e.message);
}

static void parts_are_merged(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/sweep_store.XXXXXX", all[64], part[64];
    bx_error e = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(all, sizeof all, "%s/all", folder);
    snprintf(part, sizeof part, "%s/it's", folder);
    bx_sweep_store *to = open_store(all);
    merge(to, part); /* it is not there, … */
    close(open(part, O_CREAT | O_WRONLY, 0600));
    merge(to, part); /* … or has only begun */
    assert_int_equal(outcomes(to), 0);
    unlink(part);

    bx_sweep_store *from = open_store(part);
    const char *const key = "k", *const value = "v";
    for (size_t i = 0; i < 2; i++) {
        const bx_point_outcome o = {.number = i,
                                    .machine = "m",
                                    .state = BX_POINT_REFUSED,
                                    .keys = &key,
                                    .values = &value,
                                    .settings = 1};
        assert_int_equal(bx_sweep_store_put(from, &o, &e), BX_OK);
        merge(to, part);
        merge(to, part); /* again: nothing is there twice */
        assert_int_equal(outcomes(to), (int)i + 1);
    }
    bx_sweep_store_close(from);
    bx_sweep_store_close(to);
    unlink(part);
    unlink(all);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
