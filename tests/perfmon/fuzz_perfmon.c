/* Event and metric files of perfmon: whatever compiles is a sound catalogue, whose events are found
 * by their names and have terms for Linux. */
#include "catalog/check.h"
#include "event/event.h"
#include "fuzz/fuzz.h"
#include "perfmon/perfmon.h"

#include <stdlib.h>
#include <string.h>

static void check_event(const struct bx_catalog *c, uint16_t index)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    bx_buf name = {0};
    bx_evsel found;
    bx_buf_f(&name, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[event->pmu].name),
             bx_cat_z(c, event->name));
    if (bx_event_parse(c, 0, name.p, name.n, &found, NULL) == BX_OK) {
        char *perf = bx_event_text(c, &found, bx_event_format_perf);
        char *own = bx_event_text(c, &found, bx_event_format);
        const bx_cat_event *row = &bx_cat_events(c)[found.event]; /* the first of its name */
        /* Linux's terms, or why there are none */
        FUZZ_MUST(perf && own && *own && !*perf == !row->kernel && (*perf || row->caution));
        free(perf);
        free(own);
    }
    bx_buf_free(&name);
}

static void compile(bx_str text, bool metrics)
{
    bx_error e = {0};
    bx_buf refusals = {0};
    bx_perfmon_counts counts;
    const bx_perfmon_file *at_fault;
    const bx_perfmon_file file = {
        .name = BX_STR("a.json"), .text = text, .role = {"", 0}, .metrics = metrics};
    const bx_perfmon_cpu cpu = {
        .folder = BX_STR("tst"), .files = &file, .files_n = 1, .builtin_cpu = -1};
    struct bx_catalog *c = bx_perfmon_compile(&cpu, &counts, &refusals, &at_fault, &e);
    FUZZ_MUST(!c == (e.code != BX_OK));
    if (c) {
        FUZZ_MUST(!bx_catalog_check(c, c->size));
        size_t known = 0, clocks = 0;
        for (uint32_t i = 0; i < c->events.n; i++) {
            const bx_cat_event *event = &bx_cat_events(c)[i];
            /* The time stamp counter is of formulas, and of no file of events. */
            bool clock = strcmp(bx_cat_z(c, bx_cat_pmus(c)[event->pmu].kernel), "msr") == 0;
            clocks += clock;
            known += event->kernel && !clock;
            check_event(c, (uint16_t)i);
        }
        FUZZ_MUST(counts.events == known && counts.metrics == c->metrics.n);
        FUZZ_MUST(c->events.n - known - clocks <= counts.refused);
    }
    free(c);
    bx_buf_free(&refusals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(data, size);
    compile((bx_str){text, size}, false);
    compile((bx_str){text, size}, true);
    free(text);
    return 0;
}
