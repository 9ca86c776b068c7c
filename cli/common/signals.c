/* The handler of signals, and the list of files that it removes. */
#include "cli/common/signals.h"

#include "host/gather/archive.h"

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

/* ---- which signals ---- */

/* Whether a signal ends a process by default and can be caught, and does not report a crash:
 * signal(7). */
static bool ends_process(int number)
{
    static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGILL,
                                 SIGFPE,  SIGABRT, SIGTRAP, SIGCHLD, SIGCONT,
                                 SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] == number)
            return false;
    return true;
}

void bx_signals_catch(void (*handler)(int number, siginfo_t *info, void *context))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, old;
    sigfillset(&action.sa_mask);
    for (int number = 1; number <= SIGRTMAX; number++)
        if (ends_process(number) && sigaction(number, NULL, &old) == 0 && /* not the C library's */
            old.sa_handler != SIG_IGN)
            sigaction(number, &action, NULL);
}

void bx_signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

void bx_signals_unblock(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- files that a signal removes ---- */

enum { MOST = 4 };

/* Shared with the handler; changed while signals are blocked. Processes that were forked off have
 * copies, but the files are their parent's. */
static struct {
    pid_t owner;
    const char *paths[MOST];
} unfinished;

static void remove_and_end(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    for (size_t i = 0; i < MOST && unfinished.owner == getpid(); i++)
        if (unfinished.paths[i])
            bx_archive_remove(unfinished.paths[i]);
    signal(number, SIG_DFL);
    raise(number); /* the signal is delivered when this handler returns */
}

bool bx_signals_unfinished(const char *path)
{
    sigset_t before;
    size_t i = 0;
    bx_signals_block(&before);
    if (!unfinished.owner)
        bx_signals_catch(remove_and_end);
    unfinished.owner = getpid();
    while (i < MOST && unfinished.paths[i])
        i++;
    if (i < MOST)
        unfinished.paths[i] = path;
    bx_signals_unblock(&before);
    return i < MOST;
}

void bx_signals_finished(const char *path)
{
    sigset_t before;
    bx_signals_block(&before);
    for (size_t i = 0; i < MOST; i++)
        if (unfinished.paths[i] == path)
            unfinished.paths[i] = NULL;
    bx_signals_unblock(&before);
}
