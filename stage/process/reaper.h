/* Processes between the stage and a program, so that nothing that the program starts outlives the
 * stage, however it ends. There are two, one below the other: each ends all that the other leaves
 * should that one, or the stage, be killed. */
#ifndef BX_STAGE_PROCESS_REAPER_H
#define BX_STAGE_PROCESS_REAPER_H

#include <sys/types.h>

/* What the reaper next to the program does besides. */
typedef struct bx_reaper_work {
    int descriptor; /* stays open in it, as another number */
    void (*readable)(void *context, int descriptor);
    void (*stopped)(void *context, pid_t thread, int status); /* that it traces; of waitpid() */
    void *context;
} bx_reaper_work;

/* To be called in a child process of `parent`. It continues in a child of its own, the program to
 * be, and returns there only; here it keeps that one and ends with its exit status, as a shell
 * gives it, after having ended all that it left. Signals that processes send here are passed on to
 * it. work may be NULL. */
void bx_reaper_fork(pid_t parent, const bx_reaper_work *work);

#endif
