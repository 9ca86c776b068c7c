/* A thread that gets no signals: they are for the others. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_THREAD_H
#define BX_MACHINE_PROGRAM_PROCESS_THREAD_H

#include <boxscore/boxscore.h>

#include <pthread.h>
#include <signal.h>

/* before: the signal mask of the thread that calls, or NULL. */
int bx_thread_start(pthread_t *thread, void *(*run)(void *), void *context, sigset_t *before,
                    bx_error *e);

#endif
