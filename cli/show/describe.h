/* Pages with everything that the catalogue has about one thing. */
#ifndef BX_CLI_SHOW_DESCRIBE_H
#define BX_CLI_SHOW_DESCRIBE_H

#include "cli/common/page.h"
#include "catalog/catalog.h"

void bx_describe_cpu(bx_page *to, const bx_catalog *c, unsigned cpu);
void bx_describe_metric(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned metric);
void bx_describe_metric_group(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned group);
/* The list of a CPU's metrics and groups, as a part of its page. */
void bx_describe_metrics_of(bx_page *to, const bx_catalog *c, unsigned cpu);
void bx_describe_pmu(bx_page *to, const bx_catalog *c, unsigned pmu);
void bx_describe_pmu_facts(bx_page *to, const bx_catalog *c, unsigned pmu); /* below the title */
/* An event on its own page; and on its PMU's page, which lists the modifiers only once. */
void bx_describe_event(bx_page *to, const bx_catalog *c, unsigned event);
void bx_describe_event_of_pmu(bx_page *to, const bx_catalog *c, unsigned event);
void bx_describe_modifiers(bx_page *to, const bx_catalog *c, unsigned pmu); /* all of a PMU */
void bx_describe_modifier(bx_page *to, const bx_catalog *c, unsigned modifier);
void bx_describe_register(bx_page *to, const bx_catalog *c, unsigned reg);
void bx_describe_passive(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned passive);

/* An event with unit masks and modifiers: its encoding, and what its parts mean. */
void bx_describe_selection(bx_buf *to, const bx_catalog *c, const bx_evsel *event);

#endif
