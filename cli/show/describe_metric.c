/* The page about a metric: its formula and its events. */
#include "cli/show/describe.h"

#include "cli/common/names.h"
#include "cli/common/page.h"
#include "metric/metric.h"

static const bx_page_columns metrics_columns = {.heads = "metric", .text_at = 32};

static void metric_item(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned index)
{
    const bx_cat_metric *metric = &bx_cat_metrics(c)[index];
    bx_word page = bx_metrics_page_word(c, cpu);
    bx_page_link(to, page.text, bx_cat_z(c, metric->name));
    bx_page_item(to, bx_cat_z(c, metric->title), "%s", bx_cat_z(c, metric->name));
}

void bx_describe_metrics_of(bx_page *to, const bx_catalog *c, unsigned cpu)
{
    static const bx_page_columns groups_columns = {.heads = "group", .text_at = 32};
    bx_span groups = bx_cat_cpus(c)[cpu].metric_groups, metrics = bx_cat_cpus(c)[cpu].metrics;
    if (groups.n)
        bx_page_list(to, &groups_columns, "groups of metrics");
    for (unsigned i = 0; i < groups.n; i++) {
        const bx_cat_metric_group *group = &bx_cat_metric_groups(c)[groups.first + i];
        bx_word page = bx_metrics_page_word(c, cpu);
        bx_page_link(to, page.text, bx_cat_z(c, group->name));
        bx_page_item(to, bx_cat_z(c, group->title), "%s", bx_cat_z(c, group->name));
    }
    if (metrics.n)
        bx_page_list(to, &metrics_columns, "metrics");
    for (unsigned i = 0; i < metrics.n; i++)
        metric_item(to, c, cpu, metrics.first + i);
}

typedef struct walk {
    bx_page *to;
    const bx_catalog *c;
    unsigned cpu;
} walk;

/* A bx_metric_take: an event with its title. */
static bool event_row(void *context, unsigned index, bx_str text)
{
    const walk *w = context;
    bx_evsel event;
    (void)index;
    if (bx_event_parse(w->c, (int)w->cpu, text.p, text.n, &event, NULL) == BX_OK) {
        const bx_cat_event *about = &bx_cat_events(w->c)[event.event];
        bx_word page = bx_pmu_page_word(w->c, event.pmu);
        bx_word name = bx_event_name_word(w->c, event.event);
        bx_page_link(w->to, page.text, name.text);
        bx_page_item(w->to, bx_cat_z(w->c, about->title), "%s", bx_event_word(w->c, &event).text);
    }
    return true;
}

static void groups_with(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned metric)
{
    bx_span groups = bx_cat_cpus(c)[cpu].metric_groups;
    bx_buf names = {.whole = &to->to->failed};
    for (unsigned i = 0; i < groups.n; i++) {
        const bx_cat_metric_group *group = &bx_cat_metric_groups(c)[groups.first + i];
        if (bx_cat_metric_is_in(c, (uint16_t)metric, group))
            bx_buf_f(&names, "%s%s", names.n ? ", " : "", bx_cat_z(c, group->name));
    }
    bx_page_row(to, "groups", "%s", bx_buf_text(&names));
    bx_buf_free(&names);
}

/* A command that counts the metric. A CPU without a machine model has only its hardware. */
static void count_row(bx_page *to, const bx_catalog *c, unsigned cpu, const char *label,
                      bx_cat_text name)
{
    const bx_cat_cpu *row = &bx_cat_cpus(c)[cpu];
    bool is_virtual = bx_cat_is_virtual(c, row);
    bx_page_row(to, label, "boxscore stat --machine %s%s -M %s -- PROGRAM",
                is_virtual ? "virtual:" : "host", is_virtual ? bx_cat_z(c, row->name) : "",
                bx_cat_z(c, name));
}

void bx_describe_metric(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned index,
                        const bx_workload_runs *runs)
{
    static const bx_page_columns events_columns = {.heads = "event", .text_at = 32};
    const bx_cat_metric *metric = &bx_cat_metrics(c)[index];
    bx_page_subject(to, "metric", bx_cat_z(c, metric->name), bx_cat_z(c, metric->title), true);
    bx_page_row(to, "CPU model", "%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    bx_page_row(to, "also", "%s", bx_cat_z(c, metric->also));
    groups_with(to, c, cpu, index);
    bx_page_row(to, "unit", "%s", bx_cat_z(c, metric->unit));
    bx_page_row(to, "formula", "%s", bx_cat_z(c, metric->formula));
    bx_page_row(to, "means", "%s", bx_cat_z(c, metric->means));
    bx_page_row(to, "caution", "%s", bx_cat_z(c, metric->caution));
    bx_page_row(to, "note", "%s", bx_cat_z(c, metric->note));
    bx_page_row(to, "source", "%s", bx_cat_z(c, metric->source));
    bx_page_row(to, "topics", "%s", bx_cat_z(c, metric->topics));
    bx_page_list(to, &events_columns, "events");
    walk w = {to, c, cpu};
    bx_metric_events(c, metric, event_row, &w);
    if (runs)
        bx_describe_workloads(to, runs, cpu, &runs->metrics[index]);
    count_row(to, c, cpu, "count it", metric->name);
}

void bx_describe_metric_group(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned index)
{
    const bx_cat_metric_group *group = &bx_cat_metric_groups(c)[index];
    bx_page_subject(to, "metric group", bx_cat_z(c, group->name), bx_cat_z(c, group->title), true);
    bx_page_row(to, "CPU model", "%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    bx_page_row(to, "topics", "%s", bx_cat_z(c, group->topics));
    bx_page_list(to, &metrics_columns, "metrics");
    for (unsigned i = 0; i < group->members.n; i++)
        metric_item(to, c, cpu, bx_cat_metric_members(c)[group->members.first + i].metric);
    count_row(to, c, cpu, "count them", group->name);
}
