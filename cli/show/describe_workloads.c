/* Pages: the built-in workloads that make an event count, or a metric differ from 0. */
#include "cli/show/describe.h"
#include "event/event.h"

/* A command that shows it, with the first of the runs. */
static void command(bx_page *to, const bx_workload_runs *runs, unsigned cpu,
                    const bx_workload_row *row, bool metric)
{
    unsigned run = bx_lowest_bit64(row->runs);
    bx_page_row(to, "see it count", "boxscore stat --machine %s -w %s %s %s%s%s",
                bx_workload_runs_machine(runs, cpu, run), bx_run_workload(run),
                metric ? "-M" : "-e", row->counted, row->beside ? "," : "",
                row->beside ? row->beside : "");
}

void bx_workloads_phrase(bx_buf *to, const bx_workload_row *row)
{
    if (!row->counted) {
        bx_buf_z(to, "not modelled");
    } else if (!row->runs && bx_run_program(row->counted)) {
        bx_buf_f(to, "counts in programs, such as %s", bx_run_program(row->counted));
    } else if (!row->runs) {
        bx_buf_z(to, "counts in none of the runs");
    } else {
        bx_buf_z(to, "counts in ");
        bx_run_names(to, row->runs);
    }
}

/* row: what the command counts; what: the subject of a sentence */
static void describe(bx_page *to, const bx_workload_runs *runs, unsigned cpu, uint64_t workloads,
                     const bx_workload_row *row, const char *what)
{
    bx_buf names = {.whole = &to->to->failed};
    const char *program = row->counted ? bx_run_program(row->counted) : NULL;
    bool metric = row >= runs->metrics && row < runs->metrics + runs->c->metrics.n;
    bx_run_names(&names, workloads);
    if (!row->counted)
        bx_page_row(to, "workloads", "not modelled: no virtual machine counts %s",
                    metric ? "all of its events" : "it");
    else if (!workloads && program)
        bx_page_row(to, "workloads", "none: it counts in programs");
    else if (!workloads)
        bx_page_row(to, "workloads", "none of those that were run: %s is 0 in each of them%s", what,
                    metric ? ", or a division by 0" : "");
    else
        bx_page_row(to, "workloads", "%s", bx_buf_text(&names));
    if (workloads)
        command(to, runs, cpu, row, metric);
    else if (program)
        bx_page_row(to, "see it count", "boxscore stat --machine %s -e %s -- %s",
                    bx_workload_runs_machine(runs, cpu, 0), row->counted, program);
    bx_buf_free(&names);
}

void bx_describe_workloads(bx_page *to, const bx_workload_runs *runs, unsigned cpu,
                           const bx_workload_row *row)
{
    describe(to, runs, cpu, row->runs, row, row->counted ? row->counted : "it");
}

void bx_describe_workloads_of_umasks(bx_page *to, const bx_workload_runs *runs, unsigned event)
{
    const bx_cat_event *about = &bx_cat_events(runs->c)[event];
    const bx_workload_row *shown = &runs->umasks[about->umasks.first];
    uint64_t workloads = 0;
    for (unsigned i = 0; i < about->umasks.n; i++) {
        const bx_workload_row *row = &runs->umasks[about->umasks.first + i];
        workloads |= row->runs;
        if (!shown->runs && (row->runs || (row->counted && !shown->counted)))
            shown = row;
    }
    describe(to, runs, bx_cat_pmus(runs->c)[about->pmu].cpu, workloads, shown,
             "each of its unit masks");
}

/* A run with a machine of its own. */
static void run_with_settings(bx_page *to, size_t i, const char *machine)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_f(&text, "%s on %s", bx_run_workload(i), machine);
    bx_page_item(to, bx_buf_text(&text), "%s", bx_run_name(i));
    bx_buf_free(&text);
}

void bx_describe_workload_runs(bx_page *to, const bx_workload_runs *runs, unsigned cpu)
{
    static const bx_page_columns columns = {.heads = "run", .text_at = 22};
    const char *machine = bx_workload_runs_machine(runs, cpu, 0);
    if (!machine)
        return;
    bx_page_title(to, "Workloads");
    bx_page_paragraph(
        to,
        "An event counts in a run if its count is not 0 after \"boxscore stat "
        "--machine MACHINE -w WORKLOAD -e EVENT\". These were run on %s. Those with a "
        "machine of their own were run only for events that count in none of the "
        "others:",
        machine);
    bx_page_list(to, &columns, "");
    for (size_t i = 0; bx_run_name(i); i++) {
        const char *own = bx_workload_runs_machine(runs, cpu, i);
        if (own && bx_run_is_plain(i))
            bx_page_item(to, bx_run_workload(i), "%s", bx_run_name(i));
        else if (own)
            run_with_settings(to, i, own);
    }
}
