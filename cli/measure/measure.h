/* One measurement: a fresh machine, the work on it, and the readings that came of it. */
#ifndef BX_CLI_MEASURE_MEASURE_H
#define BX_CLI_MEASURE_MEASURE_H

#include "cli/common/progress.h"

#include <boxscore/boxscore.h>

/* What is to be measured. Everything belongs to the caller. */
typedef struct bx_job {
    const bx_catalog *catalog;
    const char *machine;            /* its string */
    const bx_machine_options *host; /* how it is reached, if it is a host */
    const bx_evsel *events;
    size_t events_n;
    const char *events_text; /* that they were parsed from */
    const char *workload;    /* NULL: a program */
    char *const *program;    /* its argv; NULL as well: a recording, where nothing is run */
    uint64_t interval;       /* in units of the machine's time; 0: none */
    unsigned *part;          /* how many machines were opened: of a recording, which run is next */
    bool repeat;             /* the work is done once per pass, instead of rotating passes */
    bx_progress *progress;
    /* Called at the end of each interval, the last and shorter one included. now: since the start.
     * Nothing is measured any further once it returns something else than BX_OK. */
    int (*at_interval)(void *context, const bx_reading *readings, size_t n, uint64_t now,
                       bx_error *e);
    void *context;
} bx_job;

typedef struct bx_outcome {
    bx_reading *readings; /* to be freed */
    size_t n;
    uint64_t time;     /* that the work took */
    int status;        /* of the program */
    int killed_by;     /* the signal that killed the program, unless one that came to us; 0: none */
    int signal;        /* that ended a workload early, or came while a program ran; 0: none */
    bx_error trouble;  /* why counters are blocked; code BX_OK: none is */
    bool not_restored; /* not all registers could be put back; it was said which */
} bx_outcome;

/* Does the job. run: 0, 1 … of the repetitions, each of which is a little different where the work
 * has a random part whose seed was not given. On an error *about is the text of the job that its
 * span is in, or NULL. */
int bx_measure(const bx_job *job, unsigned run, bx_outcome *outcome, const char **about,
               bx_error *e);

/* Catches SIGINT, SIGTERM, SIGHUP and others that would end us from now on, so that what was
 * counted until then is reported and registers are put back. */
void bx_measure_catch_signals(void);

#endif
