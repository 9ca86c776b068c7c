/* One measurement: a new machine, the work on it, and the readings. */
#ifndef BX_CLI_MEASURE_MEASURE_H
#define BX_CLI_MEASURE_MEASURE_H

#include "cli/common/progress.h"

#include <boxscore/boxscore.h>

/* What to measure. Everything belongs to the caller. */
typedef struct bx_job {
    const bx_catalog *catalog;
    const char *machine;            /* machine string */
    const bx_machine_options *host; /* how to access a host */
    const bx_evsel *events;
    size_t events_n;
    const char *events_text; /* the text of the events */
    const char *workload;    /* NULL: a program */
    char *const *program;    /* its argv; NULL without a workload: a recording is replayed */
    uint64_t interval;       /* in units of the machine's time; 0: none */
    unsigned *part;          /* number of machines opened; in a recording, the next run */
    bool repeat;             /* repeat the work for each pass, instead of rotating passes */
    bx_progress *progress;
    /* Called at the end of each interval; the last may be shorter. now: time since the start. If it
     * does not return BX_OK, the measurement ends. */
    int (*at_interval)(void *context, const bx_reading *readings, size_t n, uint64_t now,
                       bx_error *e);
    void *context;
} bx_job;

typedef struct bx_outcome {
    bx_reading *readings; /* free them */
    size_t n;
    uint64_t time;     /* time of the work */
    int status;        /* exit status of the program */
    int killed_by;     /* signal that killed the program, unless it came to us; 0: none */
    int signal;        /* signal that ended a workload or came during a program; 0: none */
    bx_error trouble;  /* why counters are blocked; code BX_OK: none is */
    bool not_restored; /* not all registers were restored; they were reported */
} bx_outcome;

/* Does the job. run: number of the repetition, from 0; a random part of the work without a seed
 * differs in each. On an error *about is the text of the job with its span, or NULL. */
int bx_measure(const bx_job *job, unsigned run, bx_outcome *outcome, const char **about,
               bx_error *e);

/* Catches all signals that would end the process (cli/common/signals.h), so that the counts so far
 * are reported and registers are restored. */
void bx_measure_catch_signals(void);

#endif
