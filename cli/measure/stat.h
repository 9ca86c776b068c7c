/* The parts of `boxscore stat`. cli/commands/stat.c has the options and the sequence of runs;
 * stat_show.c writes the results; foreign_options.c has options of other tools. */
#ifndef BX_CLI_MEASURE_STAT_H
#define BX_CLI_MEASURE_STAT_H

#include "cli/common/progress.h"
#include "cli/common/sink.h"
#include "measure/measurement.h"
#include "report/format/format.h"
#include "report/format/spark.h"

typedef struct bx_stat_options {
    bx_measure_options what; /* except for the lists, which the command joins: */
    bx_texts events, metrics, groups, workloads, inside;
    const char *machine;
    bx_machine_options host;
    const char *repeat_until;
    bool json, json_array;
    const char *separator;
    bool all, per_unit, per_package, per_core, per_port, per_thread, no_aggregation;
    bool per_die, per_node;
    uint64_t top;
    bool metric_only, long_form, topdown, verbose;
    unsigned detailed;
    bool header;
    const char *output;
    bool append;
} bx_stat_options;

/* One run of the command. */
typedef struct bx_stat {
    bx_cli *cli;
    const bx_stat_options *o;
    bx_measurement measurement;
    bx_result *result;
    bx_view view;
    bx_sink sink;
    bx_progress progress;
    bx_spark spark;
    int terminal; /* where a table over time is also drawn; -1: nowhere */
    bool begun;   /* -I: the head of the report was written */
} bx_stat;

/* ---- foreign_options.c ---- */

extern const bx_habit bx_stat_habits[];

/* ---- stat_show.c ---- */

/* Shows an interval: a bx_measure_options.at_interval. context: the bx_stat. */
int bx_stat_show_interval(void *context, const bx_result *interval, bx_error *e);

/* Shows the whole measurement, which has ended. */
int bx_stat_show(bx_stat *s, bx_error *e);

#endif
