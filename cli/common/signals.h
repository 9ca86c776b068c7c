/* Signals that end a process by default. Before the end, a command restores registers or removes
 * files. */
#ifndef BX_CLI_COMMON_SIGNALS_H
#define BX_CLI_COMMON_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Calls a handler at every signal whose default ends the process, including real-time signals. All
 * signals are blocked meanwhile. It does not change SIGKILL, the signals of a crash (SIGSEGV,
 * SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP), and signals that were ignored when the process began,
 * as under nohup. The C library uses the numbers 32 and 33 itself. */
void bx_signals_catch(void (*handler)(int number, siginfo_t *info, void *context));

/* Blocks all signals. *before: the argument for bx_signals_unblock(). */
void bx_signals_block(sigset_t *before);
void bx_signals_unblock(const sigset_t *before);

/* Notes a file or folder. If a signal ends the process before bx_signals_finished(), the file or
 * folder is removed. The caller keeps the text. The first call catches signals, which then remove
 * all noted files and end the process as by default. A later bx_signals_catch() replaces that: its
 * handler lets the command end by itself. At most four files are noted at once; false: there is no
 * room. */
bool bx_signals_unfinished(const char *path);
void bx_signals_finished(const char *path); /* fine if it is not noted */

#endif
