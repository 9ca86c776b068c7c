/* Register logs: a replay runs to the end of the measurement, or returns an error that says what is
 * wrong. A second replay ends in the same way, with the same readings. */
#include "fuzz/fuzz.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 8, READINGS = 256 };

typedef struct result {
    int code;
    bx_error e;
    bx_reading readings[READINGS];
    size_t n;
    uint64_t time;
} result;

/* The events in the register log's header, or those of the corpus. */
static size_t events_of(bx_machine *m, bx_evsel *events)
{
    size_t n = 0;
    bx_str note = bx_machine_note(m, "events");
    char *list = fuzz_text((const uint8_t *)note.p, note.n);
    if (bx_machine_events_parse(m, list, events, EVENTS, &n, NULL) || !n)
        if (bx_machine_events_parse(m, "UNC_CBO_CACHE_LOOKUP:ANY_I", events, EVENTS, &n, NULL))
            n = 0;
    free(list);
    return n;
}

static int measure(bx_session *s, bx_error *e)
{
    bool done = false;
    int code = bx_session_start(s, e);
    for (unsigned turns = 0; !code && !done; turns++) {
        FUZZ_MUST(turns < 10000); /* more than the lines of an input */
        code = bx_session_run(s, UINT64_MAX, &done, e);
        code = code ? code : bx_session_sample(s, e);
    }
    int stopped = bx_session_stop(s, code ? NULL : e);
    return code ? code : stopped;
}

static void replay(const char *path, result *r)
{
    const bx_machine_options o = {.size = sizeof o, .replay = path};
    bx_evsel events[EVENTS];
    bx_machine *m = NULL;
    bx_session *s = NULL;
    *r = (result){.n = 0};
    r->code = bx_machine_open_with(bx_catalog_builtin(), NULL, &o, &m, &r->e);
    FUZZ_MUST(!r->code == (m != NULL));
    size_t n = m ? events_of(m, events) : 0;
    if (!r->code)
        r->code = n ? bx_session_open(m, events, n, NULL, &s, &r->e)
                    : bx_fail(&r->e, BX_NOT_FOUND, 0, 0, "no event of this CPU");
    if (!r->code)
        r->code = measure(s, &r->e);
    if (s) {
        const bx_reading *all = bx_session_readings(s, &r->n);
        FUZZ_MUST(r->n && r->n <= READINGS);
        memcpy(r->readings, all, r->n * sizeof *all);
    }
    bx_session_close(s);
    bx_error own = {0};
    int ended = m ? bx_machine_finish(m, r->code == BX_OK, &own) : BX_OK;
    fuzz_check_error(&own, ended, 0);
    if (ended) {
        r->code = ended;
        r->e = own;
    }
    r->time = m ? bx_machine_time(m) : 0;
    bx_machine_close(m);
}

static void check_readings(const result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const bx_reading *is = &r->readings[i];
        FUZZ_MUST(is->state <= BX_IMPLAUSIBLE && is->running <= is->enabled);
        FUZZ_MUST(bx_reading_value(is) >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static result first, second;
    const char *path = fuzz_file(data, size);
    replay(path, &first);
    fuzz_check_error(&first.e, first.code, sizeof first.e.message);
    check_readings(&first);
    replay(path, &second);
    FUZZ_MUST(first.code == second.code && first.n == second.n && first.time == second.time);
    FUZZ_MUST(strcmp(first.e.message, second.e.message) == 0);
    FUZZ_MUST(memcmp(first.readings, second.readings, first.n * sizeof *first.readings) == 0);
    return 0;
}
