/* A measurement that goes on until it is stopped, in a thread of its own: what it counts goes into
 * the series at the end of each interval. */
#ifndef BX_LIVE_MEASURING_H
#define BX_LIVE_MEASURING_H

#include "live/hottest.h"
#include "live/series.h"
#include "measure/measurement.h"

#include <boxscore/measure.h>
#include <pthread.h>

typedef struct bx_measuring {
    /* Set before it starts. */
    const bx_catalog *catalog;
    const char *machine; /* NULL: as stat chooses */
    bx_machine_options how;
    bx_measure_options
        what;     /* its interval must be set; at_interval, progress and context are ours */
    size_t most;  /* series */
    size_t keeps; /* intervals */
    const bx_measure_signals *signals; /* NULL: signals are left as they are */
    bx_hottest *hottest;               /* lines of a program; NULL: not wanted */

    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an interval has ended, or all; it is to go on, or to stop */
    bx_series series;
    uint64_t runs; /* of a workload that have ended */
    bool ended;
    int status;       /* exit status of the program */
    bx_error error;   /* why it has ended; code BX_OK: the work has */
    bool stop;        /* asked to end */
    uint64_t allowed; /* intervals, after which a virtual machine stands still; 0: all */
    bx_buf remarks;   /* what the measurement did not see: a line each */
    pthread_t thread;
    bool begun;
} bx_measuring;

/* Starts it, and waits for the first interval or for the end. The error is that of the measurement.
 * Free it in any case. */
int bx_measuring_start(bx_measuring *m, bx_error *e);

/* Asks it to end. Then: waits for that, which puts registers back and adds what was counted last.
 * Then: frees all, whatever was called before. */
void bx_measuring_ask_to_stop(bx_measuring *m);
void bx_measuring_end(bx_measuring *m);
void bx_measuring_stop(bx_measuring *m);

/* A virtual machine stands still when it has counted so many intervals; 0: it goes on. */
void bx_measuring_allow(bx_measuring *m, uint64_t intervals);

/* Whether it has ended. */
bool bx_measuring_ended(bx_measuring *m);

/* Waits for the next interval, at most for `ms`. false: there was none. */
bool bx_measuring_await(bx_measuring *m, uint64_t *seen, int ms);

/* Appends the present state. */
void bx_measuring_write(bx_measuring *m, void (*format)(const bx_series *, bx_buf *), bx_buf *to);

#endif
