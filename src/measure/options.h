/* The options of a measurement. */
#ifndef BX_MEASURE_OPTIONS_H
#define BX_MEASURE_OPTIONS_H

#include <boxscore/boxscore.h>

/* How to count events that do not fit at once: in the way that is best on the machine, multiplexed,
 * or with a run of the work for each pass. */
enum { BX_PASSES_AUTO, BX_PASSES_ROTATE, BX_PASSES_REPEAT };

/* What is measured. All zero, and NULL, means "not given". */
typedef struct bx_measure_options {
    const char *events, *metrics; /* as for bx_measure_workload() */
    /* The work: one of them, or what runs already, or both of that and a program. */
    const char *workload;
    char *const *program;            /* its argv */
    const char *trace;               /* file of `boxscore trace` */
    const char *processes, *threads; /* numbers, separated by commas */
    bool all_cpus;                   /* what runs on any CPU, */
    const char *cpus;                /* or on these: "0-3,8" */
    unsigned passes;                 /* BX_PASSES_… */
    uint64_t runs;                   /* of the work; 0: one */
    double precision;                /* runs are repeated until all confidence intervals are so
                                        many percent; at most `runs` times, if that is above 1 */
    uint64_t interval;               /* ns */
    uint64_t interval_count;         /* the measurement ends after this number */
    bool no_intervals;               /* the intervals of a recording are not shown */
    uint64_t timeout;                /* ns after which it ends */
    const char *delay;               /* "500us", in ms without a unit; "-1": until `control` */
    const char *control;             /* "fd:IN,ACK" or "fifo:IN,ACK": docs/reference/stat.md */
    const char *until, *sample;      /* EVENT=N, one of them at most */
    bool regions;                    /* marked ones are counted, too */
    const char *const *inside;       /* [inside_n] names of regions; none: count everywhere */
    size_t inside_n;
    /* Called at the end of each interval, and at each overflow of `sample`: what was counted since
     * the last one. If it does not return BX_OK, the measurement fails with that code. */
    int (*at_interval)(void *context, const bx_result *interval, bx_error *e);
    /* Called several times a second, with the accesses that a virtual machine has made. false ends
     * the measurement, and a program with SIGTERM. */
    bool (*progress)(void *context, uint64_t accesses);
    void *context; /* of both */
} bx_measure_options;

#endif
