/* Raises the limit of open files for ourselves, not for the programs that we start. */
#include "machine/program/process/file_limit.h"

#include <sys/resource.h>

static const rlim_t MOST = 1 << 20; /* more than any run needs */

unsigned long bx_file_limit_set(unsigned long soft)
{
    struct rlimit now;
    if (soft == 0 || getrlimit(RLIMIT_NOFILE, &now) != 0)
        return 0;
    rlim_t before = now.rlim_cur;
    now.rlim_cur = soft;
    setrlimit(RLIMIT_NOFILE, &now); /* if it fails, fewer processes can be traced at once */
    return before;
}

unsigned long bx_file_limit_raise(void)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0)
        return 0;
    rlim_t most = now.rlim_max < MOST ? now.rlim_max : MOST;
    return bx_file_limit_set(now.rlim_cur > most ? now.rlim_cur : most);
}
