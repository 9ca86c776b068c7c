/* Implements expect_report.h. */
#include "expect_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_buf explained(const bx_topology *t, bx_str text, bool all)
{
    bx_error e = {0};
    bx_buf out = {0};
    bx_explain *x = bx_explain_new(t, all, &e);
    assert_non_null(x);
    while (text.p) {
        bx_reglog_access access;
        bool any;
        if (bx_reglog_parse(bx_str_cut(&text, '\n'), &access, &any, &e))
            fail_msg("%s", e.message);
        if (any)
            bx_explain_access(x, &access, &out);
    }
    bx_explain_end(x, &out);
    bx_explain_free(x);
    assert_false(out.failed);
    return out;
}

static void compare(bx_buf *got, const char *expected)
{
    assert_string_equal(got->p, expected);
    bx_buf_free(got);
}

static bx_topology machine(const char *spec)
{
    bx_topology t;
    bx_error e = {0};
    if (bx_topology_parse(bx_catalog_builtin(), bx_str_of(spec), &t, &e))
        fail_msg("%s", e.message);
    return t;
}

void expect_report(const char *spec, const char *reglog, const char *expected)
{
    bx_topology t = machine(spec);
    bx_buf out = explained(&t, bx_str_of(reglog), false);
    char *last = out.p + out.n - 1;
    while (last > out.p && last[-1] != '\n')
        last--;
    *last = '\0';
    compare(&out, expected);
}

void expect_full_report(const char *spec, const char *reglog, const char *expected)
{
    bx_topology t = machine(spec);
    bx_buf out = explained(&t, bx_str_of(reglog), true);
    compare(&out, expected);
}

void expect_report_of_file(const char *name, const char *expected)
{
    char path[4096];
    const char *root = getenv("SOURCE_ROOT");
    static char text[64 * 1024];
    snprintf(path, sizeof path, "%s/tests/reglogs/%s", root ? root : ".", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_in_range(n, 1, sizeof text - 1);
    bx_topology t;
    bx_error e = {0};
    if (bx_reglog_machine(bx_catalog_builtin(), (bx_str){text, n}, &t, &e))
        fail_msg("%s", e.message);
    bx_buf out = explained(&t, (bx_str){text, n}, false);
    compare(&out, expected);
}
