/* Device files of MSRs, PCI configuration space and memory: each access becomes accesses of a
 * bus. */
#include "stage/files/device.h"

#include "catalog/catalog.h"

#include <errno.h>
#include <string.h>

/* ---- MSRs: Linux arch/x86/kernel/msr.c ----
 * The offset is the MSR's number. A longer access reads or writes the same MSR every 8 bytes. */

static bx_address msr(uint64_t cpu, uint64_t offset)
{
    return (bx_address){
        .space = BX_SPACE_MSR, .width = 64, .cpu = (uint16_t)cpu, .offset = (uint32_t)offset};
}

static int read_msr(void *context, uint64_t cpu, uint64_t offset, char *to, size_t n, size_t *done)
{
    struct bx_bus *bus = context;
    bx_address at = msr(cpu, offset);
    int err = n % 8 ? EINVAL : 0;
    *done = 0;
    while (!err && *done < n) {
        uint64_t value;
        err = bus->read(bus, &at, &value);
        if (!err) {
            memcpy(to + *done, &value, 8);
            *done += 8;
        }
    }
    return *done ? 0 : err;
}

static int write_msr(void *context, uint64_t cpu, uint64_t offset, const char *from, size_t n,
                     size_t *done)
{
    struct bx_bus *bus = context;
    bx_address at = msr(cpu, offset);
    int err = n % 8 ? EINVAL : 0;
    *done = 0;
    while (!err && *done < n) {
        uint64_t value;
        memcpy(&value, from + *done, 8);
        err = bus->write(bus, &at, value);
        if (!err)
            *done += 8;
    }
    return *done ? 0 : err;
}

const bx_device bx_device_msr = {read_msr, write_msr};

/* ---- PCI configuration space and memory ----
 * An access is split into aligned ones of at most max_bytes. */

static unsigned piece(uint64_t offset, size_t rest, unsigned max_bytes)
{
    unsigned bytes = max_bytes;
    while (bytes > rest || offset % bytes)
        bytes /= 2;
    return bytes;
}

typedef struct span {
    uint8_t space, max_bytes;
    uint64_t base; /* added to the offset */
} span;

static int read_pieces(struct bx_bus *bus, span s, uint64_t offset, char *to, size_t n,
                       size_t *done)
{
    for (*done = 0; *done < n;) {
        unsigned bytes = piece(offset + *done, n - *done, s.max_bytes);
        const bx_address at = {
            .space = s.space, .width = (uint8_t)(8 * bytes), .offset = s.base + offset + *done};
        uint64_t value;
        int err = bus->read(bus, &at, &value);
        if (err)
            return *done ? 0 : err;
        memcpy(to + *done, &value, bytes); /* little-endian, as the machine is */
        *done += bytes;
    }
    return 0;
}

static int write_pieces(struct bx_bus *bus, span s, uint64_t offset, const char *from, size_t n,
                        size_t *done)
{
    for (*done = 0; *done < n;) {
        unsigned bytes = piece(offset + *done, n - *done, s.max_bytes);
        const bx_address at = {
            .space = s.space, .width = (uint8_t)(8 * bytes), .offset = s.base + offset + *done};
        uint64_t value = 0;
        memcpy(&value, from + *done, bytes);
        int err = bus->write(bus, &at, value);
        if (err)
            return *done ? 0 : err;
        *done += bytes;
    }
    return 0;
}

/* How many bytes of an access lie within the file. */
static size_t within(uint64_t offset, size_t n)
{
    if (offset >= BX_DEVICE_PCI_SIZE)
        return 0;
    return n < BX_DEVICE_PCI_SIZE - offset ? n : BX_DEVICE_PCI_SIZE - (size_t)offset;
}

static int read_pci(void *context, uint64_t number, uint64_t offset, char *to, size_t n,
                    size_t *done)
{
    const span s = {BX_SPACE_PCI, 4, number};
    return read_pieces(context, s, offset, to, within(offset, n), done);
}

static int write_pci(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                     size_t *done)
{
    const span s = {BX_SPACE_PCI, 4, number};
    return write_pieces(context, s, offset, from, within(offset, n), done);
}

const bx_device bx_device_pci = {read_pci, write_pci};

static int read_memory(void *context, uint64_t number, uint64_t offset, char *to, size_t n,
                       size_t *done)
{
    const span s = {BX_SPACE_MMIO, 8, 0};
    (void)number;
    return read_pieces(context, s, offset, to, n, done);
}

static int write_memory(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                        size_t *done)
{
    const span s = {BX_SPACE_MMIO, 8, 0};
    (void)number;
    return write_pieces(context, s, offset, from, n, done);
}

const bx_device bx_device_memory = {read_memory, write_memory};
