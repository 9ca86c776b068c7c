/* The parts of `boxscore stat`. cli/commands/stat.c has the options and the course; stat_subject.c
 * determines machine, events and work; stat_show.c writes the results; foreign_options.c has
 * options of other tools. */
#ifndef BX_CLI_MEASURE_STAT_H
#define BX_CLI_MEASURE_STAT_H

#include "cli/measure/measure.h"
#include "cli/common/sink.h"
#include "report/format/format.h"

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

/* How to count events that do not fit at once: bx_stat_options.passes. */
enum { BX_STAT_ROTATE, BX_STAT_REPEAT };

/* One run of the command. */
typedef struct bx_stat {
    bx_cli *cli;
    bx_stat_options own;      /* the options given, and what a recording adds */
    const bx_stat_options *o; /* those options */
    bx_machine *machine;      /* opened to find out what it is */
    bx_job job;
    unsigned part;     /* in a recording, the next run */
    const char *about; /* text with the span of an error */
    bx_report_source source;
    bx_report report;
    bool opened;   /* the report is open */
    bool warned;   /* warned of a blocked counter */
    int killed_by; /* the signal last reported as having killed the program */
    bx_view view;
    bx_sink sink;
    bx_progress progress;
    bx_reading *before; /* -I: at the end of the last interval */
    uint64_t reported;  /* and its time */
} bx_stat;

/* ---- foreign_options.c ---- */

extern const bx_habit bx_stat_habits[];

/* ---- stat_subject.c ---- */

/* Opens s->machine to find out what it is: each run opens a new one. Close it. */
int bx_stat_open_machine(bx_stat *s, bx_error *e);

/* Joins all -e to one list, so that a span refers to one text. */
int bx_stat_events(bx_stat *s, bx_error *e);

/* Determines the work: a workload, or a program as an argv. */
int bx_stat_work(bx_stat *s, const bx_texts *operands, bx_error *e);

/* Sets the notes for a recording. */
int bx_stat_notes(bx_stat *s, bx_error *e);

/* ---- stat_show.c ---- */

/* Opens the report: the first readings determine its lines. */
int bx_stat_open_report(bx_stat *s, const bx_reading *readings, size_t n, bx_error *e);

/* Shows the counts since the last interval; now: time since the start. context: the bx_stat. */
int bx_stat_show_interval(void *context, const bx_reading *readings, size_t n, uint64_t now,
                          bx_error *e);

/* Reports the signal that killed the program, once for runs that end in the same way. */
void bx_stat_report_killed(bx_stat *s, int signal);

int bx_stat_show_all(bx_stat *s, bx_error *e);

#endif
