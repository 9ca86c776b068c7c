/* A session: a measurement and its course. It owns the four parts, each of which takes its own
 * state only: programme.h, samples.h, restore.h, estimate.h; beside them what the host's kernel
 * counts, kernel_counters.h.
 *
 *   open.c     makes a session of events and options
 *   session.c  the course: start, run, stop; what is told of it
 *   execute.c  executes a programme's operations */
#ifndef BX_SESSION_SESSION_H
#define BX_SESSION_SESSION_H

#include "session/estimate.h"
#include "session/kernel_counters.h"
#include "session/restore.h"

enum bx_session_phase { BX_OPENED, BX_RUNNING, BX_STOPPED };

/* What happens when the programme's counter overflows. */
typedef struct bx_stopper {
    uint64_t rearmed_at; /* its count when it was last started */
    bool (*at_overflow)(void *context);
    void *context;
} bx_stopper;

struct bx_session {
    uint8_t phase; /* enum bx_session_phase */
    bool is_told;  /* the machine reports marks to us */
    bx_programme programme;
    bx_samples samples;
    bx_session_undo undo;
    bx_estimate estimate;
    bx_stopper stopper;
    bx_kernel *kernel; /* events that the host's kernel counts */
};

/* ---- execute.c ---- */

/* Executes the set-up, start or stop of the present pass, or of all passes that count at once. It
 * executes all operations, or those that differ between passes. It tells the samples when a counter
 * was started or stopped, and what is put back which registers to doubt. */
void bx_execute(bx_programme *p, bx_samples *samples, bx_session_undo *u, unsigned step, bool all);

#endif
