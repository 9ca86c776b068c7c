#include "compare/recordings/recorded_run.h"

#include "base/error.h"
#include "base/printable.h"

#include <string.h>

enum { UNSEEN_MOST = 256 };

typedef struct conversion {
    const bx_profile_metrics *m;
    const bx_profile *p;
    bx_arena *arena;
    bx_saved *to;
    double seconds;
} conversion;

/* A copy that is safe to print; "": there is none. */
static const char *safe_copy(const conversion *c, bx_str text)
{
    char *copy = text.n ? bx_arena_copy(c->arena, text) : NULL;
    if (copy)
        bx_printable(copy, text.n);
    return copy ? copy : "";
}

static double number_fact(const bx_profile *p, const char *key)
{
    const bx_cell *cell = bx_profile_fact_of(p, key);
    return !cell                          ? 0
           : cell->kind == BX_CELL_REAL   ? cell->real
           : cell->kind == BX_CELL_NUMBER ? (double)cell->number
                                          : 0;
}

/* ---- what it did not see ---- */

static void add_unseen(const conversion *c, bx_str line)
{
    const bx_str left = BX_STR("still running at the end: ");
    bool is_left = bx_str_starts_fold(line, left);
    if (!line.n || c->to->unseen_n == UNSEEN_MOST)
        return;
    c->to->unseen[c->to->unseen_n++] = (bx_saved_unseen){
        .text = safe_copy(c, is_left ? bx_str_sub(line, left.n, line.n) : line), .left = is_left};
}

static int read_unseen(const conversion *c, bx_error *e)
{
    const char *missing = bx_profile_fact_text(c->p, "missing");
    bool any = false;
    c->to->unseen = bx_arena_get(c->arena, UNSEEN_MOST * sizeof *c->to->unseen);
    if (!c->to->unseen)
        return bx_out_of_memory(e);
    for (bx_str rest = bx_str_of(missing); rest.p;)
        add_unseen(c, bx_str_trim(bx_str_cut(&rest, '\n')));
    for (size_t i = 0; i < c->to->unseen_n; i++)
        any |= !c->to->unseen[i].left;
    if (bx_profile_is_complete(c->p) || any)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "%s: the recording was not ended, and its counts are not whole",
            c->to->name);
    bx_hint(e, "record again, to the end");
    return e->code;
}

/* ---- where it was made ---- */

static int read_circumstances(const conversion *c, bx_error *e)
{
    static const char prefix[] = "environment:";
    const bx_str before = BX_STR("environment:");
    const char *machine = bx_profile_fact_text(c->p, "machine");
    bx_saved_fact *fact = bx_arena_get(c->arena, (c->p->run_n + 1) * sizeof *fact);
    if (!fact)
        return bx_out_of_memory(e);
    c->to->environment = fact;
    bool has_machine = false;
    for (uint32_t i = 0; i < c->p->run_n; i++) {
        const bx_profile_fact *run = &c->p->run[i];
        if (strncmp(run->key, prefix, before.n) != 0 || run->value.kind != BX_CELL_TEXT)
            continue;
        const char *key = safe_copy(c, bx_str_of(run->key + before.n));
        has_machine |= strcmp(key, "machine") == 0;
        fact[c->to->environment_n++] =
            (bx_saved_fact){key, safe_copy(c, bx_str_of(run->value.text))};
    }
    if (!has_machine && machine)
        fact[c->to->environment_n++] = (bx_saved_fact){"machine", safe_copy(c, bx_str_of(machine))};
    return BX_OK;
}

/* ---- values ---- */

static bx_saved_value *add_value(const conversion *c, const char *name, const char *unit)
{
    bx_saved_value *v = &c->to->values[c->to->n++];
    *v = (bx_saved_value){.name = name, .unit = unit, .place = "", .region = ""};
    return v;
}

static void add_event(const conversion *c, const bx_profile_event *event)
{
    bx_saved_value *v =
        add_value(c, safe_copy(c, bx_str_of(event->name)), safe_copy(c, bx_str_of(event->unit)));
    if (!event->has_total) {
        v->missing = "no value";
        return;
    }
    v->value = (double)event->total;
    v->count = (uint64_t)event->total;
    v->whole = c->p->tells_who && event->total >= 0; /* a host's may be scaled */
}

static void add_metric(const conversion *c, uint16_t metric, const int64_t *total)
{
    bx_profile_metric found;
    double value;
    if (!bx_profile_metric_find(c->m, metric, &found) ||
        !bx_profile_metric_value(c->m, &found, total, c->seconds, &value))
        return;
    bx_saved_value *v = add_value(c, bx_cat_z(c->m->catalog, found.of->name),
                                  bx_cat_z(c->m->catalog, found.of->unit));
    v->metric = true;
    v->value = value;
}

static int collect_values(const conversion *c, bx_error *e)
{
    bx_span metrics = {0};
    if (c->m->cpu >= 0)
        metrics = bx_cat_cpus(c->m->catalog)[c->m->cpu].metrics;
    c->to->values =
        bx_arena_get(c->arena, (c->p->events + metrics.n + (size_t)1) * sizeof *c->to->values);
    int64_t *total = bx_arena_get(c->arena, (c->p->events + 1) * sizeof *total);
    if (!c->to->values || !total)
        return bx_out_of_memory(e);
    for (uint32_t i = 0; i < c->p->events; i++) {
        total[i] = c->p->event[i].total;
        add_event(c, &c->p->event[i]);
    }
    for (unsigned i = 0; i < metrics.n; i++)
        add_metric(c, (uint16_t)(metrics.first + i), total);
    if (c->seconds > 0) {
        bx_saved_value *v = add_value(c, "time_elapsed", "seconds");
        v->metric = true;
        v->value = c->seconds;
    }
    return BX_OK;
}

int bx_recorded_run(const bx_profile_metrics *m, const char *name, bx_saved *to, bx_error *e)
{
    const bx_profile *p = m->of;
    const conversion c = {
        .m = m, .p = p, .arena = p->arena, .to = to, .seconds = number_fact(p, "seconds")};
    const char *work = bx_profile_fact_text(p, "work");
    *to = (bx_saved){.runs = 1, .status = (int)number_fact(p, "exit-status")};
    to->name = safe_copy(&c, bx_str_of(name));
    to->work = safe_copy(&c, bx_str_of(work ? work : "(unknown)"));
    int code = read_unseen(&c, e);
    if (!code)
        code = read_circumstances(&c, e);
    if (!code)
        code = collect_values(&c, e);
    return !code && p->arena->failed ? bx_out_of_memory(e) : code;
}
