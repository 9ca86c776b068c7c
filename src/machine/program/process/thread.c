/* Starts a thread that gets no signals. */
#include "machine/program/process/thread.h"

#include "base/error.h"

int bx_thread_start(pthread_t *thread, void *(*run)(void *), void *context, sigset_t *before,
                    bx_error *e)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (before)
        *before = old;
    int err = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err == 0)
        return BX_OK;
    return bx_fail(e, BX_NO_MEMORY, 0, 0, /* EAGAIN for any lack: pthread_create(3) */
                   "out of memory for a thread that reads the trace, or too many threads");
}
