/* Puts the tasks of a traced program on cores, and is the cores' feeds. */
#ifndef BX_MACHINE_PROGRAM_TASK_TASK_CORES_H
#define BX_MACHINE_PROGRAM_TASK_TASK_CORES_H

#include "machine/program/task/core_list.h"
#include "machine/program/task/task.h"

typedef struct bx_task_cores bx_task_cores;

/* Of tasks whose reader goes in steps the cores take as many as they need: what they do depends on
 * nothing but the trace. model NULL: somebody else asks the one feed, of core 0. blocks: a core
 * waits for a trace that is to come. NULL: out of memory. */
bx_task_cores *bx_task_cores_new(bx_tasks *tasks, bx_model *model, const bx_core_list *cores,
                                 bool blocks);
void bx_task_cores_free(bx_task_cores *c); /* NULL is fine */

/* The feed of a core; NULL: no task ever runs there. */
bx_feed *bx_task_cores_feed(bx_task_cores *c, unsigned core);

/* Between runs: cores go on whose tasks have something to do. */
void bx_task_cores_wake(bx_task_cores *c);

/* Waits until a task is ready, or all are over. */
void bx_task_cores_await(bx_task_cores *c);

/* All tasks have been executed, and no more will come. */
bool bx_task_cores_are_done(bx_task_cores *c);

bool bx_task_cores_were_silent(const bx_task_cores *c); /* no access so far */

#endif
