/* MSRs: 8 bytes at the offset of the MSR's number in /dev/cpu/N/msr. The driver answers EIO where
 * the access faults (Linux, arch/x86/kernel/msr.c). */
#include "access/registers.h"

#include "access/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned count(const bx_msrs *m)
{
    return m->cpus->packages * m->cpus->cores;
}

bool bx_msrs_new(bx_msrs *m, const char *root, const bx_cpus *cpus)
{
    *m = (bx_msrs){.root = root, .cpus = cpus};
    m->fd = calloc(count(m), sizeof *m->fd);
    for (unsigned i = 0; m->fd && i < count(m); i++)
        m->fd[i] = -1;
    return m->fd;
}

void bx_msrs_free(bx_msrs *m)
{
    for (unsigned i = 0; m->fd && i < count(m); i++)
        if (m->fd[i] >= 0)
            close(m->fd[i]);
    free(m->fd);
    m->fd = NULL;
}

/* The device of a CPU, opened; negative: minus an errno. */
static int device(bx_msrs *m, const bx_address *at)
{
    if (at->cpu >= count(m))
        return -ENXIO;
    int *fd = &m->fd[at->cpu];
    if (*fd < 0) {
        char path[48];
        snprintf(path, sizeof path, "/dev/cpu/%u/msr", m->cpus->logical[at->cpu]);
        *fd = bx_file_open(m->root, path, O_RDWR);
    }
    return *fd < 0 ? -errno : *fd;
}

int bx_msrs_read(bx_msrs *m, const bx_address *at, uint64_t *value)
{
    int fd = device(m, at);
    return fd < 0 ? -fd : bx_value_read(fd, at->offset, sizeof *value, value);
}

int bx_msrs_write(bx_msrs *m, const bx_address *at, uint64_t value)
{
    int fd = device(m, at);
    return fd < 0 ? -fd : bx_value_write(fd, at->offset, sizeof value, value);
}
