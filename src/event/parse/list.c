/* Reads lists of events "a,b", groups "{a,b}" and the suffixes that pin them. A comma inside pmu/…/
 * separates perf's terms. */
#include "base/error.h"
#include "event/parse/list.h"
#include "event/parse/pinned.h"

typedef struct list {
    bx_event_reader *read;
    void *context; /* for `read` */
    bx_str text;
    bx_evsel *events; /* NULL: check only */
    size_t room, n;
    uint16_t groups, group; /* number of groups so far; number of the open group, or 0 */
    size_t first;           /* first event of the open group, … */
    bool pinned;            /* … and whether one of its events is pinned: then all are */
    bx_error *e;
} list;

static int refuse(const list *l, size_t at, const char *message)
{
    return bx_fail(l->e, BX_BAD_INPUT, at, 1, "%s", message);
}

static int add(list *l, bx_str part)
{
    if (l->n == l->room)
        return bx_fail(l->e, BX_BAD_INPUT, (size_t)(part.p - l->text.p), part.n,
                       "more than %zu events", l->room);
    bx_evsel unused;
    bx_evsel *to = l->events ? &l->events[l->n] : &unused;
    bx_error e = {0};
    size_t at = (size_t)(part.p - l->text.p);
    bool pinned = bx_pinned_cut(&part);
    int code = l->read(l->context, part, to, &e);
    to->at += code == BX_OK ? at : 0;
    to->group = l->group;
    to->pinned = pinned;
    l->pinned |= pinned;
    l->n += code == BX_OK;
    bx_error_shift(&e, at);
    if (code && l->e && l->e->code == BX_OK)
        *l->e = e;
    return code;
}

static size_t skip_blanks(bx_str text, size_t at)
{
    while (at < text.n && bx_str_trim(bx_str_sub(text, at, 1)).n == 0)
        at++;
    return at;
}

/* The end of the element that starts at `at`: a comma or brace outside slashes, or the end. */
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

static int missing(const list *l, size_t at)
{
    bx_str before = bx_str_trim(bx_str_sub(l->text, 0, at));
    bool end = at == l->text.n;
    return refuse(l, end ? (size_t)(before.p - l->text.p) + before.n - 1 : at,
                  "an event is missing here");
}

static void open_group(list *l)
{
    l->group = ++l->groups;
    l->first = l->n;
    l->pinned = false;
}

/* Ends a group. at: index after the brace. Returns the number of further bytes that belong to the
 * group. */
static size_t close_group(list *l, size_t at)
{
    size_t letters = bx_pinned_behind(bx_str_sub(l->text, at, l->text.n - at));
    l->pinned |= letters > 0;
    for (size_t i = l->first; l->events && i < l->n; i++)
        l->events[i].pinned = l->pinned;
    l->group = 0;
    return letters;
}

static int read_elements(list *l)
{
    size_t at = 0;
    for (;;) {
        at = skip_blanks(l->text, at);
        if (at < l->text.n && l->text.p[at] == '{') {
            if (l->group)
                return refuse(l, at, "a group within a group");
            open_group(l);
            at = skip_blanks(l->text, at + 1);
        }
        size_t end = element_end(l->text, at);
        bx_str part = bx_str_trim(bx_str_sub(l->text, at, end - at));
        int code = part.n ? add(l, part) : missing(l, end);
        if (code)
            return code;
        at = end;
        if (at < l->text.n && l->text.p[at] == '}') {
            if (!l->group)
                return refuse(l, at, "'}' without its '{'");
            at++;
            at = skip_blanks(l->text, at + close_group(l, at));
            if (at < l->text.n && l->text.p[at] == ':') { /* perf's {a,b}:S */
                refuse(l, at, "letters behind a group");
                bx_hint(l->e, "write them behind each event: {a:u,b:u}; only :D pins a whole "
                              "group; leave :S out");
                return BX_BAD_INPUT;
            }
        }
        if (at == l->text.n)
            return l->group ? refuse(l, at - 1, "a group without its '}'") : BX_OK;
        if (l->text.p[at] != ',')
            return refuse(l, at, "a comma is missing here");
        at++;
    }
}

int bx_events_read(bx_event_reader *read, void *context, const char *text, bx_evsel *events,
                   size_t room, size_t *n, bx_error *e)
{
    if (!text)
        return bx_missing(e, "event");
    if (!events && room)
        return bx_missing(e, "place for the events");
    if (!n)
        return bx_missing(e, "place for the number");
    bx_str whole = bx_str_of(text);
    if (bx_str_trim(whole).n == 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "no event given");
    /* First parses without output, so that a malformed list does not change the caller's array. */
    list try = {.read = read, .context = context, .text = whole, .room = room, .e = e};
    int code = read_elements(&try);
    if (code)
        return code;
    list l = try;
    l.events = events;
    l.n = l.groups = 0;
    code = read_elements(&l);
    *n = l.n;
    return code;
}

typedef struct model {
    const bx_catalog *c;
    int cpu;
} model;

static int read_of_catalog(void *context, bx_str part, bx_evsel *event, bx_error *e)
{
    const model *m = context;
    return bx_event_parse(m->c, m->cpu, part.p, part.n, event, e);
}

int bx_events_parse(const bx_catalog *c, int cpu, const char *text, bx_evsel *events, size_t room,
                    size_t *n, bx_error *e)
{
    if (!c)
        return bx_missing(e, "catalogue");
    model m = {c, cpu};
    return bx_events_read(read_of_catalog, &m, text, events, room, n, e);
}
