/* PCI configuration space: the file `config` of a function in sysfs, or its file below
 * /proc/bus/pci where sysfs has none. PCI domain 0 only. */
#include "host/bus/registers.h"

#include "host/system/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct bx_pci_function {
    uint64_t function; /* its address without the register */
    int fd;
};

enum { REGISTER_BITS = 12 };

void bx_pci_free(bx_pci *p)
{
    for (size_t i = 0; i < p->n; i++)
        close(p->functions[i].fd);
    free(p->functions);
    p->functions = NULL;
    p->n = 0;
}

static int open_function(const char *root, uint64_t function)
{
    unsigned bus = (unsigned)(function >> 20 & 0xff), device = (unsigned)(function >> 15 & 31);
    unsigned number = (unsigned)(function >> 12 & 7);
    char path[64];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:%02x:%02x.%x/config", bus, device,
             number);
    int fd = bx_file_open_device(root, path);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    snprintf(path, sizeof path, "/proc/bus/pci/%02x/%02x.%x", bus, device, number);
    fd = bx_file_open_device(root, path);
    if (fd < 0 && errno == ENOENT)
        errno = ENXIO;
    return fd;
}

/* Opens the file of a function, if it is not open yet. Returns its descriptor, or minus an
 * errno. */
static int device(bx_pci *p, const bx_address *at)
{
    uint64_t function = at->offset >> REGISTER_BITS << REGISTER_BITS;
    if (at->offset >> 28) /* of another domain */
        return -ENXIO;
    for (size_t i = 0; i < p->n; i++)
        if (p->functions[i].function == function)
            return p->functions[i].fd;
    struct bx_pci_function *more = realloc(p->functions, (p->n + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    p->functions = more;
    int fd = open_function(p->root, function);
    if (fd < 0)
        return -errno;
    p->functions[p->n++] = (struct bx_pci_function){function, fd};
    return fd;
}

static uint64_t register_of(const bx_address *at)
{
    return at->offset & ((UINT64_C(1) << REGISTER_BITS) - 1);
}

int bx_pci_read(bx_pci *p, const bx_address *at, uint64_t *value)
{
    int fd = device(p, at);
    return fd < 0 ? -fd : bx_value_read(fd, register_of(at), at->width / 8, value);
}

int bx_pci_write(bx_pci *p, const bx_address *at, uint64_t value)
{
    int fd = device(p, at);
    return fd < 0 ? -fd : bx_value_write(fd, register_of(at), at->width / 8, value);
}
