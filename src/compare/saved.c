/* Parses each line of a saved run, and checks its members. */
#include "compare/saved.h"

#include "base/json_read.h"
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

typedef struct reader {
    bx_saved *to;
    size_t room;
    bx_arena *arena;
    bx_error *e;
    const bx_json_value *run; /* object of the last line; NULL: not yet read */
} reader;

/* ---- members ---- */

static int wrong(const reader *r, const bx_json_value *at, const char *key, const char *what)
{
    return bx_fail(r->e, BX_BAD_INPUT, at->at, at->len, "%s: '%s' is not %s", r->to->name, key,
                   what);
}

static int missing(const reader *r, const bx_json_value *object, const char *key)
{
    return bx_fail(r->e, BX_BAD_INPUT, object->at, object->len, "%s: there is no '%s' here",
                   r->to->name, key);
}

static int copy(const reader *r, bx_str text, const char **to)
{
    char *p = bx_arena_copy(r->arena, text);
    if (!p)
        return bx_out_of_memory(r->e);
    bx_printable(p, text.n);
    *to = p;
    return BX_OK;
}

static int text_of(const reader *r, const bx_json_value *object, const char *key, const char **to)
{
    const bx_json_value *v = bx_json_member(object, key);
    if (!v)
        return missing(r, object, key);
    return v->kind == BX_JSON_STRING ? copy(r, v->text, to) : wrong(r, v, key, "a text");
}

static int number_of(const reader *r, const bx_json_value *object, const char *key, double *to)
{
    const bx_json_value *v = bx_json_member(object, key);
    if (!v)
        return missing(r, object, key);
    if (v->kind != BX_JSON_NUMBER)
        return wrong(r, v, key, "a number");
    *to = bx_json_double(v);
    return BX_OK;
}

/* A number that may be missing, from `least` to `most`. */
static int whole_of(const reader *r, const bx_json_value *object, const char *key, uint64_t least,
                    uint64_t most, uint64_t *to)
{
    const bx_json_value *v = bx_json_member(object, key);
    if (v && (v->kind != BX_JSON_NUMBER || !bx_json_u64(v, to) || *to < least || *to > most))
        return wrong(r, v, key, "such a number");
    return BX_OK;
}

/* ---- lines of counts ---- */

static bx_saved_value *add(reader *r)
{
    bx_saved *s = r->to;
    if (s->n == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        bx_saved_value *more = bx_arena_get(r->arena, room * sizeof *more);
        if (!more)
            return NULL;
        if (s->n)
            memcpy(more, s->values, s->n * sizeof *more);
        s->values = more;
        r->room = room;
    }
    return &s->values[s->n++];
}

/* A number that may be missing, and is 0 or above. */
static int width_of(const reader *r, const bx_json_value *object, const char *key, double *to,
                    bool *known)
{
    const bx_json_value *v = bx_json_member(object, key);
    *known = v;
    int code = v ? number_of(r, object, key, to) : BX_OK;
    return !code && *to < 0 ? wrong(r, v, key, "0 or above") : code;
}

static int deviation_of(const reader *r, const bx_json_value *object, bx_saved_value *to)
{
    return width_of(r, object, "standard-deviation", &to->deviation, &to->repeated);
}

/* Reads the member `value`, which is null if there is none. An event's count keeps all its
 * digits. */
static int value_of(const reader *r, const bx_json_value *object, bx_saved_value *to)
{
    const bx_json_value *v = bx_json_member(object, "value");
    if (v && v->kind == BX_JSON_NULL)
        return BX_OK;
    int code = number_of(r, object, "value", &to->value);
    if (code)
        return code;
    to->missing = NULL;
    to->whole = !to->metric && bx_json_u64(v, &to->count);
    code = width_of(r, object, "error", &to->error, &to->estimated);
    return code ? code : deviation_of(r, object, to);
}

static int metric(reader *r, const bx_json_value *object, const bx_saved_value *event)
{
    bx_saved_value *to = add(r);
    if (!to)
        return bx_out_of_memory(r->e);
    *to = (bx_saved_value){.place = event->place,
                           .region = event->region,
                           .thread = event->thread,
                           .scaled = event->scaled,
                           .missing = "no value",
                           .metric = true};
    int code = text_of(r, object, "name", &to->name);
    if (!code)
        code = text_of(r, object, "unit", &to->unit);
    if (!code && bx_json_member(object, "state"))
        code = text_of(r, object, "state", &to->missing);
    return code ? code : value_of(r, object, to);
}

static int metrics(reader *r, const bx_json_value *line, const bx_saved_value *event)
{
    const bx_json_value *list = bx_json_member(line, "metrics");
    if (list && list->kind != BX_JSON_ARRAY)
        return wrong(r, list, "metrics", "an array");
    int code = BX_OK;
    for (const bx_json_value *v = list ? list->first : NULL; v && !code; v = v->next)
        code = metric(r, v, event);
    return code;
}

/* "S0 C-Box 2", or "S0" of a whole package. */
static int place_of(const reader *r, const bx_json_value *line, const char **to)
{
    const char *unit = "";
    uint64_t package = 0;
    *to = "";
    if (bx_json_member(line, "thread-name"))
        return text_of(r, line, "thread-name", to);
    if (!bx_json_member(line, "package"))
        return BX_OK;
    int code = whole_of(r, line, "package", 0, UINT16_MAX, &package);
    if (!code && bx_json_member(line, "pmu-unit"))
        code = text_of(r, line, "pmu-unit", &unit);
    if (code)
        return code;
    size_t room = strlen(unit) + 16;
    char *place = bx_arena_get(r->arena, room);
    if (!place)
        return bx_out_of_memory(r->e);
    snprintf(place, room, *unit ? "S%u %s" : "S%u", (unsigned)package, unit);
    *to = place;
    return BX_OK;
}

static int region_of(const reader *r, const bx_json_value *line, bx_saved_value *to)
{
    uint64_t thread = 0;
    to->region = "";
    if (!bx_json_member(line, "region"))
        return BX_OK;
    int code = whole_of(r, line, "thread", 1, UINT32_MAX, &thread);
    to->thread = (unsigned)thread;
    return code ? code : text_of(r, line, "region", &to->region);
}

/* The time elapsed is a metric of the whole run, and of each region. */
static bx_saved_value *add_elapsed(reader *r, const char *region, unsigned thread)
{
    bx_saved_value *to = add(r);
    if (to)
        *to = (bx_saved_value){.name = "time_elapsed",
                               .unit = "seconds",
                               .place = "",
                               .region = region,
                               .thread = thread,
                               .metric = true};
    return to;
}

/* Reads a region's time. All lines of the region have it, so only the first is used. */
static int region_time(reader *r, const bx_json_value *line, const bx_saved_value *event)
{
    const bx_saved_value *last = r->to->n ? &r->to->values[r->to->n - 1] : NULL;
    double ns;
    if (!*event->region || !bx_json_member(line, "region-runtime") ||
        (last && last->thread == event->thread && strcmp(last->region, event->region) == 0))
        return BX_OK;
    int code = number_of(r, line, "region-runtime", &ns);
    bx_saved_value *to = code ? NULL : add_elapsed(r, event->region, event->thread);
    if (!to)
        return code ? code : bx_out_of_memory(r->e);
    to->value = ns / 1e9;
    return BX_OK;
}

static int count(reader *r, const bx_json_value *line)
{
    bx_saved_value event = {0};
    const char *state;
    if (bx_json_member(line, "interval")) {
        bx_fail(r->e, BX_BAD_INPUT, 0, 0, "%s: it has intervals, and runs are compared as a whole",
                r->to->name);
        bx_hint(r->e, "save it with 'boxscore stat -j -o FILE', without intervals or samples");
        return BX_BAD_INPUT;
    }
    int code = text_of(r, line, "event", &event.name);
    if (!code)
        code = text_of(r, line, "unit", &event.unit);
    if (!code)
        code = text_of(r, line, "state", &state);
    if (!code)
        code = place_of(r, line, &event.place);
    if (!code)
        code = region_of(r, line, &event);
    if (!code)
        code = region_time(r, line, &event);
    if (code)
        return code;
    event.missing = state;
    event.scaled = strcmp(state, "scaled") == 0;
    code = value_of(r, line, &event);
    bx_saved_value *to = code ? NULL : add(r);
    if (!to)
        return code ? code : bx_out_of_memory(r->e);
    *to = event;
    return metrics(r, line, &event);
}

/* ---- the last line ---- */

static int environment(reader *r, const bx_json_value *facts)
{
    size_t n = 0;
    if (!facts || facts->kind != BX_JSON_OBJECT)
        return missing(r, r->run, "environment");
    for (const bx_json_value *v = facts->first; v; v = v->next)
        n++;
    bx_saved_fact *list = bx_arena_get(r->arena, (n + 1) * sizeof *list);
    if (!list)
        return bx_out_of_memory(r->e);
    r->to->environment = list;
    for (const bx_json_value *v = facts->first; v; v = v->next) {
        bx_saved_fact *fact = &list[r->to->environment_n++];
        int code = copy(r, v->key, &fact->key);
        if (!code)
            code = v->kind == BX_JSON_STRING ? copy(r, v->text, &fact->value)
                                             : wrong(r, v, fact->key, "a text");
        if (code)
            return code;
    }
    return BX_OK;
}

static int elapsed(reader *r)
{
    bx_saved_value *to = add_elapsed(r, "", 0);
    if (!to)
        return bx_out_of_memory(r->e);
    int code = number_of(r, r->run, "seconds", &to->value);
    return code ? code : deviation_of(r, r->run, to);
}

static int interruption(const reader *r)
{
    const char *signal = NULL;
    const bx_json_value *v = bx_json_member(r->run, "interrupted");
    if (!v)
        return BX_OK;
    int code = text_of(r, r->run, "interrupted", &signal);
    return code ? code
                : bx_fail(r->e, BX_BAD_INPUT, v->at, v->len,
                          "%s: the run was interrupted by %s, and its counts are not whole",
                          r->to->name, signal);
}

static int run(reader *r)
{
    uint64_t runs = 1, status = 0;
    int code = interruption(r);
    if (!code)
        code = text_of(r, r->run, "work", &r->to->work);
    if (!code)
        code = whole_of(r, r->run, "runs", 1, UINT32_MAX, &runs);
    if (!code)
        code = whole_of(r, r->run, "exit-status", 0, 255, &status);
    if (!code)
        code = environment(r, bx_json_member(r->run, "environment"));
    r->to->runs = (unsigned)runs;
    r->to->status = (int)status;
    return code ? code : elapsed(r);
}

/* ---- files ---- */

static int line(reader *r, const bx_json_value *object)
{
    if (r->run)
        return bx_fail(r->e, BX_BAD_INPUT, object->at, object->len,
                       "%s: this follows the line of the run, which is the last", r->to->name);
    if (object->kind != BX_JSON_OBJECT)
        return bx_fail(r->e, BX_BAD_INPUT, object->at, object->len, "%s: this is no JSON object",
                       r->to->name);
    r->run = bx_json_member(object, "run");
    return r->run ? run(r) : count(r, object);
}

static int hinted(int code, bx_error *e)
{
    if (code == BX_BAD_INPUT && e && !*e->hint)
        bx_hint(e, "save runs with 'boxscore stat -j -o FILE'");
    return code;
}

int bx_saved_read(const char *name, bx_str text, bx_arena *a, bx_saved *to, bx_error *e)
{
    reader r = {.to = to, .arena = a, .e = e};
    *to = (bx_saved){.name = name};
    for (size_t at = 0;;) {
        while (at < text.n && bx_is_blank(text.p[at]))
            at++;
        if (at == text.n)
            break;
        const bx_json_value *object;
        int code = bx_json_read(text, &at, a, &object, e);
        if (!code)
            code = line(&r, object);
        if (code)
            return hinted(code, e);
    }
    if (r.run)
        return BX_OK;
    return hinted(bx_fail(e, BX_BAD_INPUT, 0, 0,
                          "%s: the line of the run is missing, so it is not complete", name),
                  e);
}
