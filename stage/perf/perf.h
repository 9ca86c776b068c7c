/* perf_event_open() on stage: events of the virtual machine's PMUs. Their counters are programmed
 * through its bus, as a driver does. docs/reference/stage.md lists differences from Linux. */
#ifndef BX_STAGE_PERF_PERF_H
#define BX_STAGE_PERF_PERF_H

#include "stage/calls/calls.h"
#include "stage/files/device.h"
#include "stage/perf/event_source.h"
#include "stage/perf/signalled.h"
#include "stage/work/clock.h"
#include "stage/work/launcher.h"

typedef struct bx_staged_perf bx_staged_perf;

/* path: of the file of bx_device_perf in the mounted tree. launcher: of bx_program_counter(), or
 * NULL. All arguments must outlive *p. The tree must be unmounted before bx_staged_free().
 * BX_NO_MEMORY. */
int bx_staged_new(bx_stage_clock *clock, const bx_event_sources *sources, struct bx_bus *bus,
                  const char *path, const bx_launcher *launcher, bx_staged_perf **p, bx_error *e);
void bx_staged_free(bx_staged_perf *p); /* NULL is fine */

/* The same for a gathered machine, which must outlive *p. */
int bx_staged_new_signalled(bx_stage_clock *clock, const bx_signalled *gathered, const char *path,
                            bx_staged_perf **p, bx_error *e);

/* Of a gathered machine: how many events were read that no signal had reached, so that their count
 * was 0. *first: one of them. */
uint64_t bx_staged_unsignalled(const bx_staged_perf *p, const char **first);

/* The bx_call_handler of SYS_perf_event_open. Its context is a bx_staged_perf. */
enum bx_answer bx_staged_answer(void *context, const bx_call *call, int64_t *value);

/* Each open file of this device is an event. Its context is a bx_staged_perf. */
extern const bx_device bx_device_perf;

/* Where the preloaded library asks, before an exec, whether the program is to be counted
 * (stage/preload/program_file.h). Its context is a bx_staged_perf with a launcher. */
extern const bx_device bx_device_program;

/* Whether a program has asked for an event of a CPU. */
bool bx_staged_was_asked_cpus(const bx_staged_perf *p);

/* Whether a program has asked for an event of a task that is not counted, or for samples. */
bool bx_staged_was_asked_task(const bx_staged_perf *p);
bool bx_staged_was_asked_samples(const bx_staged_perf *p);

/* To be called when the machine's time has advanced: reads counters and multiplexes groups. */
void bx_staged_tick(bx_staged_perf *p);

#endif
