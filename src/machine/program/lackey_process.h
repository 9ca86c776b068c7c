/* Runs a program under valgrind's lackey and reads its trace through a pipe. */
#ifndef BX_MACHINE_PROGRAM_LACKEY_PROCESS_H
#define BX_MACHINE_PROGRAM_LACKEY_PROCESS_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

typedef struct bx_child {
    pid_t pid;      /* 0: none, or it has been waited for */
    int trace;      /* read end of the pipe; -1 when closed */
    int status;     /* exit status as a shell gives it, once pid is 0 */
    int signal;     /* the signal that killed it, or 0 */
    int end_signal; /* as in bx_spawner; SIGKILL without one */
} bx_child;

/* Starts the program instead of this library, still as a child of ours; 0 or an errno. The new
 * process must call bx_child_become(); `trace` is the write end of the pipe. */
typedef struct bx_spawner {
    int (*spawn)(void *context, int trace, pid_t *pid);
    void *context;
    int end_signal; /* on which the new process, and all that it has started, ends */
} bx_spawner;

/* Starts argv[0], searched as a shell does, with our standard input, output and error, or through
 * `by` if that is not NULL. BX_NOT_FOUND: no such program, or no valgrind; BX_NO_ACCESS: it cannot
 * be executed. */
int bx_child_start(bx_child *child, char *const argv[], const bx_spawner *by, bx_error *e);

/* Only checks whether it can be started; the same errors. */
int bx_child_check(const char *program, bx_error *e);

/* Executes the program under lackey in this process; returns if that fails. */
void bx_child_become(char *const argv[], int trace);

/* Reads more of the trace, waiting if there is none yet. Returns 0 at its end. */
size_t bx_child_read(bx_child *child, char *to, size_t room);

/* The same without waiting: 0 and *ended at its end, 0 alone if there is none yet. */
size_t bx_child_take(bx_child *child, char *to, size_t room, bool *ended);

/* Closes the pipe, waits for the program to end and stores its status. */
void bx_child_wait(bx_child *child);

/* Kills the program if it still runs, and releases everything. Can be called again. */
void bx_child_end(bx_child *child);

#endif
