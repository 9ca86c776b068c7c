/* Directs each access to its register space, and reads many registers at once. */
#include "host/bus/registers.h"

#include "host/bus/msr_batch.h"
#include "host/bus/msr_readers.h"
#include "host/bus/gathered_registers.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct registers {
    struct bx_bus bus; /* must be first: the bus is cast to this type */
    char *root;
    bx_msrs msrs;
    bx_pci pci;
    bx_memory memory;
    bx_batch batch;
    bx_readers *readers; /* NULL: there is only one package */
    int *errnos;         /* for read_many() */
    size_t room;
} registers;

static bool whole(const bx_address *at)
{
    return at->width == 8 || at->width == 16 || at->width == 32 || at->width == 64;
}

static int read_device(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    registers *r = (registers *)(void *)bus;
    if (at->space == BX_SPACE_MSR)
        return bx_msrs_read(&r->msrs, at, value);
    if (!whole(at))
        return EINVAL;
    return at->space == BX_SPACE_PCI ? bx_pci_read(&r->pci, at, value)
                                     : bx_memory_read(&r->memory, at, value);
}

static int write_device(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    registers *r = (registers *)(void *)bus;
    if (at->space == BX_SPACE_MSR)
        return bx_msrs_write(&r->msrs, at, value);
    if (!whole(at))
        return EINVAL;
    return at->space == BX_SPACE_PCI ? bx_pci_write(&r->pci, at, value)
                                     : bx_memory_write(&r->memory, at, value);
}

/* ---- many at once ---- */

static int *room_for(registers *r, size_t n)
{
    if (n > r->room) {
        int *more = realloc(r->errnos, n * sizeof *more);
        if (!more)
            return NULL;
        r->errnos = more;
        r->room = n;
    }
    return r->errnos;
}

/* All MSRs in one go, then the other registers one by one. */
static void read_all(registers *r, const bx_address *at, uint64_t *values, int *errnos, size_t n)
{
    bool batched = bx_batch_read(&r->batch, r->msrs.cpus, at, values, n);
    for (size_t i = 0; i < n; i++)
        errnos[i] = 0;
    if (!batched && r->readers)
        bx_readers_read(r->readers, at, values, errnos, n);
    for (size_t i = 0; i < n; i++)
        if (at[i].space != BX_SPACE_MSR || (!batched && !r->readers))
            errnos[i] = read_device(&r->bus, &at[i], &values[i]);
}

static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    registers *r = (registers *)(void *)bus;
    int *errnos = room_for(r, n);
    size_t done = 0;
    if (!errnos) {
        *err = ENOMEM;
        return 0;
    }
    read_all(r, at, values, errnos, n);
    while (done < n && errnos[done] == 0)
        done++;
    if (done < n)
        *err = errnos[done];
    return done;
}

static void close_devices(struct bx_bus *bus)
{
    registers *r = (registers *)(void *)bus;
    bx_readers_free(r->readers);
    bx_batch_free(&r->batch);
    free(r->errnos);
    bx_msrs_free(&r->msrs);
    bx_pci_free(&r->pci);
    bx_memory_free(&r->memory);
    free(r->root);
    free(r);
}

struct bx_bus *bx_registers_open_with(const char *root, const bx_cpus *cpus, bx_batch_call *call)
{
    bool no_memory = false;
    struct bx_bus *unpacked = bx_unpacked_open(root, cpus, &no_memory);
    if (unpacked || no_memory)
        return unpacked;
    registers *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->bus = (struct bx_bus){.read = read_device, .write = write_device, .close = close_devices};
    r->memory.fd = r->batch.fd = -1;
    r->root = strdup(root);
    bool made = r->root && bx_msrs_new(&r->msrs, r->root, cpus);
    if (made && cpus->packages > 1)
        made = (r->readers = bx_readers_new(&r->msrs));
    if (!made) {
        close_devices(&r->bus);
        return NULL;
    }
    r->pci.root = r->memory.root = r->root;
    /* With neither of them, reading many is no faster than reading one after the other. */
    if (bx_batch_open(&r->batch, r->root, call) || r->readers)
        r->bus.read_many = read_many;
    return &r->bus;
}

struct bx_bus *bx_registers_open(const char *root, const bx_cpus *cpus)
{
    return bx_registers_open_with(root, cpus, NULL);
}
