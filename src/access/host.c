#include "access/host.h"

#include "access/probe.h"
#include "access/registers.h"
#include "base/bits.h"
#include "base/error.h"

#include <errno.h>
#include <string.h>

static int out_of_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

static int stale(const char *root, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "nobody serves '%s' any more: its stage was killed", root);
    bx_hint(e, "fusermount3 -u %s", root);
    return BX_NO_ACCESS;
}

/* The CPU model in the catalogue, if there is a way to its registers as well. */
static int identify(const struct bx_catalog *c, const char *root, bx_host *h, uint16_t *cpu,
                    bx_error *e)
{
    bx_probe p;
    if (!bx_probe_look(root, &h->arena, &p))
        return out_of_memory(e);
    if (p.msr == ENOTCONN)
        return stale(root, e);
    if (!p.cpu_known) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "it is not known what CPU this machine has");
        return BX_NO_ACCESS;
    }
    bool intel = strcmp(p.vendor, "GenuineIntel") == 0;
    *cpu = intel ? bx_cat_find_cpu_by_id(c, p.family, p.model) : BX_NONE;
    if (*cpu == BX_NONE)
        return bx_fail(
            e, BX_NO_ACCESS, 0, 0,
            "the CPU of this machine (%s, family %u, model 0x%x) is not in the catalogue", p.vendor,
            p.family, p.model);
    if (p.msr != 0)
        return bx_fail(e, BX_NO_ACCESS, 0, 0,
                       "this machine (%s) lets nobody at its registers: %s/dev/cpu/0/msr: %s",
                       bx_cat_z(c, bx_cat_cpus(c)[*cpu].name), root, strerror(p.msr));
    return BX_OK;
}

/* Asks the register that tells how many units of a PMU there are. */
static int ask_units(bx_host *h, unsigned pmu, bx_error *e)
{
    const struct bx_catalog *c = h->topology.catalog;
    const bx_cat_pmu *p = &bx_cat_pmus(c)[bx_cat_cpus(c)[h->topology.cpu].pmus.first + pmu];
    if (p->unit_field == BX_NONE)
        return BX_OK;
    const bx_cat_field *field = &bx_cat_fields(c)[p->unit_field];
    const bx_cat_reg *reg = &bx_cat_regs(c)[field->reg];
    const bx_address at = {
        .space = reg->space, .width = reg->width, .offset = bx_cat_addrs(c)[reg->first_addr]};
    uint64_t value;
    int why = h->bus->read(h->bus, &at, &value);
    if (why)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s cannot be read: %s", bx_cat_z(c, reg->name),
                       why == EIO ? "the access faults" : strerror(why));
    int64_t units = (int64_t)((value & bx_cat_field_mask(field)) >> field->lo) + p->unit_bias;
    if (units < 0)
        units = 0;
    h->topology.units[pmu] = (uint8_t)(units < p->unit_max ? units : p->unit_max);
    return BX_OK;
}

static int open_all(const struct bx_catalog *c, const char *root, bx_host *h, bx_error *e)
{
    uint16_t cpu = BX_NONE;
    int rc = identify(c, root, h, &cpu, e);
    if (rc != BX_OK)
        return rc;
    bx_cpus *cpus = bx_arena_get(&h->arena, sizeof *cpus);
    if (!cpus || (!bx_cpus_look(root, &h->arena, cpus) && h->arena.failed))
        return out_of_memory(e);
    if (cpus->packages == 0)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s/sys tells of no CPU that is online", root);
    bx_topology_real(c, cpu, cpus->packages, cpus->cores, &h->topology);
    h->bus = bx_registers_open(root, cpus);
    if (!h->bus)
        return out_of_memory(e);
    for (unsigned i = 0; rc == BX_OK && i < bx_cat_cpus(c)[cpu].pmus.n && i < BX_PMUS; i++)
        rc = ask_units(h, i, e);
    return rc;
}

int bx_host_open(const struct bx_catalog *c, const char *root, bx_host *h, bx_error *e)
{
    bx_host made = {0};
    int rc = open_all(c, root, &made, e);
    if (rc == BX_OK)
        *h = made;
    else
        bx_host_close(&made);
    if (rc != BX_OK && e && !e->hint[0])
        bx_hint(e, "try --machine virtual:%s", bx_catalog_cpu_name(c, 0));
    return rc;
}

void bx_host_close(bx_host *h)
{
    if (h->bus)
        h->bus->close(h->bus);
    bx_arena_free(&h->arena);
    *h = (bx_host){0};
}
