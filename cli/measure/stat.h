/* The parts of `boxscore stat`: cli/commands/stat.c has its options and its course, stat_subject.c
 * settles machine, events and work, stat_show.c writes what was counted, stat_habits.c knows what
 * others call options. */
#ifndef BX_CLI_MEASURE_STAT_H
#define BX_CLI_MEASURE_STAT_H

#include "cli/measure/measure.h"
#include "cli/common/sink.h"
#include "report/report.h"

typedef struct bx_stat_options {
    bx_texts events;
    uint64_t repeat;
    uint64_t interval; /* ns */
    bool json;
    const char *separator;
    bool per_unit;
    const char *output;
    const char *machine;
    bx_machine_options host;
    bx_texts workloads; /* one at most */
    unsigned passes;
} bx_stat_options;

/* How events that do not fit at once are counted: bx_stat_options.passes. */
enum { BX_STAT_ROTATE, BX_STAT_REPEAT };

/* One call of the command. */
typedef struct bx_stat {
    bx_cli *cli;
    bx_stat_options own;      /* what was given, and what a recording adds to it */
    const bx_stat_options *o; /* that */
    bx_machine *looked;       /* the machine, while it is looked at */
    bx_job job;
    unsigned part;     /* of a recording, that comes next */
    const char *about; /* text that the span of an error is in */
    bx_report_source source;
    bx_report report;
    bool opened; /* the report is */
    bool warned; /* of a counter that is blocked */
    int mourned; /* the signal that killed the program last, when it was said */
    bx_view view;
    bx_sink sink;
    bx_progress progress;
    bx_reading *before; /* -I: at the end of the last interval */
    uint64_t reported;  /* and its time */
} bx_stat;

/* ---- stat_habits.c ---- */

extern const bx_habit bx_stat_habits[];

/* ---- stat_subject.c ---- */

/* Opens the machine to see what it is: each run gets a fresh one. s->looked is to be closed. */
int bx_stat_look(bx_stat *s, bx_error *e);

/* All -e as one list, so that the place of a mistake is one in one text. */
int bx_stat_events(bx_stat *s, bx_error *e);

/* The work: a workload, or a program as an argv of its own. */
int bx_stat_work(bx_stat *s, const bx_texts *operands, bx_error *e);

/* What a recording is to say of the measurement. */
int bx_stat_notes(bx_stat *s, bx_error *e);

/* ---- stat_show.c ---- */

/* The first readings fix the lines. */
int bx_stat_open_report(bx_stat *s, const bx_reading *readings, size_t n, bx_error *e);

/* What was counted since the last interval; now: since the start. context: the bx_stat. */
int bx_stat_show_interval(void *context, const bx_reading *readings, size_t n, uint64_t now,
                          bx_error *e);

/* Once for all runs that end in the same way. */
void bx_stat_tell_killed(bx_stat *s, int signal);

int bx_stat_show_all(bx_stat *s, bx_error *e);

#endif
