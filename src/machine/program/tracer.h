/* A traced program as a source of accesses: its instruction fetches, loads and stores. */
#ifndef BX_MACHINE_PROGRAM_TRACER_H
#define BX_MACHINE_PROGRAM_TRACER_H

#include "model/engine/frames.h"
#include "model/model.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct bx_tracer bx_tracer;
struct bx_spawner;

/* Starts the program; it runs as fast as its accesses are consumed. frames must outlive the tracer.
 * With `by`, somebody else starts it, and reads do not wait: the feed waits
 * (BX_FEED_WAITS) whenever there is no new access. remarks: as the model wants them. */
int bx_tracer_new(char *const argv[], struct bx_frames *frames, bool remarks,
                  const struct bx_spawner *by, bx_tracer **t, bx_error *e);
void bx_tracer_free(bx_tracer *t); /* kills the program if it still runs; NULL is fine */

/* The accesses, for one core. When they end the program has been waited for. */
bx_feed *bx_tracer_feed(bx_tracer *t);

/* Waits for the first access, or for the end of the program: bx_tracer_check(). */
void bx_tracer_await(bx_tracer *t);

/* Whether the feed waits. */
bool bx_tracer_waits(const bx_tracer *t);

/* Its process, to send signals to; 0 once it has ended, or if t is NULL. */
pid_t bx_tracer_pid(const bx_tracer *t);

/* Once the program has ended: BX_SYSTEM if its trace was malformed or empty. */
int bx_tracer_check(const bx_tracer *t, bx_error *e);

/* Exit status as a shell gives it: 128 + n for signal n. 0 while the program runs. */
int bx_tracer_status(const bx_tracer *t);
int bx_tracer_signal(const bx_tracer *t); /* the signal that killed it, or 0 */

#endif
