/* Signals that end a process by default: a command first restores registers or removes files. */
#ifndef BX_CLI_COMMON_SIGNALS_H
#define BX_CLI_COMMON_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Has a handler called at every signal whose default ends the process, also the real-time ones. All
 * signals are blocked meanwhile. Left as they are: SIGKILL; the signals of a crash (SIGSEGV,
 * SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP); what was ignored when the process began, as under
 * nohup. The numbers 32 and 33 are the C library's own. */
void bx_signals_catch(void (*handler)(int number, siginfo_t *info, void *context));

/* Blocks all signals; *before is what bx_signals_unblock() gets. */
void bx_signals_block(sigset_t *before);
void bx_signals_unblock(const sigset_t *before);

/* A file or folder that is to be removed if a signal ends the process before it is complete, or
 * used. The text stays the caller's. The first call catches signals, which then remove all of these
 * and end the process as by default. A later bx_signals_catch() replaces that: its handler lets the
 * command end by itself. No more than four are kept at once; false: there is no room. */
bool bx_signals_unfinished(const char *path);
void bx_signals_finished(const char *path); /* fine if it is not kept */

#endif
