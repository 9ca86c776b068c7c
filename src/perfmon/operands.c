/* Finds what each name in a formula stands for: an event, a number of the machine or of the
 * measurement, or nothing that can be counted. */
#include "perfmon/operands.h"

#include "event/event.h"
#include "metric/metric.h"
#include "perfmon/energy.h"
#include "perfmon/topdown.h"

#include <stdio.h>
#include <string.h>

enum { EVENT_ROOM = 300 };

/* The names of Intel's files, perf's and boxscore's own. */
static const struct {
    const char *name;
    uint16_t operand;
} numbers[] = {
    {"seconds", BX_OPERAND_SECONDS},
    {"duration_time", BX_OPERAND_SECONDS},
    {"DURATIONTIMEINSECONDS", BX_OPERAND_SECONDS},
    {"DURATIONTIMEINMILLISECONDS", BX_OPERAND_MILLISECONDS},
    {"SYSTEM_TSC_FREQ", BX_OPERAND_TSC},
    {"#SYSTEM_TSC_FREQ", BX_OPERAND_TSC},
    {"SOCKET_COUNT", BX_OPERAND_PACKAGES},
    {"#num_packages", BX_OPERAND_PACKAGES},
    {"CORES_PER_SOCKET", BX_OPERAND_CORES},
    {"system.sockets[0].cpus.count * system.socket_count", BX_OPERAND_CPUS},
    {"#num_cpus_online", BX_OPERAND_CPUS},
    {"THREADS_PER_CORE", BX_OPERAND_THREADS},
    {"HYPERTHREADING_ON", BX_OPERAND_SMT},
    {"#SMT_on", BX_OPERAND_SMT},
    {"CHAS_PER_SOCKET", BX_OPERAND_SLICES},
};

typedef struct resolution {
    bx_assembly *a;
    const struct bx_catalog *c;
    int cpu;
    bx_str core; /* Linux's PMU of the metric's cores, "cpu_core"; empty: any */
} resolution;

/* ---- events ---- */

static bool parses(const resolution *r, const char *text, bx_evsel *event)
{
    return bx_event_parse(r->c, r->cpu, text, strlen(text), event, NULL) == BX_OK;
}

/* perf's "PMU@EVENT,term=1@". It leaves out "uncore_" in front. */
static bool parse_of_pmu(const resolution *r, bx_str name, size_t at, bx_evsel *event)
{
    char text[EVENT_ROOM];
    bx_str behind = bx_str_sub(name, at + 1, name.n), inner = bx_str_cut(&behind, '@');
    bx_str known = bx_perfmon_topdown_name(inner);
    for (unsigned i = 0; i < 2; i++) {
        int n = snprintf(text, sizeof text, "%s%.*s/%.*s/%.*s", i ? "uncore_" : "", (int)at, name.p,
                         (int)known.n, known.p, (int)behind.n, behind.p ? behind.p : "");
        if (n > 0 && n < EVENT_ROOM && parses(r, text, event))
            return true;
    }
    return false;
}

/* An event of the metric's cores, or else of any PMU. */
static bool parse_event(const resolution *r, bx_str name, bx_evsel *event)
{
    char text[EVENT_ROOM];
    ptrdiff_t at = bx_str_find(name, '@', 0);
    if (at >= 0)
        return parse_of_pmu(r, name, (size_t)at, event);
    name = bx_perfmon_topdown_name(name);
    bx_span pmus = bx_cat_cpus(r->c)[r->cpu].pmus;
    for (unsigned i = pmus.first; r->core.n && i < (unsigned)pmus.first + pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(r->c)[i];
        int n =
            snprintf(text, sizeof text, "%s::%.*s", bx_cat_z(r->c, pmu->name), (int)name.n, name.p);
        if (bx_str_eq(bx_cat_str(r->c, pmu->kernel), r->core) && n > 0 && n < EVENT_ROOM &&
            parses(r, text, event))
            return true;
    }
    int n = snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    return n > 0 && n < EVENT_ROOM && parses(r, text, event);
}

/* Whether the kernel counts the event, on all units: an imported one that has terms, or one of the
 * built-in catalogue. */
static bool is_countable(const struct bx_catalog *c, const bx_evsel *event)
{
    if (event->event == BX_RAW || event->unit != BX_ANY || event->package != BX_ANY ||
        event->counter != BX_ANY || event->port != BX_ANY || event->place != BX_ANY)
        return false;
    const bx_cat_event *row = &bx_cat_events(c)[event->event];
    return !(row->flags & BX_EVENT_TERMS) || row->kernel;
}

static bx_span add_sets(const resolution *r, const bx_evsel *event)
{
    bx_span span = {bx_assembly_n(r->a, BX_T_SETS), 0};
    for (uint32_t left = bx_event_unusual(r->c, event); left; left &= left - 1) {
        unsigned local = bx_lowest_bit(left);
        uint16_t row = bx_assembly_add(r->a, BX_T_SETS);
        *BX_ASSEMBLED(r->a, bx_cat_set, BX_T_SETS, row) = (bx_cat_set){
            .modifier = (uint16_t)(bx_cat_pmus(r->c)[event->pmu].modifiers.first + local),
            .value = event->modifier[local]};
    }
    span.n = (uint16_t)(bx_assembly_n(r->a, BX_T_SETS) - span.first);
    return span;
}

/* ---- operands ---- */

/* What stands before and after an event's name; the name remains. */
static uint16_t kind_of(bx_str *name, bool *asks)
{
    static const char before[] = "source_count ", whether[] = "has_event ", behind[] = ":one_unit";
    enum { BEFORE = sizeof before - 1, WHETHER = sizeof whether - 1, BEHIND = sizeof behind - 1 };
    *asks = bx_str_starts_fold(*name, (bx_str){whether, WHETHER});
    if (*asks || bx_str_starts_fold(*name, (bx_str){before, BEFORE})) {
        *name = bx_str_trim(bx_str_sub(*name, *asks ? WHETHER : BEFORE, name->n));
        return BX_OPERAND_INSTANCES;
    }
    if (name->n <= BEHIND ||
        !bx_str_eq_fold(bx_str_sub(*name, name->n - BEHIND, BEHIND), (bx_str){behind, BEHIND}))
        return BX_OPERAND_VALUE;
    name->n -= BEHIND;
    return BX_OPERAND_ONE_UNIT;
}

static bx_cat_operand operand_of(const resolution *r, bx_str name)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (bx_str_eq_fold(name, bx_str_of(numbers[i].name)))
            return (bx_cat_operand){.event = numbers[i].operand};
    bx_evsel event;
    bool asks;
    uint16_t kind = kind_of(&name, &asks);
    const bx_perfmon_energy *energy = bx_perfmon_energy_of(name);
    if (energy && kind != BX_OPERAND_VALUE)
        return (bx_cat_operand){.event = BX_NONE};
    if (energy) {
        kind = energy->kind;
        name = bx_str_of(energy->name);
    }
    bool known = parse_event(r, name, &event) && is_countable(r->c, &event);
    if (asks)
        return (bx_cat_operand){.event = known ? BX_OPERAND_TRUE : BX_OPERAND_FALSE};
    if (!known)
        return (bx_cat_operand){.event = BX_NONE};
    return (bx_cat_operand){
        .event = event.event, .umask = event.umask, .sets = add_sets(r, &event), .kind = kind};
}

/* A bx_metric_lookup. */
static bool add_operand(void *context, bx_str name, double *value)
{
    const resolution *r = context;
    bx_cat_operand operand = operand_of(r, name);
    uint16_t row = bx_assembly_add(r->a, BX_T_OPERANDS);
    *BX_ASSEMBLED(r->a, bx_cat_operand, BX_T_OPERANDS, row) = operand;
    *value = 1;
    return true;
}

void bx_perfmon_add_operands(bx_assembly *a, const struct bx_catalog *c, int cpu,
                             const bx_perfmon_metrics *m)
{
    for (unsigned i = 0; i < m->own.n; i++) {
        resolution r = {.a = a, .c = c, .cpu = cpu, .core = bx_str_of(m->cores[i])};
        uint16_t first = bx_assembly_n(a, BX_T_OPERANDS);
        double value;
        enum bx_metric_state state;
        bx_metric_eval(bx_cat_str(c, bx_cat_metrics(c)[m->own.first + i].formula), add_operand, &r,
                       &value, &state, NULL);
        bx_cat_metric *row = BX_ASSEMBLED(a, bx_cat_metric, BX_T_METRICS, m->own.first + i);
        row->operands = (bx_span){first, (uint16_t)(bx_assembly_n(a, BX_T_OPERANDS) - first)};
    }
}
