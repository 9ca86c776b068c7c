/* Measuring with options: all that `boxscore stat` does, for a program. boxscore.h has what is done
 * with a result, and the simpler calls. docs/how-to/use-the-library.md begins with examples. */
#ifndef BOXSCORE_MEASURE_H
#define BOXSCORE_MEASURE_H

#include <boxscore/boxscore.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to count events that do not fit at once. */
enum bx_passes {
    BX_PASSES_AUTO,   /* in the way that is best on the machine */
    BX_PASSES_ROTATE, /* multiplexed */
    BX_PASSES_REPEAT, /* with a run of the work for each pass */
};

/* What bx_measure() does. What is 0, NULL or false was not asked for. The work is one of workload,
 * program and trace; or what already runs on a host: processes, threads, CPUs or a cgroup. A
 * program in addition to these only determines the time. */
typedef struct bx_measure_options {
    size_t size;                  /* sizeof(bx_measure_options): as in bx_machine_options */
    const char *events, *metrics; /* as for bx_measure_workload() */
    const char *workload;
    char *const *program;            /* its argv */
    const char *trace;               /* a file of `boxscore trace` */
    const char *processes, *threads; /* numbers, separated by commas */
    bool all_cpus;
    const char *cpus; /* "0-3,8"; those of a virtual machine are its cores */
    unsigned passes;  /* enum bx_passes */
    uint64_t runs;    /* the result has the means; 0: one */
    double precision; /* runs until all confidence intervals are within so many percent of the mean;
                         at most `runs` if that is above 1, or 1,000 */
    uint64_t interval;         /* ns of the machine's time */
    uint64_t interval_count;   /* ends after so many */
    bool no_intervals;         /* of a register log are shown */
    uint64_t timeout;          /* ns after which it ends, and a program gets SIGTERM */
    const char *delay;         /* before it counts: "500us", in ms without a unit; "-1": until
                                  `control` enables it */
    const char *control;       /* "fd:IN,ACK", "fifo:IN,ACK": docs/reference/stat.md, --control */
    const char *until;         /* EVENT=N: ends when this event has been counted N times */
    const char *sample;        /* EVENT=N: an interval each time */
    bool regions;              /* that the program marks have results of their own */
    const char *const *inside; /* [inside_n] names of regions: counts only there */
    size_t inside_n;
    /* Called at the end of each interval, with what was counted since the last one. Unless it
     * returns BX_OK, the measurement ends, with that code. */
    int (*at_interval)(void *context, const bx_result *interval, bx_error *e);
    /* Called several times a second, with bx_machine_accesses() of all runs. If it returns false,
     * the measurement ends as by `timeout`. */
    bool (*progress)(void *context, uint64_t accesses);
    void *context;
    const char *cgroup; /* on a host, what this cgroup runs on all CPUs, or on `cpus` */
    /* The same of several, separated by commas: each has lines and metrics of its own, where
     * bx_result_where() is its name. Sums count what runs in several of them several times. */
    const char *cgroups;
} bx_measure_options;

/* Measures in all ways of the command `boxscore stat`. Each run has a new machine, with caches and
 * counters as after power-on: spec and how are those of bx_machine_open_with(), with
 * `log_registers` and `replay`. bx_error.in of an error with a span is "events", "metrics",
 * "workload", "machine", "until" or "sample". */
BX_API int bx_measure(const bx_catalog *c, const char *spec, const bx_machine_options *how,
                      const bx_measure_options *o, bx_result **result, bx_error *e);

/* Writes the result to a file, as `boxscore stat -j` does, for `boxscore diff`. */
BX_API int bx_result_save(const bx_result *r, const char *file, bx_error *e);

BX_API uint64_t bx_result_runs(const bx_result *r); /* that were counted */
/* Of an interval: seconds from the start of the work to its end. */
BX_API double bx_result_ended(const bx_result *r);

/* Of several runs the mean, where bx_result_value() is the last one's, and its 95 % confidence
 * interval in percent of it, to each side. */
BX_API double bx_result_mean(const bx_result *r, size_t i);
BX_API double bx_result_confidence(const bx_result *r, size_t i);

/* The marks of boxscore/region.h with -DBX_REGIONS_HOST, by functions: for languages that do not
 * have its macros. NULL does nothing. */
BX_API void bx_region_begin(const char *name);
BX_API void bx_region_end(const char *name);
BX_API void bx_region_reset(const char *name);

#ifdef __cplusplus
}
#endif

#endif
