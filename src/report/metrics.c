/* The catalogue has the operands of each formula. Which events of the report they are is found
 * once; evaluating a formula again only walks that list. */
#include "report/metrics.h"

#include "event/event.h"
#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

typedef struct bx_formula {
    bx_figure blank;         /* without a value */
    const char *mixed_label; /* shown if its parts were counted at different times */
    bx_str text;
    uint16_t *operands; /* of each: an event's index in the report, or BX_OPERAND_… */
    size_t beside;      /* index of the event, or BX_NONE: a line of its own, figures[line] */
    size_t line;
    uint16_t first; /* index of the event of which UNITS and PEAK are */
} formula;

/* ---- finding events ---- */

/* The first event of the report that is the operand, or BX_NONE; what is no event is itself. */
static uint16_t find_event(const bx_report *r, uint16_t operand)
{
    const bx_cat_operand *o = &bx_cat_operands(r->of->catalog)[operand];
    if (o->event != BX_NONE && o->event >= BX_OPERAND_EVENTS)
        return o->event;
    for (size_t i = 0; i < r->of->events_n; i++)
        if (bx_event_is_operand(r->of->catalog, &r->of->events[i], o))
            return (uint16_t)i;
    return BX_NONE;
}

/* Whether the report has all events of the metric. If so, its operands are set. */
static bool find_operands(bx_report *r, const bx_cat_metric *metric, formula *to)
{
    to->operands = bx_arena_get(&r->arena, (metric->operands.n + 1u) * sizeof *to->operands);
    for (uint16_t i = 0; to->operands && i < metric->operands.n; i++)
        if ((to->operands[i] = find_event(r, (uint16_t)(metric->operands.first + i))) == BX_NONE)
            return false;
    return to->operands;
}

static bool is_taken(const bx_report *r, size_t event)
{
    for (size_t i = 0; i < r->formulas_n; i++)
        if (r->formulas[i].beside == event)
            return true;
    return false;
}

static uint16_t first_event(const formula *f, const bx_cat_metric *metric)
{
    for (size_t i = 0; i < metric->operands.n; i++)
        if (f->operands[i] < BX_OPERAND_EVENTS)
            return f->operands[i];
    return 0;
}

/* Puts the metric beside its event, or on a line of its own: a further record without an event. */
static void set_line(bx_report *r, const bx_cat_metric *metric, formula *to)
{
    uint16_t event = metric->beside == BX_NONE ? BX_NONE : find_event(r, metric->beside);
    to->beside = event == BX_NONE || is_taken(r, event) ? BX_NONE : event;
    if (to->beside == BX_NONE) {
        to->line = r->figures_n++;
        /* Of a metric on a line of its own: the catalogue's, else the first in the formula. */
        r->figures[to->line].index = event == BX_NONE ? to->first : event;
    }
}

static char *label_of(bx_report *r, const char *unit, const char *name, const char *remark)
{
    size_t room = strlen(unit) + 1 + strlen(name) + strlen(remark) + 1;
    char *label = bx_arena_get(&r->arena, room);
    if (label)
        snprintf(label, room, "%s%s%s%s", unit, *unit ? " " : "", name, remark);
    return label;
}

static void set_labels(bx_report *r, const bx_cat_metric *metric, formula *to)
{
    const char *name = bx_cat_z(r->of->catalog, metric->name);
    const char *unit = bx_cat_z(r->of->catalog, metric->unit);
    to->blank = (bx_figure){.name = name, .unit = unit, .label = label_of(r, unit, name, "")};
    to->mixed_label = label_of(r, unit, name, " (of different times)");
}

static void add_metric(bx_report *r, const bx_cat_metric *metric)
{
    formula *to = &r->formulas[r->formulas_n];
    *to = (formula){.text = bx_cat_str(r->of->catalog, metric->formula)};
    if (!find_operands(r, metric, to))
        return;
    to->first = first_event(to, metric);
    set_line(r, metric, to);
    set_labels(r, metric, to);
    r->formulas_n++;
}

void bx_figures_open(bx_report *r)
{
    if (r->of->cpu < 0)
        return;
    bx_span metrics = bx_cat_cpus(r->of->catalog)[r->of->cpu].metrics;
    r->formulas = bx_arena_get(&r->arena, (metrics.n + 1u) * sizeof *r->formulas);
    r->figures = bx_arena_get(&r->arena, (metrics.n + 1u) * sizeof *r->figures);
    for (unsigned i = 0; !r->arena.failed && i < metrics.n; i++)
        add_metric(r, &bx_cat_metrics(r->of->catalog)[metrics.first + i]);
}

/* ---- values ---- */

typedef struct walk {
    const bx_report *report;
    const formula *formula;
    size_t next;            /* operand to be asked for */
    const bx_record *about; /* a unit's record: take values of that unit; NULL: sums */
    const bx_record *part;  /* the last event taken */
    bool mixed;             /* two of them were counted at different times */
} walk;

/* The record of an event that belongs to the unit that `about` is of: of the same unit if it is of
 * the same PMU, else of the only unit in that package. NULL if there is none. */
static const bx_record *of_unit(const walk *w, uint16_t event)
{
    const bx_report *r = w->report;
    const bx_record *about = w->about;
    bool same_pmu = r->of->events[event].pmu == r->of->events[about->index].pmu;
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

/* The largest value that one unit has of the formula's first event. */
static double peak_of(const walk *w)
{
    const bx_report *r = w->report;
    double peak = 0;
    for (size_t i = r->sum_of[w->formula->first] + 1;
         i < r->n && r->records[i].index == w->formula->first; i++) {
        const bx_record *record = &r->records[i];
        if (bx_record_has_value(record) && bx_record_value(record) > peak)
            peak = bx_record_value(record);
    }
    return peak;
}

/* An operand that is no event. */
static double number_of(const walk *w, uint16_t operand)
{
    const bx_report *r = w->report;
    const bx_record *sum = &r->records[r->sum_of[w->formula->first]];
    return operand == BX_OPERAND_SECONDS  ? r->elapsed.mean / r->of->hz
           : operand == BX_OPERAND_CYCLES ? r->elapsed.mean
           : operand == BX_OPERAND_UNITS  ? sum->units - sum->without
                                          : peak_of(w);
}

/* The kernel's events have the same running time if they have been counted at the same times. */
static bool differ_in_times(const bx_record *a, const bx_record *b)
{
    if (a->state != BX_SCALED && b->state != BX_SCALED)
        return false;
    return a->times != b->times ||
           (a->times == BX_TIMES_UNKNOWN && bx_record_share(a) != bx_record_share(b));
}

/* A bx_metric_lookup that returns the operands' values. */
static bool operand_value(void *context, bx_str name, double *value)
{
    walk *w = context;
    const bx_report *r = w->report;
    uint16_t operand = w->formula->operands[w->next++];
    (void)name;
    if (operand >= BX_OPERAND_EVENTS) {
        *value = number_of(w, operand);
        bool counts_cycles = r->of->clock; /* a real machine's time is in ns */
        return r->elapsed.n > 0 && (counts_cycles || operand != BX_OPERAND_CYCLES);
    }
    const bx_record *record = w->about ? of_unit(w, operand) : &r->records[r->sum_of[operand]];
    if (!record || !bx_record_has_value(record))
        return false;
    w->mixed |= w->part && differ_in_times(w->part, record);
    w->part = record;
    *value = bx_record_value(record);
    return true;
}

static bx_figure figure_of(const bx_report *r, const formula *f, const bx_record *about)
{
    walk w = {.report = r, .formula = f, .about = about};
    double value;
    enum bx_metric_state state;
    if (bx_metric_eval(f->text, operand_value, &w, &value, &state, NULL) != BX_OK ||
        state == BX_METRIC_NOT_MEASURED)
        return (bx_figure){0};
    bx_figure figure = f->blank;
    figure.value = value;
    figure.defined = state == BX_METRIC_OK;
    figure.mixed = w.mixed;
    figure.shown = w.mixed ? f->mixed_label : figure.label;
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
