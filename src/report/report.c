/* Lays out the records of a report, adds the readings of runs to them, and orders them. */
#include "report/report.h"

#include "base/error.h"
#include "machine/program/process/attached.h"
#include "report/metrics.h"
#include "report/label.h"
#include "session/spread.h"

#include <stdio.h>

static void lay_out(bx_report *r, const bx_reading *readings);

static int no_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for the report");
}

int bx_report_open(bx_report *r, const bx_measured *of, const bx_reading *readings, size_t n,
                   bx_error *e)
{
    *r = (bx_report){.of = of, .n = of->events_n + 2 * n, .readings_n = n};
    r->records = bx_arena_get(&r->arena, (r->n + 1) * sizeof *r->records);
    r->sum_of = bx_arena_get(&r->arena, (of->events_n + 1) * sizeof *r->sum_of);
    r->record_of = bx_arena_get(&r->arena, (n + 1) * sizeof *r->record_of);
    r->order = bx_arena_get(&r->arena, (r->n + 1) * sizeof *r->order);
    if (r->arena.failed)
        return no_memory(e);
    lay_out(r, readings);
    for (size_t i = 0; i < n; i++)
        r->in_turns |= readings[i].in_turns;
    bx_figures_open(r);
    return r->arena.failed ? no_memory(e) : BX_OK;
}

void bx_report_close(bx_report *r)
{
    bx_arena_free(&r->arena);
    *r = (bx_report){0};
}

static uint32_t scale_of(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->pmu == BX_KERNEL || event->event == BX_NONE
               ? 1
               : bx_cat_events(c)[event->event].scale;
}

/* How to print an event that only the kernel has; NULL: the event is in the catalogue. */
static const bx_report_event *kernel_event(const bx_report *r, const bx_evsel *event)
{
    return event->pmu == BX_KERNEL ? &r->of->kernel[event->event] : NULL;
}

static const char *thread_label(bx_report *r, uint32_t thread)
{
    enum { ROOM = 40 };
    const char *name = "thread";
    for (size_t i = 0; i < r->of->threads_n; i++)
        if ((uint32_t)r->of->threads[i].id == thread)
            name = r->of->threads[i].name;
    char *text = bx_arena_get(&r->arena, ROOM);
    if (text)
        snprintf(text, ROOM, "%.24s-%u", name, thread);
    return text;
}

static const char *numbered(bx_report *r, const char *what, unsigned number)
{
    enum { ROOM = 24 };
    char *text = bx_arena_get(&r->arena, ROOM);
    if (text)
        snprintf(text, ROOM, "%s %u", what, number);
    return text;
}

static const char *label_of(bx_report *r, const bx_evsel *event, const bx_reading *reading,
                            bool port)
{
    const bx_report_event *kernel = kernel_event(r, event);
    if (reading->thread)
        return thread_label(r, reading->thread);
    if (reading->cgroup && r->of->per == BX_PER_CGROUP)
        return r->of->cgroups[reading->cgroup - 1];
    if (reading->on_cpu)
        return numbered(r, "CPU", reading->on_cpu - 1);
    if (reading->unit == BX_PROGRAM)
        return "program";
    if (kernel)
        return reading->unit < kernel->units_n ? kernel->units[reading->unit] : "";
    return port ? bx_label_port(r->of->catalog, event->pmu, reading->port, &r->arena)
                : bx_label_unit(r->of->catalog, event->pmu, reading->unit, &r->arena);
}

static bool is_of_core(const bx_report *r, const bx_evsel *event, const bx_reading *reading)
{
    if (reading->unit == BX_PROGRAM)
        return false;
    return reading->on_cpu || (event->pmu != BX_KERNEL &&
                               bx_cat_pmus(r->of->catalog)[event->pmu].scope != BX_SCOPE_PACKAGE);
}

static bool has_port(const bx_report *r, const bx_evsel *event, const bx_reading *reading)
{
    return event->pmu != BX_KERNEL && bx_cat_pmus(r->of->catalog)[event->pmu].ports &&
           reading->port != BX_ANY;
}

/* Whether the reading belongs to a part. If so, sets the part's package, core, port, thread or
 * cgroup. */
static bool part_of(const bx_report *r, const bx_evsel *event, const bx_reading *reading,
                    uint16_t place, bx_record *part)
{
    part->package = reading->package;
    switch (r->of->per) {
    case BX_PER_PACKAGE:
        return reading->unit != BX_PROGRAM;
    case BX_PER_CORE:
        part->unit_number = reading->unit;
        return is_of_core(r, event, reading);
    case BX_PER_NODE:
    case BX_PER_DIE:
        part->unit_number = place;
        return place != BX_NO_PLACE;
    case BX_PER_PORT:
        part->port = reading->port;
        return has_port(r, event, reading);
    case BX_PER_THREAD:
        part->package = 0;
        part->thread = reading->thread;
        return reading->thread;
    case BX_PER_CGROUP:
        part->package = 0;
        part->cgroup = reading->cgroup;
        return reading->cgroup;
    default:
        return false;
    }
}

static const char *part_label(bx_report *r, const bx_evsel *event, const bx_reading *reading,
                              uint16_t place)
{
    switch (r->of->per) {
    case BX_PER_PACKAGE:
        return "";
    case BX_PER_CORE:
        return numbered(r, "core", reading->unit);
    case BX_PER_DIE:
        return numbered(r, "die", place);
    case BX_PER_NODE:
        return numbered(r, "node", place);
    default:
        return label_of(r, event, reading, r->of->per == BX_PER_PORT);
    }
}

static bool is_same_part(const bx_record *a, const bx_record *b)
{
    return a->package == b->package && a->unit_number == b->unit_number && a->port == b->port &&
           a->thread == b->thread && a->cgroup == b->cgroup;
}

/* Adds the reading's part, from `first` on, unless it is there. Returns the new end. */
static size_t lay_out_part(bx_report *r, const bx_evsel *event, const bx_reading *reading,
                           uint16_t place, const bx_record *sum, size_t first, size_t end,
                           size_t unit)
{
    bx_record part = *sum;
    part.level = BX_RECORD_PART;
    part.units = 0;
    if (!part_of(r, event, reading, place, &part))
        return end;
    size_t at = first;
    while (at < end && !is_same_part(&r->records[at], &part))
        at++;
    if (at == end) {
        part.label = part_label(r, event, reading, place);
        r->records[end++] = part;
    }
    r->records[at].units++;
    r->records[at].driver = reading->driver;
    r->records[unit].part = at;
    return end;
}

static void lay_out_unit(bx_report *r, const bx_evsel *event, const bx_reading *reading,
                         bx_record *sum, bx_record *unit)
{
    bool port = has_port(r, event, reading);
    *unit = *sum;
    unit->level = BX_RECORD_UNIT;
    unit->units = 0;
    unit->label = label_of(r, event, reading, port);
    unit->driver = sum->driver = reading->driver;
    unit->package = reading->package;
    unit->unit_number = reading->unit;
    unit->port = port ? reading->port : BX_ANY;
    unit->thread = reading->thread;
    unit->cgroup = r->of->per == BX_PER_CGROUP ? reading->cgroup : 0;
    unit->cpu = (int32_t)reading->on_cpu - 1;
    unit->is_level = sum->is_level = reading->level;
    sum->units++;
}

/* Creates the records of one event: its sum, its units in the order of the readings, their parts. A
 * reading of an event that the machine lacks has no unit. */
static size_t lay_out_event(bx_report *r, const bx_reading *readings, size_t event, size_t at)
{
    const struct bx_catalog *c = r->of->catalog;
    const bx_evsel *selection = &r->of->events[event];
    const bx_report_event *kernel = kernel_event(r, selection);
    size_t first = at;
    const char *own = kernel ? kernel->name : bx_label_event(c, selection, &r->arena);
    const char *name = r->of->names ? r->of->names[event] : NULL;
    r->sum_of[event] = at++;
    r->records[first] = (bx_record){.event = name ? name : own,
                                    .selection = name && !kernel ? own : NULL,
                                    .unit = kernel ? kernel->count : bx_label_count(c, selection),
                                    .scale = scale_of(c, selection),
                                    .port = BX_ANY,
                                    .cpu = BX_ANY,
                                    .index = (uint16_t)event};
    for (size_t i = 0; i < r->readings_n; i++) {
        if (readings[i].event != event)
            continue;
        bool lacks = readings[i].state == BX_NOT_SUPPORTED && readings[i].unit == BX_PROGRAM;
        r->record_of[i] = lacks ? first : at;
        if (!lacks)
            lay_out_unit(r, selection, &readings[i], &r->records[first], &r->records[at++]);
    }
    size_t parts = at;
    for (size_t i = 0; i < r->readings_n; i++)
        if (readings[i].event == event && r->record_of[i] != first)
            at = lay_out_part(r, selection, &readings[i],
                              r->of->places ? r->of->places[i] : BX_NO_PLACE, &r->records[first],
                              parts, at, r->record_of[i]);
    return at;
}

static void lay_out(bx_report *r, const bx_reading *readings)
{
    size_t at = 0;
    for (size_t event = 0; event < r->of->events_n; event++)
        at = lay_out_event(r, readings, event, at);
    r->n = at;
    for (size_t i = 0; i < r->n; i++)
        r->order[i] = i;
}

/* ---- values ---- */

static uint64_t rounded(double value)
{
    if (value >= 0x1p64)
        return UINT64_MAX;
    return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* The state of a reading. A reading whose counter never ran has no value, even if it has a count.
 */
static unsigned state_of(const bx_reading *reading)
{
    if (reading->state == BX_SCALED && reading->running == 0)
        return BX_NOT_COUNTED;
    return reading->state;
}

static uint16_t times_of(const bx_reading *reading, unsigned state)
{
    return state == BX_COUNTED ? BX_TIMES_ALL : reading->times ? reading->times : BX_TIMES_UNKNOWN;
}

/* ---- errors ---- */

static const char *why_no_error(const bx_reading *reading)
{
    const bx_spread *turns = &reading->spread;
    return reading->driver == BX_DRIVER_PERF ? "multiplexed by the kernel"
           : !turns->turns                   ? "no whole turn"
           : turns->turns < BX_FEWEST_TURNS  ? "fewer than 5 turns"
                                             : "counted in fewer than 5 turns";
}

static void add_error(bx_record *to, const bx_reading *reading, double error)
{
    if (error < 0)
        to->no_error = why_no_error(reading);
    else
        to->error += error;
}

/* Units that are counted at the same times may be wrong in the same direction. So the error of
 * their sum comes from the sums of their turns, not from the units' errors. For a part, such sums
 * are not known: the units' errors are added up, as if all were wrong in one direction. */
static void take_error(bx_record *unit, bx_record *part, bx_record *sum, const bx_reading *reading)
{
    add_error(unit, reading, bx_reading_error(reading));
    if (part)
        add_error(part, reading, bx_reading_error(reading));
    if (reading->spread.turns < BX_FEWEST_TURNS)
        add_error(sum, reading, -1);
    else if (reading->together.turns)
        add_error(sum, reading, bx_reading_error_together(reading));
}

double bx_record_error_percent(const bx_record *record)
{
    return record->now ? 100 * record->error / (double)record->now : 0;
}

/* ---- runs ---- */

static void take_reading(bx_report *r, size_t unit, const bx_reading *reading)
{
    size_t sum = r->sum_of[reading->event], part = r->records[unit].part;
    bx_record *all[] = {&r->records[sum], unit != sum ? &r->records[unit] : NULL,
                        unit != sum && part ? &r->records[part] : NULL};
    unsigned state = state_of(reading);
    uint64_t value = 0;
    if (state == BX_COUNTED)
        value = reading->count * (reading->scale ? reading->scale : 1);
    else if (state == BX_SCALED)
        value = rounded(bx_reading_value(reading));
    uint16_t times = times_of(reading, state);
    for (size_t i = 0; i < sizeof all / sizeof *all && all[i]; i++) {
        bx_record *record = all[i];
        if (state > record->state)
            record->state = (uint8_t)state;
        record->times =
            record->times && record->times != times ? (uint16_t)BX_TIMES_UNKNOWN : times;
        record->now += value;
        record->enabled += reading->enabled;
        record->running += reading->running;
        if (state > BX_SCALED && record->level != BX_RECORD_UNIT)
            record->without++;
    }
    if (state == BX_SCALED)
        take_error(all[1], all[2], all[0], reading);
}

/* Converts a count to the kernel's own unit for it. */
static void convert(const bx_report *r, bx_record *record)
{
    const bx_report_event *kernel = kernel_event(r, &r->of->events[record->index]);
    if (!kernel || (!*kernel->unit && kernel->scale == 1))
        return;
    record->figure = (bx_figure){0};
    if (bx_record_has_value(record))
        record->figure = (bx_figure){.name = "",
                                     .unit = kernel->unit,
                                     .label = kernel->unit,
                                     .shown = kernel->unit,
                                     .value = bx_record_value(record) * kernel->scale,
                                     .defined = true};
}

static double shown_value(const bx_report *r, size_t i)
{
    const bx_record *record = &r->records[i];
    return bx_record_has_value(record) ? bx_record_value(record) : -1;
}

/* Sorts the units and parts of each event by value, the largest first. It is an insertion sort:
 * equal values keep their order. */
static void put_in_order(bx_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        size_t at = i;
        const bx_record *record = &r->records[i];
        double value = shown_value(r, i);
        for (; at > 0; at--) {
            const bx_record *before = &r->records[r->order[at - 1]];
            if (before->index != record->index || before->level != record->level ||
                shown_value(r, r->order[at - 1]) >= value)
                break;
            r->order[at] = r->order[at - 1];
        }
        r->order[at] = i;
    }
}

void bx_report_add(bx_report *r, const bx_reading *readings, uint64_t time)
{
    for (size_t i = 0; i < r->n; i++) {
        bx_record *record = &r->records[i];
        record->now = 0;
        record->without = 0;
        record->error = 0;
        record->no_error = NULL;
        if (record->level == BX_RECORD_SUM && !record->units)
            record->state = BX_NOT_MEASURED;
    }
    for (size_t i = 0; i < r->readings_n; i++)
        take_reading(r, r->record_of[i], &readings[i]);
    for (size_t i = 0; i < r->n; i++) {
        bx_record *record = &r->records[i];
        record->total += record->now;
        bx_running_stats_add(&record->stats, (double)record->now);
    }
    bx_running_stats_add(&r->elapsed, (double)time);
    r->latest = time;
    bx_figures_update(r);
    for (size_t i = 0; i < r->n; i++)
        convert(r, &r->records[i]);
    if (r->of->top)
        put_in_order(r);
}

void bx_report_clear(bx_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        bx_record *record = &r->records[i];
        record->state = BX_COUNTED;
        record->times = BX_TIMES_NONE;
        record->total = record->enabled = record->running = 0;
        record->stats = record->figure_stats = (bx_running_stats){0};
    }
    for (size_t i = 0; i < r->figures_n; i++)
        r->figures[i].figure_stats = (bx_running_stats){0};
    r->elapsed = (bx_running_stats){0};
}

static bx_spread spread_since(const bx_spread *now, const bx_spread *before)
{
    return (bx_spread){now->turns - before->turns,
                       now->counted - before->counted,
                       now->near_squares - before->near_squares,
                       now->near_lengths - before->near_lengths,
                       now->far_squares - before->far_squares,
                       now->far_lengths - before->far_lengths};
}

bx_reading bx_reading_since(const bx_reading *now, const bx_reading *before)
{
    bx_reading grown = *now;
    if (!now->level)
        grown.count -= before->count;
    grown.enabled -= before->enabled;
    grown.running -= before->running;
    grown.spread = spread_since(&now->spread, &before->spread);
    grown.together = spread_since(&now->together, &before->together);
    if (now->state > BX_SCALED && now->state != BX_NOT_MEASURED)
        return grown;
    if (grown.running == grown.enabled && now->state != BX_NOT_MEASURED)
        grown.state = BX_COUNTED;
    else
        grown.state = grown.running ? BX_SCALED : BX_NOT_COUNTED;
    return grown;
}

/* Whether the event of a sum also has lines of units, or of parts. */
static bool has_lines(const bx_report *r, size_t sum, unsigned level)
{
    for (size_t i = sum + 1; i < r->n && r->records[i].index == r->records[sum].index; i++)
        if (r->records[i].level == level)
            return true;
    return false;
}

/* Whether the record at index `at` of r->order is shown. An event that the machine lacks has no
 * units, and an event may have no parts of the kind: then its sum is shown, even with one line per
 * unit. */
static bool is_shown(const bx_report *r, size_t at, const bx_view *v)
{
    size_t i = r->order[at];
    const bx_record *record = &r->records[i];
    unsigned level = r->of->per == BX_PER_UNIT ? BX_RECORD_UNIT : BX_RECORD_PART;
    if (!v->per_unit)
        return record->level == BX_RECORD_SUM;
    if (record->level == BX_RECORD_SUM)
        return !has_lines(r, i, level);
    bool behind_top = r->of->top && at >= r->of->top &&
                      r->records[r->order[at - r->of->top]].level == level &&
                      r->records[r->order[at - r->of->top]].index == record->index;
    return record->level == level && !behind_top;
}

/* Whether the record has a metric, and not only its count in the kernel's own unit. */
static bool has_metric(const bx_record *record)
{
    return record->figure.name && *record->figure.name;
}

const bx_record *bx_report_next(const bx_report *r, const bx_view *v, size_t *at)
{
    while (*at < r->n) {
        size_t place = (*at)++;
        const bx_record *record = &r->records[r->order[place]];
        if (is_shown(r, place, v) && (!v->metric_only || has_metric(record)))
            return record;
    }
    while (*at < r->n + r->figures_n) {
        const bx_record *record = &r->figures[(*at)++ - r->n];
        if (record->figure.name)
            return record;
    }
    return NULL;
}
