/* Pages: the built-in workloads that make an event count, or a metric differ from 0. */
#include "cli/show/describe.h"
#include "event/event.h"

/* A command that shows it, with the first of the workloads. */
static void command(bx_page *to, const bx_workload_runs *runs, unsigned cpu,
                    const bx_workload_row *row, bool metric)
{
    bx_page_row(to, "see it count", "boxscore stat --machine %s -w %s %s %s", runs->machines[cpu],
                bx_workload_run_spec(bx_lowest_bit(row->workloads)), metric ? "-M" : "-e",
                row->counted);
}

void bx_workloads_phrase(bx_buf *to, const bx_workload_row *row)
{
    if (!row->counted) {
        bx_buf_z(to, "not modelled");
    } else if (!row->workloads) {
        bx_buf_z(to, "counts in no workload");
    } else {
        bx_buf_z(to, "counts in ");
        bx_workload_names(to, row->workloads);
    }
}

/* row: what the command counts; what: the subject of a sentence */
static void describe(bx_page *to, const bx_workload_runs *runs, unsigned cpu, uint32_t workloads,
                     const bx_workload_row *row, const char *what)
{
    bx_buf names = {.whole = &to->to->failed};
    bool metric = row >= runs->metrics && row < runs->metrics + runs->c->metrics.n;
    bx_workload_names(&names, workloads);
    if (!row->counted)
        bx_page_row(to, "workloads", "not modelled: no virtual machine counts %s",
                    metric ? "all of its events" : "it");
    else if (!workloads)
        bx_page_row(to, "workloads", "none of the built-in ones: %s is 0 in each of them%s", what,
                    metric ? ", or a division by 0" : "");
    else
        bx_page_row(to, "workloads", "%s", bx_buf_text(&names));
    if (workloads)
        command(to, runs, cpu, row, metric);
    bx_buf_free(&names);
}

void bx_describe_workloads(bx_page *to, const bx_workload_runs *runs, unsigned cpu,
                           const bx_workload_row *row)
{
    describe(to, runs, cpu, row->workloads, row, row->counted ? row->counted : "it");
}

void bx_describe_workloads_of_umasks(bx_page *to, const bx_workload_runs *runs, unsigned event)
{
    const bx_cat_event *about = &bx_cat_events(runs->c)[event];
    const bx_workload_row *shown = &runs->umasks[about->umasks.first];
    uint32_t workloads = 0;
    for (unsigned i = 0; i < about->umasks.n; i++) {
        const bx_workload_row *row = &runs->umasks[about->umasks.first + i];
        workloads |= row->workloads;
        if (!shown->workloads && (row->workloads || (row->counted && !shown->counted)))
            shown = row;
    }
    describe(to, runs, bx_cat_pmus(runs->c)[about->pmu].cpu, workloads, shown,
             "each of its unit masks");
}

void bx_describe_workload_runs(bx_page *to, const bx_workload_runs *runs, unsigned cpu)
{
    static const bx_page_columns columns = {.heads = "workload", .text_at = 14};
    if (!runs->machines[cpu])
        return;
    bx_page_title(to, "Workloads");
    bx_page_paragraph(to,
                      "An event counts in a workload if its count is not 0 after \"boxscore stat "
                      "--machine %s -w WORKLOAD -e EVENT\". These were run:",
                      runs->machines[cpu]);
    bx_page_list(to, &columns, "");
    for (size_t i = 0; bx_workload_name(i); i++)
        bx_page_item(to, bx_workload_run_spec(i), "%s", bx_workload_name(i));
}
