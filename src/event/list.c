/* Lists of events: "a,b", where a comma within pmu/…/ separates perf's terms, and groups "{a,b}". */
#include "base/error.h"
#include "event/event.h"

typedef struct list {
    const struct bx_catalog *c;
    int cpu;
    bx_str text;
    bx_evsel *events;
    size_t room, n;
    bx_error *e;
} list;

static int refuse(const list *l, size_t at, const char *message)
{
    return bx_fail(l->e, BX_BAD_INPUT, at, at < l->text.n, "%s", message);
}

static int add(list *l, bx_str part)
{
    if (l->n == l->room)
        return bx_fail(l->e, BX_BAD_INPUT, (size_t)(part.p - l->text.p), part.n,
                       "more than %zu events", l->room);
    int code = bx_event_read(l->c, l->cpu, l->text, part, &l->events[l->n], l->e);
    l->n += code == BX_OK;
    return code;
}

static size_t skip_blanks(bx_str text, size_t at)
{
    while (at < text.n && bx_str_trim(bx_str_sub(text, at, 1)).n == 0)
        at++;
    return at;
}

/* Where the element that starts at `at` ends: at a comma or brace outside of slashes, or the end. */
static size_t element_end(bx_str text, size_t at)
{
    bool slashes = false;
    for (; at < text.n; at++) {
        char ch = text.p[at];
        if (ch == '/')
            slashes = !slashes;
        else if (!slashes && (ch == ',' || ch == '{' || ch == '}'))
            break;
    }
    return at;
}

/* Elements from *at on, up to the end of the text or the '}' of the group that they are in. */
static int read_elements(list *l, size_t *at, bool group)
{
    for (;;) {
        *at = skip_blanks(l->text, *at);
        size_t end = element_end(l->text, *at);
        char ch = end < l->text.n ? l->text.p[end] : '\0';
        bx_str part = bx_str_trim(bx_str_sub(l->text, *at, end - *at));
        if (ch == '{') {
            if (part.n || group)
                return refuse(l, end, part.n ? "'{' within an event" : "a group within a group");
            *at = end + 1;
            int code = read_elements(l, at, true);
            if (code)
                return code;
            end = *at = skip_blanks(l->text, *at);
            if (end < l->text.n && l->text.p[end] != ',')
                return refuse(l, end, "a comma is missing after the group");
            ch = end < l->text.n ? ',' : '\0';
        } else if (part.n == 0) {
            return refuse(l, ch || !end ? end : l->text.n - 1, "an event is missing here");
        } else {
            int code = add(l, part);
            if (code)
                return code;
        }
        *at = end + (ch != '\0');
        if (ch != ',') {
            if (group && ch != '}')
                return refuse(l, l->text.n - 1, "a group without its '}'");
            if (!group && ch == '}')
                return refuse(l, end, "'}' without its '{'");
            return BX_OK;
        }
    }
}

int bx_events_parse(const bx_catalog *c, int cpu, const char *text, bx_evsel *events, size_t room,
                    size_t *n, bx_error *e)
{
    list l = {c, cpu, bx_str_of(text), events, room, 0, e};
    size_t at = 0;
    if (bx_str_trim(l.text).n == 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "no event given");
    int code = read_elements(&l, &at, false);
    if (!code)
        *n = l.n;
    return code;
}
