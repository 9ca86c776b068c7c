/* What a server writes about its series. Names of imported events and a machine's string are
 * foreign text. */
#include "../cmocked.h"

#include "cli/run.h"
#include "serve/api.h"
#include "serve/exposition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bx_one_series unit_2 = {.package = 1, .unit = 2, .total = 12345678901, .counted = true};
static bx_series_family families[] = {
    {.event = "pmu::A\"B\\C",
     .name = "boxscore_a_b_c_ns",
     .base = "seconds",
     .pmu = "p\\q\"r",
     .factor = 1,
     .billionths = true,
     .share = 0.25,
     .series = &unit_2,
     .n = 1},
    {.event = "pmu::D\\", .name = "boxscore_d", .base = "x", .pmu = "", .reason = "says \"no\"\n"},
};
static const bx_series series = {
    .family = families, .n = 2, .machine = "m\\\"\n<", .cpu = "skl", .running = true};

static void written(void (*write)(const bx_series *, bx_buf *), bx_buf *to)
{
    *to = (bx_buf){0};
    write(&series, to);
    assert_false(to->failed);
}

/* https://prometheus.io/docs/instrumenting/exposition_formats/: in a label's value \\ and " follow
 * a backslash. Other characters that could end a line are shown by their number. */
static void labels_are_quoted(void **state)
{
    (void)state;
    void (*const formats[])(const bx_series *, bx_buf *) = {bx_exposition_prometheus,
                                                            bx_exposition_openmetrics};
    for (size_t i = 0; i < 2; i++) {
        bx_buf text;
        written(formats[i], &text);
        const char *all = bx_buf_text(&text);
        assert_has(all, "\nboxscore_a_b_c_ns_total{pmu=\"p\\\\q\\\"r\",package=\"1\",unit=\"2\"} "
                        "12.345678901\n");
        assert_has(all, "\nboxscore_running_ratio{event=\"pmu::A\\\"B\\\\C\"} 0.250000\n");
        assert_has(all, "\nboxscore_unavailable{event=\"pmu::D\\\\\",reason=\"says \\\"no\\\"");
        assert_has(all, ",machine=\"m\\\\\\\"");
        for (const char *line = all; line && *line;
             line = strchr(line, '\n'), line = line ? line + 1 : NULL)
            assert_true(*line == '#' || strncmp(line, "boxscore_", 9) == 0);
        bx_buf_free(&text);
    }
}

static void json_is_quoted(void **state)
{
    (void)state;
    bx_buf text;
    void (*const formats[])(const bx_series *, bx_buf *) = {bx_api_values, bx_api_intervals};
    for (size_t i = 0; i < 2; i++) {
        written(formats[i], &text);
        assert_has(bx_buf_text(&text), "\"pmu::A\\\"B\\\\C\"");
        bx_buf_free(&text);
    }
    written(bx_api_machine, &text);
    assert_has(bx_buf_text(&text), "m\\\\\\\"");
    bx_buf_free(&text);
}

/* Three intervals of which two are kept; in the last one a unit has no value. */
static void intervals_are_kept(void **state)
{
    (void)state;
    bx_series s = {.most = 10, .keeps = 2};
    bx_series_value v = {.event = "p::E", .counts = "64 B transfers", .package = 0, .share = 1};
    for (uint64_t i = 1; i <= 3; i++) {
        assert_true(bx_series_begin(&s, 0.5));
        for (v.unit = 0; v.unit < (i == 3 ? 1 : 2); v.unit++) {
            v.value = 10 * i;
            assert_true(bx_series_add(&s, &v));
        }
        assert_true(bx_series_add_metric(&s, "m", "%", i == 3 ? (double)NAN : 1.5, "-"));
    }
    bx_buf text = {0};
    bx_api_intervals(&s, &text);
    const char *all = bx_buf_text(&text);
    assert_has(all, "{\"number\":2,\"ended\":1,\"seconds\":0.5},");
    assert_has(all, "{\"number\":3,\"ended\":1.5,\"seconds\":0.5}]");
    assert_has(all, "\"unit\":0,\"values\":[1280,1920]}");
    assert_has(all, "\"unit\":1,\"values\":[1280,null]}");
    assert_has(all, "\"metric\":\"m\",\"unit\":\"%\",\"values\":[1.5,null]}");
    size_t slot;
    assert_false(bx_series_slot(&s, 0, &slot));
    assert_true(bx_series_slot(&s, 1, &slot));
    assert_int_equal(bx_series_sum(&s.family[0], slot), 2560);
    assert_true(bx_series_slot(&s, 2, &slot));
    assert_true(bx_series_sum(&s.family[0], slot) == BX_SERIES_NONE);
    assert_int_equal(s.family[0].series[1].total, 64 * 30);
    bx_buf_free(&text);
    bx_series_free(&s);
}

/* Three intervals of a level in two caches, of which one has no value in the last: it is exported
 * as what there is now, and neither added up nor kept. prometheus.io/docs/concepts/metric_types:
 * what goes up and down is a gauge. */
static void levels_are_not_added_up(void **state)
{
    (void)state;
    bx_series s = {.most = 10, .keeps = 2};
    bx_series_value v = {.event = "resctrl/llc_occupancy/",
                         .counts = "bytes",
                         .package = 0,
                         .level = true,
                         .share = 1};
    for (uint64_t i = 1; i <= 3; i++) {
        assert_true(bx_series_begin(&s, 0.5));
        for (v.unit = 0; v.unit < (i == 3 ? 1 : 2); v.unit++) {
            v.value = 100 - i;
            assert_true(bx_series_add(&s, &v));
        }
    }
    static const char name[] = "boxscore_resctrl_llc_occupancy__bytes";
    char line[160];
    void (*const formats[])(const bx_series *, bx_buf *) = {bx_exposition_prometheus,
                                                            bx_exposition_openmetrics};
    for (size_t i = 0; i < 2; i++) {
        bx_buf text = {0};
        formats[i](&s, &text);
        const char *all = bx_buf_text(&text);
        snprintf(line, sizeof line, "\n# TYPE %s gauge\n", name);
        assert_has(all, line);
        snprintf(line, sizeof line, "\n%s{package=\"0\",unit=\"0\"} 97\n", name);
        assert_has(all, line);
        assert_has(all, "# HELP boxscore_resctrl_llc_occupancy__bytes resctrl/llc_occupancy/, at "
                        "the end of the last interval");
        assert_null(strstr(all, "bytes_total"));
        assert_null(strstr(all, "unit=\"1\""));
        bx_buf_free(&text);
    }
    bx_buf text = {0};
    bx_api_values(&s, &text);
    assert_has(bx_buf_text(&text),
               "\"unit\":\"bytes\",\"level\":true,\"unavailable\":null,\"series\":["
               "{\"package\":0,\"unit\":0,\"now\":97},{\"package\":0,\"unit\":1,\"now\":null}]");
    bx_buf_free(&text);
    bx_series_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_quoted),
        cmocka_unit_test(json_is_quoted),
        cmocka_unit_test(intervals_are_kept),
        cmocka_unit_test(levels_are_not_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
