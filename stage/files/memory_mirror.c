/* The file is a memfd of the whole physical address range, mapped once. Only pages with registers
 * take memory. */
#include "stage/files/memory_mirror.h"

#include "base/error.h"
#include "register/register.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ADDRESS_BITS = 40 };

static const size_t SIZE = (size_t)1 << ADDRESS_BITS;

struct bx_memory_mirror {
    bx_machine *machine;
    char *bytes; /* the file, mapped as a whole; NULL: not mapped */
    int fd;
};

/* Seals the file: only our own mapping can write, and the size is fixed. If a program could cut off
 * a page, our next access to it would kill us. memfd_create(2), fcntl(2). */
static bool make_file(bx_memory_mirror *m, const char *file)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
    char link[48];
    m->fd = memfd_create("mem", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (m->fd < 0 || fchmod(m->fd, 0600) != 0 || ftruncate(m->fd, (off_t)SIZE) != 0)
        return false;
    void *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->fd, 0);
    m->bytes = at == MAP_FAILED ? NULL : at;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", getpid(), m->fd);
    return m->bytes && fcntl(m->fd, F_ADD_SEALS, seals) == 0 && symlink(link, file) == 0;
}

int bx_memory_mirror_new(bx_machine *machine, const char *file, bx_memory_mirror **mirror,
                         bx_error *e)
{
    bx_memory_mirror *m = calloc(1, sizeof *m);
    if (!m)
        return bx_out_of_memory(e);
    m->machine = machine;
    int code = BX_OK;
    if (!make_file(m, file))
        code = bx_fail(e, BX_SYSTEM, 0, 0, "no %s: %s", file, strerror(errno));
    if (code == BX_OK) {
        bx_memory_mirror_refresh(m);
        *mirror = m;
    } else {
        bx_memory_mirror_free(m);
    }
    return code;
}

void bx_memory_mirror_free(bx_memory_mirror *m)
{
    if (!m)
        return;
    if (m->bytes)
        munmap(m->bytes, SIZE);
    if (m->fd >= 0)
        close(m->fd);
    free(m);
}

static uint64_t read_register(bx_memory_mirror *m, uint16_t reg, uint64_t base)
{
    struct bx_bus *bus = m->machine->bus;
    bx_address at = bx_register_address(m->machine->topology.catalog, 0, reg, 0, 0);
    uint64_t value = 0;
    at.offset += base;
    bus->read(bus, &at, &value);
    return value;
}

/* Registers of package 0 only: no machine with memory-mapped registers has more packages so far. */
void bx_memory_mirror_refresh(bx_memory_mirror *m)
{
    const bx_topology *t = &m->machine->topology;
    const struct bx_catalog *c = t->catalog;
    const bx_cat_window *w;
    for (unsigned i = 0; (w = bx_map_window(c, t->cpu, i)); i++) {
        if (w->base == BX_NONE)
            continue;
        const bx_cat_map_row *end = bx_map_end(c, w), *row = end - w->mapped.n;
        uint64_t base = bx_base_of(c, w->base, read_register(m, bx_cat_fields(c)[w->base].reg, 0));
        for (; row < end && base + row->last < SIZE; row++) {
            uint64_t value = read_register(m, row->reg, base);
            void *at = m->bytes + base + row->first;
            if (bx_cat_regs(c)[row->reg].width == 32)
                *(volatile uint32_t *)at = (uint32_t)value;
            else
                *(volatile uint64_t *)at = value;
        }
    }
}
