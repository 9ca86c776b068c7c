/* The topics of `boxscore help`, each of which is a page of the manual. They are boxscore itself,
 * each command, the built-in workloads, the virtual machines, and each CPU model of the catalogue
 * with its metrics and PMUs. */
#ifndef BX_CLI_HELP_TOPICS_H
#define BX_CLI_HELP_TOPICS_H

#include "base/nearest.h"
#include "catalog/catalog.h"
#include "cli/common/names.h"
#include "cli/common/options.h"
#include "cli/common/page.h"
#include "cli/show/workload_runs.h"

enum bx_topic_kind {
    BX_TOPIC_ALL,
    BX_TOPIC_COMMAND,
    BX_TOPIC_WORKLOADS,
    BX_TOPIC_MACHINES,
    BX_TOPIC_CPU,
    BX_TOPIC_METRICS,
    BX_TOPIC_PMU,
};

typedef struct bx_topic {
    bx_word page; /* "boxscore-skl-cbo" */
    bx_word title;
    unsigned char kind;        /* enum bx_topic_kind */
    unsigned char section;     /* of the manual: 1 or 7 */
    unsigned index;            /* catalogue index of the CPU or PMU */
    const bx_command *command; /* NULL: the topic is no command */
} bx_topic;

/* The subject of a topic. */
typedef struct bx_subjects {
    const bx_command *const *commands; /* ends in NULL */
    const bx_catalog *c;
    const bx_workload_runs *runs; /* for the pages: which workloads show an event; NULL: none */
} bx_subjects;

/* The i-th topic. false: there are no more. */
bool bx_topic_at(const bx_subjects *s, size_t i, bx_topic *topic);

/* The word after `boxscore help`: "skl-cbo". */
const char *bx_topic_name(const bx_topic *topic);

/* Finds a topic by its name, that of its page, or a PMU's name. false: there is none; the names of
 * all are offered. */
bool bx_topic_find(const bx_subjects *s, const char *name, bx_topic *topic, bx_nearest *nearest);

/* Writes every name that `boxscore help` takes, one a line: topics, events with and without their
 * unit masks, registers, metrics and their groups. A name may come twice. */
void bx_topic_names(const bx_subjects *s, bx_buf *to);

/* Writes its page. */
void bx_topic_write(const bx_subjects *s, const bx_topic *topic, bx_page *to);

/* ---- pages, a file each ---- */

void bx_manual_all(bx_page *to, const bx_subjects *s);
void bx_manual_command(bx_page *to, const bx_command *command);
void bx_manual_workloads(bx_page *to);
void bx_manual_machines(bx_page *to, const bx_catalog *c);
void bx_manual_cpu(bx_page *to, const bx_catalog *c, unsigned cpu);
void bx_manual_metrics(bx_page *to, const bx_subjects *s, unsigned cpu);
void bx_manual_pmu(bx_page *to, const bx_subjects *s, unsigned pmu);

#endif
