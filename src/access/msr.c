/* MSRs: 8 bytes at the offset of the MSR's number in /dev/cpu/N/msr, or where that is closed to us
 * in msr_safe of the module of that name. The driver answers EIO where the access faults (Linux,
 * arch/x86/kernel/msr.c). */
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

static int open_device(const bx_msrs *m, unsigned cpu)
{
    char path[48];
    snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu);
    int fd = bx_file_open(m->root, path, O_RDWR), why = errno;
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "/dev/cpu/%u/msr_safe", cpu);
    fd = bx_file_open(m->root, path, O_RDWR);
    return fd >= 0 ? fd : -why;
}

/* The device of a CPU, opened; negative: minus an errno. */
static int device(bx_msrs *m, const bx_address *at)
{
    if (at->cpu >= count(m) || m->cpus->logical[at->cpu] == BX_NO_CPU)
        return -ENXIO;
    int *fd = &m->fd[at->cpu];
    if (*fd < 0) {
        int opened = open_device(m, m->cpus->logical[at->cpu]);
        if (opened < 0)
            return opened;
        *fd = opened;
    }
    return *fd;
}

/* A CPU that has gone offline may come back, with another device. */
static int looked_at(bx_msrs *m, const bx_address *at, int why)
{
    if (why == ENXIO || why == ENODEV) {
        close(m->fd[at->cpu]);
        m->fd[at->cpu] = -1;
    }
    return why;
}

int bx_msrs_read(bx_msrs *m, const bx_address *at, uint64_t *value)
{
    int fd = device(m, at);
    return fd < 0 ? -fd : looked_at(m, at, bx_value_read(fd, at->offset, sizeof *value, value));
}

int bx_msrs_write(bx_msrs *m, const bx_address *at, uint64_t value)
{
    int fd = device(m, at);
    return fd < 0 ? -fd : looked_at(m, at, bx_value_write(fd, at->offset, sizeof value, value));
}
