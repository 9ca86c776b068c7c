/* Where the points of a sweep run, if not in this process: tasks of a batch system or of a command,
 * with many points each. Each task is this command again, for its points, with a file of its own.
 */
#ifndef BX_SWEEP_ENGINE_H
#define BX_SWEEP_ENGINE_H

#include "sweep/sweep.h"

/* Appends the command line of a task as words of a shell: `boxscore sweep`, with all that makes the
 * sweep, in this folder. task: as the shell shall see it, "3" or "$SLURM_ARRAY_TASK_ID". */
void bx_engine_command(const bx_sweep *s, const char *task, bx_buf *to);

/* Checks the name of an engine: "slurm", or a command with {command} or {quoted}. */
int bx_engine_check(const char *engine, bx_error *e);

/* Runs all tasks, and waits until they have ended. again(): called about each second; false ends
 * the waiting, and the tasks of a command, but not those of a batch system. `job` is a file in
 * which the number of a batch job stays, so that it is waited for, not submitted again. */
int bx_engine_run(const bx_sweep *s, const char *job, bool (*again)(void *context), void *context,
                  bx_error *e);

#endif
