/* A program run under valgrind's lackey, whose trace comes back through a pipe. */
#ifndef BX_MACHINE_CHILD_H
#define BX_MACHINE_CHILD_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

typedef struct bx_child {
    pid_t pid;  /* 0: none, or its end has been waited for */
    int trace;  /* read end of the pipe; -1 when closed */
    int status; /* exit status as a shell gives it, once pid is 0 */
} bx_child;

/* Starts argv[0], looked for as a shell does, with our standard input, output and error.
 * BX_NOT_FOUND: no such program, or no valgrind; BX_NO_ACCESS: it cannot be executed. */
int bx_child_start(bx_child *child, char *const argv[], bx_error *e);

/* Reads more of the trace and waits for it if there is none yet. Returns 0 at its end. */
size_t bx_child_read(bx_child *child, char *to, size_t room);

/* Closes the pipe, waits for the program to end and keeps its status. */
void bx_child_wait(bx_child *child);

/* Ends the program if it still runs, and releases everything. Can be called again. */
void bx_child_end(bx_child *child);

#endif
