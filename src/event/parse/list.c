/* Reads lists of events "a,b", ranges of units "cbo[0-7]::a", groups "{a,b}" and the suffixes
 * after them. A comma inside pmu/…/ separates perf's terms. */
#include "event/parse/list.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* ---- pinned events: perf's letter D and libpfm4's word, after an event or a group ---- */

static const char *const pins[] = {":D", ":pinned"};

/* Cuts the D off perf's letters, which follow a ':' or the '/' that ends its terms. */
static bool cut_letter(bx_str *event)
{
    size_t n = event->n;
    if (n < 2 || event->p[n - 1] != 'D')
        return false;
    size_t from = n - 1;
    while (from > 0 && strchr("ukh", event->p[from - 1]))
        from--;
    if (from == 0 || !strchr(":/", event->p[from - 1]))
        return false;
    event->n = n - 1;
    return true;
}

/* Cuts ":D", ":pinned", or the D of perf's letters (":uD", "/D"), off the end of an event. false:
 * it has none. */
static bool cut_pin(bx_str *event)
{
    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
        size_t n = strlen(pins[i]);
        if (event->n <= n || memcmp(event->p + event->n - n, pins[i], n) != 0)
            continue;
        event->n -= n;
        return true;
    }
    return cut_letter(event);
}

/* ---- what follows a group: ":D", ":pinned", or perf's letters, such as those of "{a,b}:uW" ----
 */

typedef struct suffix {
    size_t n; /* its bytes, with the ':' */
    bool pinned, weak;
    char letters[16]; /* those that belong to each event of the group */
} suffix;

/* Reads a suffix at the beginning of the text. S asks for samples of the whole group, which changes
 * no count. n is 0 if there is none, or if it is no suffix. */
static suffix suffix_at(bx_str text)
{
    const suffix none = {.n = 0};
    suffix s = none;
    size_t own = 0;
    if (bx_str_starts_fold(text, BX_STR(":pinned")))
        return (suffix){.n = strlen(":pinned"), .pinned = true};
    if (!text.n || *text.p != ':')
        return none;
    for (s.n = 1; s.n < text.n && !strchr(", }\t\n", text.p[s.n]); s.n++) {
        char letter = text.p[s.n];
        if (letter == 'D' && s.pinned)
            return none;
        s.pinned |= letter == 'D';
        s.weak |= letter == 'W';
        if (strchr("DWS", letter))
            continue;
        if (!strchr("ukhpP", letter) || own == sizeof s.letters - 1)
            return none;
        s.letters[own++] = letter;
    }
    return s.n > 1 ? s : none;
}

/* ---- lists ---- */

typedef struct list {
    bx_event_reader *read;
    void *context; /* for `read` */
    bx_str text;
    bx_evsel *events; /* NULL: check only */
    size_t room, n;
    uint16_t groups, group; /* number of groups so far; number of the open group, or 0 */
    size_t first;           /* first event of the open group, … */
    bool pinned;            /* … and whether one of its events is pinned: then all are */
    suffix behind;          /* what follows the open group */
    bx_error *e;
} list;

static int refuse_list(const list *l, size_t at, const char *message)
{
    return bx_fail(l->e, BX_BAD_INPUT, at, 1, "%s", message);
}

/* Reads one event. `text` is read; `part` is where it stands in the list. */
static int add_one(list *l, bx_str text, bx_str part)
{
    if (l->n == l->room)
        return bx_fail(l->e, BX_BAD_INPUT, (size_t)(part.p - l->text.p), part.n,
                       "more than %zu events", l->room);
    bx_evsel unused;
    bx_evsel *to = l->events ? &l->events[l->n] : &unused;
    bx_error e = {0};
    size_t at = (size_t)(part.p - l->text.p);
    bool same = text.p == part.p;
    bool pinned = cut_pin(&text);
    char whole[512];
    if (l->group && l->behind.letters[0] && text.n < sizeof whole - sizeof l->behind.letters - 1) {
        bool closed = text.n && text.p[text.n - 1] == '/';
        int n = snprintf(whole, sizeof whole, "%.*s%s%s", (int)text.n, text.p, closed ? "" : ":",
                         l->behind.letters);
        text = (bx_str){whole, (size_t)n};
    }
    int code = l->read(l->context, text, to, &e);
    if (code == BX_OK) {
        to->at = same ? to->at + at : at;
        to->len = same ? to->len : part.n;
    }
    to->group = l->group;
    to->pinned = pinned;
    to->weak = l->group && l->behind.weak;
    l->pinned |= pinned;
    l->n += code == BX_OK;
    if (same)
        bx_error_shift(&e, at);
    else
        e.at = at, e.len = part.n;
    if (code && l->e && l->e->code == BX_OK)
        *l->e = e;
    return code;
}

/* The range of units in a PMU's name, "cbo[0-7]::EVENT", "uncore_cbox_[0-7]/event=0x34/": *before
 * and *behind are what is around it. false: there is none. */
static bool has_units(bx_str part, bx_str *before, bx_str *units, bx_str *behind)
{
    ptrdiff_t open = bx_str_find(part, '[', 0), close = bx_str_find(part, ']', 0);
    ptrdiff_t colons = bx_str_find(part, ':', 0), slash = bx_str_find(part, '/', 0);
    bool of_perf = slash > close;
    if (open < 0 || close < open || (!of_perf && colons < close))
        return false;
    *before = bx_str_sub(part, 0, (size_t)open);
    *units = bx_str_sub(part, (size_t)open + 1, (size_t)(close - open) - 1);
    *behind = bx_str_sub(part, (size_t)close + 1, part.n);
    return true;
}

enum { UNITS = 256 }; /* most in a range */

static bool read_units(bx_str units, uint64_t *first, uint64_t *last)
{
    bx_str to = units, from = bx_str_cut(&to, '-');
    return bx_str_u64(from, first) && bx_str_u64(to.p ? to : from, last) && *first <= *last &&
           *last - *first < UNITS;
}

size_t bx_events_most(const char *text)
{
    size_t most = 1;
    for (const char *p = text; p && *p; p++) {
        uint64_t first, last;
        ptrdiff_t end = *p == '[' ? bx_str_find(bx_str_of(p), ']', 0) : -1;
        most += *p == ',';
        if (end > 0 && read_units((bx_str){p + 1, (size_t)end - 1}, &first, &last))
            most += (size_t)(last - first);
    }
    return most;
}

/* Adds an event for each unit of a range, as pages of libpfm4 write it: ivbep_unc_cbo[0-7]. */
static int add_part(list *l, bx_str part)
{
    enum { TEXT = 512 };
    bx_str before, units, behind;
    if (!has_units(part, &before, &units, &behind))
        return add_one(l, part, part);
    uint64_t first, last;
    if (!read_units(units, &first, &last) || part.n >= TEXT - 4) {
        size_t at = (size_t)(units.p - l->text.p);
        bx_fail(l->e, BX_BAD_INPUT, at, units.n ? units.n : 1, "this is no range of units");
        bx_hint(l->e, "the first unit and the last one: [0-7]");
        return BX_BAD_INPUT;
    }
    int code = BX_OK;
    for (uint64_t unit = first; !code && unit <= last; unit++) {
        char text[TEXT];
        int n = snprintf(text, sizeof text, "%.*s%u%.*s", (int)before.n, before.p, (unsigned)unit,
                         (int)behind.n, behind.p);
        code = add_one(l, (bx_str){text, (size_t)n}, part);
    }
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
    return refuse_list(l, end ? (size_t)(before.p - l->text.p) + before.n - 1 : at,
                       "an event is missing here");
}

/* `at`: index after its brace. */
static void open_group(list *l, size_t at)
{
    size_t end = at;
    while ((end = element_end(l->text, end)) < l->text.n && l->text.p[end] == ',')
        end++;
    bool closed = end < l->text.n && l->text.p[end] == '}';
    size_t behind = closed ? skip_blanks(l->text, end + 1) : end;
    l->behind = suffix_at(bx_str_sub(l->text, behind, l->text.n));
    l->group = ++l->groups;
    l->first = l->n;
    l->pinned = l->behind.pinned;
}

/* Ends a group. Returns the number of bytes of its suffix. */
static size_t close_group(list *l)
{
    for (size_t i = l->first; l->events && i < l->n; i++)
        l->events[i].pinned = l->pinned;
    l->group = 0;
    return l->behind.n;
}

static int read_elements(list *l)
{
    size_t at = 0;
    for (;;) {
        at = skip_blanks(l->text, at);
        if (at < l->text.n && l->text.p[at] == '{') {
            if (l->group)
                return refuse_list(l, at, "a group within a group");
            open_group(l, at + 1);
            at = skip_blanks(l->text, at + 1);
        }
        size_t end = element_end(l->text, at);
        bx_str part = bx_str_trim(bx_str_sub(l->text, at, end - at));
        int code = part.n ? add_part(l, part) : missing(l, end);
        if (code)
            return code;
        at = end;
        if (at < l->text.n && l->text.p[at] == '}') {
            if (!l->group)
                return refuse_list(l, at, "'}' without its '{'");
            at = skip_blanks(l->text, at + 1);
            at = skip_blanks(l->text, at + close_group(l));
            if (at < l->text.n && l->text.p[at] == ':') {
                refuse_list(l, at, "these letters after a group are not known");
                bx_hint(l->e, "D pins it, W gives it up where it does not fit, u and k choose "
                              "privilege levels");
                return BX_BAD_INPUT;
            }
        }
        if (at == l->text.n)
            return l->group ? refuse_list(l, at - 1, "a group without its '}'") : BX_OK;
        if (l->text.p[at] != ',')
            return refuse_list(l, at, "a comma is missing here");
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
