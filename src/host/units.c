/* Finds the number of units in a register, in PCI functions, in offline cores, or in the kernel's
 * names. */
#include "host/units.h"

#include "base/error.h"
#include "event/pattern.h"
#include "event/foreign_names.h"
#include "host/perf/stand_ins.h"
#include "register/register.h"

#include <errno.h>
#include <string.h>

static const bx_cat_pmu *pmu_at(const bx_host *h, unsigned i)
{
    const struct bx_catalog *c = h->topology.catalog;
    return &bx_cat_pmus(c)[bx_cat_cpus(c)[h->topology.cpu].pmus.first + i];
}

/* Reads on the first CPU of package 0 that can be accessed. */
static int read_any(const bx_host *h, bx_address at, uint64_t *value)
{
    int err = ENXIO;
    for (unsigned i = 0; i < bx_cpus_all(h->cpus); i++) {
        at.cpu = (uint16_t)i;
        if (i == 0 || (at.space == BX_SPACE_MSR && bx_cpus_package(h->cpus, i) == 0))
            err = h->bus->read(h->bus, &at, value);
        if (err != ENXIO && err != ENODEV && err != ENOENT)
            return err;
    }
    return err;
}

/* Reads the number of a PMU's units from the register that has it. */
static int read_unit_count(bx_host *h, unsigned pmu, bx_error *e)
{
    const struct bx_catalog *c = h->topology.catalog;
    const bx_cat_pmu *p = pmu_at(h, pmu);
    const bx_cat_field *field = &bx_cat_fields(c)[p->unit_field];
    const bx_cat_reg *reg = &bx_cat_regs(c)[field->reg];
    const bx_address at = bx_register_address(c, 0, field->reg, 0, 0);
    uint64_t value, again;
    int err = read_any(h, at, &value);
    if (err == 0)
        err = read_any(h, at, &again);
    if (err == 0 && (value != again || value == UINT64_MAX))
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s reads what it cannot hold",
                       bx_cat_z(c, reg->name));
    if (err == ENOMEM)
        return bx_out_of_memory(e);
    if (err)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s cannot be read: %s", bx_cat_z(c, reg->name),
                       err == EIO ? "the access faults" : strerror(err));
    int64_t units = (int64_t)bx_field_of(field, value) + p->unit_bias;
    if (units < 0)
        units = 0;
    h->topology.units[pmu] = (uint8_t)(units < p->unit_max ? units : p->unit_max);
    return BX_OK;
}

/* The number of the kernel's PMUs "NAME" or "NAME_0", "NAME_1" …: the highest, plus 1. */
static unsigned units_named(const bx_host *h, bx_str name)
{
    unsigned units = 0;
    for (size_t i = 0; i < h->perf.n; i++) {
        bx_str pmu = bx_str_of(h->perf.pmus[i].name);
        bx_str digits = bx_str_sub(pmu, name.n + 1, pmu.n);
        uint32_t unit = 0;
        if (!bx_str_starts_fold(pmu, name) ||
            (pmu.n > name.n && (pmu.p[name.n] != '_' || bx_digits(digits, &unit) != digits.n ||
                                !digits.n || unit >= UINT8_MAX)))
            continue;
        units = unit + 1 > units ? unit + 1 : units;
    }
    return units;
}

/* The number of units that the kernel drives, by its names, or by those that it has instead. 0: it
 * does not drive the PMU. */
static unsigned driven_units(const bx_host *h, uint16_t pmu)
{
    unsigned units = 0;
    const bx_cat_pmu *of = &bx_cat_pmus(h->topology.catalog)[pmu];
    char other[64];
    for (size_t i = 0; i < h->perf.n; i++) {
        int32_t unit;
        if (!bx_kernel_pmu(h->topology.catalog, pmu, bx_str_of(h->perf.pmus[i].name), &unit))
            continue;
        unsigned needed = unit == BX_ANY ? 1 : (unsigned)unit + 1;
        units = needed > units ? needed : units;
    }
    bx_str stem = bx_kernel_stem(bx_cat_str(h->topology.catalog, of->kernel));
    if (!units && !of->regs.n && bx_perf_pmu_instead(&h->perf, stem, other, sizeof other))
        units = units_named(h, bx_str_of(other));
    return units;
}

/* Without registers, the kernel's names of PMUs give the number of units. */
bool bx_units_from_kernel(bx_host *h)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(h->topology.catalog)[h->topology.cpu];
    bool any = false;
    for (unsigned i = 0; i < cpu->pmus.n && i < BX_PMUS; i++) {
        unsigned units = driven_units(h, (uint16_t)(cpu->pmus.first + i));
        bool imported = !pmu_at(h, i)->regs.n; /* only the kernel knows its units */
        any |= units > 0;
        if ((units || imported) && units < UINT8_MAX && !h->bus)
            h->topology.units[i] = (uint8_t)units;
    }
    return any;
}

/* Whether the PMU has one unit per core. Such a unit exists even while its core is offline. */
static bool is_by_cores(const bx_host *h, const bx_cat_pmu *p)
{
    return p->scope == BX_SCOPE_PACKAGE &&
           bx_str_eq(bx_cat_str(h->topology.catalog, p->unit_key), BX_STR("cores"));
}

/* Units of offline cores exist, too. Their number is what the kernel drives, or else the number of
 * units, up to the machine's cores, whose registers do not fault. */
static void probe_offline_units(bx_host *h, unsigned i)
{
    const struct bx_catalog *c = h->topology.catalog;
    const bx_cat_pmu *p = pmu_at(h, i);
    unsigned driven = driven_units(h, (uint16_t)(bx_cat_cpus(c)[h->topology.cpu].pmus.first + i));
    unsigned most = h->cpus->fitted < p->unit_max ? h->cpus->fitted : p->unit_max;
    uint8_t *units = &h->topology.units[i];
    if (driven) {
        if (driven <= p->unit_max && driven > *units)
            *units = (uint8_t)driven;
        return;
    }
    for (uint64_t value; *units < most; ++*units)
        if (read_any(h, bx_register_address(c, 0, p->regs.first, *units, 0), &value))
            return;
}

/* Whether the PMU's registers are in PCI functions, on a bus of each package. */
static bool is_on_own_buses(const bx_host *h, const bx_cat_pmu *p)
{
    return p->regs.n && bx_cat_regs(h->topology.catalog)[p->regs.first].package_stride;
}

/* Whether each package has the function of a unit's registers. A missing function reads as all
 * ones, which its first register cannot hold. */
static bool has_functions(const bx_host *h, const bx_cat_pmu *p, unsigned unit)
{
    for (unsigned package = 0; package < h->topology.packages; package++) {
        bx_address at = bx_register_address(h->topology.catalog, package, p->regs.first, unit,
                                            package * h->topology.cores);
        uint64_t value = 0;
        if (h->bus->read(h->bus, &at, &value) || value == bx_mask_width(at.width))
            return false;
    }
    return true;
}

/* The number of units is what the kernel drives, or else the number of functions. If one is missing
 * between others, as with two controllers, the numbers of units have gaps. Then the number is set
 * to 0, because only some of the units could be counted. */
static void probe_functions(bx_host *h, unsigned i)
{
    const struct bx_catalog *c = h->topology.catalog;
    const bx_cat_pmu *p = pmu_at(h, i);
    unsigned driven = driven_units(h, (uint16_t)(bx_cat_cpus(c)[h->topology.cpu].pmus.first + i));
    unsigned units = 0, last = 0;
    for (unsigned unit = 0; unit < p->unit_max; unit++)
        if (has_functions(h, p, unit)) {
            units++;
            last = unit + 1;
        }
    if (driven && driven <= p->unit_max)
        h->topology.units[i] = (uint8_t)driven;
    else
        h->topology.units[i] = (uint8_t)(units == last ? units : 0);
}

int bx_units_from_registers(bx_host *h, bx_error *e)
{
    int code = BX_OK;
    unsigned pmus = bx_cat_cpus(h->topology.catalog)[h->topology.cpu].pmus.n;
    for (unsigned i = 0; code == BX_OK && i < pmus && i < BX_PMUS; i++) {
        if (pmu_at(h, i)->unit_field != BX_NONE)
            code = read_unit_count(h, i, e);
        else if (is_by_cores(h, pmu_at(h, i)))
            probe_offline_units(h, i);
        else if (is_on_own_buses(h, pmu_at(h, i)))
            probe_functions(h, i);
    }
    return code;
}
