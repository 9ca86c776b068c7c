/* Lists metrics by group, and finds those that match all words. */
#include "cli/show/list_metrics.h"

#include "cli/common/names.h"
#include "cli/show/word_match.h"
#include "machine/machine.h"
#include "metric/metric.h"

#include <stdio.h>

static const bx_cat_metric *metric_of(const bx_metric_list *l, uint16_t metric)
{
    return &bx_cat_metrics(l->catalog)[metric];
}

static bx_span groups_of(const bx_metric_list *l)
{
    return bx_cat_cpus(l->catalog)[l->cpu].metric_groups;
}

/* ---- which are listed ---- */

static bool group_matches(const bx_metric_list *l, uint16_t metric, bx_str word)
{
    bx_span groups = groups_of(l);
    for (unsigned i = 0; i < groups.n; i++) {
        const bx_cat_metric_group *group = &bx_cat_metric_groups(l->catalog)[groups.first + i];
        const bx_str texts[] = {bx_cat_str(l->catalog, group->name),
                                bx_cat_str(l->catalog, group->topics)};
        if (bx_cat_metric_is_in(l->catalog, metric, group) && bx_word_matches(word, texts, 2))
            return true;
    }
    return false;
}

static bool matches(const bx_metric_list *l, uint16_t metric, bx_str word)
{
    const bx_cat_metric *m = metric_of(l, metric);
    const bx_str texts[] = {bx_cat_str(l->catalog, m->name), bx_cat_str(l->catalog, m->title),
                            bx_cat_str(l->catalog, m->topics), bx_cat_str(l->catalog, m->also)};
    return bx_word_matches(word, texts, sizeof texts / sizeof *texts) ||
           group_matches(l, metric, word);
}

/* A bx_metric_take. */
static bool is_produced(void *context, unsigned index, bx_str event)
{
    const bx_metric_list **l = context;
    bx_evsel selection;
    (void)index;
    if (bx_event_parse((*l)->catalog, (*l)->cpu, event.p, event.n, &selection, NULL) ||
        !bx_machine_produces((*l)->model, &selection))
        *l = NULL;
    return *l;
}

static bool is_modelled(const bx_metric_list *l, uint16_t metric)
{
    const bx_metric_list *all = l; /* is_produced() sets it to NULL if an event is not produced */
    bx_metric_events(l->catalog, metric_of(l, metric), is_produced, &all);
    return all;
}

bool bx_metric_is_listed(const bx_metric_list *l, uint16_t metric)
{
    for (size_t i = 0; i < l->words->n; i++)
        if (!matches(l, metric, bx_str_of(l->words->text[i])))
            return false;
    return !l->model || is_modelled(l, metric);
}

/* Whether a unit mask has exactly the operand's value. */
static bool is_named(const bx_metric_list *l, const bx_cat_operand *operand)
{
    bx_span umasks = bx_cat_events(l->catalog)[operand->event].umasks;
    for (unsigned i = 0; i < umasks.n; i++)
        if (bx_cat_umasks(l->catalog)[umasks.first + i].value == operand->umask)
            return true;
    return false;
}

/* Whether an operand includes the unit mask. If several bits have no name together, it includes the
 * unit mask of each bit. */
static bool has_umask(const bx_metric_list *l, const bx_cat_operand *operand,
                      const bx_cat_umask *umask)
{
    if (!umask || umask->value == operand->umask)
        return true;
    return umask->value && !(umask->value & ~operand->umask) && !is_named(l, operand);
}

static bool is_operand(const bx_metric_list *l, uint16_t metric, uint16_t event,
                       const bx_cat_umask *umask)
{
    bx_span operands = metric_of(l, metric)->operands;
    for (unsigned i = 0; i < operands.n; i++) {
        const bx_cat_operand *operand = &bx_cat_operands(l->catalog)[operands.first + i];
        if (operand->event == event && has_umask(l, operand, umask))
            return true;
    }
    return false;
}

bool bx_metric_list_needs(const bx_metric_list *l, uint16_t event, const bx_cat_umask *umask)
{
    bx_span metrics = bx_cat_cpus(l->catalog)[l->cpu].metrics;
    for (uint16_t i = metrics.first; i < metrics.first + metrics.n; i++)
        if (is_operand(l, i, event, umask) && bx_metric_is_listed(l, i))
            return true;
    return false;
}

/* ---- output ---- */

/* A bx_metric_take. */
static bool add_event(void *json, unsigned index, bx_str event)
{
    char text[256];
    (void)index;
    snprintf(text, sizeof text, "%.*s", (int)event.n, event.p);
    bx_json_text(json, NULL, text);
    return true;
}

static void json_groups(bx_json *json, const bx_metric_list *l, uint16_t metric)
{
    bx_span groups = groups_of(l);
    bx_json_open(json, "groups", '[');
    for (unsigned i = 0; i < groups.n; i++) {
        const bx_cat_metric_group *group = &bx_cat_metric_groups(l->catalog)[groups.first + i];
        if (bx_cat_metric_is_in(l->catalog, metric, group))
            bx_json_text(json, NULL, bx_cat_z(l->catalog, group->name));
    }
    bx_json_close(json, ']');
}

static void json_text(bx_json *json, const bx_metric_list *l, const char *key, bx_cat_text text)
{
    bx_json_text(json, key, text ? bx_cat_z(l->catalog, text) : NULL);
}

static void show_json(const bx_metric_list *l, uint16_t metric, bx_json *json)
{
    const bx_cat_metric *m = metric_of(l, metric);
    bx_json_open(json, NULL, '{');
    json_text(json, l, "metric", m->name);
    json_text(json, l, "cpu", bx_cat_cpus(l->catalog)[l->cpu].name);
    json_groups(json, l, metric);
    json_text(json, l, "title", m->title);
    json_text(json, l, "unit", m->unit);
    json_text(json, l, "formula", m->formula);
    bx_json_open(json, "events", '[');
    bx_metric_events(l->catalog, m, add_event, json);
    bx_json_close(json, ']');
    json_text(json, l, "topics", m->topics);
    json_text(json, l, "means", m->means);
    json_text(json, l, "caution", m->caution);
    json_text(json, l, "source", m->source);
    bx_json_close(json, '}');
}

static void show_text(const bx_metric_list *l, uint16_t metric, bx_buf *to)
{
    const bx_cat_metric *m = metric_of(l, metric);
    size_t line = to->n;
    bx_buf_f(to, "    %s", bx_cat_z(l->catalog, m->name));
    bx_add_column(to, line, 32);
    bx_buf_z(to, bx_cat_z(l->catalog, m->unit));
    bx_add_column(to, line, 58);
    bx_buf_f(to, "%s\n", bx_cat_z(l->catalog, m->title));
}

/* Whether the metric is in one of the groups before `end`. */
static bool is_in_any(const bx_metric_list *l, uint16_t metric, unsigned end)
{
    for (unsigned i = groups_of(l).first; i < end; i++)
        if (bx_cat_metric_is_in(l->catalog, metric, &bx_cat_metric_groups(l->catalog)[i]))
            return true;
    return false;
}

typedef struct output {
    const bx_metric_list *list;
    bx_buf *to;
    const char *heading; /* the CPU's; NULL: it was shown */
    size_t found;
} output;

static void offer(output *o, uint16_t metric, const bx_cat_metric_group *group, bool *begun)
{
    const bx_catalog *c = o->list->catalog;
    if (!bx_metric_is_listed(o->list, metric))
        return;
    if (o->heading)
        bx_buf_f(o->to, "%smetrics of %s\n", o->to->n ? "\n" : "", o->heading);
    o->heading = NULL;
    if (!*begun)
        bx_buf_f(o->to, "  %s: %s\n", group ? bx_cat_z(c, group->name) : "others",
                 group ? bx_cat_z(c, group->title) : "of no group");
    *begun = true;
    o->found++;
    show_text(o->list, metric, o->to);
}

static void list_group(output *o, unsigned index)
{
    const bx_catalog *c = o->list->catalog;
    const bx_cat_metric_group *group = &bx_cat_metric_groups(c)[index];
    bool begun = false;
    for (unsigned i = 0; i < group->members.n; i++) {
        uint16_t metric = bx_cat_metric_members(c)[group->members.first + i].metric;
        if (!o->list->words->n || !is_in_any(o->list, metric, index))
            offer(o, metric, group, &begun);
    }
}

size_t bx_list_metrics(const bx_metric_list *l, bx_buf *to, bx_json *json)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(l->catalog)[l->cpu];
    bx_span groups = cpu->metric_groups, metrics = cpu->metrics;
    output o = {.list = l, .to = to, .heading = bx_cat_z(l->catalog, cpu->name)};
    bool begun = false;
    for (unsigned i = 0; !json && i < groups.n; i++)
        list_group(&o, groups.first + i);
    for (uint16_t i = metrics.first; i < metrics.first + metrics.n; i++) {
        if (json && bx_metric_is_listed(l, i)) {
            show_json(l, i, json);
            o.found++;
        } else if (!json && !is_in_any(l, i, groups.first + groups.n)) {
            offer(&o, i, NULL, &begun);
        }
    }
    return o.found;
}
