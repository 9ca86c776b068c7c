#include "stage/files/memory_mirror.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ADDRESS_BITS = 40, PAGE = 4096 };

/* A register, and the mapping of its page in the file. */
typedef struct shown {
    const bx_cat_reg *reg;
    uint64_t page; /* its number */
    char *bytes;   /* NULL: not mapped */
} shown;

struct bx_memory_mirror {
    bx_machine *machine;
    int fd;
    shown *regs;
    size_t n;
};

/* Registers of package 0 only: no machine with memory-mapped registers has more packages so far. */
static bool collect(bx_memory_mirror *m)
{
    const struct bx_catalog *c = m->machine->topology.catalog;
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[m->machine->topology.cpu];
    const bx_cat_pmu *first = &bx_cat_pmus(c)[cpu->pmus.first];
    size_t regs = 0;
    for (unsigned i = 0; i < cpu->pmus.n; i++)
        regs += first[i].regs.n;
    m->regs = calloc(regs + 1, sizeof *m->regs);
    for (unsigned i = 0; m->regs && i < cpu->pmus.n; i++)
        for (unsigned j = 0; j < first[i].regs.n; j++) {
            const bx_cat_reg *reg = &bx_cat_regs(c)[first[i].regs.first + j];
            if (reg->space == BX_SPACE_MMIO && reg->base != BX_NONE)
                m->regs[m->n++].reg = reg;
        }
    return m->regs;
}

int bx_memory_mirror_new(bx_machine *machine, const char *file, bx_memory_mirror **mirror,
                         bx_error *e)
{
    bx_memory_mirror *m = calloc(1, sizeof *m);
    if (!m)
        return bx_out_of_memory(e);
    m->machine = machine;
    m->fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int rc = BX_OK;
    if (m->fd < 0 || ftruncate(m->fd, (off_t)1 << ADDRESS_BITS) != 0)
        rc = bx_fail(e, BX_SYSTEM, 0, 0, "no %s: %s", file, strerror(errno));
    else if (!collect(m))
        rc = bx_out_of_memory(e);
    if (rc == BX_OK) {
        bx_memory_mirror_refresh(m);
        *mirror = m;
    } else {
        bx_memory_mirror_free(m);
    }
    return rc;
}

static void unmap(shown *s)
{
    if (s->bytes)
        munmap(s->bytes, PAGE);
    s->bytes = NULL;
}

void bx_memory_mirror_free(bx_memory_mirror *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++)
        unmap(&m->regs[i]);
    free(m->regs);
    if (m->fd >= 0)
        close(m->fd);
    free(m);
}

static void map(const bx_memory_mirror *m, shown *s, uint64_t page)
{
    if (s->bytes && s->page == page)
        return;
    unmap(s);
    void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)(page * PAGE));
    s->bytes = at == MAP_FAILED ? NULL : at;
    s->page = page;
}

static uint64_t read_register(bx_memory_mirror *m, unsigned space, unsigned width, uint64_t offset)
{
    struct bx_bus *bus = m->machine->bus;
    const bx_address at = {.space = (uint8_t)space, .width = (uint8_t)width, .offset = offset};
    uint64_t value = 0;
    bus->read(bus, &at, &value);
    return value;
}

static uint64_t base_of(bx_memory_mirror *m, const bx_cat_reg *reg)
{
    const struct bx_catalog *c = m->machine->topology.catalog;
    const bx_cat_field *field = &bx_cat_fields(c)[reg->base];
    const bx_cat_reg *holder = &bx_cat_regs(c)[field->reg];
    uint64_t address = bx_cat_addrs(c)[holder->first_addr];
    return read_register(m, holder->space, holder->width, address) & bx_cat_field_mask(field);
}

void bx_memory_mirror_refresh(bx_memory_mirror *m)
{
    const struct bx_catalog *c = m->machine->topology.catalog;
    for (size_t i = 0; i < m->n; i++) {
        shown *s = &m->regs[i];
        uint64_t address = base_of(m, s->reg) + bx_cat_addrs(c)[s->reg->first_addr];
        uint64_t value = read_register(m, BX_SPACE_MMIO, s->reg->width, address);
        if (address >> ADDRESS_BITS)
            continue;
        map(m, s, address / PAGE);
        if (s->bytes && s->reg->width == 32)
            *(volatile uint32_t *)(void *)(s->bytes + address % PAGE) = (uint32_t)value;
        else if (s->bytes)
            *(volatile uint64_t *)(void *)(s->bytes + address % PAGE) = value;
    }
}
