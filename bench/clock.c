/* A library to preload: time passes as slowly as a program runs under cachegrind, whatever else the
 * machine does. What the program does by the clock, such as the commits of a recording, it then
 * does as often as when it runs alone. */
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

enum { SLOWDOWN = 20, SECOND = 1000000000 };

int clock_gettime(clockid_t which, struct timespec *t)
{
    static int (*get)(clockid_t, struct timespec *);

    (void)which;
    if (!get)
        get = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (!get || get(CLOCK_PROCESS_CPUTIME_ID, t) != 0)
        return -1;
    long long now = ((long long)t->tv_sec * SECOND + t->tv_nsec) / SLOWDOWN;
    *t = (struct timespec){1 + now / SECOND, now % SECOND}; /* never 0 */
    return 0;
}

/* The time until which somebody waits is one of this clock: it has often passed. He waits for what
 * wakes him. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                           const struct timespec *until)
{
    (void)until;
    return pthread_cond_wait(condition, lock);
}
