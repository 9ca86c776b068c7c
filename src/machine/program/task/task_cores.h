/* Puts the tasks of a traced program on cores, and provides the feeds of the cores. */
#ifndef BX_MACHINE_PROGRAM_TASK_TASK_CORES_H
#define BX_MACHINE_PROGRAM_TASK_TASK_CORES_H

#include "machine/program/task/core_list.h"
#include "machine/program/task/task.h"

typedef struct bx_task_cores bx_task_cores;

/* If the reader works in steps, the cores take as many steps as they need, so the result depends on
 * the trace alone. model NULL: there is only the feed of core 0, and another caller reads it.
 * blocks: cores wait for accesses that the trace does not have yet. NULL: out of memory. */
bx_task_cores *bx_task_cores_new(bx_tasks *tasks, bx_model *model, const bx_core_list *cores,
                                 bool blocks);
void bx_task_cores_free(bx_task_cores *c); /* NULL is fine */

/* The feed of a core; NULL: no task can run there. */
bx_feed *bx_task_cores_feed(bx_task_cores *c, unsigned core);

/* Call this between runs: wakes the cores whose tasks have accesses. */
void bx_task_cores_wake(bx_task_cores *c);

/* Waits until a task is ready, or until all are over. */
void bx_task_cores_await(bx_task_cores *c);

/* Whether all tasks have been executed, and no more will come. */
bool bx_task_cores_are_done(bx_task_cores *c);

bool bx_task_cores_were_silent(const bx_task_cores *c); /* no access so far */

#endif
