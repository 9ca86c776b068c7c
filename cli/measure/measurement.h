/* One measurement, from the command line to the readings: what is counted, where, and during which
 * work. Every command that measures starts from it. */
#ifndef BX_CLI_MEASURE_MEASUREMENT_H
#define BX_CLI_MEASURE_MEASUREMENT_H

#include "cli/common/cli.h"
#include "cli/common/options.h"
#include "cli/common/progress.h"
#include "cli/measure/attach_option.h"
#include "cli/measure/control.h"
#include "cli/measure/overflow_option.h"
#include "report/report.h"

#include <boxscore/boxscore.h>

/* How to count events that do not fit at once: in the way that is best on the machine, multiplexed,
 * or with a run of the work for each pass. */
enum { BX_PASSES_AUTO, BX_PASSES_ROTATE, BX_PASSES_REPEAT };

/* The options of a measurement, as a command's table fills them in. */
typedef struct bx_measurement_options {
    bx_texts events, workloads; /* workloads: one at most */
    bx_texts metrics;           /* names of metrics and groups */
    uint64_t runs;
    uint64_t interval;       /* ns; 0: none */
    bool no_intervals;       /* the intervals of a recording are not shown */
    uint64_t interval_count; /* the measurement ends after this number; 0: with the work */
    uint64_t timeout;        /* ns after which it ends; 0: with the work */
    const char *delay;       /* TIME, or -1: until --control enables it; NULL: not given */
    const char *control;     /* NULL: not given */
    bx_attach_options attach;
    unsigned passes; /* BX_PASSES_… */
    bool regions;
    bx_texts inside;            /* names of regions; none: count everywhere */
    const char *until, *sample; /* EVENT=N, one of them at most; NULL: not given */
    const char *trace;          /* file; NULL: not given */
    const char *machine;
    bx_machine_options host;
} bx_measurement_options;

/* Readings at a moment. */
typedef struct bx_readings {
    const bx_reading *list;
    size_t n;
    uint64_t time; /* counted time, in units of the machine's time */
    uint64_t at;   /* since the start of the work; more than `time` with --delay and --control */
} bx_readings;

typedef struct bx_measurement {
    bx_cli *cli;
    bx_measurement_options o; /* as given, and what a recording adds */
    bx_measured measured;     /* machine, events and work, as the report needs them */
    const char *events_text;
    const bx_evsel *counted; /* [counted_n] */
    size_t counted_n; /* those of `measured` and that of --sample; in a replay: all recorded */
    const uint16_t *recorded; /* of each event of `measured`, its index in `counted`; NULL: equal */
    uint64_t every;           /* one of this number of intervals is shown; 0: none */
    bx_overflow_option overflow; /* name NULL: no counter has to overflow */
    size_t overflow_event;       /* index of its event */
    const char *workload;        /* NULL: a program */
    char *const *program;        /* its argv; NULL also for a trace, or if accesses are replayed */
    bx_machine *machine;         /* the next pass counts on it; NULL: that pass opens one */
    unsigned part;               /* machines that have counted; in a recording, the next run */
    bx_attach_choice attach;
    const char *notes; /* for the head of a recording; NULL: none */
    unsigned cores;    /* in a package of the machine */
    uint64_t delay;    /* ns; UINT64_MAX: until --control enables it */
    bx_control control;
    const char **unsupported; /* by event: why it is BX_NOT_SUPPORTED, or NULL; in the arena */
    const char *about;        /* text with the span of an error, or NULL */
    const char *untraced;     /* programs that a run did not see, in the arena, or NULL */
    const char *left;         /* processes that still ran when the program ended; the same */
    const char *tracer_says;  /* what the tracer says, a fact a line, in the arena, or NULL */
    uint64_t refused_marks;   /* of regions */
    bool cut;                 /* a process was not counted to its end */
    const char *traced;       /* facts on the file of a trace, in the arena, or NULL */
    bool remarked;            /* bx_session_remark() was shown */
    bx_progress *progress;    /* NULL: none is shown */
    /* Called at the end of each interval, and at each overflow of --sample. If it does not return
     * BX_OK, the measurement ends. */
    int (*at_interval)(void *context, const bx_readings *now, bx_error *e);
    void *context;
} bx_measurement;

/* How a run went. */
typedef struct bx_outcome {
    bx_reading *readings; /* free them */
    size_t n;
    bx_region *regions; /* [regions_n], in the arena, with their readings */
    size_t regions_n;
    uint64_t time;     /* counted time: of the work, or inside regions */
    uint64_t at;       /* time of the end, since the start of the work */
    int status;        /* exit status of the program */
    int killed_by;     /* signal that killed the program, unless we got it, too; 0: none */
    int signal;        /* signal that ended a workload or arrived while a program ran; 0: none */
    bx_error trouble;  /* why counters are blocked; code BX_OK: none is */
    bool overflowed;   /* --until: N was reached */
    bool begun;        /* it has counted; false: for example, --delay was longer than the work */
    bool not_restored; /* not all registers were restored; they were reported */
} bx_outcome;

/* ---- measurement.c ---- */

/* Opens the machine, reads the events and determines the work: m has cli and o. operands: the
 * program. Texts live in the arena of cli. */
int bx_measurement_open(bx_measurement *m, const bx_texts *operands, bx_error *e);
void bx_measurement_close(bx_measurement *m);

/* ---- measurement_run.c ---- */

/* Measures once. run: number of the repetition, from 0. Random parts of the work that have no seed
 * differ in each run. */
int bx_measurement_run(bx_measurement *m, unsigned run, bx_outcome *outcome, bx_error *e);

#endif
