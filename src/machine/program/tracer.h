/* A real program as a source of accesses: its instruction fetches, loads and stores. */
#ifndef BX_MACHINE_PROGRAM_TRACER_H
#define BX_MACHINE_PROGRAM_TRACER_H

#include "model/engine/frames.h"
#include "model/model.h"

#include <sys/types.h>

typedef struct bx_tracer bx_tracer;
struct bx_spawner;

/* Starts the program; it runs as fast as its accesses are taken. frames must outlive the tracer.
 * With `by`, somebody else starts it, and it is not waited for: its feed ends as often as it has
 * done nothing new, and continues when that is set anew. */
int bx_tracer_new(char *const argv[], struct bx_frames *frames, const struct bx_spawner *by,
                  bx_tracer **t, bx_error *e);
void bx_tracer_free(bx_tracer *t); /* ends the program if it still runs; NULL is fine */

/* The accesses, for one core. At their end the program has been waited for. */
bx_feed *bx_tracer_feed(bx_tracer *t);

/* Waits for its first access, or its end, of which bx_tracer_check() then tells. */
void bx_tracer_await(bx_tracer *t);

/* The feed has ended only for the time being. */
bool bx_tracer_waits(const bx_tracer *t);

/* Its process, for signals; 0 once it has ended, or if t is NULL. */
pid_t bx_tracer_pid(const bx_tracer *t);

/* What went wrong on the way, once the program has ended. */
int bx_tracer_check(const bx_tracer *t, bx_error *e);

/* Exit status of the program as a shell gives it: 128 + n for signal n. 0 while it runs. */
int bx_tracer_status(const bx_tracer *t);
int bx_tracer_signal(const bx_tracer *t); /* that killed it, or 0 */

#endif
