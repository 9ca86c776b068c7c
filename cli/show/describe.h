/* Pages with everything that the catalogue has about one thing. `runs` adds the workloads that show
 * it; NULL: nothing was run. */
#ifndef BX_CLI_SHOW_DESCRIBE_H
#define BX_CLI_SHOW_DESCRIBE_H

#include "cli/common/page.h"
#include "cli/show/workload_runs.h"
#include "catalog/catalog.h"

void bx_describe_cpu(bx_page *to, const bx_catalog *c, unsigned cpu);
void bx_describe_metric(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned metric,
                        const bx_workload_runs *runs);
void bx_describe_metric_group(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned group);
/* The list of a CPU's metrics and groups, as a part of its page. */
void bx_describe_metrics_of(bx_page *to, const bx_catalog *c, unsigned cpu);
void bx_describe_pmu(bx_page *to, const bx_catalog *c, unsigned pmu);
void bx_describe_pmu_facts(bx_page *to, const bx_catalog *c, unsigned pmu); /* below the title */
/* An event on its own page; and on its PMU's page, which lists the modifiers only once. If the form
 * has parts, each unit mask is a part there. */
void bx_describe_event(bx_page *to, const bx_catalog *c, unsigned event,
                       const bx_workload_runs *runs);
void bx_describe_event_of_pmu(bx_page *to, const bx_catalog *c, unsigned event,
                              const bx_workload_runs *runs);
void bx_describe_modifiers(bx_page *to, const bx_catalog *c, unsigned pmu); /* all of a PMU */
void bx_describe_modifier(bx_page *to, const bx_catalog *c, unsigned modifier);
void bx_describe_register(bx_page *to, const bx_catalog *c, unsigned reg);
/* A field, with the registers of a PMU that have it. */
void bx_describe_field(bx_page *to, const bx_catalog *c, unsigned pmu, unsigned field);
const char *bx_field_kind_name(unsigned kind); /* "rw" */
void bx_describe_passive(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned passive);

/* ---- the unit masks of an event: describe_umask.c ---- */

extern const bx_page_columns bx_umasks_columns;

/* All of them. link: each leads to its part. */
void bx_describe_umasks(bx_page *to, const bx_catalog *c, const bx_cat_event *event,
                        const bx_workload_runs *runs, bool link);

/* One of a list; chosen: it is meant when none is named. */
void bx_describe_umask_item(bx_page *to, const bx_catalog *c, const bx_cat_umask *umask,
                            bool chosen, const bx_workload_row *row);

/* A part for each: its code, registers, other tools' spellings, cautions, source, workloads. */
void bx_describe_umask_parts(bx_page *to, const bx_catalog *c, unsigned event,
                             const bx_workload_runs *runs);

/* LIKWID's spelling, "CACHE_LOOKUP_ANY_I:CBOX0C0"; nothing if LIKWID has none. */
void bx_likwid_spelling(bx_buf *to, const bx_catalog *c, const bx_evsel *selection);

/* ---- workloads: describe_workloads.c ---- */

/* "counts in stream, copy" */
void bx_workloads_phrase(bx_buf *to, const bx_workload_row *row);

/* The row "workloads", and a command that shows it. */
void bx_describe_workloads(bx_page *to, const bx_workload_runs *runs, unsigned cpu,
                           const bx_workload_row *row);
/* The same of all unit masks of an event. */
void bx_describe_workloads_of_umasks(bx_page *to, const bx_workload_runs *runs, unsigned event);

/* A section with the machine and the workloads of a CPU's runs. */
void bx_describe_workload_runs(bx_page *to, const bx_workload_runs *runs, unsigned cpu);

/* An event with unit masks and modifiers: its encoding, and what its parts mean. */
void bx_describe_selection(bx_buf *to, const bx_catalog *c, const bx_evsel *event);

#endif
