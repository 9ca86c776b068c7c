/* Names are looked up once. A formula's operands are stored as event numbers, in the order in which
 * the formula reads them. Evaluating it again only walks that list. */
#include "report/metrics.h"

#include "base/error.h"
#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

enum { OPERANDS = 32, SECONDS = 0xfffe, CYCLES = 0xfffd };

typedef struct bx_formula {
    bx_figure blank; /* without a value */
    bx_str text;
    uint16_t operands[OPERANDS]; /* an event's index, SECONDS or CYCLES */
    size_t operands_n;
    size_t beside; /* index of the event, or BX_NONE: a line of its own, figures[line] */
    size_t line;
} formula;

/* ---- finding names ---- */

typedef struct finder {
    const bx_report *report;
    int cpu;
    formula *to;
    bx_error *e;
    int code;
} finder;

/* The first event of the report with the same canonical string, or BX_NONE. */
static int find_event(finder *f, bx_str name, uint16_t *index)
{
    const bx_report *r = f->report;
    bx_evsel event;
    char text[256];
    int code = bx_event_parse(r->catalog, f->cpu, name.p, name.n, &event, f->e);
    if (code)
        return code;
    bx_event_format(r->catalog, &event, text, sizeof text);
    *index = BX_NONE;
    for (size_t i = 0; i < r->events_n && *index == BX_NONE; i++)
        if (!strcmp(text, r->records[r->sum_of[i]].event))
            *index = (uint16_t)i;
    return BX_OK;
}

static bool is_word(bx_str name, const char *word)
{
    return bx_str_eq(name, bx_str_of(word));
}

/* A bx_metric_lookup that records the operand which a name stands for. */
static bool find_operand(void *context, bx_str name, double *value)
{
    finder *f = context;
    uint16_t operand;
    *value = 1;
    if (f->code)
        return false;
    if (f->to->operands_n == OPERANDS) {
        f->code = bx_fail(f->e, BX_BAD_INPUT, 0, 0, "more than %d names in a formula", OPERANDS);
        return false;
    }
    if (is_word(name, "seconds") || is_word(name, "duration_time"))
        operand = SECONDS;
    else if (is_word(name, "cycles"))
        operand = CYCLES;
    else
        f->code = find_event(f, name, &operand);
    if (f->code || operand == BX_NONE)
        return false;
    f->to->operands[f->to->operands_n++] = operand;
    return true;
}

/* *complete: whether the report has all events of the metric. If so, its operands are set. */
static int find_operands(finder *f, bool *complete)
{
    double value;
    enum bx_metric_state state = BX_METRIC_NOT_MEASURED;
    int code = bx_metric_eval(f->to->text, find_operand, f, &value, &state, f->e);
    *complete = state != BX_METRIC_NOT_MEASURED;
    return f->code ? f->code : code;
}

static bool is_taken(const bx_report *r, size_t event)
{
    for (size_t i = 0; i < r->formulas_n; i++)
        if (r->formulas[i].beside == event)
            return true;
    return false;
}

/* The event of a metric on a line of its own: the catalogue's, else the first in the formula. */
static uint16_t subject_of(const formula *f, uint16_t beside)
{
    for (size_t i = 0; beside == BX_NONE && i < f->operands_n; i++)
        if (f->operands[i] < CYCLES)
            beside = f->operands[i];
    return beside == BX_NONE ? 0 : beside;
}

/* Puts the metric beside its event, or on a line of its own: a further record without an event. */
static int set_line(finder *f, bx_report *r, const bx_cat_metric *metric)
{
    bx_str beside = bx_cat_str(r->catalog, metric->beside);
    uint16_t event = BX_NONE;
    int code = beside.n ? find_event(f, beside, &event) : BX_OK;
    if (code)
        return code;
    f->to->beside = event == BX_NONE || is_taken(r, event) ? BX_NONE : event;
    if (f->to->beside == BX_NONE) {
        f->to->line = r->figures_n++;
        r->figures[f->to->line].index = subject_of(f->to, event);
    }
    return BX_OK;
}

static bx_figure blank_figure(bx_report *r, const bx_cat_metric *metric)
{
    const char *name = bx_cat_z(r->catalog, metric->name);
    const char *unit = bx_cat_z(r->catalog, metric->unit);
    size_t room = strlen(unit) + 1 + strlen(name) + 1;
    char *label = bx_arena_get(&r->arena, room);
    if (label)
        snprintf(label, room, "%s%s%s", unit, *unit ? " " : "", name);
    return (bx_figure){.name = name, .unit = unit, .label = label};
}

static int add_metric(bx_report *r, int cpu, const bx_cat_metric *metric, bx_error *e)
{
    formula *to = &r->formulas[r->formulas_n];
    finder f = {.report = r, .cpu = cpu, .to = to, .e = e};
    bool complete = false;
    *to = (formula){.text = bx_cat_str(r->catalog, metric->formula)};
    int code = find_operands(&f, &complete);
    if (code || !complete)
        return code;
    code = set_line(&f, r, metric);
    to->blank = blank_figure(r, metric);
    if (!code)
        r->formulas_n++;
    return code;
}

int bx_figures_open(bx_report *r, int cpu, bx_error *e)
{
    if (cpu < 0)
        return BX_OK;
    bx_span metrics = bx_cat_cpus(r->catalog)[cpu].metrics;
    r->formulas = bx_arena_get(&r->arena, (metrics.n + 1u) * sizeof *r->formulas);
    r->figures = bx_arena_get(&r->arena, (metrics.n + 1u) * sizeof *r->figures);
    if (r->arena.failed)
        return BX_OK;
    for (unsigned i = 0; i < metrics.n; i++) {
        const bx_cat_metric *metric = &bx_cat_metrics(r->catalog)[metrics.first + i];
        bx_error inner = {0};
        int code = add_metric(r, cpu, metric, &inner);
        if (code) {
            bx_fail(e, code, 0, 0, "metric '%s': %s", bx_cat_z(r->catalog, metric->name),
                    inner.message);
            return code;
        }
    }
    return BX_OK;
}

/* ---- values ---- */

typedef struct walk {
    const bx_report *report;
    const formula *formula;
    size_t next;            /* operand to be asked for */
    const bx_record *about; /* a unit's record: take values of that unit; NULL: sums */
} walk;

/* The record of an event that belongs to the unit that `about` is of: of the same unit if it is of
 * the same PMU, else of the only unit in that package. NULL if there is none. */
static const bx_record *of_unit(const walk *w, uint16_t event)
{
    const bx_report *r = w->report;
    const bx_record *about = w->about;
    bool same_pmu = r->events[event].pmu == r->events[about->index].pmu;
    const bx_record *found = NULL;
    for (size_t i = r->sum_of[event] + 1; i < r->n && r->records[i].index == event; i++) {
        const bx_record *record = &r->records[i];
        if (record->package != about->package ||
            (same_pmu &&
             (record->unit_number != about->unit_number || record->port != about->port)))
            continue;
        if (found)
            return NULL;
        found = record;
    }
    return found;
}

/* A bx_metric_lookup that returns the operands' values. */
static bool operand_value(void *context, bx_str name, double *value)
{
    walk *w = context;
    const bx_report *r = w->report;
    uint16_t operand = w->formula->operands[w->next++];
    (void)name;
    if (operand == SECONDS || operand == CYCLES) {
        *value = r->elapsed.mean / (operand == SECONDS ? r->hz : 1);
        return r->elapsed.n > 0;
    }
    const bx_record *record = w->about ? of_unit(w, operand) : &r->records[r->sum_of[operand]];
    if (!record || !bx_record_has_value(record))
        return false;
    *value = bx_record_value(record);
    return true;
}

static bx_figure figure_of(const bx_report *r, const formula *f, const bx_record *about)
{
    walk w = {.report = r, .formula = f, .about = about};
    double value;
    enum bx_metric_state state;
    int code = bx_metric_eval(f->text, operand_value, &w, &value, &state, NULL);
    if (code || state == BX_METRIC_NOT_MEASURED)
        return (bx_figure){0};
    bx_figure figure = f->blank;
    figure.value = value;
    figure.defined = state == BX_METRIC_OK;
    return figure;
}

void bx_figures_update(bx_report *r)
{
    for (size_t i = 0; i < r->formulas_n; i++) {
        const formula *f = &r->formulas[i];
        if (f->beside == BX_NONE) {
            r->figures[f->line].figure = figure_of(r, f, NULL);
            continue;
        }
        for (size_t at = r->sum_of[f->beside]; at < r->n && r->records[at].index == f->beside;
             at++) {
            bx_record *record = &r->records[at];
            record->figure = figure_of(r, f, record->label ? record : NULL);
        }
    }
}
