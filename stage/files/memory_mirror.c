#include "stage/files/memory_mirror.h"

#include "base/error.h"
#include "register/register.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ADDRESS_BITS = 40, PAGE = 4096 };

/* A register, and the mapping of its page in the file. */
typedef struct shown {
    uint16_t reg;  /* catalogue index */
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
            uint16_t reg = (uint16_t)(first[i].regs.first + j);
            if (bx_register_base_holder(c, reg) != BX_NONE)
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

static uint64_t read_register(bx_memory_mirror *m, uint16_t reg, uint64_t base)
{
    struct bx_bus *bus = m->machine->bus;
    bx_address at = bx_register_address(m->machine->topology.catalog, reg, 0, 0);
    uint64_t value = 0;
    at.offset += base;
    bus->read(bus, &at, &value);
    return value;
}

void bx_memory_mirror_refresh(bx_memory_mirror *m)
{
    const struct bx_catalog *c = m->machine->topology.catalog;
    for (size_t i = 0; i < m->n; i++) {
        shown *s = &m->regs[i];
        uint64_t holder = read_register(m, bx_register_base_holder(c, s->reg), 0);
        uint64_t base = bx_register_base(c, s->reg, holder);
        uint64_t address = base + bx_register_offset(c, s->reg, 0);
        uint64_t value = read_register(m, s->reg, base);
        if (address >> ADDRESS_BITS)
            continue;
        map(m, s, address / PAGE);
        if (s->bytes && bx_cat_regs(c)[s->reg].width == 32)
            *(volatile uint32_t *)(void *)(s->bytes + address % PAGE) = (uint32_t)value;
        else if (s->bytes)
            *(volatile uint64_t *)(void *)(s->bytes + address % PAGE) = value;
    }
}
