/* libFuzzer entry of the event parser: clang -g -fsanitize=fuzzer,address,undefined with the
 * library's sources. test_mutation.c drives it without libFuzzer. Seeds: fuzz_event.txt, one a
 * line. */
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* An accepted text has a canonical string; that is accepted, and is its own canonical string. */
static void check_event(const bx_catalog *c, const bx_evsel *event)
{
    char string[512], again[512], perf[512];
    bx_evsel second, third;
    must(bx_event_format(c, event, string, sizeof string) < sizeof string);
    must(bx_event_parse(c, -1, string, strlen(string), &second, NULL) == BX_OK);
    must(bx_event_format(c, &second, again, sizeof again) < sizeof again);
    must(strcmp(string, again) == 0);
    must(second.unit == event->unit || bx_cat_pmus(c)[event->pmu].unit_max == 1);
    if (event->counter == BX_ANY)
        must(second.control == event->control);
    size_t n = bx_event_format_perf(c, event, perf, sizeof perf);
    must(n < sizeof perf);
    int cpu = bx_cat_pmus(c)[event->pmu].cpu; /* several CPU models have PMUs of one kernel name */
    if (n)
        must(bx_event_parse(c, cpu, perf, n, &third, NULL) == BX_OK &&
             third.control == second.control);
}

static void check_error(const bx_error *e, int code, size_t size)
{
    must(e->code == code && e->message[0]);
    must(e->at <= size && e->len <= size - e->at);
    must(memchr(e->message, '\0', sizeof e->message) && memchr(e->hint, '\0', sizeof e->hint));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bx_catalog *c = bx_catalog_builtin();
    /* In a block of its own size, so that a read beyond the text is detected. */
    char *text = malloc(size + 1), *exact = malloc(size ? size : 1);
    must(text && exact);
    if (size) {
        memcpy(text, data, size);
        memcpy(exact, data, size);
    }
    text[size] = '\0';
    bx_evsel events[8];
    for (int cpu = -1; cpu < (int)c->cpus.n; cpu++) {
        bx_error e = {0};
        int code = bx_event_parse(c, cpu, exact, size, &events[0], &e);
        if (code)
            check_error(&e, code, size);
        else
            check_event(c, &events[0]);
    }
    bx_error e = {0};
    size_t n = 0;
    int code = bx_events_parse(c, 0, text, events, 8, &n, &e);
    if (code)
        check_error(&e, code, strlen(text));
    for (size_t i = 0; i < n; i++)
        check_event(c, &events[i]);
    free(exact);
    free(text);
    return 0;
}
