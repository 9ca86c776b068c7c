/* One pass of a measurement: a machine, the work on it, and a session. */
#ifndef BX_MEASURE_PASS_H
#define BX_MEASURE_PASS_H

#include "measure/measurement.h"
#include "measure/window.h"

/* Readings at a moment. */
typedef struct bx_readings {
    const bx_reading *list;
    size_t n;
    uint64_t time; /* counted time, in units of the machine's time */
    uint64_t at;   /* since the start of the work; more than `time` with `delay` and `control` */
} bx_readings;

/* What a run has counted, in one pass or more. */
typedef struct bx_outcome {
    bx_reading *readings; /* free them */
    size_t n;
    uint64_t time;   /* counted time: of the work, or inside regions */
    uint64_t at;     /* time of the end, since the start of the work */
    bool overflowed; /* N of `until` was reached */
    bool begun;      /* it has counted */
} bx_outcome;

typedef struct bx_pass {
    bx_measurement *of;
    bx_evsel *events; /* in the numbers of this machine */
    bx_machine *machine;
    bx_session *session;
    uint64_t start, end; /* the machine's time when counting started and ended */
    uint64_t sampled;    /* time of the last interval's end, since `start` */
    uint64_t step;       /* how far to run at a time: some hundredths of a second */
    bool stopped;        /* the session has ended before the work, at `end` */
    bool overflowed;     /* an overflow stopped it */
    bool timed_out;      /* the timeout stopped it */
    uint64_t deadline;   /* time of the timeout; UINT64_MAX: none */
    uint64_t shown;      /* time counted when the last interval ended */
    uint64_t intervals;  /* intervals shown so far */
    bx_window window;
    bx_reading *taken; /* the readings that are shown */
    int code;          /* error with which an overflow ended it; BX_OK: it ended as requested */
    bx_error error;
} bx_pass;

static inline int bx_signal_arrived(const bx_measurement *m)
{
    return m->signals ? m->signals->arrived() : 0;
}

/* ---- pass.c ---- */

/* Opens everything, and loads the work. run: number of the repetition; number: which of the passes.
 * Close *p in any case. */
int bx_pass_open(bx_pass *p, bx_measurement *m, unsigned run, unsigned number, bx_error *e);

/* code: the pass failed with *e. Returns it, or the failure of a register log, as that is the cause
 * of all others. */
int bx_pass_close(bx_pass *p, int code, bx_error *e);

/* ---- pass_count.c ---- */

/* A time in ns as one of the machine; at least 1, except for 0. */
uint64_t bx_pass_time_of(const bx_measurement *m, uint64_t ns);

int bx_pass_start(bx_pass *p, bx_error *e);

/* Ends counting, also after an error, `code`, and says what could not be put back. If it is only
 * that, the counts are valid. */
int bx_pass_stop(bx_pass *p, int code, bx_error *e);

/* A bx_session_options.at_overflow: context is the pass. */
bool bx_pass_at_overflow(void *context);

/* Counts during the whole work: starts, runs, stops. */
int bx_pass_count(bx_pass *p, bx_error *e);

/* Takes the session's readings that are shown, without what was counted outside the window. */
int bx_pass_readings(bx_pass *p, bx_readings *to, bx_error *e);

/* ---- pass_attribute.c ---- */

/* Attributes all events that registers of a virtual machine count. told: [events]: which of them
 * are. */
int bx_pass_attribute(const bx_pass *p, bool *told, bx_error *e);

/* ---- pass_keep.c ---- */

/* Adds the counts to the run's, and facts on the work to the result. */
int bx_pass_keep(bx_pass *p, bx_outcome *o, bx_error *e);

/* ---- intervals.c ---- */

/* Hands out what was counted since the last interval. partial: the end of the work has ended it. */
int bx_measurement_end_interval(bx_measurement *m, const bx_readings *now, bool partial,
                                bx_error *e);

#endif
