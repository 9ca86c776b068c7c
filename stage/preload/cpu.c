/* The CPU of the virtual machine that this thread runs on. sched_getaffinity() is answered by the
 * stage (stage/calls/affinity.h). The C library's sched_getcpu() and getcpu() would return the
 * host's CPU, so they are replaced. */
#include "stage/preload/preload.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

unsigned bx_preload_cpu(void)
{
    unsigned long mask[16] = {0};
    int before = errno;
    syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    errno = before;
    for (unsigned i = 0; i < sizeof mask / sizeof *mask; i++)
        if (mask[i])
            return 8 * (unsigned)sizeof *mask * i + (unsigned)__builtin_ctzl(mask[i]);
    return 0;
}

EXPORT int sched_getcpu(void)
{
    return (int)bx_preload_cpu();
}

EXPORT int getcpu(unsigned *cpu, unsigned *node)
{
    if (cpu)
        *cpu = bx_preload_cpu();
    return syscall(SYS_getcpu, NULL, node, NULL) == 0 ? 0 : -1;
}
