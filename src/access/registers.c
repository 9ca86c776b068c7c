#include "access/registers.h"

#include "catalog/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct registers {
    struct bx_bus bus; /* first: a bus is its registers */
    char *root;
    bx_msrs msrs;
    bx_pci pci;
    bx_memory memory;
} registers;

int bx_value_read(int fd, uint64_t offset, unsigned bytes, uint64_t *value)
{
    uint64_t got = 0;
    ssize_t n = pread(fd, &got, bytes, (off_t)offset);
    if (n < 0)
        return errno;
    if ((size_t)n != bytes)
        return EACCES;
    *value = got;
    return 0;
}

int bx_value_write(int fd, uint64_t offset, unsigned bytes, uint64_t value)
{
    ssize_t n = pwrite(fd, &value, bytes, (off_t)offset);
    return n < 0 ? errno : (size_t)n != bytes ? EACCES : 0;
}

static bool whole(const bx_address *at)
{
    return at->width == 8 || at->width == 16 || at->width == 32 || at->width == 64;
}

static int read_bus(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    registers *r = (registers *)(void *)bus;
    if (at->space == BX_SPACE_MSR)
        return bx_msrs_read(&r->msrs, at, value);
    if (!whole(at))
        return EINVAL;
    return at->space == BX_SPACE_PCI ? bx_pci_read(&r->pci, at, value)
                                     : bx_memory_read(&r->memory, at, value);
}

static int write_bus(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    registers *r = (registers *)(void *)bus;
    if (at->space == BX_SPACE_MSR)
        return bx_msrs_write(&r->msrs, at, value);
    if (!whole(at))
        return EINVAL;
    return at->space == BX_SPACE_PCI ? bx_pci_write(&r->pci, at, value)
                                     : bx_memory_write(&r->memory, at, value);
}

static void close_bus(struct bx_bus *bus)
{
    registers *r = (registers *)(void *)bus;
    bx_msrs_free(&r->msrs);
    bx_pci_free(&r->pci);
    bx_memory_free(&r->memory);
    free(r->root);
    free(r);
}

struct bx_bus *bx_registers_open(const char *root, const bx_cpus *cpus)
{
    registers *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->bus = (struct bx_bus){.read = read_bus, .write = write_bus, .close = close_bus};
    r->memory.fd = -1;
    r->root = strdup(root);
    if (!r->root || !bx_msrs_new(&r->msrs, r->root, cpus)) {
        close_bus(&r->bus);
        return NULL;
    }
    r->pci.root = r->memory.root = r->root;
    return &r->bus;
}
