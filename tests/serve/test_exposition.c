/* What a server writes about its series. Names of imported events and a machine's string are
 * foreign text. */
#include "../cmocked.h"

#include "cli/run.h"
#include "serve/exposition.h"

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
    written(bx_exposition_json, &text);
    assert_has(bx_buf_text(&text), "\"pmu::A\\\"B\\\\C\"");
    assert_has(bx_buf_text(&text), "m\\\\\\\"");
    bx_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_quoted),
        cmocka_unit_test(json_is_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
