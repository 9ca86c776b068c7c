#include "report/report.h"

#include "base/error.h"
#include "report/metrics.h"
#include "report/label.h"

#include <stdio.h>

static void lay_out(bx_report *r, const bx_reading *readings);

static int no_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for the report");
}

int bx_report_open(bx_report *r, const bx_measured *of, const bx_reading *readings, size_t n,
                   bx_error *e)
{
    *r = (bx_report){.of = of, .n = of->events_n + n, .readings_n = n};
    r->records = bx_arena_get(&r->arena, (r->n + 1) * sizeof *r->records);
    r->sum_of = bx_arena_get(&r->arena, (of->events_n + 1) * sizeof *r->sum_of);
    r->record_of = bx_arena_get(&r->arena, (n + 1) * sizeof *r->record_of);
    if (r->arena.failed)
        return no_memory(e);
    lay_out(r, readings);
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

/* The kernel's event; NULL: it is one of the catalogue. */
static const bx_report_event *kernel_event(const bx_report *r, const bx_evsel *event)
{
    return event->pmu == BX_KERNEL ? &r->of->kernel[event->event] : NULL;
}

static const char *label_of(bx_report *r, const bx_evsel *event, const bx_reading *reading,
                            bool port)
{
    const bx_report_event *kernel = kernel_event(r, event);
    if (reading->unit == BX_PROGRAM)
        return "program";
    if (kernel)
        return reading->unit < kernel->units_n ? kernel->units[reading->unit] : "";
    return port ? bx_label_port(r->of->catalog, event->pmu, reading->port, &r->arena)
                : bx_label_unit(r->of->catalog, event->pmu, reading->unit, &r->arena);
}

/* Creates the records of one event: its sum, then its units in the order of the readings. */
static size_t lay_out_event(bx_report *r, const bx_reading *readings, size_t event, size_t at)
{
    const struct bx_catalog *c = r->of->catalog;
    const bx_evsel *selection = &r->of->events[event];
    const bx_report_event *kernel = kernel_event(r, selection);
    bx_record *sum = &r->records[at];
    r->sum_of[event] = at++;
    *sum = (bx_record){.event = kernel ? kernel->name : bx_label_event(c, selection, &r->arena),
                       .unit = kernel ? kernel->count : bx_label_count(c, selection),
                       .scale = scale_of(c, selection),
                       .index = (uint16_t)event};
    for (size_t i = 0; i < r->readings_n; i++) {
        const bx_reading *reading = &readings[i];
        if (reading->event != event)
            continue;
        r->records[at] = *sum;
        r->records[at].units = 0;
        bool port = !kernel && bx_cat_pmus(c)[selection->pmu].ports && reading->port != BX_ANY;
        r->records[at].label = label_of(r, selection, reading, port);
        r->records[at].driver = sum->driver = reading->driver;
        r->records[at].package = reading->package;
        r->records[at].unit_number = reading->unit;
        r->records[at].port = port ? reading->port : BX_ANY;
        r->record_of[i] = at++;
        sum->units++;
    }
    return at;
}

static void lay_out(bx_report *r, const bx_reading *readings)
{
    size_t at = 0;
    for (size_t event = 0; event < r->of->events_n; event++)
        at = lay_out_event(r, readings, event, at);
    r->n = at;
}

/* ---- values ---- */

static uint64_t rounded(double value)
{
    if (value >= 0x1p64)
        return UINT64_MAX;
    return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* The state of a reading. A reading that never ran has no value, whatever its count. */
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

static void take(bx_record *unit, bx_record *sum, const bx_reading *reading)
{
    unsigned state = state_of(reading);
    uint64_t value = 0;
    if (state == BX_COUNTED)
        value = reading->count * (reading->scale ? reading->scale : 1);
    else if (state == BX_SCALED)
        value = rounded(bx_reading_value(reading));
    uint16_t times = times_of(reading, state);
    bx_record *both[] = {unit, sum};
    for (size_t i = 0; i < 2; i++) {
        if (state > both[i]->state)
            both[i]->state = (uint8_t)state;
        if (both[i]->times && both[i]->times != times)
            both[i]->times = BX_TIMES_UNKNOWN;
        else
            both[i]->times = times;
        both[i]->now += value;
        both[i]->enabled += reading->enabled;
        both[i]->running += reading->running;
    }
    if (state > BX_SCALED)
        sum->without++;
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

void bx_report_add(bx_report *r, const bx_reading *readings, uint64_t time)
{
    for (size_t i = 0; i < r->n; i++) {
        bx_record *record = &r->records[i];
        record->now = 0;
        record->without = 0;
        if (!record->label && !record->units)
            record->state = BX_NOT_MEASURED;
    }
    for (size_t i = 0; i < r->readings_n; i++)
        take(&r->records[r->record_of[i]], &r->records[r->sum_of[readings[i].event]], &readings[i]);
    for (size_t i = 0; i < r->n; i++) {
        bx_record *record = &r->records[i];
        record->total += record->now;
        bx_running_stats_add(&record->stats, (double)record->now);
    }
    bx_running_stats_add(&r->elapsed, (double)time);
    bx_figures_update(r);
    for (size_t i = 0; i < r->n; i++)
        convert(r, &r->records[i]);
}

void bx_report_clear(bx_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        bx_record *record = &r->records[i];
        record->state = BX_COUNTED;
        record->times = BX_TIMES_NONE;
        record->total = record->enabled = record->running = 0;
        record->stats = (bx_running_stats){0};
    }
    r->elapsed = (bx_running_stats){0};
}

bx_reading bx_reading_since(const bx_reading *now, const bx_reading *before)
{
    bx_reading grown = *now;
    grown.count -= before->count;
    grown.enabled -= before->enabled;
    grown.running -= before->running;
    if (now->state > BX_SCALED && now->state != BX_NOT_MEASURED)
        return grown;
    if (grown.running == grown.enabled && now->state != BX_NOT_MEASURED)
        grown.state = BX_COUNTED;
    else
        grown.state = grown.running ? BX_SCALED : BX_NOT_COUNTED;
    return grown;
}

double bx_record_value(const bx_record *record)
{
    return (double)record->total / record->stats.n;
}

const char *bx_record_text(const bx_record *record, char to[BX_NUMBER])
{
    if (!bx_record_has_value(record))
        return bx_state_text(record->state > BX_SCALED ? record->state : BX_NOT_COUNTED);
    if (record->total % record->stats.n)
        return bx_number_plain(bx_record_value(record), 6, to);
    snprintf(to, BX_NUMBER, "%llu", (unsigned long long)(record->total / record->stats.n));
    return to;
}

double bx_record_share(const bx_record *record)
{
    if (!record->enabled) /* no time was enabled in which it could have missed a count */
        return record->state == BX_COUNTED ? 100 : 0;
    return 100.0 * (double)record->running / (double)record->enabled;
}

double bx_record_runtime(const bx_report *r, const bx_record *record)
{
    unsigned units = record->units ? record->units : 1;
    return record->stats.n ? (double)record->running / record->stats.n / units * 1e9 / r->of->hz
                           : 0;
}

const char *bx_record_driver(const bx_record *record)
{
    return record->driver == BX_DRIVER_PERF        ? "perf_event"
           : record->driver == BX_DRIVER_REGISTERS ? "registers"
                                                   : NULL;
}

const char *bx_state_text(unsigned state)
{
    static const char *const texts[] = {
        [BX_COUNTED] = NULL,
        [BX_SCALED] = NULL,
        [BX_NOT_MODELLED] = "<not modelled>",
        [BX_NOT_MEASURED] = "<not measured>",
        [BX_BLOCKED] = "<blocked>",
        [BX_IMPLAUSIBLE] = "<implausible>",
        [BX_NOT_COUNTED] = "<not counted>",
    };
    return texts[state < sizeof texts / sizeof *texts ? state : BX_NOT_COUNTED];
}

/* An event without units (one that the machine lacks) has only its sum, also with one line a
 * unit. */
static bool is_shown(const bx_record *record, const bx_view *v)
{
    bool is_sum = !record->label;
    return v->per_unit ? !is_sum || !record->units : is_sum;
}

const bx_record *bx_report_next(const bx_report *r, const bx_view *v, size_t *at)
{
    while (*at < r->n) {
        const bx_record *record = &r->records[(*at)++];
        if (is_shown(record, v))
            return record;
    }
    while (*at < r->n + r->figures_n) {
        const bx_record *record = &r->figures[(*at)++ - r->n];
        if (record->figure.name)
            return record;
    }
    return NULL;
}
