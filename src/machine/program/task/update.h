/* For task.c: what the reader reports to the model, and the bell of the reader. */
#ifndef BX_MACHINE_PROGRAM_TASK_UPDATE_H
#define BX_MACHINE_PROGRAM_TASK_UPDATE_H

#include "machine/program/task/task.h"

/* The caller of these functions holds the lock. b: of BX_UPDATE_BATCH, or NULL. */
void bx_tasks_update(bx_tasks *all, bx_task *t, enum bx_update update, bx_batch *b);
void bx_tasks_take_update(bx_tasks *all); /* there is one in the queue */

void bx_tasks_ring(const bx_tasks *all); /* what the reader waits for has come */

#endif
