/* Starts a thread that gets no signals: other threads handle them. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_THREAD_H
#define BX_MACHINE_PROGRAM_PROCESS_THREAD_H

#include <boxscore/boxscore.h>

#include <pthread.h>
#include <signal.h>

/* before: gets the signal mask of the calling thread, or NULL. */
int bx_thread_start(pthread_t *thread, void *(*run)(void *), void *context, sigset_t *before,
                    bx_error *e);

#endif
