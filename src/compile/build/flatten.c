/* The tables, the index of names and the string pool, laid out one after the other in one blob. */
#include "compile/build/build.h"
#include "catalog/lookup.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* A table has at most 65535 rows, and the pool is bounded, so the size cannot wrap. */
static bx_catalog_header layout(const bx_build *b)
{
    uint32_t n[BX_TABLES];
    for (int id = 0; id < BX_TABLES; id++)
        n[id] = b->tables[id].n;
    return bx_tables_lay_out(n, b->pool.n);
}

/* ---- derived columns ---- */

/* The enable that the modifier's name also sets, or else the modifier itself. The parts of the
 * thread filter have the same enable. */
static uint16_t enable_of(const struct bx_catalog *c, uint16_t modifier)
{
    bx_span sets = bx_cat_modifiers(c)[modifier].sets;
    return sets.n ? bx_cat_sets(c)[sets.first].modifier : modifier;
}

static uint32_t partners_of(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint16_t modifier)
{
    uint32_t partners = 0;
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        uint16_t at = (uint16_t)(pmu->modifiers.first + i);
        if (bx_cat_modifiers(c)[at].sets.n && enable_of(c, at) == enable_of(c, modifier))
            partners |= UINT32_C(1) << i;
    }
    return partners;
}

static bool holds_modifier(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint16_t reg)
{
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (bx_cat_modifiers(c)[pmu->modifiers.first + i].reg == reg)
            return true;
    return false;
}

/* The index of a register among the unit's shared registers that have modifiers. */
static unsigned shared_index(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint16_t reg)
{
    unsigned index = 0;
    for (uint16_t i = pmu->regs.first; reg != BX_NONE && i < reg; i++)
        index += bx_cat_regs(c)[i].flags & BX_REG_SHARED && holds_modifier(c, pmu, i);
    return index;
}

static void derive_modifiers(struct bx_catalog *c, bx_cat_pmu *pmu)
{
    bx_cat_modifier *all = (bx_cat_modifier *)(void *)((char *)c + c->modifiers.at);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        bx_cat_modifier *m = &all[pmu->modifiers.first + i];
        m->mask = bx_cat_field_mask(&bx_cat_fields(c)[m->field]);
        m->at = bx_cat_fields(c)[m->field].lo;
        m->partners = partners_of(c, pmu, (uint16_t)(pmu->modifiers.first + i));
        unsigned at = shared_index(c, pmu, m->reg);
        if (m->reg != BX_NONE && at < BX_SHARED)
            pmu->shared_in[at] |= UINT32_C(1) << i;
        pmu->levels |= (uint32_t)((m->flags & BX_MODIFIER_LEVEL) != 0) << i;
        pmu->shared |= (uint32_t)(m->reg != BX_NONE) << i;
        pmu->preset |= (uint32_t)(m->preset != 0) << i;
        pmu->masked |= (uint32_t)(m->masked != BX_NONE) << i;
        pmu->hidden |= (uint32_t)((m->flags & BX_MODIFIER_HIDDEN) != 0) << i;
    }
}

static bool is_control(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint16_t reg)
{
    for (unsigned i = 0; i < pmu->counters.n; i++)
        if (bx_cat_counters(c)[pmu->counters.first + i].control == reg)
            return true;
    return false;
}

static void derive_counter(const struct bx_catalog *c, const bx_cat_pmu *pmu,
                           bx_cat_counter *counter)
{
    counter->other_condition = BX_NONE;
    for (unsigned i = 0; i < counter->counts.n; i++) {
        uint16_t at = (uint16_t)(counter->counts.first + i);
        const bx_cat_cond *cond = &bx_cat_conds(c)[at];
        if (cond->reg == counter->control)
            counter->enable |= cond->value << bx_cat_fields(c)[cond->field].lo;
        else if (is_control(c, pmu, cond->reg))
            counter->other_condition = at;
    }
}

/* The modifiers in the registers of a slot's first place; those of its other places have the same
 * fields. */
static uint32_t moving_modifiers(const struct bx_catalog *c, const bx_cat_pmu *pmu,
                                 const bx_cat_slot *slot)
{
    uint32_t mask = 0;
    for (unsigned i = 0; slot->places.n && i < pmu->modifiers.n; i++) {
        uint16_t reg = bx_cat_modifiers(c)[pmu->modifiers.first + i].reg;
        for (unsigned j = 0; j < BX_PLACE_REGS; j++)
            if (reg != BX_NONE && bx_cat_places(c)[slot->places.first].reg[j] == reg)
                mask |= UINT32_C(1) << i;
    }
    return mask;
}

static void derive_bits(const struct bx_catalog *c, bx_cat_reg *reg)
{
    bx_cat_bits b = {0};
    uint64_t *const kinds[] = {
        [BX_FIELD_RW] = &b.stored, [BX_FIELD_RO] = &b.read_only,    [BX_FIELD_WO] = &b.write_only,
        [BX_FIELD_W1C] = &b.w1c,   [BX_FIELD_IGNORED] = &b.ignored,
    };
    for (uint16_t i = reg->fields.first; i < reg->fields.first + reg->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[i];
        uint64_t mask = bx_cat_field_mask(f), clears = f->clears != BX_NONE ? mask : 0;
        *kinds[f->kind] |= mask;
        b.clears |= clears;
        b.effects |= clears | (f->resets ? mask : 0);
        b.gathers |= f->gathers.n ? mask : 0;
        b.runs |= f->runs ? mask : 0;
    }
    b.triggers = b.write_only | b.w1c;
    b.writable = b.stored | b.triggers;
    b.hidden = b.write_only | b.ignored;
    b.reserved = ~(b.writable | b.read_only | b.ignored);
    reg->bits = b;
}

static uint8_t lowest_bit(const struct bx_catalog *c, uint16_t field)
{
    return field == BX_NONE ? 0 : bx_cat_fields(c)[field].lo;
}

static void derive(struct bx_catalog *c)
{
    bx_cat_pmu *pmus = (bx_cat_pmu *)(void *)((char *)c + c->pmus.at);
    bx_cat_counter *counters = (bx_cat_counter *)(void *)((char *)c + c->counters.at);
    bx_cat_event *events = (bx_cat_event *)(void *)((char *)c + c->events.at);
    bx_cat_slot *slots = (bx_cat_slot *)(void *)((char *)c + c->slots.at);
    bx_cat_reg *regs = (bx_cat_reg *)(void *)((char *)c + c->regs.at);
    for (unsigned i = 0; i < c->regs.n; i++)
        derive_bits(c, &regs[i]);
    for (unsigned i = 0; i < c->counters.n; i++)
        if (counters[i].tally != BX_NONE)
            regs[counters[i].control].bits.effects |=
                bx_cat_field_mask(&bx_cat_fields(c)[counters[i].tally]);
    for (unsigned i = 0; i < c->umasks.n; i++)
        if (bx_str_find(bx_cat_str(c, bx_cat_umasks(c)[i].name), '.', 0) >= 0)
            events[bx_cat_umasks(c)[i].event].flags |= BX_EVENT_DOTTED;
    for (unsigned i = 0; i < c->pmus.n; i++) {
        derive_modifiers(c, &pmus[i]);
        for (unsigned j = 0; j < pmus[i].counters.n; j++)
            derive_counter(c, &pmus[i], &counters[pmus[i].counters.first + j]);
        for (unsigned j = pmus[i].slots.first; j < (unsigned)pmus[i].slots.first + pmus[i].slots.n;
             j++)
            slots[j].modifiers = moving_modifiers(c, &pmus[i], &slots[j]);
        pmus[i].event_at = lowest_bit(c, pmus[i].select_event);
        pmus[i].umask_at = lowest_bit(c, pmus[i].select_umask);
    }
}

struct bx_catalog *bx_flatten(bx_build *b)
{
    bx_catalog_header header = layout(b);
    struct bx_catalog *c = calloc(1, header.size);
    if (!c) {
        bx_out_of_memory(b->e);
        b->failed = true;
        return NULL;
    }
    *c = header;
    for (int id = 0; id < BX_TABLES; id++)
        memcpy((char *)c + bx_table_of(&header, (enum bx_table_id)id)->at, b->tables[id].rows,
               b->tables[id].n * bx_table_row_size[id]);
    memcpy((char *)c + c->strings.at, b->pool.strings, b->pool.n);
    derive(c);
    bx_index_fill(c);
    return c;
}
