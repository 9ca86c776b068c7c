#include "profile/metrics.h"

#include "base/error.h"
#include "event/event.h"
#include "metric/metric.h"

#include <string.h>

/* The CPU of the PMU that an event's name begins with; -1: the catalogue has none. */
static int cpu_of_events(const bx_profile *p, const struct bx_catalog *c)
{
    for (uint32_t i = 0; i < p->events; i++) {
        const char *end = strstr(p->event[i].name, "::");
        bx_str pmu = {p->event[i].name, end ? (size_t)(end - p->event[i].name) : 0};
        uint16_t found = end ? bx_cat_find_pmu(c, pmu) : BX_NONE;
        if (found != BX_NONE)
            return bx_cat_pmus(c)[found].cpu;
    }
    return -1;
}

int bx_profile_metrics_open(bx_profile *p, const struct bx_catalog *c, bx_profile_metrics *to,
                            bx_error *e)
{
    *to = (bx_profile_metrics){.catalog = c, .of = p, .cpu = cpu_of_events(p, c)};
    to->event = bx_arena_get(p->arena, (p->events + 1) * sizeof *to->event);
    to->is_event = bx_arena_get(p->arena, p->events + 1);
    if (!to->event || !to->is_event)
        return bx_out_of_memory(e);
    for (uint32_t i = 0; i < p->events && to->cpu >= 0; i++) {
        const char *name = p->event[i].name;
        bx_error own = {0}; /* an event may have a name of the user's: then it is no operand */
        to->is_event[i] =
            p->event[i].has_total && strstr(name, "::") &&
            bx_event_parse(c, to->cpu, name, strlen(name), &to->event[i], &own) == BX_OK;
    }
    return BX_OK;
}

static uint16_t find_operand(const bx_profile_metrics *m, const bx_cat_operand *operand)
{
    if (operand->event != BX_NONE && operand->event >= BX_OPERAND_EVENTS)
        return operand->event;
    for (uint32_t i = 0; i < m->of->events && i < BX_OPERAND_EVENTS; i++)
        if (m->is_event[i] && bx_event_is_operand(m->catalog, &m->event[i], operand))
            return (uint16_t)i;
    return BX_NONE;
}

bool bx_profile_metric_find(const bx_profile_metrics *m, uint16_t metric, bx_profile_metric *to)
{
    const bx_cat_metric *of = &bx_cat_metrics(m->catalog)[metric];
    *to = (bx_profile_metric){.of = of, .of_counts = true};
    to->operand = bx_arena_get(m->of->arena, (of->operands.n + 1u) * sizeof *to->operand);
    for (uint16_t i = 0; to->operand && i < of->operands.n; i++) {
        uint16_t is = find_operand(m, &bx_cat_operands(m->catalog)[of->operands.first + i]);
        if (is == BX_NONE || is == BX_OPERAND_UNITS || is == BX_OPERAND_PEAK)
            return false;
        to->of_counts &= is < BX_OPERAND_EVENTS;
        to->operand[i] = is;
    }
    return to->operand;
}

typedef struct counted {
    const bx_profile_metric *metric;
    const int64_t *count;
    double seconds, hz; /* hz 0: time is not in cycles */
    size_t next;
} counted;

/* A bx_metric_lookup: operands come in the order of the formula. */
static bool value_of_operand(void *context, bx_str name, double *value)
{
    counted *c = context;
    uint16_t operand = c->metric->operand[c->next++];
    (void)name;
    *value = operand == BX_OPERAND_SECONDS  ? c->seconds
             : operand == BX_OPERAND_CYCLES ? c->seconds * c->hz
                                            : (double)c->count[operand];
    return operand < BX_OPERAND_EVENTS || operand == BX_OPERAND_SECONDS || c->hz > 0;
}

bool bx_profile_metric_value(const bx_profile_metrics *m, const bx_profile_metric *metric,
                             const int64_t *count, double seconds, double *value)
{
    const bx_cell *hz = bx_profile_fact_of(m->of, "cycles_per_second");
    counted c = {.metric = metric, .count = count, .seconds = seconds};
    enum bx_metric_state state;
    if (hz && m->of->tells_who) /* a host's are ns */
        c.hz = hz->kind == BX_CELL_REAL ? hz->real : (double)hz->number;
    return bx_metric_eval(bx_cat_str(m->catalog, metric->of->formula), value_of_operand, &c, value,
                          &state, NULL) == BX_OK &&
           state == BX_METRIC_OK;
}
