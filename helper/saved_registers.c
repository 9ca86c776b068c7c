#include "helper/saved_registers.h"

#include "base/bits.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what registers are for ---- */

static void mark_roles(bx_keeper *k, const bx_cat_pmu *pmu)
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
                k->roles[reg] |= BX_ROLE_GATE;
        }
    }
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        uint16_t guard = bx_cat_regs(c)[pmu->regs.first + i].guard;
        if (guard == BX_NONE)
            continue;
        k->roles[pmu->regs.first + i] |= BX_ROLE_GUARDED;
        k->roles[bx_cat_conds(c)[guard].reg] |= BX_ROLE_GUARD;
    }
}

bx_span bx_keeper_pmus(const bx_keeper *k)
{
    return bx_cat_cpus(k->t->catalog)[k->t->cpu].pmus;
}

bool bx_keeper_new(bx_keeper *k, const bx_topology *t, const bx_allow *allow, struct bx_bus *bus)
{
    *k = (bx_keeper){t, allow, bus, calloc(t->catalog->regs.n, 1)};
    for (unsigned i = 0; k->roles && i < bx_keeper_pmus(k).n; i++)
        mark_roles(k, &bx_cat_pmus(t->catalog)[bx_keeper_pmus(k).first + i]);
    return k->roles;
}

void bx_keeper_free(bx_keeper *k)
{
    free(k->roles);
    *k = (bx_keeper){0};
}

/* ---- reading and keeping ---- */

bx_address bx_keeper_address(const bx_keeper *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit)
{
    const bx_cat_reg *r = &bx_cat_regs(k->t->catalog)[reg];
    return (bx_address){
        .space = r->space,
        .width = r->width,
        .cpu = cpu,
        .offset = bx_cat_addrs(k->t->catalog)[r->first_addr + (r->pmu == pmu ? unit : 0)]};
}

static int read_present(const bx_keeper *k, const bx_allowed *r, const bx_address *at,
                        uint64_t *value)
{
    *value = 0;
    return r->hollow ? 0 : k->bus->read(k->bus, at, value);
}

/* A register of the package is the same one from all of its CPUs. */
static const bx_kept_register *find(const bx_keeper *k, const bx_kept *kept, const bx_allowed *r,
                                    uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    bool per_core = bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE;
    for (size_t i = 0; i < kept->n; i++)
        if (kept->list[i].r == r && (!per_core || kept->list[i].at.cpu == cpu))
            return &kept->list[i];
    return NULL;
}

size_t bx_keeper_room(const bx_keeper *k)
{
    return k->allow->n * k->t->cores; /* some registers are of a core */
}

static int add(bx_kept *kept, const bx_kept_register *one)
{
    if (kept->n == kept->room)
        return ENOMEM;
    kept->list[kept->n] = *one;
    __atomic_store_n(&kept->n, kept->n + 1, __ATOMIC_RELEASE); /* it is whole */
    return 0;
}

int bx_kept_keep(const bx_keeper *k, bx_kept *kept, const bx_address *at)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    if (!r || r->hollow || find(k, kept, r, at->cpu))
        return 0;
    bx_kept_register one = {.at = *at, .r = r};
    int why = read_present(k, r, at, &one.first);
    return why ? why : add(kept, &one);
}

/* ---- what a write changes besides ---- */

/* A counter of a unit, as the CPU that a write goes to sees it. */
typedef struct place {
    const bx_cat_counter *counter;
    unsigned unit;
    uint16_t cpu;
} place;

static int is_counting(const bx_keeper *k, const place *p, bool *counts)
{
    const struct bx_catalog *c = k->t->catalog;
    *counts = true;
    for (unsigned i = 0; *counts && i < p->counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[p->counter->counts.first + i];
        const bx_cat_field *f = &bx_cat_fields(c)[cond->field];
        bx_address at = bx_keeper_address(k, p->cpu, p->counter->pmu, cond->reg, p->unit);
        uint64_t value;
        int why = k->bus->read(k->bus, &at, &value);
        if (why)
            return why;
        *counts = bx_bits_get(value, f->lo, f->hi) == cond->value;
    }
    return 0;
}

static int keep_reg(const bx_keeper *k, bx_kept *kept, const place *p, uint16_t reg)
{
    bx_address at = bx_keeper_address(k, p->cpu, p->counter->pmu, reg, p->unit);
    return reg == BX_NONE ? 0 : bx_kept_keep(k, kept, &at);
}

static bool governs(const bx_keeper *k, const bx_allowed *r, const place *p)
{
    const struct bx_catalog *c = k->t->catalog;
    if (bx_cat_regs(c)[r->reg].pmu == p->counter->pmu && r->unit != p->unit)
        return false;
    bool does = p->counter->control == r->reg;
    for (unsigned i = 0; !does && i < p->counter->counts.n; i++)
        does = bx_cat_conds(c)[p->counter->counts.first + i].reg == r->reg;
    return does;
}

/* Which of the bits that are written set something back. */
static unsigned resets_of(const bx_keeper *k, const bx_allowed *r, uint64_t value)
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

static int keep_field(const bx_keeper *k, bx_kept *kept, const place *p, uint16_t field)
{
    return field == BX_NONE ? 0 : keep_reg(k, kept, p, bx_cat_fields(k->t->catalog)[field].reg);
}

/* What the counter's overflow sets. */
static int keep_status(const bx_keeper *k, bx_kept *kept, const place *p)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(k->t->catalog)[k->t->cpu];
    int why = keep_field(k, kept, p, p->counter->overflow);
    if (!why)
        why = keep_field(k, kept, p, cpu->changed);
    return why ? why : keep_field(k, kept, p, cpu->noted);
}

/* A counter that the write takes, lets count, or sets back. One that counts already and only shares
 * a gate is somebody else's: it moves on by itself. */
static int keep_counter(const bx_keeper *k, bx_kept *kept, const bx_allowed *r, unsigned resets,
                        const place *p)
{
    bool same_unit =
        bx_cat_regs(k->t->catalog)[r->reg].pmu == p->counter->pmu && r->unit == p->unit;
    bool own = p->counter->control == r->reg && same_unit;
    bool zeroed = resets >> BX_RESETS_PACKAGE & 1 ||
                  (same_unit && resets >> BX_RESETS_COUNTERS & 1) ||
                  (own && resets >> BX_RESETS_COUNTER & 1);
    bool counts = !own;
    int why = 0;
    if (same_unit && resets >> BX_RESETS_CONTROLS & 1)
        why = keep_reg(k, kept, p, p->counter->control);
    if (!why && !own && !zeroed && governs(k, r, p))
        why = is_counting(k, p, &counts);
    if (!why && (zeroed || !counts))
        why = keep_reg(k, kept, p, p->counter->value);
    return why || counts ? why : keep_status(k, kept, p);
}

static int keep_counters(const bx_keeper *k, bx_kept *kept, const bx_allowed *r, unsigned resets,
                         uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    int why = 0;
    for (unsigned i = 0; i < bx_keeper_pmus(k).n; i++) {
        uint16_t pmu = (uint16_t)(bx_keeper_pmus(k).first + i);
        bx_span counters = bx_cat_pmus(c)[pmu].counters;
        for (unsigned unit = 0; unit < bx_topology_units(k->t, pmu); unit++) {
            for (unsigned n = 0; n < counters.n && !why; n++) {
                const place p = {&bx_cat_counters(c)[counters.first + n], unit, cpu};
                why = keep_counter(k, kept, r, resets, &p);
            }
        }
    }
    return why;
}

/* The status registers of the unit that bits of this one clear. */
static int keep_cleared(const bx_keeper *k, bx_kept *kept, const bx_allowed *r, uint16_t cpu)
{
    const struct bx_catalog *c = k->t->catalog;
    const bx_cat_reg *reg = &bx_cat_regs(c)[r->reg];
    int why = 0;
    for (unsigned i = 0; i < reg->fields.n && !why; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[reg->fields.first + i];
        if (f->clears == BX_NONE)
            continue;
        bx_address at =
            bx_keeper_address(k, cpu, reg->pmu, bx_cat_fields(c)[f->clears].reg, r->unit);
        why = bx_kept_keep(k, kept, &at);
    }
    return why;
}

/* To put a guarded register back, its guard may have to change. */
static int keep_guard(const bx_keeper *k, bx_kept *kept, const bx_address *at, const bx_allowed *r)
{
    const bx_kept_register one = {.at = *at, .r = r};
    bx_address guard;
    return bx_keeper_guard(k, &one, &guard) ? bx_kept_keep(k, kept, &guard) : 0;
}

static int keep_all(const bx_keeper *k, bx_kept *kept, const bx_address *at, const bx_allowed *r,
                    uint64_t value)
{
    unsigned resets = resets_of(k, r, value);
    bool known = find(k, kept, r, at->cpu);
    bool governing = k->roles[r->reg] & (BX_ROLE_GATE | BX_ROLE_CONTROL);
    int why = 0;
    if (resets || (governing && !known))
        why = keep_counters(k, kept, r, resets, at->cpu);
    if (!why)
        why = keep_cleared(k, kept, r, at->cpu);
    if (!why)
        why = keep_guard(k, kept, at, r);
    return why ? why : bx_kept_keep(k, kept, at);
}

int bx_kept_prepare(const bx_keeper *k, bx_kept *kept, const bx_address *at, uint64_t value)
{
    const bx_allowed *r = bx_allow_find(k->allow, at);
    uint64_t present;
    if (!r || !r->write)
        return EACCES;
    int why = read_present(k, r, at, &present);
    if (why)
        return why;
    const bx_kept_register *before = find(k, kept, r, at->cpu);
    if (bx_allow_unlawful(r, present, value) ||
        bx_allow_alarming(r, before ? before->first : present, value))
        return EPERM;
    return keep_all(k, kept, at, r, value);
}
