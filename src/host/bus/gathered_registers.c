/* Reads the file of gathered registers, and answers from it. */
#include "host/bus/gathered_registers.h"

#include "host/system/file.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 64 << 20 }; /* that of an archive */

typedef struct register_value {
    bx_str device;
    uint64_t bytes, offset, value;
} register_value;

typedef struct unpacked {
    struct bx_bus bus; /* must be first: the bus is cast to this type */
    const bx_cpus *cpus;
    char *text; /* the devices' names are parts of it */
    register_value *register_value;
    size_t n;
} unpacked;

static int device_of(const unpacked *u, const bx_address *at, char *to, size_t room)
{
    const bx_cpus *cpus = u->cpus;
    uint64_t word = at->offset;
    switch (at->space) {
    case BX_SPACE_MSR:
        if (at->cpu >= bx_cpus_all(cpus) || cpus->logical[at->cpu] == BX_NO_CPU)
            return ENXIO;
        snprintf(to, room, "/dev/cpu/%u/msr", cpus->logical[at->cpu]);
        return 0;
    case BX_SPACE_PCI:
        snprintf(to, room, "/sys/bus/pci/devices/0000:%02x:%02x.%x/config",
                 (unsigned)(word >> 20 & 0xff), (unsigned)(word >> 15 & 31),
                 (unsigned)(word >> 12 & 7));
        return 0;
    default:
        snprintf(to, room, "/dev/mem");
        return 0;
    }
}

static int read_gathered(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    const unpacked *u = (const unpacked *)(const void *)bus;
    uint64_t offset = at->space == BX_SPACE_PCI ? at->offset & 0xfff : at->offset;
    uint64_t bytes = at->space == BX_SPACE_MSR ? 8 : at->width / 8;
    char device[64];
    int err = device_of(u, at, device, sizeof device);
    if (err)
        return err;
    for (const register_value *k = u->register_value; k < u->register_value + u->n; k++) {
        if (k->offset == offset && k->bytes == bytes && bx_str_eq(k->device, bx_str_of(device))) {
            *value = k->value;
            return 0;
        }
    }
    return ENODATA;
}

static int write_gathered(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)bus;
    (void)at;
    (void)value;
    return EROFS;
}

static void close_gathered(struct bx_bus *bus)
{
    unpacked *u = (unpacked *)(void *)bus;
    free(u->register_value);
    free(u->text);
    free(u);
}

static bool take_line(unpacked *u, bx_str line)
{
    register_value k = {.device = bx_str_cut(&line, ' ')};
    register_value *more = realloc(u->register_value, (u->n + 1) * sizeof *more);
    if (!more)
        return false;
    u->register_value = more;
    if (bx_str_u64(bx_str_cut(&line, ' '), &k.bytes) &&
        bx_str_u64(bx_str_cut(&line, ' '), &k.offset) && bx_str_u64(line, &k.value))
        u->register_value[u->n++] = k;
    return true;
}

struct bx_bus *bx_unpacked_open(const char *root, const bx_cpus *cpus, bool *no_memory)
{
    if (!*root)
        return NULL;
    bx_buf text = bx_file_read_all(root, BX_UNPACKED_REGISTERS, LARGEST);
    unpacked *u = text.n ? calloc(1, sizeof *u) : NULL;
    *no_memory = text.failed || (text.n && !u);
    if (*no_memory || !text.n) {
        free(u);
        bx_buf_free(&text);
        return NULL;
    }
    bx_str rest = {text.p, text.n};
    *u =
        (unpacked){.bus = {.read = read_gathered, .write = write_gathered, .close = close_gathered},
                   .cpus = cpus,
                   .text = text.p};
    while (rest.p && rest.n) {
        if (!take_line(u, bx_str_cut(&rest, '\n'))) {
            *no_memory = true;
            close_gathered(&u->bus);
            return NULL;
        }
    }
    return &u->bus;
}
