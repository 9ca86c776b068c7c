/* Two processes between the stage and a program, one below the other. Each kills all processes that
 * are left when the other one, or the stage, ends or is killed. So no process that the program
 * starts outlives the stage. */
#ifndef BX_STAGE_PROCESS_REAPER_H
#define BX_STAGE_PROCESS_REAPER_H

#include <signal.h>
#include <sys/types.h>

/* On this signal a reaper kills all processes below it, waits until they have ended, and exits. */
enum { BX_REAPER_END = SIGUSR1 };

/* Further work of the lower reaper, the parent of the program. */
typedef struct bx_reaper_work {
    int descriptor; /* the reaper keeps it open, under another number */
    void (*readable)(void *context, int descriptor);
    void (*stopped)(void *context, pid_t thread, int status); /* a traced thread, by waitpid() */
    void *context;
} bx_reaper_work;

/* Must be called in a child process of `parent`. Returns only in a new process, which becomes the
 * program. The calling process and one child of it become the reapers: they pass on signals that
 * processes send to them, kill the remaining processes when the program has ended, and exit with
 * the program's status as a shell reports it. work may be NULL. */
void bx_reaper_fork(pid_t parent, const bx_reaper_work *work);

#endif
