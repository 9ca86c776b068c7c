#include "helper/saved_registers.h"

#include "base/bits.h"

#include <errno.h>
#include <stdlib.h>

/* ---- roles of registers ---- */

static void mark_roles(bx_register_policy *k, const bx_cat_pmu *pmu)
{
    const struct bx_catalog *c = k->t->catalog;
    for (unsigned i = 0; i < pmu->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first + i];
        k->roles[counter->value] |= BX_ROLE_VALUE;
        if (counter->control != BX_NONE)
            k->roles[counter->control] |= BX_ROLE_CONTROL;
        for (unsigned j = 0; j < counter->counts.n; j++) {
            uint16_t reg = bx_cat_conds(c)[counter->counts.first + j].reg;
            if (reg != counter->control)
                k->roles[reg] |= BX_ROLE_ENABLE;
        }
    }
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        uint16_t precondition = bx_cat_regs(c)[pmu->regs.first + i].precondition;
        if (precondition == BX_NONE)
            continue;
        k->roles[pmu->regs.first + i] |= BX_ROLE_HAS_PRECONDITION;
        k->roles[bx_cat_conds(c)[precondition].reg] |= BX_ROLE_PRECONDITION;
    }
}

bx_span bx_policy_pmus(const bx_register_policy *k)
{
    return bx_cat_cpus(k->t->catalog)[k->t->cpu].pmus;
}

bool bx_policy_new(bx_register_policy *k, const bx_topology *t, const bx_allow *allow,
                   struct bx_bus *bus)
{
    *k = (bx_register_policy){t, allow, bus, calloc(t->catalog->regs.n, 1)};
    for (unsigned i = 0; k->roles && i < bx_policy_pmus(k).n; i++)
        mark_roles(k, &bx_cat_pmus(t->catalog)[bx_policy_pmus(k).first + i]);
    return k->roles;
}

void bx_policy_free(bx_register_policy *k)
{
    free(k->roles);
    *k = (bx_register_policy){0};
}

/* ---- reading and saving ---- */

bx_address bx_policy_address(const bx_register_policy *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit)
{
    return bx_register_address(k->t->catalog, reg, bx_register_unit(k->t->catalog, reg, pmu, unit),
                               cpu);
}

static int read_present(const bx_register_policy *k, const bx_allowed *r, const bx_address *at,
                        uint64_t *value)
{
    *value = 0;
    return r->write_only ? 0 : k->bus->read(k->bus, at, value);
}

/* A register of the package is the same one from all of its CPUs. */
static const bx_saved_register *find(const bx_register_policy *k, const bx_saved_registers *saved,
                                     const bx_allowed *r, uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    bool per_core = bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE;
    for (size_t i = 0; i < saved->n; i++)
        if (saved->list[i].r == r && (!per_core || saved->list[i].at.cpu == cpu))
            return &saved->list[i];
    return NULL;
}

size_t bx_policy_room(const bx_register_policy *k)
{
    return k->allow->n * k->t->cores; /* some registers are of a core */
}

static int add(bx_saved_registers *saved, const bx_saved_register *one)
{
    if (saved->n == saved->room)
        return ENOMEM;
    saved->list[saved->n] = *one;
    __atomic_store_n(&saved->n, saved->n + 1, __ATOMIC_RELEASE); /* the entry is complete */
    return 0;
}

int bx_saved_add(const bx_register_policy *k, bx_saved_registers *saved, const bx_address *at)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    if (!r || r->write_only || find(k, saved, r, at->cpu))
        return 0;
    bx_saved_register one = {.at = *at, .r = r};
    int err = read_present(k, r, at, &one.first);
    return err ? err : add(saved, &one);
}

/* ---- side effects of a write ---- */

/* A counter of a unit, accessed on the CPU of a write. */
typedef struct unit_counter {
    const bx_register_policy *k;
    const bx_cat_counter *counter;
    unsigned unit;
    uint16_t cpu;
} unit_counter;

static int read_register(const void *of, uint16_t reg, unsigned unit, uint64_t *value)
{
    const unit_counter *p = of;
    bx_address at = bx_register_address(p->k->t->catalog, reg, unit, p->cpu);
    return p->k->bus->read(p->k->bus, &at, value);
}

static int save_reg(const bx_register_policy *k, bx_saved_registers *saved, const unit_counter *p,
                    uint16_t reg)
{
    if (reg == BX_NONE)
        return 0;
    bx_address at = bx_policy_address(k, p->cpu, p->counter->pmu, reg, p->unit);
    return bx_saved_add(k, saved, &at);
}

static bool governs(const bx_register_policy *k, const bx_allowed *r, const unit_counter *p)
{
    const struct bx_catalog *c = k->t->catalog;
    if (bx_cat_regs(c)[r->reg].pmu == p->counter->pmu && r->unit != p->unit)
        return false;
    bool does = p->counter->control == r->reg;
    for (unsigned i = 0; !does && i < p->counter->counts.n; i++)
        does = bx_cat_conds(c)[p->counter->counts.first + i].reg == r->reg;
    return does;
}

/* The resets (bits by BX_RESETS_*) that writing this value triggers. */
static unsigned resets_of(const bx_register_policy *k, const bx_allowed *r, uint64_t value)
{
    const bx_cat_reg *reg = &bx_cat_regs(k->t->catalog)[r->reg];
    unsigned resets = 0;
    for (unsigned i = 0; i < reg->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(k->t->catalog)[reg->fields.first + i];
        if (value & bx_mask_bits(f->lo, f->hi))
            resets |= 1U << f->resets;
    }
    return resets & ~(1U << BX_RESETS_NOTHING);
}

static int save_field(const bx_register_policy *k, bx_saved_registers *saved, const unit_counter *p,
                      uint16_t field)
{
    return field == BX_NONE ? 0 : save_reg(k, saved, p, bx_cat_fields(k->t->catalog)[field].reg);
}

/* Saves the status that the counter's overflow sets. */
static int save_status(const bx_register_policy *k, bx_saved_registers *saved,
                       const unit_counter *p)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(k->t->catalog)[k->t->cpu];
    int err = save_field(k, saved, p, p->counter->overflow);
    if (!err)
        err = save_field(k, saved, p, cpu->changed);
    return err ? err : save_field(k, saved, p, cpu->noted);
}

/* Saves a counter that the write selects, enables or resets. A counter that counts already and only
 * shares the enable is somebody else's: its count moves anyway. */
static int save_counter(const bx_register_policy *k, bx_saved_registers *saved, const bx_allowed *r,
                        unsigned resets, const unit_counter *p)
{
    bool same_unit =
        bx_cat_regs(k->t->catalog)[r->reg].pmu == p->counter->pmu && r->unit == p->unit;
    bool own = p->counter->control == r->reg && same_unit;
    bool zeroed = resets >> BX_RESETS_PACKAGE & 1 ||
                  (same_unit && resets >> BX_RESETS_COUNTERS & 1) ||
                  (own && resets >> BX_RESETS_COUNTER & 1);
    bool counts = !own;
    int err = 0;
    if (same_unit && resets >> BX_RESETS_CONTROLS & 1)
        err = save_reg(k, saved, p, p->counter->control);
    if (!err && !own && !zeroed && governs(k, r, p))
        err = bx_counter_is_enabled(k->t->catalog, p->counter, p->unit, read_register, p, &counts);
    if (!err && (zeroed || !counts))
        err = save_reg(k, saved, p, p->counter->value);
    return err || counts ? err : save_status(k, saved, p);
}

static int save_counters(const bx_register_policy *k, bx_saved_registers *saved,
                         const bx_allowed *r, unsigned resets, uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    int err = 0;
    for (unsigned i = 0; i < bx_policy_pmus(k).n; i++) {
        uint16_t pmu = (uint16_t)(bx_policy_pmus(k).first + i);
        bx_span counters = bx_cat_pmus(c)[pmu].counters;
        for (unsigned unit = 0; unit < bx_topology_units(k->t, pmu); unit++) {
            for (unsigned n = 0; n < counters.n && !err; n++) {
                const unit_counter p = {k, &bx_cat_counters(c)[counters.first + n], unit, cpu};
                err = save_counter(k, saved, r, resets, &p);
            }
        }
    }
    return err;
}

/* Saves the status registers of the unit that bits of this register clear. */
static int save_cleared(const bx_register_policy *k, bx_saved_registers *saved, const bx_allowed *r,
                        uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    const bx_cat_reg *reg = &bx_cat_regs(c)[r->reg];
    int err = 0;
    for (unsigned i = 0; i < reg->fields.n && !err; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[reg->fields.first + i];
        if (f->clears == BX_NONE)
            continue;
        bx_address at =
            bx_policy_address(k, cpu, reg->pmu, bx_cat_fields(c)[f->clears].reg, r->unit);
        err = bx_saved_add(k, saved, &at);
    }
    return err;
}

/* Saves the register of the precondition: restoring may have to change it. */
static int save_precondition(const bx_register_policy *k, bx_saved_registers *saved,
                             const bx_address *at, const bx_allowed *r)
{
    const bx_saved_register one = {.at = *at, .r = r};
    bx_address precondition;
    return bx_policy_precondition(k, &one, &precondition) ? bx_saved_add(k, saved, &precondition)
                                                          : 0;
}

static int save_all(const bx_register_policy *k, bx_saved_registers *saved, const bx_address *at,
                    const bx_allowed *r, uint64_t value)
{
    unsigned resets = resets_of(k, r, value);
    bool known = find(k, saved, r, at->cpu);
    bool governing = k->roles[r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL);
    int err = 0;
    if (resets || (governing && !known))
        err = save_counters(k, saved, r, resets, at->cpu);
    if (!err)
        err = save_cleared(k, saved, r, at->cpu);
    if (!err)
        err = save_precondition(k, saved, at, r);
    return err ? err : bx_saved_add(k, saved, at);
}

int bx_saved_prepare_write(const bx_register_policy *k, bx_saved_registers *saved,
                           const bx_address *at, uint64_t value)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    uint64_t present;
    if (!r || !r->write)
        return EACCES;
    int err = read_present(k, r, at, &present);
    if (err)
        return err;
    const bx_saved_register *before = find(k, saved, r, at->cpu);
    if (bx_allow_forbidden(r, present, value) ||
        bx_allow_new_interrupts(r, before ? before->first : present, value))
        return EPERM;
    return save_all(k, saved, at, r, value);
}
