/* The measurement of a server, in a thread of its own: what it counts goes into the series at the
 * end of each interval. */
#ifndef BX_SERVE_MEASURING_H
#define BX_SERVE_MEASURING_H

#include "serve/series.h"

#include <boxscore/measure.h>
#include <pthread.h>

typedef struct bx_measuring {
    /* Set before it starts. */
    const bx_catalog *catalog;
    const char *machine; /* NULL: as stat chooses */
    bx_machine_options how;
    bx_measure_options
        what;    /* its interval must be set; at_interval, progress and context are ours */
    size_t most; /* series */

    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an interval has ended, or all */
    bx_series series;
    uint64_t intervals;
    bool ended;
    int status;     /* exit status of the program */
    bx_error error; /* why it has ended; code BX_OK: the work has */
    bool stop;      /* asked to end */
    pthread_t thread;
    bool begun;
} bx_measuring;

/* Starts it, and waits for the first interval or for the end. The error is that of the measurement.
 * Free it in any case. */
int bx_measuring_start(bx_measuring *m, bx_error *e);

/* Ends it, which puts registers back, and frees all. */
void bx_measuring_stop(bx_measuring *m);

/* Whether it has ended. */
bool bx_measuring_ended(bx_measuring *m);

/* Waits for the next interval, at most for `ms`. false: there was none. */
bool bx_measuring_await(bx_measuring *m, uint64_t *seen, int ms);

/* Appends the present state in a format of exposition.h. */
void bx_measuring_write(bx_measuring *m, void (*format)(const bx_series *, bx_buf *), bx_buf *to);

#endif
