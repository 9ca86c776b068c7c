/* One measurement, from its options to the result: what is counted, where, and during which
 * work. bx_measure_…() and every command that measures are made of it. */
#ifndef BX_MEASURE_MEASUREMENT_H
#define BX_MEASURE_MEASUREMENT_H

#include "measure/attach.h"
#include "measure/control.h"
#include "measure/overflow_event.h"
#include "measure/result.h"

/* What a process that catches signals tells a measurement. */
typedef struct bx_measure_signals {
    int (*arrived)(void); /* the signal; 0: none */
    bool (*end)(void);    /* whether the measurement has to end: no program gets the signal */
    /* From now on signals are passed on to a program. 0, NULL: no more. */
    void (*pass_on)(pid_t program, volatile int *end_all);
} bx_measure_signals;

/* Who watches a pass, to record more than its result. Each function may end the measurement, by a
 * code other than BX_OK. */
struct bx_pass;
typedef struct bx_measure_watch {
    void *context;
    int (*opened)(void *context, struct bx_pass *p, bx_error *e);  /* its work is not loaded yet */
    int (*started)(void *context, struct bx_pass *p, bx_error *e); /* it counts */
    uint64_t (*due)(void *context);                                /* when it shall pass by */
    int (*passed)(void *context, struct bx_pass *p, bx_error *e);  /* it has run for some time */
    int (*stopped)(void *context, struct bx_pass *p, bx_error *e); /* it counts no longer */
} bx_measure_watch;

/* bx_measure() for the command's own programs: its signals, and who watches. NULL: none. */
typedef struct bx_measure_followers {
    const struct bx_measure_signals *signals;
    const bx_measure_watch *watch;
} bx_measure_followers;
int bx_measure_watched(const bx_catalog *c, const char *spec, const bx_machine_options *how,
                       const bx_measure_options *o, const bx_measure_followers *by,
                       bx_result **result, bx_error *e);

typedef struct bx_measurement {
    /* Set before bx_measurement_open(). */
    const bx_catalog *catalog;
    bx_measure_options o;    /* as given, and what a register log adds */
    const char *spec;        /* the machine's string, or NULL; each pass opens it again, … */
    bx_machine_options host; /* … with these options */
    bx_machine *machine;     /* the next pass counts on it; NULL: that pass opens one */
    bool lent;               /* `machine` is the caller's: it is neither opened nor closed */
    bx_result *result;       /* what is known goes there */
    bx_listener listener;
    const bx_measure_signals *signals; /* NULL: signals are left as they are */
    const bx_measure_watch *watch;     /* NULL: nobody */

    bx_arena *arena;       /* of the result */
    bx_measured *measured; /* the same: machine, events and work */
    const char *events_text;
    const bx_evsel *counted; /* [counted_n] */
    size_t counted_n; /* those of `measured` and that of `sample`; in a replay: all recorded */
    const uint16_t *recorded; /* of each event of `measured`, its index in `counted`; NULL: equal */
    uint64_t every;           /* one of this number of intervals is shown; 0: none */
    bx_overflow_event overflow; /* name NULL: no counter has to overflow */
    size_t overflow_event;      /* index of its event */
    unsigned part;              /* machines that have counted; in a register log, the next run */
    bx_attach_choice attach;
    const char *notes; /* for the head of a register log; NULL: none */
    unsigned cores;    /* in a package of the machine */
    uint64_t delay;    /* ns; UINT64_MAX: until `control` enables it */
    bx_control control;
    const char *about; /* text with the span of an error, or NULL */
    const char *in;    /* the option that has it */
    bool remarked;     /* bx_session_remark() was said */
    uint64_t accesses; /* of the passes that have ended */
    uint64_t passed;   /* machine's time in them */
    uint64_t run;      /* the present one, from 1 on */
    const struct bx_pass *running;
    uint64_t trace_bytes;  /* of the trace file */
    bx_reading *before;    /* readings at the end of the last interval */
    uint64_t reported;     /* counted time up to there */
    struct bx_pass *begun; /* the pass of bx_measurement_begin() */
} bx_measurement;

/* The option that has the text, for an error with a span; NULL, NULL: none. */
static inline void bx_measurement_about(bx_measurement *m, const char *in, const char *text)
{
    m->in = in;
    m->about = text;
}

/* ---- measurement.c ---- */

/* Opens the machine, reads the events and determines the work. Close *m in any case. */
int bx_measurement_open(bx_measurement *m, bx_error *e);
void bx_measurement_close(bx_measurement *m);

/* Whether intervals are shown: by time, or by overflows. */
static inline bool bx_measurement_in_intervals(const bx_measurement *m)
{
    return (m->o.interval && m->every) || m->o.sample;
}

/* Whether the result is the mean of several runs. */
static inline bool bx_measurement_repeats(const bx_measurement *m)
{
    return m->o.runs > 1 || m->o.precision > 0;
}

/* ---- measurement_run.c ---- */

/* Measures, in as many runs as are needed. Parts of the work that are random and have no seed
 * differ in each run. */
int bx_measurement_run(bx_measurement *m, bx_error *e);

/* Counts what happens between two calls. Without the second, bx_measurement_abandon(). */
int bx_measurement_begin(bx_measurement *m, bx_error *e);
int bx_measurement_end(bx_measurement *m, bx_error *e);
void bx_measurement_abandon(bx_measurement *m);

/* How far it is. */
typedef struct bx_measurement_state {
    bool is_virtual;    /* the machine's time is virtual, */
    double seconds;     /* and so long in all runs */
    uint64_t accesses;  /* of a virtual machine's cores */
    double share;       /* of a trace that has been read; -1: of no trace */
    uint64_t run, runs; /* the present one, from 1 on; runs 0: their number is not known */
} bx_measurement_state;

/* While it runs: of a bx_measure_options.progress. */
bx_measurement_state bx_measurement_now(const bx_measurement *m);

/* ---- environment.c ---- */

/* Sets the facts of m->measured, while its machine is open: everything except the work that counts
 * depend on. Runs with different environments are not compared. A replay has the facts of the
 * register log. */
void bx_measurement_environment(bx_measurement *m);

#endif
