/* An imported catalogue in a program that uses the library. */
#include "../cmocked.h"

#include "cli/run.h"

#include <boxscore/boxscore.h>
#include <stdlib.h>
#include <string.h>

static int encode(const bx_catalog *c, const char *text, char *to, size_t room)
{
    bx_error e = {0};
    bx_evsel event;
    int code = bx_event_parse(c, 0, text, strlen(text), &event, &e);
    if (code == BX_OK)
        bx_event_format_perf(c, &event, to, room);
    return code;
}

static void it_is_used(void **state)
{
    (void)state;
    char data[] = "/tmp/boxscore-imported-XXXXXX", perf[128];
    const bx_catalog *c = NULL;
    bx_error e = {0};
    assert_non_null(mkdtemp(data));
    setenv("XDG_DATA_HOME", data, 1);
    assert_int_equal(bx_catalog_open_imported("spr", &c, &e), BX_NOT_FOUND);
    assert_string_equal(e.message, "no CPU 'spr' was imported");
    ran r = run_shell("$BOXSCORE import perfmon $SOURCE_ROOT/tests/perfmon/copy --cpu spr");
    assert_int_equal(r.status, 0);
    ran_free(&r);
    assert_int_equal(bx_catalog_open_imported("SPR", &c, &(bx_error){0}), BX_OK);
    assert_string_equal(bx_catalog_cpu_name(c, 0), "spr");
    assert_int_equal(encode(c, "UNC_P_CLOCKTICKS", perf, sizeof perf), BX_OK);
    assert_string_equal(perf, "uncore_pcu/event=0x1/");
    assert_int_equal(encode(bx_catalog_builtin(), "UNC_P_CLOCKTICKS", perf, sizeof perf),
                     BX_NOT_FOUND);
    bx_catalog_close(c);
    r = run_shell("f=$XDG_DATA_HOME/boxscore/perfmon/spr.catalog\n"
                  "printf X | dd of=$f conv=notrunc status=none");
    ran_free(&r);
    e = (bx_error){0};
    assert_int_equal(bx_catalog_open_imported("spr", &c, &e), BX_BAD_INPUT);
    assert_has(e.hint, "import it again");
    r = run_shell("rm -r $XDG_DATA_HOME");
    ran_free(&r);
}

static void nothing_is_no_crash(void **state)
{
    (void)state;
    const bx_catalog *c = NULL;
    bx_error e = {0};
    assert_int_equal(bx_catalog_open_imported(NULL, &c, &e), BX_BAD_INPUT);
    assert_int_equal(bx_catalog_open_imported("spr", NULL, &(bx_error){0}), BX_BAD_INPUT);
    assert_int_equal(bx_catalog_open_imported("../x", &c, &(bx_error){0}), BX_NOT_FOUND);
    bx_catalog_close(NULL);
    bx_catalog_close(bx_catalog_builtin());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_used),
        cmocka_unit_test(nothing_is_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
