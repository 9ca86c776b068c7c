/* A program that runs on the host while counters count. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_HOST_PROGRAM_H
#define BX_MACHINE_PROGRAM_PROCESS_HOST_PROGRAM_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

typedef struct bx_process bx_process;
struct bx_mark_server;

/* Makes a process that waits, so that counting can begin before the program. The process calls
 * prepare(context) before execvp(); prepare may be NULL. BX_NOT_FOUND: no such program;
 * BX_NO_ACCESS: it cannot be executed. */
int bx_process_new(char *const argv[], void (*prepare)(void *), void *context, bx_process **p,
                   bx_error *e);
void bx_process_free(bx_process *p); /* kills it if it still runs; NULL is fine */

/* The program's marks go to the server while it runs; the server must outlive the process. */
void bx_process_serve(bx_process *p, struct bx_mark_server *marks);

/* Starts the program if it was not started. Waits until the time `until` of bx_process_clock(), or
 * until a signal arrives. *done: the program has ended. */
int bx_process_run(bx_process *p, uint64_t until, bool *done, bx_error *e);

pid_t bx_process_pid(const bx_process *p); /* for signals; 0 once it has ended, or if p is NULL */

/* Whether the kernel has sent a signal not only to us but also to our programs, as it does for all
 * processes of a terminal. code: si_code of the signal. Async-signal-safe. */
bool bx_process_got_signal(int number, int code);

bool bx_process_begun(const bx_process *p);          /* whether it was started */
bool bx_process_changes_rights(const bx_process *p); /* as bx_program_changes_rights() */
int bx_process_status(const bx_process *p);          /* exit status as a shell gives it */
int bx_process_signal(const bx_process *p);          /* the signal that killed it, or 0 */

int bx_process_end(const bx_process *p); /* a descriptor that is readable when it has ended */

uint64_t bx_process_clock(void); /* ns, CLOCK_MONOTONIC */

#endif
