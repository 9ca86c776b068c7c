/* MSRs: 8 bytes at the offset of the MSR's number in /dev/cpu/N/msr; if we may not open that, in
 * /dev/cpu/N/msr_safe of the module msr-safe. The driver answers EIO where the access faults
 * (Linux, arch/x86/kernel/msr.c). */
#include "host/bus/registers.h"

#include "host/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool bx_msrs_new(bx_msrs *m, const char *root, const bx_cpus *cpus)
{
    *m = (bx_msrs){.root = root, .cpus = cpus};
    m->fd = calloc(bx_cpus_all(m->cpus), sizeof *m->fd);
    for (unsigned i = 0; m->fd && i < bx_cpus_all(m->cpus); i++)
        m->fd[i] = -1;
    return m->fd;
}

void bx_msrs_free(bx_msrs *m)
{
    for (unsigned i = 0; m->fd && i < bx_cpus_all(m->cpus); i++)
        if (m->fd[i] >= 0)
            close(m->fd[i]);
    free(m->fd);
    m->fd = NULL;
}

static int open_device(const bx_msrs *m, unsigned cpu)
{
    char path[48];
    snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu);
    int fd = bx_file_open(m->root, path, O_RDWR), err = errno;
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "/dev/cpu/%u/msr_safe", cpu);
    fd = bx_file_open(m->root, path, O_RDWR);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu);
    fd = bx_file_open_device(m->root, path);
    return fd >= 0 ? fd : -err;
}

/* Opens the device of a CPU, if it is not open yet. Returns its descriptor, or minus an errno. */
static int device(bx_msrs *m, const bx_address *at)
{
    if (at->offset > UINT32_MAX) /* the driver would use the low half as the MSR's number */
        return -EINVAL;
    if (at->cpu >= bx_cpus_all(m->cpus) || m->cpus->logical[at->cpu] == BX_NO_CPU)
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

/* A CPU that has gone offline may come back, with its old device or another one. The helper cannot
 * open files any more and keeps the old one. */
static bool opened_again(bx_msrs *m, const bx_address *at, int err)
{
    if (err != ENXIO && err != ENODEV)
        return false;
    int fd = open_device(m, m->cpus->logical[at->cpu]);
    if (fd < 0)
        return false;
    close(m->fd[at->cpu]);
    m->fd[at->cpu] = fd;
    return true;
}

int bx_msrs_read(bx_msrs *m, const bx_address *at, uint64_t *value)
{
    int fd = device(m, at);
    int err = fd < 0 ? -fd : bx_value_read(fd, at->offset, sizeof *value, value);
    return fd >= 0 && opened_again(m, at, err)
               ? bx_value_read(m->fd[at->cpu], at->offset, sizeof *value, value)
               : err;
}

int bx_msrs_write(bx_msrs *m, const bx_address *at, uint64_t value)
{
    int fd = device(m, at);
    int err = fd < 0 ? -fd : bx_value_write(fd, at->offset, sizeof value, value);
    return fd >= 0 && opened_again(m, at, err)
               ? bx_value_write(m->fd[at->cpu], at->offset, sizeof value, value)
               : err;
}
