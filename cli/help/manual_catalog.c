/* Pages about CPU models, their metrics and their PMUs, from the catalogue, and about the workloads
 * of virtual machines. The facts are written by the functions of `boxscore info`. */
#include "cli/help/topics.h"
#include "cli/show/describe.h"
#include "event/event.h"

#include <string.h>

void bx_manual_workloads(bx_page *to)
{
    static const bx_page_columns columns = {.heads = "workload", .text_at = 14};
    bx_page_title(to, "Description");
    bx_page_paragraph(to,
                      "Workloads for a virtual machine: --workload NAME[,KEY=VALUE...], several "
                      "at once joined by '+'. The keys are shown with their defaults.");
    bx_page_list(to, &columns, "");
    for (size_t i = 0; bx_workload_name(i); i++) {
        char keys[256];
        bx_workload_keys(i, keys, sizeof keys);
        bx_page_item(to, bx_workload_title(i), "%s", bx_workload_name(i));
        bx_page_item(to, keys, "%s", "");
    }
    bx_page_title(to, "Examples");
    bx_page_example(to, "boxscore stat --machine virtual:skl -w stream,size=1M",
                    "count the most useful events of a workload");
}

static void see_also(bx_page *to, const bx_catalog *c, unsigned cpu)
{
    bx_page_title(to, "See also");
    bx_word metrics = bx_metrics_page_word(c, cpu);
    bool any = bx_cat_cpus(c)[cpu].metrics.n;
    bx_page_paragraph(to, "%s(7), %s%sboxscore-info(1), boxscore-stat(1)",
                      bx_cpu_page_word(c, cpu).text, any ? metrics.text : "", any ? "(7), " : "");
}

static void workload_runs(bx_page *to, const bx_subjects *s, unsigned cpu)
{
    if (s->runs)
        bx_describe_workload_runs(to, s->runs, cpu);
}

void bx_manual_cpu(bx_page *to, const bx_catalog *c, unsigned cpu)
{
    bx_page_title(to, "Description");
    bx_describe_cpu(to, c, cpu);
    see_also(to, c, cpu);
}

void bx_manual_metrics(bx_page *to, const bx_subjects *s, unsigned index)
{
    const bx_catalog *c = s->c;
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[index];
    if (cpu->metric_groups.n)
        bx_page_title(to, "Groups");
    for (unsigned i = 0; i < cpu->metric_groups.n; i++)
        bx_describe_metric_group(to, c, index, cpu->metric_groups.first + i);
    bx_page_title(to, "Metrics");
    for (unsigned i = 0; i < cpu->metrics.n; i++)
        bx_describe_metric(to, c, index, cpu->metrics.first + i, s->runs);
    workload_runs(to, s, index);
    see_also(to, c, index);
}

static void registers(bx_page *to, const bx_catalog *c, const bx_cat_pmu *pmu)
{
    if (pmu->regs.n)
        bx_page_title(to, "Registers");
    for (unsigned i = 0; i < pmu->regs.n; i++)
        bx_describe_register(to, c, pmu->regs.first + i);
}

static void events(bx_page *to, const bx_subjects *s, const bx_cat_pmu *pmu)
{
    if (pmu->events.n)
        bx_page_title(to, "Events");
    for (unsigned i = 0; i < pmu->events.n; i++)
        bx_describe_event_of_pmu(to, s->c, pmu->events.first + i, s->runs);
}

/* A complete event string, with the event's first unit mask if it needs one. "": it needs more than
 * that. */
static bx_word whole(const bx_catalog *c, unsigned index)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    bx_word name = bx_event_name_word(c, index);
    bx_evsel selection;
    int code = bx_event_parse(c, -1, name.text, strlen(name.text), &selection, NULL);
    if (code && event->umasks.n) {
        name = bx_umask_name_word(c, event->umasks.first);
        code = bx_event_parse(c, -1, name.text, strlen(name.text), &selection, NULL);
    }
    return code ? (bx_word){""} : bx_event_word(c, &selection);
}

/* Writes examples with the first event that has a complete string. */
static void examples(bx_page *to, const bx_catalog *c, const bx_cat_pmu *pmu)
{
    bx_word event = {""};
    for (unsigned i = 0; i < pmu->events.n && !event.text[0]; i++)
        event = whole(c, pmu->events.first + i);
    if (!event.text[0])
        return;
    bx_buf line = {.whole = &to->to->failed};
    bx_page_title(to, "Examples");
    bx_buf_f(&line, "boxscore encode %s", event.text);
    bx_page_example(to, bx_buf_text(&line), "the registers that count an event, and their values");
    bx_buf_free(&line);
    if (!bx_cat_is_virtual(c, &bx_cat_cpus(c)[pmu->cpu]))
        return;
    line = (bx_buf){.whole = &to->to->failed};
    bx_buf_f(&line, "boxscore stat --machine virtual:%s -w stream,size=1M -e %s",
             bx_cat_z(c, bx_cat_cpus(c)[pmu->cpu].name), event.text);
    bx_page_example(to, bx_buf_text(&line), "count it on a virtual machine");
    bx_buf_free(&line);
}

void bx_manual_pmu(bx_page *to, const bx_subjects *s, unsigned index)
{
    const bx_catalog *c = s->c;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
    bx_page_title(to, "Description");
    bx_page_row(to, "PMU", "%s", bx_cat_z(c, pmu->name));
    bx_describe_pmu_facts(to, c, index);
    examples(to, c, pmu);
    if (pmu->events.n)
        workload_runs(to, s, pmu->cpu);
    events(to, s, pmu);
    registers(to, c, pmu);
    see_also(to, c, pmu->cpu);
}
