/* The process of a traced program, under our tracer or under valgrind's lackey. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_TRACED_PROCESS_H
#define BX_MACHINE_PROGRAM_PROCESS_TRACED_PROCESS_H

#include "machine/program/process/surroundings.h"

#include <boxscore/boxscore.h>

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum {
    BX_TRACE_FD = 200
}; /* our descriptors have this number or a higher one: lower ones stay free for the program */

typedef struct bx_child {
    pid_t pid;      /* 0: there is no process, or it has been waited for */
    int status;     /* exit status as a shell gives it, once pid is 0 */
    int signal;     /* the signal that killed it, or 0 */
    int end_signal; /* as in bx_spawner; SIGKILL if there is no spawner */
    /* A signal handler sets it before it kills the process: all others of the program end, too,
     * whatever state they are in. */
    volatile int end_all;
} bx_child;

/* Starts the program in place of this library, but as a child of this process. Returns 0 or an
 * errno. The new process must call bx_child_become(). `trace` is the descriptor for its trace. */
typedef struct bx_spawner {
    int (*spawn)(void *context, int trace, pid_t *pid);
    void *context;
    int end_signal; /* signal that ends the new process and all its children */
} bx_spawner;

/* Starts argv[0], searched as a shell does, with our standard input, output and error, or through
 * `by` if that is not NULL. trace: our tracer's end of the socket, or the write end of lackey's
 * pipe. blocked: the program's signal mask. With `by`, the caller of bx_child_become() provides
 * `shown`. BX_NOT_FOUND: no such program, or no valgrind; BX_NO_ACCESS: it cannot be executed. */
int bx_child_start(bx_child *child, char *const argv[], int trace, const sigset_t *blocked,
                   const bx_surroundings *shown, const bx_spawner *by, bx_error *e);

/* Only checks whether the program can be started, with the same errors. */
int bx_child_check(const char *program, bx_error *e);

/* The error that the descriptors and buffers of a trace could not be made. err: the errno. */
int bx_child_has_no_trace(int err, bx_error *e);

/* The error that a program has ended without a trace. untraced: it ran, but could not make a ring.
 * tool: Valgrind's tool that shows whether Valgrind can run it. */
int bx_child_was_silent(const bx_child *child, const char *program, bool untraced, const char *tool,
                        bx_error *e);

/* Executes the program under its tracer in this process; returns if that fails. */
void bx_child_become(char *const argv[], int trace, const bx_surroundings *shown);

bool bx_child_has_ended(const bx_child *child);
bool bx_child_was_killed(const bx_child *child); /* it has ended, by a signal */

/* Waits for the program to end and stores its status. */
void bx_child_wait(bx_child *child);

/* Kills the program if it still runs, and waits for it. Can be called again. */
void bx_child_end(bx_child *child);

#endif
