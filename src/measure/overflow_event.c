/* Splits EVENT=N, and parses both parts. */
#include "measure/overflow_event.h"

#include "base/buf.h"
#include "base/error.h"
#include "machine/machine.h"
#include "plan/overflow.h"
#include "report/label.h"

#include <inttypes.h>
#include <string.h>

/* Reads the number after the last '='. 0 and numbers of more than 64 bits are out of range. */
static int read_counts(bx_str number, size_t at, uint64_t *counts, bx_error *e)
{
    *counts = 0;
    if (bx_str_u64(number, counts) || (number.n && strspn(number.p, "0123456789") >= number.n))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, at, number.n, "'%.*s' is no number of counts", BX_QUOTED(number));
    bx_hint(e, "EVENT=N, such as %s=1000", "UNC_CLOCK");
    return BX_BAD_INPUT;
}

static int with_span(int code, bx_str part, const char *option, bx_error *e)
{
    if (code) {
        e->at = (size_t)(part.p - option);
        e->len = part.n;
    }
    return code;
}

static int read_option(const bx_machine *m, const char *option, bx_overflow_event *to, bx_error *e)
{
    const bx_catalog *c = m->topology.catalog;
    const char *equals = strrchr(option, '=');
    if (!equals || equals == option || !equals[1]) {
        bx_fail(e, BX_BAD_INPUT, 0, strlen(option), "'%s' is not EVENT=N", option);
        bx_hint(e, "N is the number of counts after which EVENT stops the counters");
        return BX_BAD_INPUT;
    }
    bx_str number = bx_str_of(equals + 1);
    to->text = (bx_str){option, (size_t)(equals - option)};
    int code = read_counts(number, (size_t)(number.p - option), &to->counts, e);
    if (!code)
        code = bx_event_parse(c, m->topology.cpu, to->text.p, to->text.n, &to->event, e);
    if (!code)
        code = with_span(bx_overflow_check(c, &to->event, e), to->text, option, e);
    if (!code)
        code = with_span(bx_overflow_check_counts(c, &to->event, to->counts, e), number, option, e);
    return code;
}

int bx_overflow_event_read(const bx_machine *m, const char *option, bx_arena *arena,
                           bx_overflow_event *to, bx_error *e)
{
    int code = bx_machine_check_interrupts(m, e);
    if (!code)
        code = read_option(m, option, to, e);
    if (code)
        return code;
    bx_buf name = {.whole = &arena->failed};
    const char *event = bx_label_event(m->topology.catalog, &to->event, arena);
    bx_buf_f(&name, "%s=%" PRIu64, event ? event : "", to->counts);
    to->name = bx_arena_copy(arena, (bx_str){name.p, name.n});
    bx_buf_free(&name);
    return to->name ? BX_OK : bx_out_of_memory(e);
}

size_t bx_overflow_event_add(const bx_machine *m, const bx_overflow_event *o, bx_arena *arena,
                             bx_evsel *events, size_t *n, const char **text)
{
    const bx_catalog *c = m->topology.catalog;
    const char *name = bx_label_event(c, &o->event, arena);
    for (size_t i = 0; i < *n; i++) {
        const char *other = bx_label_event(c, &events[i], arena);
        if (name && other && strcmp(other, name) == 0)
            return i;
    }
    bx_buf list = {0};
    bx_buf_f(&list, "%s%s%.*s", *text, **text ? "," : "", (int)o->text.n, o->text.p);
    events[*n] = o->event;
    events[*n].at = list.n - o->text.n;
    *text = bx_arena_copy(arena, (bx_str){list.p, list.n});
    arena->failed |= list.failed;
    bx_buf_free(&list);
    return (*n)++;
}
