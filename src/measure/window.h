/* The window: the times in which a measurement counts, by --delay and --control. Counters run all
 * the time; counts outside the window are subtracted from their readings. */
#ifndef BX_MEASURE_WINDOW_H
#define BX_MEASURE_WINDOW_H

#include "measure/control.h"

#include <boxscore/boxscore.h>

typedef struct bx_window {
    bool used;         /* false: it is open all the time, and nothing below is needed */
    bool open;         /* it counts now */
    bool ever;         /* it has counted */
    uint64_t opens_at; /* time at which it opens by itself; UINT64_MAX: it does not */
    uint64_t since;    /* time at which it was opened last, */
    uint64_t spent;    /* and the time counted before that */
    size_t n;
    bx_reading *off;    /* [n] what was counted outside */
    bx_reading *closed; /* [n] readings when it was closed last */
} bx_window;

/* "1500us" in ns. A bare number is in ms. false: the text is no time. */
bool bx_time_read(bx_str s, uint64_t *ns);

/* Starts at the time `start`. delay: in units of time; 0: the window is open at once; UINT64_MAX:
 * it is closed until --control opens it. */
void bx_window_new(bx_window *w, uint64_t start, uint64_t delay, bool controlled);
void bx_window_free(bx_window *w);

/* Opens and closes the window as due at the time `now`. control: may be NULL. *stop: --control ends
 * the measurement. */
int bx_window_update(bx_window *w, bx_session *s, uint64_t now, bx_control *control, bool *stop,
                     bx_error *e);

/* The time counted until `now`. */
uint64_t bx_window_time(const bx_window *w, uint64_t start, uint64_t now);

/* Subtracts the counts outside the window: from[], of bx_session_readings(), becomes to[]. */
void bx_window_readings(const bx_window *w, const bx_reading *from, size_t n, bx_reading *to);

#endif
