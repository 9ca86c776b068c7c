#include "host/undo/undo_log.h"

#include <errno.h>

/* ---- reading and saving ---- */

static int read_present(const bx_register_policy *k, const bx_allowed *r, const bx_address *at,
                        uint64_t *value)
{
    *value = 0;
    return r->write_only ? 0 : k->bus->read(k->bus, at, value);
}

/* A register of the package is the same one from all of its CPUs. */
static const bx_undo_entry *find(const bx_register_policy *k, const bx_undo_log *log,
                                 const bx_allowed *r, uint16_t cpu)
{
    bool per_core = bx_policy_is_per_core(k, r);
    for (size_t i = 0; i < log->n; i++)
        if (log->list[i].r == r && (!per_core || log->list[i].at.cpu == cpu))
            return &log->list[i];
    return NULL;
}

static int add(bx_undo_log *log, const bx_undo_entry *one)
{
    if (log->n == log->room)
        return ENOMEM;
    log->list[log->n] = *one;
    __atomic_store_n(&log->n, log->n + 1, __ATOMIC_RELEASE); /* the entry is complete */
    return 0;
}

int bx_undo_save(const bx_register_policy *k, bx_undo_log *log, const bx_address *at)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    if (!r || r->write_only || find(k, log, r, at->cpu))
        return 0;
    bx_undo_entry one = {.at = *at, .r = r};
    int err = read_present(k, r, at, &one.first);
    return err ? err : add(log, &one);
}

size_t bx_undo_log_room(const bx_register_policy *k)
{
    return k->allow->n * k->t->cores; /* some registers are of a core */
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

static int save_reg(const bx_register_policy *k, bx_undo_log *log, const unit_counter *p,
                    uint16_t reg)
{
    if (reg == BX_NONE)
        return 0;
    bx_address at = bx_policy_address(k, p->cpu, p->counter->pmu, reg, p->unit);
    return bx_undo_save(k, log, &at);
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

static int save_field(const bx_register_policy *k, bx_undo_log *log, const unit_counter *p,
                      uint16_t field)
{
    return field == BX_NONE ? 0 : save_reg(k, log, p, bx_cat_fields(k->t->catalog)[field].reg);
}

/* Saves the status that the counter's overflow sets. */
static int save_status(const bx_register_policy *k, bx_undo_log *log, const unit_counter *p)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(k->t->catalog)[k->t->cpu];
    int err = save_field(k, log, p, p->counter->overflow);
    if (!err)
        err = save_field(k, log, p, cpu->changed);
    return err ? err : save_field(k, log, p, cpu->noted);
}

/* Saves a counter that the write selects, enables or resets. A counter that counts already and only
 * shares the enable is somebody else's: its count moves anyway. */
static int save_counter(const bx_register_policy *k, bx_undo_log *log, const bx_allowed *r,
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
        err = save_reg(k, log, p, p->counter->control);
    if (!err && !own && !zeroed && governs(k, r, p))
        err = bx_counter_is_enabled(k->t->catalog, p->counter, p->unit, read_register, p, &counts);
    if (!err && (zeroed || !counts))
        err = save_reg(k, log, p, p->counter->value);
    return err || counts ? err : save_status(k, log, p);
}

static int save_counters(const bx_register_policy *k, bx_undo_log *log, const bx_allowed *r,
                         unsigned resets, uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    int err = 0;
    for (unsigned i = 0; i < bx_policy_pmus(k).n; i++) {
        uint16_t pmu = (uint16_t)(bx_policy_pmus(k).first + i);
        bx_span counters = bx_cat_pmus(c)[pmu].counters;
        for (unsigned unit = 0; unit < bx_topology_units(k->t, pmu); unit++) {
            for (unsigned n = 0; n < counters.n && !err; n++) {
                const unit_counter p = {k, &bx_cat_counters(c)[counters.first + n], unit, cpu};
                err = save_counter(k, log, r, resets, &p);
            }
        }
    }
    return err;
}

/* Saves the status registers of the unit that bits of this register clear. */
static int save_cleared(const bx_register_policy *k, bx_undo_log *log, const bx_allowed *r,
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
        err = bx_undo_save(k, log, &at);
    }
    return err;
}

/* Saves the register of the precondition: restoring may have to change it. */
static int save_precondition(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                             const bx_allowed *r)
{
    bx_address precondition;
    return bx_policy_precondition(k, r, at, &precondition) ? bx_undo_save(k, log, &precondition)
                                                           : 0;
}

/* first: what the register held. A reset bit that it held resets again when it is put back. */
static int save_all(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                    const bx_allowed *r, uint64_t first, uint64_t value)
{
    unsigned resets =
        bx_register_resets(k->t->catalog, r->reg, value | bx_allow_restore_value(r, first));
    bool known = find(k, log, r, at->cpu);
    bool governing = k->roles[r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL);
    int err = 0;
    if (resets || (governing && !known))
        err = save_counters(k, log, r, resets, at->cpu);
    if (!err)
        err = save_cleared(k, log, r, at->cpu);
    if (!err)
        err = save_precondition(k, log, at, r);
    return err ? err : bx_undo_save(k, log, at);
}

int bx_undo_prepare_write(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                          uint64_t value)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    uint64_t present;
    if (!r || !r->write)
        return EACCES;
    int err = read_present(k, r, at, &present);
    if (err)
        return err;
    const bx_undo_entry *before = find(k, log, r, at->cpu);
    uint64_t first = before ? before->first : present;
    if (bx_allow_forbidden(r, present, value) || bx_allow_new_interrupts(r, first, value))
        return EPERM;
    return save_all(k, log, at, r, first, value);
}
