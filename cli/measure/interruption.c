/* The signal handler of a measurement, and its state. */
#include "cli/measure/interruption.h"

#include "cli/common/signals.h"
#include "machine/program/process/host_program.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Shared with signal handlers: the signal that arrived, or 0, and the running program, or 0. */
static volatile sig_atomic_t caught, program;
static volatile int *volatile others; /* set to 1, it ends the program's other processes */

/* A signal ends a workload. It is passed on to a program, unless the terminal has sent it to the
 * program as well. The program may continue; a second signal kills it and all that it started. */
static void take_signal(int number, siginfo_t *info, void *unused)
{
    int saved_errno = errno;
    (void)unused;
    if (program && caught) {
        if (others) /* first: the others must not see its end without that */
            *others = 1;
        kill(program, SIGKILL);
    } else if (program && !bx_process_got_signal(number, info->si_code))
        kill(program, number);
    caught = number;
    errno = saved_errno;
}

/* If the reader of our output stops, registers must still be restored, so the signal is ignored and
 * the write fails. The program does not inherit a handler, as it would inherit SIG_IGN. */
static void ignore_signal(int number)
{
    (void)number;
}

void bx_interruption_catch(void)
{
    struct sigaction pipe = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, old;
    bx_signals_catch(take_signal);
    sigaction(SIGPIPE, NULL, &old);
    if (old.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &pipe, NULL);
}

void bx_interruption_pass_on(pid_t pid, volatile int *end_all)
{
    sigset_t before;
    bx_signals_block(&before);
    others = end_all;
    program = pid;
    if (program && caught)
        kill(program, caught);
    bx_signals_unblock(&before);
}

bool bx_interruption_ends(void)
{
    return caught && !program;
}

int bx_interruption_signal(void)
{
    return caught;
}
