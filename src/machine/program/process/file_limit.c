/* Raises the limit of open files for ourselves, not for the programs that we start. */
#include "machine/program/process/file_limit.h"

#include <pthread.h>
#include <sys/resource.h>

static const rlim_t MOST = 1 << 20; /* more than any run needs */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned raises;
static struct rlimit before; /* valid if raises > 0 */

static void set_limit(rlim_t soft)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0)
        return;
    now.rlim_cur = soft;
    setrlimit(RLIMIT_NOFILE, &now); /* if it fails, fewer processes can be traced at once */
}

static rlim_t raised(void)
{
    rlim_t most = before.rlim_max < MOST ? before.rlim_max : MOST;
    return before.rlim_cur > most ? before.rlim_cur : most;
}

void bx_file_limit_raise(void)
{
    pthread_mutex_lock(&lock);
    if (raises++ == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0)
        set_limit(raised());
    pthread_mutex_unlock(&lock);
}

void bx_file_limit_restore(void)
{
    pthread_mutex_lock(&lock);
    if (--raises == 0)
        set_limit(before.rlim_cur);
    pthread_mutex_unlock(&lock);
}

void bx_file_limit_show(bool old)
{
    pthread_mutex_lock(&lock);
    if (raises)
        set_limit(old ? before.rlim_cur : raised());
    pthread_mutex_unlock(&lock);
}
