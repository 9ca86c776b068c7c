/* Saves a register before its first write, with all registers that the write affects. */
#include "guard/undo_log.h"

#include "guard/read_surely.h"

#include <errno.h>

/* ---- entries ---- */

static size_t place_in_log(const bx_register_policy *k, const bx_allowed *r, uint16_t cpu)
{
    unsigned cores = k->t->cores;
    return (size_t)(r - k->allow->list) * cores + (bx_policy_is_per_core(k, r) ? cpu % cores : 0);
}

static bx_undo_entry *find_entry(const bx_register_policy *k, const bx_undo_log *log,
                                 const bx_allowed *r, uint16_t cpu)
{
    if (log->place) {
        uint32_t place = log->place[place_in_log(k, r, cpu)];
        return place ? &log->list[place - 1] : NULL;
    }
    bool per_core = bx_policy_is_per_core(k, r);
    for (size_t i = 0; i < log->n; i++)
        if (log->list[i].r == r && (!per_core || log->list[i].at.cpu == cpu))
            return &log->list[i];
    return NULL;
}

bx_undo_entry *bx_undo_find(const bx_register_policy *k, const bx_undo_log *log,
                            const bx_address *at)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    return r ? find_entry(k, log, r, at->cpu) : NULL;
}

static int add_entry(const bx_register_policy *k, bx_undo_log *log, const bx_undo_entry *one)
{
    if (log->n == log->room)
        return ENOMEM;
    log->list[log->n] = *one;
    if (log->place)
        log->place[place_in_log(k, one->r, one->at.cpu)] = (uint32_t)log->n + 1;
    __atomic_store_n(&log->n, log->n + 1, __ATOMIC_RELEASE); /* the entry is complete */
    return 0;
}

static int fail(bx_undo_log *log, const bx_address *at, int err)
{
    if (err)
        log->failed = *at;
    return err;
}

/* A write to a P6's counter takes 31 bits and their sign (`extends`): a larger count cannot be
 * written. */
static bool can_be_written(const bx_register_policy *k, const bx_allowed *r, uint64_t value)
{
    const bx_cat_reg *reg = &bx_cat_regs(k->t->catalog)[r->reg];
    return !reg->extends ||
           bx_bits_written(&reg->bits, reg->extends, value, value, UINT64_MAX) == value;
}

int bx_undo_save(const bx_register_policy *k, bx_undo_log *log, const bx_address *at)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    if (!r || r->write_only || find_entry(k, log, r, at->cpu))
        return 0;
    bx_undo_entry one = {.at = *at, .r = r};
    int err = bx_read_surely(k->bus, k->t->catalog, r->reg, at, &one.first);
    if (!err && !can_be_written(k, r, one.first))
        err = EOVERFLOW;
    return fail(log, at, err ? err : add_entry(k, log, &one));
}

int bx_undo_give_up(const bx_register_policy *k, bx_undo_log *log, const bx_address *at, int err)
{
    return add_entry(
        k, log, &(bx_undo_entry){.at = *at, .r = bx_allow_find(k->allow, at), .unreadable = err});
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
    const struct bx_catalog *c = p->k->t->catalog;
    bx_address at = bx_register_address(c, p->cpu / p->k->t->cores, reg, unit, p->cpu);
    return bx_read_surely(p->k->bus, c, reg, &at, value);
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
    return bx_counter_depends_on(c, p->counter, r->reg);
}

static int save_field(const bx_register_policy *k, bx_undo_log *log, const unit_counter *p,
                      uint16_t field)
{
    return field == BX_NONE ? 0 : save_reg(k, log, p, bx_cat_fields(k->t->catalog)[field].reg);
}

static bool is_saved(const bx_undo_log *log, const unit_counter *p, uint16_t field)
{
    uint16_t reg = bx_cat_fields(p->k->t->catalog)[field].reg;
    bx_address at = bx_policy_address(p->k, p->cpu, p->counter->pmu, reg, p->unit);
    return bx_undo_find(p->k, log, &at);
}

/* Whether a field of the package is set; false also if it cannot be read. */
static bool is_set(const unit_counter *p, uint16_t field)
{
    const bx_cat_field *f = &bx_cat_fields(p->k->t->catalog)[field];
    uint64_t value = 0;
    return !read_register(p, f->reg, 0, &value) && bx_field_of(f, value);
}

static int save_counters(const bx_register_policy *k, bx_undo_log *log, const bx_allowed *r,
                         unsigned resets, uint16_t cpu);

/* An enable that holds a reset bit resets counters when it is put back. */
static int save_held_resets(const bx_register_policy *k, bx_undo_log *log, const unit_counter *p,
                            uint16_t reg)
{
    const bx_address at = bx_policy_address(k, p->cpu, p->counter->pmu, reg, p->unit);
    const bx_undo_entry *entry = bx_undo_find(k, log, &at);
    unsigned resets = entry ? bx_register_resets(k->t->catalog, reg,
                                                 bx_allow_restore_value(entry->r, entry->first))
                            : 0;
    return resets ? save_counters(k, log, entry->r, resets, p->cpu) : 0;
}

/* Saves the status that the counter's overflow sets, and the enable that it may freeze. */
static int save_status(const bx_register_policy *k, bx_undo_log *log, const unit_counter *p)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(k->t->catalog)[k->t->cpu];
    int err = save_field(k, log, p, p->counter->overflow);
    if (!err)
        err = save_field(k, log, p, cpu->changed);
    if (!err)
        err = save_field(k, log, p, cpu->noted);
    if (err || cpu->freeze == BX_NONE || is_saved(log, p, cpu->freezes) || !is_set(p, cpu->freeze))
        return err;
    err = save_field(k, log, p, cpu->freezes);
    return err ? err : save_held_resets(k, log, p, bx_cat_fields(k->t->catalog)[cpu->freezes].reg);
}

/* Whether a counter's own control lets it count, or cannot be read. */
static bool is_selected(const unit_counter *p)
{
    const struct bx_catalog *c = p->k->t->catalog;
    for (unsigned i = 0; i < p->counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[p->counter->counts.first + i];
        uint64_t value = 0;
        if (cond->reg == p->counter->control && !read_register(p, cond->reg, p->unit, &value) &&
            !bx_condition_holds(c, cond, value))
            return false;
    }
    return true;
}

/* Whether a counter would count once an enable is set: other enables may be set before that. A
 * counter that already counts belongs to other software, and its count changes anyway. */
static bool may_start(const unit_counter *p)
{
    bool counts = false;
    return is_selected(p) && (bx_counter_is_enabled(p->k->t->catalog, p->counter, p->unit,
                                                    read_register, p, &counts) ||
                              !counts);
}

/* Saves a counter if the write selects, sets, enables or resets it. */
static int save_counter(const bx_register_policy *k, bx_undo_log *log, const bx_allowed *r,
                        unsigned resets, const unit_counter *p)
{
    bool same_unit =
        bx_cat_regs(k->t->catalog)[r->reg].pmu == p->counter->pmu && r->unit == p->unit;
    bool own = same_unit && (p->counter->control == r->reg || p->counter->value == r->reg);
    bool governed = governs(k, r, p);
    bool zeroed = (governed && resets >> BX_RESETS_PACKAGE & 1) ||
                  (same_unit && resets >> BX_RESETS_COUNTERS & 1) ||
                  (own && resets >> BX_RESETS_COUNTER & 1);
    bool starts = own || (governed && may_start(p));
    int err = 0;
    if (same_unit && resets >> BX_RESETS_CONTROLS & 1)
        err = save_reg(k, log, p, p->counter->control);
    if (!err && (zeroed || starts))
        err = save_reg(k, log, p, p->counter->value);
    return err || !starts ? err : save_status(k, log, p);
}

static int save_counters(const bx_register_policy *k, bx_undo_log *log, const bx_allowed *r,
                         unsigned resets, uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    int err = 0;
    for (unsigned i = 0; i < bx_policy_pmus(k).n; i++) {
        uint16_t pmu = (uint16_t)(bx_policy_pmus(k).first + i);
        bx_span counters = bx_cat_pmus(c)[pmu].counters;
        bool by_cpu = bx_cat_pmus(c)[pmu].scope == BX_SCOPE_CORE; /* the core that is written to */
        unsigned units = bx_topology_units(k->t, pmu);
        for (unsigned unit = 0; unit < (by_cpu && units ? 1 : units); unit++) {
            for (unsigned n = 0; n < counters.n && !err; n++) {
                const unit_counter p = {k, &bx_cat_counters(c)[counters.first + n], unit, cpu};
                err = save_counter(k, log, r, resets, &p);
            }
        }
    }
    return err;
}

/* Saves the status registers of the unit that bits of this register clear. *found: bits of `value`
 * that would clear a status bit which was found set and cannot be set again, or whose state is
 * unknown. */
static int save_cleared(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                        const bx_allowed *r, uint64_t value, uint64_t *found)
{
    const struct bx_catalog *c = k->t->catalog;
    int err = r->clears ? bx_undo_save(k, log, at) : 0;
    const bx_undo_entry *own = r->clears && !err ? find_entry(k, log, r, at->cpu) : NULL;
    *found = own ? value & r->clears & own->first : 0;
    bx_clearing one;
    for (unsigned i = 0; !err && bx_register_next_clearing(c, r->reg, &i, &one);) {
        bx_address status =
            bx_policy_address(k, at->cpu, bx_cat_regs(c)[r->reg].pmu, one.status, r->unit);
        err = bx_undo_save(k, log, &status);
        const bx_undo_entry *was = err ? NULL : bx_undo_find(k, log, &status);
        bool lasting = was && !(was->r->write & ~was->r->triggers & one.bits);
        if (was && (was->unreadable || (lasting && was->first & one.bits)))
            *found |= value & one.by;
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
    bx_undo_entry *entry = find_entry(k, log, r, at->cpu);
    bool governing = k->roles[r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL | BX_ROLE_VALUE);
    int err = 0;
    if (resets || (governing && !(entry && entry->prepared)))
        err = save_counters(k, log, r, resets, at->cpu);
    if (!err)
        err = save_precondition(k, log, at, r);
    if (!err)
        err = bx_undo_save(k, log, at);
    entry = find_entry(k, log, r, at->cpu);
    if (entry && !err)
        entry->prepared = true;
    return err;
}

int bx_undo_prepare_write(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                          uint64_t value)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    const bx_undo_entry *before = r ? find_entry(k, log, r, at->cpu) : NULL;
    uint64_t first = before ? before->first : 0, found;
    if (!r || !r->write)
        return fail(log, at, EACCES);
    if (before && before->unreadable)
        return fail(log, at, before->unreadable);
    int err = r->write_only || before ? 0 : k->bus->read(k->bus, at, &first);
    bool interrupts = !k->may_interrupt && bx_allow_new_interrupts(r, first, value);
    if (err || bx_allow_forbidden(r, first, value) || interrupts)
        return fail(log, at, err ? err : EPERM);
    err = save_cleared(k, log, at, r, value, &found);
    if (!err && found)
        return fail(log, at, EPERM);
    return err ? err : save_all(k, log, at, r, first, value);
}

int bx_undo_spare_status(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                         uint64_t *value)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    uint64_t found = 0;
    int err = r ? save_cleared(k, log, at, r, *value, &found) : 0;
    *value &= ~found;
    return err;
}

/* ---- counts and what governs them ---- */

static unit_counter unit_counter_of(const bx_register_policy *k, const bx_undo_entry *count)
{
    return (unit_counter){k, bx_register_counter(k->t->catalog, count->r->reg), count->r->unit,
                          count->at.cpu};
}

bool bx_undo_governs(const bx_register_policy *k, const bx_undo_entry *governing,
                     const bx_undo_entry *count)
{
    const unit_counter p = unit_counter_of(k, count);
    bool apart = bx_policy_is_per_core(k, governing->r) && governing->at.cpu != count->at.cpu;
    return p.counter && !apart && governs(k, governing->r, &p);
}

bool bx_undo_may_count_now(const bx_register_policy *k, const bx_undo_entry *count)
{
    const unit_counter p = unit_counter_of(k, count);
    bool counts = true;
    return bx_counter_is_enabled(k->t->catalog, p.counter, p.unit, read_register, &p, &counts) ||
           counts;
}
