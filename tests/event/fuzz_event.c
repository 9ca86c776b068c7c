/* Event strings and lists of them, for every CPU model. */
#include "event/event.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* An accepted text has a canonical string. That string is accepted, and is its own canonical
 * string. */
static void check_event(const bx_catalog *c, const bx_evsel *event)
{
    char string[512], again[512], perf[512];
    bx_evsel second, third;
    FUZZ_MUST(bx_event_format(c, event, string, sizeof string) < sizeof string);
    FUZZ_MUST(bx_event_parse(c, -1, string, strlen(string), &second, NULL) == BX_OK);
    FUZZ_MUST(bx_event_format(c, &second, again, sizeof again) < sizeof again);
    FUZZ_MUST(strcmp(string, again) == 0);
    FUZZ_MUST(second.unit == event->unit || bx_cat_pmus(c)[event->pmu].unit_max == 1);
    if (event->counter == BX_ANY)
        FUZZ_MUST(second.control == event->control);
    size_t n = bx_event_format_perf(c, event, perf, sizeof perf);
    FUZZ_MUST(n < sizeof perf);
    int cpu =
        bx_cat_pmus(c)[event->pmu].cpu; /* several CPU models have PMUs with the same kernel name */
    if (n)
        FUZZ_MUST(bx_event_parse(c, cpu, perf, n, &third, NULL) == BX_OK &&
                  third.control == second.control);
}

/* Groups are numbered in the order of their beginnings. The events of a group are adjacent, and
 * either all or none of them are pinned. */
static void check_groups(const bx_evsel *events, size_t n)
{
    unsigned last = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned group = events[i].group;
        FUZZ_MUST(group == 0 || group == last + 1 || (i > 0 && group == events[i - 1].group));
        if (group && i > 0 && group == events[i - 1].group)
            FUZZ_MUST(events[i].pinned == events[i - 1].pinned);
        last = group > last ? group : last;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bx_catalog *c = bx_catalog_builtin();
    char *exact = fuzz_exact(data, size), *text = fuzz_text(data, size);
    bx_evsel events[8];
    for (int cpu = -1; cpu < (int)c->cpus.n; cpu++) {
        bx_error e = {0};
        int code = bx_event_parse(c, cpu, exact, size, &events[0], &e);
        fuzz_check_error(&e, code, size);
        if (!code)
            check_event(c, &events[0]);
    }
    bx_error e = {0};
    size_t n = 0;
    int code = bx_events_parse(c, 0, text, events, 8, &n, &e);
    fuzz_check_error(&e, code, strlen(text));
    for (size_t i = 0; i < n; i++)
        check_event(c, &events[i]);
    check_groups(events, n);
    free(exact);
    free(text);
    return 0;
}
