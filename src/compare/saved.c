/* Parses each line of a saved run, and checks its members. */
#include "compare/saved.h"

#include "compare/consistency.h"
#include "compare/members.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    bx_saved *to;
    size_t room, unseen_room;
    bx_members m;
    const bx_json_value *run; /* object of the last line; NULL: not yet read */
    bool repeated;            /* a value has a deviation */
} reader;

static bool has(const bx_json_value *object, const char *key)
{
    return bx_json_member(object, key);
}

/* ---- what a run did not see ---- */

static int add_unseen(reader *r, const char *region, const char *text)
{
    bx_saved *s = r->to;
    if (s->unseen_n == r->unseen_room) {
        size_t room = r->unseen_room ? 2 * r->unseen_room : 8;
        bx_saved_unseen *more = bx_arena_get(r->m.arena, room * sizeof *more);
        if (!more)
            return bx_out_of_memory(r->m.e);
        if (s->unseen_n)
            memcpy(more, s->unseen, s->unseen_n * sizeof *more);
        s->unseen = more;
        r->unseen_room = room;
    }
    s->unseen[s->unseen_n++] = (bx_saved_unseen){.region = region, .text = text};
    return BX_OK;
}

/* Marks that a region lacks. Lines of the region's threads say no more than that of the region. */
static int lacking_marks(reader *r, const bx_json_value *line, const char *region, const char *key,
                         const char *before, const char *behind)
{
    uint64_t n;
    char text[64];
    const char *copy;
    int code = bx_member_whole(&r->m, line, key, 1, UINT64_MAX, &n);
    if (code)
        return code;
    snprintf(text, sizeof text, "%s %llu %s", before, (unsigned long long)n, behind);
    copy = bx_arena_copy(r->m.arena, bx_str_of(text));
    return copy ? add_unseen(r, region, copy) : bx_out_of_memory(r->m.e);
}

/* Files of an older boxscore tell only in their remark, which has other notes, too. */
static int unseen_of_run(reader *r)
{
    const bx_json_value *list = bx_json_member(r->run, "incomplete");
    const char *text;
    int code = BX_OK;
    if (!list && has(r->run, "remark")) {
        code = bx_member_text(&r->m, r->run, "remark", &text);
        return code ? code : add_unseen(r, NULL, text);
    }
    if (list && list->kind != BX_JSON_ARRAY)
        return bx_member_wrong(&r->m, list, "incomplete", "an array");
    for (const bx_json_value *v = list ? list->first : NULL; v && !code; v = v->next) {
        code = v->kind == BX_JSON_STRING
                   ? bx_member_copy(&r->m, v->text, &text)
                   : bx_member_wrong(&r->m, v, "incomplete", "a list of texts");
        code = code ? code : add_unseen(r, NULL, text);
    }
    return code;
}

static int left_running(reader *r)
{
    const char *text;
    if (!has(r->run, "left-running"))
        return BX_OK;
    int code = bx_member_text(&r->m, r->run, "left-running", &text);
    code = code ? code : add_unseen(r, NULL, text);
    if (!code)
        r->to->unseen[r->to->unseen_n - 1].left = true;
    return code;
}

/* ---- lines of counts ---- */

static bx_saved_value *add_value(reader *r)
{
    bx_saved *s = r->to;
    if (s->n == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        bx_saved_value *more = bx_arena_get(r->m.arena, room * sizeof *more);
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
    *known = has(object, key);
    return *known ? bx_member_size(&r->m, object, key, to) : BX_OK;
}

static int deviation_of(reader *r, const bx_json_value *object, bx_saved_value *to)
{
    int code = width_of(r, object, "standard-deviation", &to->deviation, &to->repeated);
    r->repeated |= to->repeated;
    return code;
}

/* Whether the text is a reason for which stat writes no value. */
static bool is_reason(const char *text, bool of_metric)
{
    for (unsigned state = BX_NOT_MODELLED;; state++) {
        bx_str known = bx_str_of(bx_state_text(state));
        if (bx_str_eq(bx_str_sub(known, 1, known.n - 2), bx_str_of(text)))
            return true;
        if (state > BX_NOT_SUPPORTED)
            return of_metric && strcmp(text, "divided by 0") == 0;
    }
}

/* Reads the member `value`; to->missing is the state if that is a reason to have none, else NULL.
 * An event's count keeps all its digits. */
static int value_of(reader *r, const bx_json_value *object, const char *state, bx_saved_value *to)
{
    const bx_json_value *v = bx_json_member(object, "value");
    if (!v)
        return bx_member_missing(&r->m, object, "value");
    if ((v->kind == BX_JSON_NULL) != (to->missing != NULL))
        return bx_member_contradicts(&r->m, v, "value", state);
    if (to->missing)
        return BX_OK;
    int code = to->metric ? bx_member_number(&r->m, object, "value", &to->value)
                          : bx_member_size(&r->m, object, "value", &to->value);
    if (code)
        return code;
    to->whole = !to->metric && bx_json_u64(v, &to->count);
    if (!to->metric && !to->whole && to->value >= 0x1p64)
        return bx_member_wrong(&r->m, v, "value", "a count: it is too large");
    code = width_of(r, object, "error", &to->error, &to->estimated);
    if (!code && to->estimated && !to->metric && !to->scaled)
        code = bx_member_contradicts(&r->m, bx_json_member(object, "error"), "error", state);
    return code ? code : deviation_of(r, object, to);
}

/* perf's string of the value has the same digits, or six decimals of a mean; or the state. */
static int check_counter_value(const reader *r, const bx_json_value *line, const char *state,
                               const bx_saved_value *event)
{
    const char *text;
    uint64_t count;
    const bx_json_value *v = bx_json_member(line, "counter-value");
    int code = v ? bx_member_text(&r->m, line, "counter-value", &text) : BX_OK;
    if (!v || code)
        return code;
    size_t n = strlen(text), reason = event->missing ? strlen(event->missing) : 0;
    bool same;
    if (event->missing)
        same = n == reason + 2 && *text == '<' && text[n - 1] == '>' &&
               memcmp(text + 1, event->missing, reason) == 0;
    else if (event->whole)
        same = bx_json_u64(v, &count) && count == event->count;
    else
        same = v->text.n && bx_is_digit(*text) &&
               fabs(bx_json_double(v) - event->value) <= 1e-6 + 0.01 * fabs(event->value);
    return same ? BX_OK : bx_member_contradicts(&r->m, v, "counter-value", state);
}

static int metric(reader *r, const bx_json_value *object, const bx_saved_value *event)
{
    const char *state = "counted";
    bx_saved_value *to = add_value(r);
    if (!to)
        return bx_out_of_memory(r->m.e);
    *to = (bx_saved_value){.place = event->place,
                           .region = event->region,
                           .thread = event->thread,
                           .scaled = event->scaled,
                           .metric = true};
    int code = bx_member_name(&r->m, object, "name", &to->name);
    if (!code)
        code = bx_member_text(&r->m, object, "unit", &to->unit);
    if (!code && has(object, "state")) {
        code = bx_member_text(&r->m, object, "state", &to->missing);
        state = to->missing;
    }
    if (!code && to->missing && !is_reason(to->missing, true))
        code = bx_member_wrong(&r->m, bx_json_member(object, "state"), "state",
                               "one that 'stat' writes");
    return code ? code : value_of(r, object, state, to);
}

static int metrics(reader *r, const bx_json_value *line, const bx_saved_value *event)
{
    const bx_json_value *list = bx_json_member(line, "metrics");
    if (list && list->kind != BX_JSON_ARRAY)
        return bx_member_wrong(&r->m, list, "metrics", "an array");
    int code = BX_OK;
    for (const bx_json_value *v = list ? list->first : NULL; v && !code; v = v->next)
        code = metric(r, v, event);
    return code;
}

/* "S0 C-Box 2", or "S0" of a whole package; the name of a thread or cgroup. */
static int value_place(const reader *r, const bx_json_value *line, const char **to)
{
    const char *unit = "";
    uint64_t package = 0;
    *to = "";
    if (has(line, "thread-name"))
        return bx_member_text(&r->m, line, "thread-name", to);
    if (has(line, "cgroup"))
        return bx_member_text(&r->m, line, "cgroup", to);
    if (!has(line, "package"))
        return BX_OK;
    int code = bx_member_whole(&r->m, line, "package", 0, UINT16_MAX, &package);
    if (!code && has(line, "pmu-unit"))
        code = bx_member_text(&r->m, line, "pmu-unit", &unit);
    if (code)
        return code;
    size_t room = strlen(unit) + 16;
    char *place = bx_arena_get(r->m.arena, room);
    if (!place)
        return bx_out_of_memory(r->m.e);
    snprintf(place, room, *unit ? "S%u %s" : "S%u", (unsigned)package, unit);
    *to = place;
    return BX_OK;
}

static int region_of(const reader *r, const bx_json_value *line, bx_saved_value *to)
{
    uint64_t thread = 0;
    to->region = "";
    if (!has(line, "region"))
        return BX_OK;
    int code = has(line, "thread") ? bx_member_whole(&r->m, line, "thread", 1, UINT32_MAX, &thread)
                                   : BX_OK;
    to->thread = (unsigned)thread;
    return code ? code : bx_member_text(&r->m, line, "region", &to->region);
}

/* The time elapsed is a metric of the whole run, and of each region. */
static bx_saved_value *add_elapsed(reader *r, const char *region, unsigned thread)
{
    bx_saved_value *to = add_value(r);
    if (to)
        *to = (bx_saved_value){.name = "time_elapsed",
                               .unit = "seconds",
                               .place = "",
                               .region = region,
                               .thread = thread,
                               .metric = true};
    return to;
}

/* Reads a region's time, and the marks that it lacks. All lines of the region have them, so only
 * the first is used. */
static int region_facts(reader *r, const bx_json_value *line, const bx_saved_value *event)
{
    const bx_saved_value *last = r->to->n ? &r->to->values[r->to->n - 1] : NULL;
    uint64_t ns;
    if (!*event->region ||
        (last && last->thread == event->thread && strcmp(last->region, event->region) == 0))
        return BX_OK;
    int code = BX_OK;
    if (!event->thread && has(line, "not-ended"))
        code = lacking_marks(r, line, event->region, "not-ended", "not ended in", "of its threads");
    if (!code && !event->thread && has(line, "not-begun"))
        code = lacking_marks(r, line, event->region, "not-begun", "ended", "times without a begin");
    if (code || !has(line, "region-runtime"))
        return code;
    code = bx_member_whole(&r->m, line, "region-runtime", 0, UINT64_MAX, &ns);
    bx_saved_value *to = code ? NULL : add_elapsed(r, event->region, event->thread);
    if (!to)
        return code ? code : bx_out_of_memory(r->m.e);
    to->value = (double)ns / 1e9;
    return BX_OK;
}

static int read_count(reader *r, const bx_json_value *line)
{
    bx_saved_value event = {0};
    const char *state;
    if (has(line, "interval")) {
        bx_fail(r->m.e, BX_BAD_INPUT, 0, 0,
                "%s: it has intervals, and runs are compared as a whole", r->m.file);
        bx_hint(r->m.e, "save it with 'boxscore stat -j -o FILE', without intervals or samples");
        return BX_BAD_INPUT;
    }
    int code = bx_member_name(&r->m, line, "event", &event.name);
    if (!code)
        code = bx_member_text(&r->m, line, "unit", &event.unit);
    if (!code)
        code = bx_member_text(&r->m, line, "state", &state);
    if (!code)
        code = bx_members_check_others(&r->m, line);
    if (!code)
        code = value_place(r, line, &event.place);
    if (!code)
        code = region_of(r, line, &event);
    if (!code)
        code = region_facts(r, line, &event);
    if (code)
        return code;
    event.scaled = strcmp(state, "scaled") == 0;
    event.missing = event.scaled || strcmp(state, "counted") == 0 ? NULL : state;
    if (event.missing && !is_reason(state, false))
        return bx_member_wrong(&r->m, bx_json_member(line, "state"), "state",
                               "one that 'stat' writes");
    code = value_of(r, line, state, &event);
    if (!code)
        code = check_counter_value(r, line, state, &event);
    if (!code && !event.missing)
        code = bx_members_check_state(&r->m, line, state, event.value);
    bx_saved_value *to = code ? NULL : add_value(r);
    if (!to)
        return code ? code : bx_out_of_memory(r->m.e);
    *to = event;
    return metrics(r, line, &event);
}

/* ---- the last line ---- */

static int environment(reader *r, const bx_json_value *facts)
{
    size_t n = 0;
    if (!facts || facts->kind != BX_JSON_OBJECT)
        return bx_member_missing(&r->m, r->run, "environment");
    for (const bx_json_value *v = facts->first; v; v = v->next)
        n++;
    bx_saved_fact *list = bx_arena_get(r->m.arena, (n + 1) * sizeof *list);
    if (!list)
        return bx_out_of_memory(r->m.e);
    r->to->environment = list;
    for (const bx_json_value *v = facts->first; v; v = v->next) {
        bx_saved_fact *fact = &list[r->to->environment_n++];
        int code = bx_member_copy(&r->m, v->key, &fact->key);
        if (!code)
            code = v->kind == BX_JSON_STRING ? bx_member_copy(&r->m, v->text, &fact->value)
                                             : bx_member_wrong(&r->m, v, fact->key, "a text");
        if (code)
            return code;
    }
    return BX_OK;
}

static int elapsed(reader *r)
{
    bx_saved_value *to = add_elapsed(r, "", 0);
    if (!to)
        return bx_out_of_memory(r->m.e);
    int code = bx_member_size(&r->m, r->run, "seconds", &to->value);
    return code ? code : deviation_of(r, r->run, to);
}

/* How long threads waited for what others wrote: metrics of the whole run. */
static int order_waits(reader *r)
{
    static const struct {
        const char *key, *name, *unit;
    } members[] = {{"waits", "order_waits", "waits"},
                   {"mean-ns", "order_wait_mean", "ns"},
                   {"longest-ns", "order_wait_longest", "ns"},
                   {"percent", "order_wait_share", "%"}};
    const bx_json_value *waits = bx_json_member(r->run, "order-waits");
    int code = BX_OK;
    if (!waits)
        return BX_OK;
    if (waits->kind != BX_JSON_OBJECT)
        return bx_member_wrong(&r->m, waits, "order-waits", "an object");
    for (size_t i = 0; i < sizeof members / sizeof *members && !code; i++) {
        bx_saved_value *to = add_value(r);
        if (!to)
            return bx_out_of_memory(r->m.e);
        *to = (bx_saved_value){.name = members[i].name,
                               .unit = members[i].unit,
                               .place = "",
                               .region = "",
                               .metric = true};
        code = bx_member_size(&r->m, waits, members[i].key, &to->value);
    }
    return code;
}

static int interruption(const reader *r)
{
    const char *signal = NULL;
    const bx_json_value *v = bx_json_member(r->run, "interrupted");
    if (!v)
        return BX_OK;
    int code = bx_member_text(&r->m, r->run, "interrupted", &signal);
    if (code)
        return code;
    bx_fail(r->m.e, BX_BAD_INPUT, v->at, v->len,
            "%s: the run was interrupted by %s, and its counts are not whole", r->m.file, signal);
    bx_hint(r->m.e, "measure again, to the end");
    return BX_BAD_INPUT;
}

static int read_run(reader *r)
{
    uint64_t runs = 1, status = 0;
    int code = interruption(r);
    if (!code)
        code = bx_member_text(&r->m, r->run, "work", &r->to->work);
    if (!code)
        code = bx_member_whole(&r->m, r->run, "runs", 1, UINT32_MAX, &runs);
    if (!code)
        code = bx_member_whole(&r->m, r->run, "exit-status", 0, 255, &status);
    if (!code)
        code = environment(r, bx_json_member(r->run, "environment"));
    if (!code)
        code = unseen_of_run(r);
    if (!code)
        code = left_running(r);
    r->to->runs = (unsigned)runs;
    r->to->status = (int)status;
    if (!code)
        code = elapsed(r);
    return code ? code : order_waits(r);
}

static int check_whole(reader *r)
{
    if (!r->run)
        return bx_fail(r->m.e, BX_BAD_INPUT, 0, 0,
                       "%s: the line of the run is missing, so it is not complete", r->m.file);
    if (r->repeated && r->to->runs < 2)
        return bx_fail(r->m.e, BX_BAD_INPUT, r->run->at, r->run->len,
                       "%s: values have a standard deviation, and there was 1 run", r->m.file);
    return bx_saved_check(r->to, &r->m);
}

/* ---- files ---- */

static int line(reader *r, const bx_json_value *object)
{
    if (r->run)
        return bx_fail(r->m.e, BX_BAD_INPUT, object->at, object->len,
                       "%s: this follows the line of the run, which is the last", r->m.file);
    if (object->kind != BX_JSON_OBJECT)
        return bx_fail(r->m.e, BX_BAD_INPUT, object->at, object->len, "%s: this is no JSON object",
                       r->m.file);
    r->run = bx_json_member(object, "run");
    return r->run ? read_run(r) : read_count(r, object);
}

static int hinted(int code, bx_error *e)
{
    if (code == BX_BAD_INPUT && e && !*e->hint)
        bx_hint(e, "save runs with 'boxscore stat -j -o FILE'");
    return code;
}

int bx_saved_read(const char *name, bx_str text, bx_arena *a, bx_saved *to, bx_error *e)
{
    reader r = {.to = to, .m = {name, a, e}};
    *to = (bx_saved){.name = name};
    if (bx_member_copy(&r.m, bx_str_of(name), &to->name))
        return BX_NO_MEMORY;
    r.m.file = to->name;
    for (size_t at = 0;;) {
        while (at < text.n && bx_is_blank(text.p[at]))
            at++;
        if (at == text.n)
            break;
        const bx_json_value *object;
        bx_error own = {0};
        int code = bx_json_read(text, &at, a, &object, &own);
        if (code == BX_BAD_INPUT)
            bx_fail(e, code, own.at, own.len, "%s: %s", to->name, own.message);
        else if (code)
            bx_fail_as(e, &own);
        else
            code = line(&r, object);
        if (code)
            return hinted(code, e);
    }
    return hinted(check_whole(&r), e);
}
