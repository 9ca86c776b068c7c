/* Refused inputs: the message, and the bytes that it points to. */
#ifndef BX_TESTS_EVENT_REFUSAL_H
#define BX_TESTS_EVENT_REFUSAL_H

#include "../cpu_names.h"
#include "event_case.h"

typedef struct refusal {
    const char *text, *carets; /* the bytes with carets below; "": none */
    int code;
    const char *message, *hint; /* "{cpus}": the names of all CPUs */
} refusal;

static inline void assert_refusal(const refusal *r, int code, const bx_error *e)
{
    char hint[CPU_NAMES_ROOM];
    size_t at = strspn(r->carets, " "), len = strlen(r->carets) - at;
    if (len == 0)
        at = e->at;
    if (code != r->code || e->code != r->code || strcmp(e->message, r->message) ||
        strcmp(e->hint, with_cpu_names(hint, r->hint, ", ")) || e->at != at || e->len != len)
        fail_msg("'%s': %d, %zu+%zu, %s (%s)", r->text, code, e->at, e->len, e->message, e->hint);
    assert_true(e->at + e->len <= strlen(r->text));
}

static inline void assert_refused(const refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bx_evsel event, before;
        bx_error e = {0};
        memset(&event, 0x5a, sizeof event);
        before = event;
        int code =
            bx_event_parse(built_in(), skl(), rows[i].text, strlen(rows[i].text), &event, &e);
        assert_refusal(&rows[i], code, &e);
        assert_memory_equal(&event, &before, sizeof event);
        /* The caller may pass no error. */
        assert_int_equal(
            bx_event_parse(built_in(), skl(), rows[i].text, strlen(rows[i].text), &event, NULL),
            rows[i].code);
    }
}

#endif
