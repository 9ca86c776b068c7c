/* perf_event_open() on stage: events of the virtual machine's PMUs, whose counters are programmed
 * through its bus as a driver would. docs/stage.md says what is as in Linux and what is not. */
#ifndef BX_STAGE_PERF_PERF_H
#define BX_STAGE_PERF_PERF_H

#include "stage/calls/calls.h"
#include "stage/files/device.h"
#include "stage/perf/event_source.h"
#include "stage/work/clock.h"

typedef struct bx_staged_perf bx_staged_perf;

/* path: of the file with bx_device_perf in the tree. All must outlive it; the tree must be
 * unmounted before it is freed. */
int bx_staged_new(bx_stage_clock *clock, const bx_event_sources *sources, struct bx_bus *bus,
                  const char *path, bx_staged_perf **p, bx_error *e);
void bx_staged_free(bx_staged_perf *p); /* NULL is fine */

/* To be passed to bx_calls_intercept(); its context is a bx_staged_perf. */
enum bx_answer bx_staged_answer(void *context, const bx_call *call, int64_t *value);

extern const bx_device bx_device_perf; /* the same */

/* Time has passed on the machine. */
void bx_staged_tick(bx_staged_perf *p);

#endif
