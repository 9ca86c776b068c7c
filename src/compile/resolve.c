/* Reads the event strings of a catalogue: picks, and operands of metrics. */
#include "compile/resolve.h"

#include "base/error.h"
#include "event/event.h"
#include "metric/metric.h"

/* An item with event strings. They need not name PMUs of its CPU. */
struct item {
    bx_build *b;
    const struct bx_catalog *c;
    int cpu;
    const bx_syntax_node *node;
};

static bool read_event(const struct item *item, bx_str text, bx_evsel *event)
{
    bx_error e = {0};
    if (bx_event_parse(item->c, item->cpu, text.p, text.n, event, &e) == BX_OK)
        return true;
    bx_build_fail(item->b, item->node, bx_str_sub(text, e.at, e.len), "event-string", "%s",
                  e.message);
    bx_hint(item->b->e, "%s", e.hint);
    return false;
}

/* ---- operands ---- */

static void add_sets(const struct item *item, const bx_evsel *event)
{
    uint32_t left = bx_event_unusual(item->c, event);
    for (; left; left &= left - 1) {
        unsigned local = bx_lowest_bit(left);
        uint16_t row = bx_build_add(item->b, BX_T_SETS, item->node);
        *BX_ROW(item->b, bx_cat_set, BX_T_SETS, row) = (bx_cat_set){
            .modifier = (uint16_t)(bx_cat_pmus(item->c)[event->pmu].modifiers.first + local),
            .value = event->modifier[local]};
    }
}

/* Whether the selection names a unit or similar, or has no event: metrics do not use such
 * selections. */
static bool is_special(const bx_evsel *event)
{
    return event->event == BX_RAW || event->unit != BX_ANY || event->package != BX_ANY ||
           event->counter != BX_ANY || event->port != BX_ANY || event->place != BX_ANY;
}

static bx_cat_operand event_of(const struct item *item, bx_str text)
{
    bx_evsel event;
    uint16_t first = bx_build_n(item->b, BX_T_SETS);
    if (!read_event(item, text, &event))
        return (bx_cat_operand){0};
    if (is_special(&event))
        bx_build_fail(item->b, item->node, text, "event-string",
                      "a metric uses events by name, on any counter and unit");
    add_sets(item, &event);
    return (bx_cat_operand){.event = event.event,
                            .umask = event.umask,
                            .sets = bx_build_span(item->b, BX_T_SETS, first)};
}

static void add_operand(const struct item *item, bx_cat_operand operand)
{
    uint16_t row = bx_build_add(item->b, BX_T_OPERANDS, item->node);
    *BX_ROW(item->b, bx_cat_operand, BX_T_OPERANDS, row) = operand;
}

/* Takes an operand; it is a bx_metric_lookup. */
static bool take_operand(void *item, bx_str name, double *value)
{
    static const struct {
        const char *name;
        uint16_t operand;
    } words[] = {
        {"seconds", BX_OPERAND_SECONDS}, {"duration_time", BX_OPERAND_SECONDS},
        {"cycles", BX_OPERAND_CYCLES},   {"units", BX_OPERAND_UNITS},
        {"peak", BX_OPERAND_PEAK},
    };
    *value = 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bx_str_eq(name, bx_str_of(words[i].name))) {
            add_operand(item, (bx_cat_operand){.event = words[i].operand});
            return true;
        }
    add_operand(item, event_of(item, name));
    return true;
}

static void resolve_metric(struct item *item, uint16_t metric)
{
    bx_build *b = item->b;
    bx_str beside = bx_syntax_arg(item->node, "beside", 0);
    bx_str formula = bx_syntax_arg(item->node, "formula", 0);
    uint16_t first = bx_build_n(b, BX_T_OPERANDS);
    double value;
    enum bx_metric_state state;
    bx_error e = {0};
    if (bx_metric_eval(formula, take_operand, item, &value, &state, &e))
        bx_build_fail(b, item->node, bx_str_sub(formula, e.at, e.len), "formula", "%s", e.message);
    bx_cat_metric *row = BX_ROW(b, bx_cat_metric, BX_T_METRICS, metric);
    row->operands = bx_build_span(b, BX_T_OPERANDS, first);
    row->beside = BX_NONE;
    if (!beside.p)
        return;
    row->beside = bx_build_n(b, BX_T_OPERANDS);
    add_operand(item, event_of(item, beside));
}

/* ---- all items ---- */

static void resolve_cpu(struct item *item)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(item->c)[item->cpu];
    for (uint16_t i = cpu->defaults.first; i < cpu->defaults.first + cpu->defaults.n; i++) {
        bx_evsel event;
        item->node = item->b->tables[BX_T_PICKS].from[i];
        read_event(item, bx_syntax_arg(item->node, NULL, 0), &event);
    }
    for (uint16_t i = cpu->metrics.first; i < cpu->metrics.first + cpu->metrics.n; i++) {
        item->node = item->b->tables[BX_T_METRICS].from[i];
        resolve_metric(item, i);
    }
}

bool bx_resolve_events(bx_build *b, const struct bx_catalog *c)
{
    struct item item = {.b = b, .c = c};
    for (; item.cpu < (int)c->cpus.n && !b->failed; item.cpu++)
        resolve_cpu(&item);
    return !b->failed;
}
