/* The lines of the first screen: what was measured under words that perf's users know, each with
 * the figure that says whether it is much. */
#ifndef BX_REPORT_SCREEN_H
#define BX_REPORT_SCREEN_H

#include "report/report.h"

typedef struct bx_screen_line {
    const char *word; /* of an event or a metric, as `-e` or `-M` takes it */
    const char *unit; /* may be "" */
    double value;
    bool whole;                    /* the value is a count */
    const char *instead;           /* in place of the value; NULL: it has one */
    const bx_running_stats *stats; /* of the value's runs; NULL: none */
    double beside;
    const char *beside_unit; /* unit and name: "insn per cycle"; NULL: nothing stands beside it */
    bool scaled;             /* the value is an estimate, of a host's counters in turns */
    bool whole_machine;      /* of a host: it counts all programs */
} bx_screen_line;

/* The line of the word with this index of bx_measured.screen. false: the report has neither event
 * nor metric of that name. */
bool bx_screen_line_of(const bx_report *r, size_t word, bx_screen_line *to);

/* The value of a metric of the report. false: it is not there, or has no value. */
bool bx_screen_metric(const bx_report *r, const char *name, double *value);

/* A part of the cores' cycles, in whole percent: all parts together are 100. */
typedef struct bx_screen_part {
    const char *name; /* "memory" */
    unsigned percent;
} bx_screen_part;
enum { BX_SCREEN_PARTS = 13 };

/* What the cores do in their cycles, without parts of 0 %. Returns how many parts there are; 0: the
 * report does not have it, or no core had work. */
size_t bx_screen_stack(const bx_report *r, bx_screen_part to[BX_SCREEN_PARTS]);

/* The sum of an event by the name of its row, the same way. */
bool bx_screen_count(const bx_report *r, const char *name, double *value);

#endif
