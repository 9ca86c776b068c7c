/* Threads are on whatever CPU of the virtual machine they ask to be on, which the host may not
 * have; the host runs them where it likes. */
#include "stage/preload/preload.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static _Thread_local unsigned long bound[16]; /* mask of CPUs; all 0: any */

enum { BITS = 8 * sizeof(unsigned long), WORDS = sizeof bound / sizeof *bound };

unsigned bx_preload_cpu(void)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (bound[i])
            return BITS * i + (unsigned)__builtin_ctzl(bound[i]);
    return 0;
}

static int bind_to(size_t bytes, const void *set)
{
    unsigned long asked[WORDS] = {0}, any = 0;
    memcpy(asked, set, bytes < sizeof asked ? bytes : sizeof asked);
    for (unsigned cpu = 0; cpu < BITS * WORDS; cpu++) {
        if (cpu >= bx_preload_cpus())
            asked[cpu / BITS] &= ~(1ul << cpu % BITS);
        any |= asked[cpu / BITS];
    }
    if (!any)
        return EINVAL;
    memcpy(bound, asked, sizeof bound);
    return 0;
}

static void tell(size_t bytes, void *set)
{
    unsigned long told[WORDS] = {0}, any = 0;
    for (unsigned i = 0; i < WORDS; i++)
        any |= bound[i];
    for (unsigned cpu = 0; cpu < bx_preload_cpus() && !any; cpu++)
        told[cpu / BITS] |= 1ul << cpu % BITS;
    memset(set, 0, bytes);
    memcpy(set, any ? bound : told, bytes < sizeof told ? bytes : sizeof told);
}

/* Of another process or thread nothing is known: it is taken for this one. */
EXPORT int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set)
{
    int why = bind_to(bytes, set);
    (void)pid;
    errno = why ? why : errno;
    return why ? -1 : 0;
}

EXPORT int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    (void)pid;
    tell(bytes, set);
    return 0;
}

EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    return pthread_equal(thread, pthread_self()) ? bind_to(bytes, set) : 0;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
    (void)thread;
    tell(bytes, set);
    return 0;
}

EXPORT int sched_getcpu(void)
{
    return (int)bx_preload_cpu();
}
