/* The catalogue has the operands of each formula. The events of the report for these operands are
 * looked up once. To evaluate a formula again, only this list is needed. */
#include "report/metrics.h"

#include "event/event.h"
#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

typedef struct bx_formula {
    bx_figure blank;         /* without a value */
    const char *mixed_label; /* the label to show if its parts were counted at different times */
    bx_str text;
    size_t operands_n;
    uint16_t first_operand; /* catalogue index */
    uint16_t *operands;     /* of each: an event's index in the report, or BX_OPERAND_… */
    /* index of the event that it is beside; BX_NONE: it is on figures[line] and, if each cgroup has
     * a line, on those that follow */
    size_t beside;
    size_t line;
    uint16_t first; /* index of the event for UNITS and PEAK */
    uint16_t group; /* the event group that its events are taken from; 0: none */
    bool asked;     /* it is shown even without a value */
    bool share;     /* it is a part of a whole, in % */
} formula;

/* A division by 0 has no value. */
#define UNDEFINED "–"

/* ---- finding events ---- */

/* The first event of the report that is the operand; BX_NONE: there is none. An operand that is no
 * event is returned as it is. */
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

/* The first event of the group that is the operand. If the group has none, the first of the whole
 * report; BX_NONE: there is none. */
static uint16_t find_in_group(const bx_report *r, uint16_t operand, uint16_t group)
{
    const bx_cat_operand *o = &bx_cat_operands(r->of->catalog)[operand];
    for (size_t i = 0; group && i < r->of->events_n; i++)
        if (r->of->events[i].group == group &&
            bx_event_is_operand(r->of->catalog, &r->of->events[i], o))
            return (uint16_t)i;
    return find_event(r, operand);
}

/* An event may be in several groups, and so be measured several times. Finds the group with most of
 * the metric's events, because these were counted at the same time. 0: no group has one. */
static uint16_t find_group(const bx_report *r, const bx_cat_metric *metric)
{
    uint16_t best = 0;
    unsigned most = 0;
    for (size_t i = 0; i < r->of->events_n; i++) {
        uint16_t group = r->of->events[i].group;
        unsigned n = 0;
        for (uint16_t k = 0; group && k < metric->operands.n; k++) {
            uint16_t event = find_in_group(r, (uint16_t)(metric->operands.first + k), group);
            n += event < r->of->events_n && r->of->events[event].group == group;
        }
        best = n > most ? group : best;
        most = n > most ? n : most;
    }
    return best;
}

/* Sets the operands. Returns whether the report has all events of the metric. For a metric that was
 * asked for it returns true in any case, and an operand may be BX_NONE. */
static bool find_operands(bx_report *r, const bx_cat_metric *metric, formula *to)
{
    to->group = find_group(r, metric);
    to->operands_n = metric->operands.n;
    to->first_operand = metric->operands.first;
    to->operands = bx_arena_get(&r->arena, (metric->operands.n + 1u) * sizeof *to->operands);
    for (uint16_t i = 0; to->operands && i < metric->operands.n; i++) {
        to->operands[i] = find_in_group(r, (uint16_t)(metric->operands.first + i), to->group);
        if (to->operands[i] == BX_NONE && !to->asked)
            return false;
    }
    return to->operands;
}

static bool is_taken(const bx_report *r, size_t event)
{
    for (size_t i = 0; i < r->formulas_n; i++)
        if (r->formulas[i].beside == event)
            return true;
    return false;
}

/* Whether a metric is shown that nobody asked for: it has an event, and is not the second form of
 * an imported metric, "perf:cpi". */
static bool is_offered(const bx_report *r, const formula *f, const bx_cat_metric *metric)
{
    bool any = metric->beside != BX_NONE;
    for (size_t i = 0; i < metric->operands.n; i++)
        any |= f->operands[i] < BX_OPERAND_EVENTS;
    return any && bx_str_find(bx_cat_str(r->of->catalog, metric->name), ':', 0) < 0;
}

static uint16_t first_event(const formula *f, const bx_cat_metric *metric)
{
    for (size_t i = 0; i < metric->operands.n; i++)
        if (f->operands[i] < BX_OPERAND_EVENTS)
            return f->operands[i];
    return 0;
}

/* Lines of a metric that has lines of its own. */
static size_t lines_of(const bx_report *r)
{
    return r->of->per == BX_PER_CGROUP ? r->of->cgroups_n : 1;
}

/* Puts the metric beside its event, or on a line of its own: a further record without an event. */
static void set_line(bx_report *r, const bx_cat_metric *metric, formula *to)
{
    uint16_t event =
        metric->beside == BX_NONE ? BX_NONE : find_in_group(r, metric->beside, to->group);
    to->beside = event == BX_NONE || is_taken(r, event) ? BX_NONE : event;
    if (to->beside == BX_NONE) {
        to->line = r->figures_n;
        r->figures_n += lines_of(r);
        /* The event of the line is the one that the catalogue names, else the first in the
         * formula. */
        for (size_t i = to->line; i < r->figures_n; i++)
            r->figures[i].index = event == BX_NONE ? to->first : event;
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
    *to = (formula){.text = bx_cat_str(r->of->catalog, metric->formula),
                    .asked = r->of->metrics,
                    .share = bx_str_eq(bx_cat_str(r->of->catalog, metric->unit), BX_STR("%"))};
    if (!find_operands(r, metric, to) || (!to->asked && !is_offered(r, to, metric)))
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
    r->figures = bx_arena_get(&r->arena, (metrics.n * lines_of(r) + 1) * sizeof *r->figures);
    for (unsigned i = 0; !r->arena.failed && i < metrics.n; i++)
        if (!r->of->metrics || r->of->metrics[i])
            add_metric(r, &bx_cat_metrics(r->of->catalog)[metrics.first + i]);
}

/* ---- values ---- */

typedef struct walk {
    const bx_report *report;
    const formula *formula;
    size_t next;            /* the operand that is evaluated next */
    const bx_record *about; /* a unit's record: take values of that unit; NULL: sums */
    bool latest;            /* take values of the latest run; false: means of all runs */
    const bx_record *part;  /* the last event taken */
    bool scaled;            /* one of them is */
    bool mixed;             /* two of them were counted at different times */
    const char *missing;    /* the state of an event that has no value */
    uint16_t moved;         /* an event whose value is increased, */
    double by;              /* by this amount; 0: none is */
} walk;

static double value_of(const walk *w, const bx_record *record)
{
    return w->latest ? (double)record->now : bx_record_value(record);
}

/* The record of an event for the unit of `about`. If the event is of the same PMU, that is the
 * record of the same unit; otherwise it is that of the only unit in the package. NULL: there is
 * none. */
static const bx_record *of_unit(const walk *w, uint16_t event)
{
    const bx_report *r = w->report;
    const bx_record *about = w->about;
    bool same_pmu = r->of->events[event].pmu == r->of->events[about->index].pmu;
    const bx_record *found = NULL;
    for (size_t i = r->sum_of[event] + 1; i < r->n && r->records[i].index == event; i++) {
        const bx_record *record = &r->records[i];
        if (record->level != about->level || record->package != about->package ||
            record->thread != about->thread || record->cgroup != about->cgroup ||
            record->cpu != about->cpu ||
            (same_pmu &&
             (record->unit_number != about->unit_number || record->port != about->port)))
            continue;
        if (found)
            return NULL;
        found = record;
    }
    return found;
}

/* Whether the metric is computed from this unit's record, too. */
static bool is_part_of(const walk *w, const bx_record *unit)
{
    return !w->about || w->about->level != BX_RECORD_PART ||
           (unit->part && &w->report->records[unit->part] == w->about);
}

/* The largest value of the formula's first event on one unit. */
static double peak_of(const walk *w)
{
    const bx_report *r = w->report;
    double peak = 0;
    for (size_t i = r->sum_of[w->formula->first] + 1;
         i < r->n && r->records[i].index == w->formula->first; i++) {
        const bx_record *record = &r->records[i];
        if (record->level == BX_RECORD_UNIT && is_part_of(w, record) &&
            bx_record_has_value(record) && value_of(w, record) > peak)
            peak = value_of(w, record);
    }
    return peak;
}

/* The value of an operand that is a number of the machine. false: it is unknown. */
static bool number_of_machine(const bx_machine_numbers *of, uint16_t operand, double *value)
{
    if (operand == BX_OPERAND_SMT || operand == BX_OPERAND_FALSE) {
        *value = operand == BX_OPERAND_SMT && of->threads > 1;
        return operand == BX_OPERAND_FALSE || of->threads;
    }
    *value = operand == BX_OPERAND_TSC        ? of->tsc
             : operand == BX_OPERAND_PACKAGES ? of->packages
             : operand == BX_OPERAND_CORES    ? of->cores
             : operand == BX_OPERAND_CPUS     ? of->cpus
             : operand == BX_OPERAND_THREADS  ? of->threads
             : operand == BX_OPERAND_SLICES   ? of->slices
                                              : 1; /* BX_OPERAND_TRUE */
    return *value > 0;
}

/* The value of an operand that is no event. false: it is unknown. */
static bool number_of_operand(const walk *w, uint16_t operand, double *value)
{
    const bx_report *r = w->report;
    if (operand < BX_OPERAND_MILLISECONDS)
        return number_of_machine(&r->of->numbers, operand, value);
    if (r->elapsed.n == 0 || (operand == BX_OPERAND_CYCLES && !r->of->clock))
        return false; /* a real machine's time is in ns */
    bool part = w->about && w->about->level == BX_RECORD_PART;
    const bx_record *sum = part ? w->about : &r->records[r->sum_of[w->formula->first]];
    double time = w->latest ? (double)r->latest : r->elapsed.mean;
    *value = operand == BX_OPERAND_SECONDS        ? time / r->of->hz
             : operand == BX_OPERAND_MILLISECONDS ? time / r->of->hz * 1000
             : operand == BX_OPERAND_CYCLES       ? time
             : operand == BX_OPERAND_UNITS        ? sum->units - sum->without
                                                  : peak_of(w);
    return true;
}

/* Whether two events were counted at different times. Events of the kernel that were counted at the
 * same times have the same running time. */
static bool differ_in_times(const bx_record *a, const bx_record *b)
{
    if (a->state != BX_SCALED && b->state != BX_SCALED)
        return false;
    return a->times != b->times ||
           (a->times == BX_TIMES_UNKNOWN && bx_record_share(a) != bx_record_share(b));
}

/* What the formula takes of an event on `units` units. */
static double taken_of(const walk *w, unsigned kind, double value, double units)
{
    unsigned packages = w->report->of->numbers.packages;
    return kind == BX_OPERAND_VALUE       ? value
           : kind == BX_OPERAND_ENERGY_14 ? value / (1 << 18)
           : kind == BX_OPERAND_ENERGY_16 ? value / (1 << 16)
           : kind == BX_OPERAND_ONE_UNIT  ? value / units
                                          : units / (packages ? packages : 1);
}

/* A bx_metric_lookup that returns the operands' values. */
static bool operand_value(void *context, bx_str name, double *value)
{
    walk *w = context;
    const bx_report *r = w->report;
    size_t index = w->next++;
    uint16_t operand = index < w->formula->operands_n ? w->formula->operands[index] : BX_NONE;
    (void)name;
    if (operand >= BX_OPERAND_EVENTS) {
        if (operand != BX_NONE && number_of_operand(w, operand, value))
            return true;
        w->missing = bx_state_text(BX_NOT_MEASURED);
        return false;
    }
    unsigned kind = bx_cat_operands(r->of->catalog)[w->formula->first_operand + index].kind;
    const bx_record *record = w->about ? of_unit(w, operand) : &r->records[r->sum_of[operand]];
    if (!record)
        return false;
    if (!bx_record_has_value(record)) {
        w->missing = w->missing ? w->missing : bx_record_state_text(record);
        return false;
    }
    w->mixed |= w->part && differ_in_times(w->part, record);
    w->scaled |= record->state == BX_SCALED;
    w->part = record;
    *value = taken_of(w, kind, value_of(w, record) + (operand == w->moved ? w->by : 0),
                      record->units ? record->units : 1);
    return true;
}

/* A part of a whole is between 0 and 100 %. Counts of different times can give a value outside, and
 * so can, by little, counts that change while they are read. Such a value becomes 0 or 100 %; any
 * other is implausible. */
static void bound(bx_figure *figure)
{
    enum { LITTLE = 1 /* % */ };
    double excess = figure->value > 100 ? figure->value - 100 : -figure->value;
    if (excess <= 0)
        return;
    figure->value = figure->value > 100 ? 100 : 0;
    if (figure->mixed || excess <= LITTLE)
        return;
    figure->defined = false;
    figure->instead = bx_state_text(BX_IMPLAUSIBLE);
}

static bx_figure figure_of(const bx_report *r, const formula *f, const bx_record *about,
                           bool latest)
{
    walk w = {.report = r, .formula = f, .about = about, .latest = latest};
    double value;
    enum bx_metric_state state;
    bx_figure figure = f->blank;
    if (bx_metric_eval(f->text, operand_value, &w, &value, &state, NULL) != BX_OK ||
        (state == BX_METRIC_NOT_MEASURED && (!f->asked || !w.missing)))
        return (bx_figure){0};
    figure.value = value;
    figure.defined = state == BX_METRIC_OK;
    figure.instead = state == BX_METRIC_NOT_MEASURED ? w.missing : UNDEFINED;
    figure.scaled = w.scaled;
    figure.mixed = w.mixed && figure.defined;
    if (figure.defined && f->share)
        bound(&figure);
    figure.shown = figure.mixed ? f->mixed_label : figure.label;
    return figure;
}

/* ---- parts of different times ---- */

/* Computes the metric, without bounds, as if an event's value were larger by this amount. false: it
 * has no value. */
static bool moved(const bx_report *r, const formula *f, const bx_record *about, uint16_t event,
                  double by, double *value)
{
    walk w = {.report = r, .formula = f, .about = about, .moved = event, .by = by};
    enum bx_metric_state state;
    return bx_metric_eval(f->text, operand_value, &w, value, &state, NULL) == BX_OK &&
           state == BX_METRIC_OK;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

/* Adds how far the metric moves if an event's value is wrong by its error, in either direction. */
static void add_error_of(const bx_report *r, const formula *f, const bx_record *about,
                         uint16_t event, bx_figure *to)
{
    walk w = {.report = r, .formula = f, .about = about};
    const bx_record *part = about ? of_unit(&w, event) : &r->records[r->sum_of[event]];
    double value, more, less;
    if (part->state != BX_SCALED)
        return;
    if (part->no_error)
        to->no_error = part->no_error;
    else if (!moved(r, f, about, event, 0, &value) ||
             !moved(r, f, about, event, part->error, &more) ||
             !moved(r, f, about, event, -part->error, &less) || part->error >= (double)part->now)
        to->no_error = "a part may be 0";
    else
        to->error += distance(value, more) > distance(value, less) ? distance(value, more)
                                                                   : distance(value, less);
}

/* Adds up the errors that each event causes. To first order, their sum is the largest error that
 * all of them can cause together. */
static void add_error(const bx_report *r, const formula *f, const bx_record *about, bx_figure *to)
{
    for (size_t i = 0; i < f->operands_n && !to->no_error; i++) {
        bool again = f->operands[i] >= BX_OPERAND_EVENTS;
        for (size_t k = 0; k < i; k++)
            again |= f->operands[k] == f->operands[i];
        if (!again)
            add_error_of(r, f, about, f->operands[i], to);
    }
}

/* "% name (of different times, +- 3.20)" */
static const char *remark(bx_report *r, bx_record *record)
{
    enum { ROOM = 96 };
    const bx_figure *figure = &record->figure;
    size_t n = strlen(figure->label);
    char number[BX_NUMBER];
    if (!record->remarked)
        record->remarked = bx_arena_get(&r->arena, n + ROOM);
    if (!record->remarked)
        return figure->shown;
    memcpy(record->remarked, figure->label, n);
    snprintf(record->remarked + n, ROOM, " (of different times, %s%s)",
             figure->no_error ? "no error: " : "+- ",
             figure->no_error ? figure->no_error : bx_number_figure(figure->error, number));
    return record->remarked;
}

/* Computes the metric from the means of all runs, and its deviation from its value in each run. */
static void update(bx_report *r, const formula *f, const bx_record *about, bx_record *record)
{
    record->figure = figure_of(r, f, about, false);
    if (record->figure.mixed && r->elapsed.n == 1) { /* several runs have their deviation */
        add_error(r, f, about, &record->figure);
        record->figure.shown = remark(r, record);
    }
    bx_figure run = r->elapsed.n > 1 ? figure_of(r, f, about, true) : record->figure;
    if (run.name && run.defined)
        bx_running_stats_add(&record->figure_stats, run.value);
}

/* The part of an event that one cgroup caused; NULL: there is none. */
static const bx_record *of_cgroup(const bx_report *r, size_t event, uint16_t cgroup)
{
    for (size_t i = r->sum_of[event] + 1; i < r->n && r->records[i].index == event; i++)
        if (r->records[i].level == BX_RECORD_PART && r->records[i].cgroup == cgroup)
            return &r->records[i];
    return NULL;
}

static void update_own_lines(bx_report *r, const formula *f)
{
    for (size_t i = 0; i < lines_of(r); i++) {
        bx_record *line = &r->figures[f->line + i];
        const bx_record *about = NULL;
        if (r->of->per == BX_PER_CGROUP) {
            line->cgroup = (uint16_t)(i + 1);
            line->label = r->of->cgroups[i];
            about = of_cgroup(r, f->first, line->cgroup);
            if (!about) { /* not counted for any of them */
                line->figure = (bx_figure){0};
                continue;
            }
        }
        update(r, f, about, line);
    }
}

void bx_figures_update(bx_report *r)
{
    for (size_t i = 0; i < r->formulas_n; i++) {
        const formula *f = &r->formulas[i];
        if (f->beside == BX_NONE) {
            update_own_lines(r, f);
            continue;
        }
        for (size_t at = r->sum_of[f->beside]; at < r->n && r->records[at].index == f->beside;
             at++) {
            bx_record *record = &r->records[at];
            update(r, f, record->label ? record : NULL, record);
        }
    }
}
