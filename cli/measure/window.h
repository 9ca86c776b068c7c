/* The times of a measurement in which it counts: from --delay on, and as --control says. Counters
 * run all the time; what they count outside is taken off their readings. */
#ifndef BX_CLI_MEASURE_WINDOW_H
#define BX_CLI_MEASURE_WINDOW_H

#include "cli/measure/control.h"

#include <boxscore/boxscore.h>

typedef struct bx_window {
    bool used;         /* else it counts from begin to end, and nothing below is needed */
    bool open;         /* it counts now */
    bool ever;         /* it has counted */
    uint64_t opens_at; /* time at which it opens by itself; UINT64_MAX: it does not */
    uint64_t since;    /* time at which it was opened last, */
    uint64_t spent;    /* and that was counted before */
    size_t n;
    bx_reading *off;    /* [n] what was counted outside */
    bx_reading *closed; /* [n] readings when it was closed last */
} bx_window;

/* From the time `start` on. delay: in units of time, UINT64_MAX: it stays closed until it is told
 * to open; 0: it begins open. */
void bx_window_new(bx_window *w, uint64_t start, uint64_t delay, bool controlled);
void bx_window_free(bx_window *w);

/* Opens and closes it as it is due at the time `now`. control: NULL, or what may say so. *stop: it
 * says to end the measurement. */
int bx_window_update(bx_window *w, bx_session *s, uint64_t now, bx_control *control, bool *stop,
                     bx_error *e);

/* The time counted, at the time `now`. */
uint64_t bx_window_time(const bx_window *w, uint64_t start, uint64_t now);

/* Takes off what was counted outside: from[] to to[], of bx_session_readings(). */
void bx_window_readings(const bx_window *w, const bx_reading *from, size_t n, bx_reading *to);

#endif
