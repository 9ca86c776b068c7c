/* Writes the changes of a client as journal operations: those of bx_saved_put_back(), without
 * reading what the registers hold. */
#include "base/bits.h"
#include "helper/saved_registers.h"

#include <stdio.h>

typedef struct undoing {
    const bx_register_policy *k;
    const bx_saved_registers *saved;
    const uint16_t *cpus;
    int package;
    bx_arena *arena;
    bx_journal *j;
} undoing;

/* Bits that trigger something cannot be checked by a read. */
static void add(const undoing *u, const bx_address *at, uint64_t value, bool last)
{
    const struct bx_catalog *c = u->k->t->catalog;
    const bx_allowed *r = bx_allow_find(u->k->allow, at);
    if (!r || !r->write)
        return;
    const bx_cat_reg *reg = &bx_cat_regs(c)[r->reg];
    bool per_core = bx_cat_pmus(c)[reg->pmu].scope != BX_SCOPE_PACKAGE;
    char name[64];
    bx_cat_expand(name, sizeof name, bx_cat_z(c, reg->name), r->unit, 0);
    bx_journal_op *op = &u->j->ops[u->j->n++];
    *op = (bx_journal_op){.at = *at,
                          .package = u->package,
                          .core = per_core,
                          .value = value,
                          .check = last && !r->write_only ? r->write & ~r->triggers : 0,
                          .name = bx_arena_copy(u->arena, bx_str_of(name))};
    op->at.cpu = u->cpus[at->cpu];
}

static uint64_t back(const bx_saved_register *one)
{
    return bx_allow_restore_value(one->r, one->first);
}

/* Whether disabling the register already restores it. It is not written again after the counters,
 * because it may reset them. */
static bool is_disabled(const undoing *u, const bx_saved_register *one)
{
    return bx_policy_disabled(u->k, one->r, back(one)) == back(one);
}

static void disable(const undoing *u, const bx_saved_register *one)
{
    if (u->k->roles[one->r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL))
        add(u, &one->at, bx_policy_disabled(u->k, one->r, back(one)), is_disabled(u, one));
}

/* Makes the precondition of a register hold. The precondition's register is saved, too. */
static void set_precondition(const undoing *u, const bx_saved_register *one)
{
    bx_address at;
    const bx_cat_cond *cond = bx_policy_precondition(u->k, one, &at);
    const bx_allowed *precondition = cond ? bx_allow_find(u->k->allow, &at) : NULL;
    const bx_cat_field *f = cond ? &bx_cat_fields(u->k->t->catalog)[cond->field] : NULL;
    for (size_t i = 0; precondition && i < u->saved->n; i++)
        if (u->saved->list[i].r == precondition)
            add(u, &at, bx_bits_set(back(&u->saved->list[i]), f->lo, f->hi, cond->value), false);
}

/* Status bits that were not set before are cleared, whether they are set now or not. */
static void put_back(const undoing *u, const bx_saved_register *one)
{
    if (!one->r->write) {
        bx_address at;
        uint64_t clearing = bx_policy_clearing(u->k, one, ~one->first, &at);
        if (clearing)
            add(u, &at, clearing, true);
        return;
    }
    bool enables = u->k->roles[one->r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL);
    uint64_t clearing = ~one->first & one->r->clears;
    if (!enables || clearing || !is_disabled(u, one))
        add(u, &one->at, back(one) | clearing, true);
}

size_t bx_saved_undo_max(const bx_saved_registers *saved)
{
    return 3 * saved->n; /* disabled, precondition set, put back */
}

void bx_saved_undo(const bx_register_policy *k, const bx_saved_registers *saved,
                   const uint16_t *cpus, int package, bx_arena *arena, bx_journal *j)
{
    const undoing u = {k, saved, cpus, package, arena, j};
    for (size_t i = 0; i < saved->n; i++)
        disable(&u, &saved->list[i]);
    for (size_t i = 0; i < saved->n; i++)
        set_precondition(&u, &saved->list[i]);
    for (unsigned step = BX_RESTORE_FIRST; step < BX_RESTORE_STEPS; step++)
        for (size_t i = 0; i < saved->n; i++)
            if (bx_policy_step(k, saved->list[i].r) == step)
                put_back(&u, &saved->list[i]);
}
