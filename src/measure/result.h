/* The result of a measurement: the report, and how it went. */
#ifndef BX_MEASURE_RESULT_H
#define BX_MEASURE_RESULT_H

#include "machine/machine.h"
#include "measure/remarks.h"
#include "report/report.h"

#include <boxscore/measure.h>

/* Of a whole run; those of its regions and of the present interval are parts of it. */
struct bx_result {
    bx_arena arena; /* of the whole run and its parts; that of a part is empty */
    bx_measured measured;
    bx_report report;
    bool opened;               /* the report has its lines, and counts */
    const bx_record **metrics; /* [metrics_n] of the report, those with a metric */
    size_t metrics_n;
    bx_region region;    /* of a region; name NULL: it is none */
    bx_result *regions;  /* [regions_n] */
    bx_result *interval; /* the last one that has ended; NULL: there is none */
    double at;           /* of an interval: seconds from the start of the work to its end */
    bool partial;        /* of an interval: the end of the work cut it short */
    bx_comment *remarks; /* [remarks_n] */
    size_t regions_n, remarks_n, remarks_room;
    struct bx_measurement *counting; /* bx_measure_begin(), up to bx_measure_end() */

    /* How it went. Texts are in the arena; NULL: there is nothing to say. */
    uint64_t runs;            /* that were counted to their end */
    uint64_t unreached;       /* runs that an overflow should have ended, and did not */
    int exit_status;          /* of the program */
    int killed_by;            /* signal that killed the program, unless we got it, too; 0: none */
    int signal;               /* signal that ended a workload, or arrived while a program ran */
    bool not_restored;        /* not all registers were restored: notes say which */
    bool never_begun;         /* a run did not count, as when `delay` is longer than the work */
    bx_error trouble;         /* why counters are blocked; code BX_OK: none is */
    const char **unsupported; /* by event: why it is BX_NOT_SUPPORTED, or NULL */
    const char *untraced;     /* programs that were not seen */
    const char *left;         /* processes that still ran when the program ended */
    bx_order_waits waits;     /* of all runs */
    const char *tracer_says;  /* a fact a line */
    const char *traced;       /* facts on the file of a trace */
    uint64_t refused_marks;   /* of regions */
};

/* NULL: out of memory. */
bx_result *bx_result_new(void);

/* Opens the report of *r, unless it is open, with the lines of readings. The arena gets the list of
 * metrics. */
int bx_result_open(bx_result *r, const bx_measured *of, const bx_reading *readings, size_t n,
                   bx_arena *arena, bx_error *e);

/* Adds the readings of a run that counted for `time`. */
void bx_result_add(bx_result *r, const bx_reading *readings, uint64_t time);

/* Forgets all counts, after a failure. */
void bx_result_drop(bx_result *r);

#endif
