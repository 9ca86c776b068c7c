/* The parts of `boxscore stat`. cli/commands/stat.c has the options and the sequence of runs;
 * stat_show.c writes the results; foreign_options.c has options of other tools. */
#ifndef BX_CLI_MEASURE_STAT_H
#define BX_CLI_MEASURE_STAT_H

#include "cli/common/sink.h"
#include "cli/measure/measurement.h"
#include "report/format/format.h"

typedef struct bx_stat_options {
    bx_measurement_options what;
    bool json;
    const char *separator;
    bool per_unit, per_package, per_core, per_port, per_thread, no_aggregation;
    uint64_t top;
    bool metric_only;
    const char *repeat_until;
    bool header;
    const char *output;
    bool append;
} bx_stat_options;

/* One run of the command. */
typedef struct bx_stat {
    bx_cli *cli;
    const bx_stat_options *o;
    bx_measurement measurement;
    bx_report report;
    bool opened;        /* the report is open */
    double wanted;      /* --repeat-until, in percent; 0: not given */
    uint64_t unreached; /* runs of --until that did not reach N */
    uint64_t runs;      /* number of runs that were counted to their end */
    int signal;         /* the signal that ended the measurement early; 0: none */
    bool warned;        /* warned of a blocked counter */
    bool never_begun;   /* the work was over before --delay, or nothing enabled it */
    int killed_by;      /* the signal last reported as having killed the program */
    bx_view view;
    bx_sink sink;
    bx_progress progress;
    bx_reading *before;       /* -I: readings at the end of the last interval */
    uint64_t reported;        /* time at the end of the last interval */
    const bx_region *regions; /* regions of the run that shows them */
    size_t regions_n;
} bx_stat;

/* ---- foreign_options.c ---- */

extern const bx_habit bx_stat_habits[];

/* ---- stat_show.c ---- */

/* Opens the report: the first readings determine its lines. */
int bx_stat_open_report(bx_stat *s, const bx_reading *readings, size_t n, bx_error *e);

/* Shows the counts since the last interval. context: the bx_stat. */
int bx_stat_show_interval(void *context, const bx_readings *now, bx_error *e);

/* Reports the signal that killed the program, once for runs that end in the same way. */
void bx_stat_report_killed(bx_stat *s, int signal);

int bx_stat_show_all(bx_stat *s, bx_error *e);

/* Shows the regions. For a region that several threads have entered, also shows each thread. */
int bx_stat_show_regions(bx_stat *s, bx_error *e);

/* Writes the end of the report, about the whole measurement. */
int bx_stat_finish(bx_stat *s, bx_error *e);
/* The event whose confidence interval is the widest; NULL: none has a value. */
const bx_record *bx_stat_widest(const bx_stat *s);

/* Notes that runs of --until did not reach N, and which programs were not seen. The notes go to the
 * report, or to standard error if the report is CSV or JSON. */
int bx_stat_add_remarks(bx_stat *s, bx_error *e);

#endif
