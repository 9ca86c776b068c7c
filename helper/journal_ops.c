/* What a client changed, as a journal tells it: the operations of bx_kept_put_back(), without a
 * look at what the registers hold. */
#include "base/bits.h"
#include "helper/saved_registers.h"

#include <stdio.h>

typedef struct undoing {
    const bx_keeper *k;
    const bx_kept *kept;
    const uint16_t *cpus;
    int package;
    bx_arena *arena;
    bx_journal *j;
} undoing;

/* Bits that act are nothing that can be read again. */
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
                          .check = last && !r->hollow ? r->write & ~r->acts : 0,
                          .name = bx_arena_copy(u->arena, bx_str_of(name))};
    op->at.cpu = u->cpus[at->cpu];
}

static uint64_t back(const bx_kept_register *one)
{
    return bx_allow_back(one->r, one->first);
}

/* One that is as it was when it is shut is not written again behind the counters: it may set them
 * back. */
static bool is_shut(const undoing *u, const bx_kept_register *one)
{
    return bx_keeper_shut(u->k, one->r, back(one)) == back(one);
}

static void shut(const undoing *u, const bx_kept_register *one)
{
    if (u->k->roles[one->r->reg] & (BX_ROLE_GATE | BX_ROLE_CONTROL))
        add(u, &one->at, bx_keeper_shut(u->k, one->r, back(one)), is_shut(u, one));
}

/* The guard's register is kept, too. */
static void unguard(const undoing *u, const bx_kept_register *one)
{
    bx_address at;
    const bx_cat_cond *cond = bx_keeper_guard(u->k, one, &at);
    const bx_allowed *guard = cond ? bx_allow_find(u->k->allow, &at) : NULL;
    const bx_cat_field *f = cond ? &bx_cat_fields(u->k->t->catalog)[cond->field] : NULL;
    for (size_t i = 0; guard && i < u->kept->n; i++)
        if (u->kept->list[i].r == guard)
            add(u, &at, bx_bits_set(back(&u->kept->list[i]), f->lo, f->hi, cond->value), false);
}

/* Bits of a status that were not set are cleared, set or not by now. */
static void put_back(const undoing *u, const bx_kept_register *one)
{
    if (!one->r->write) {
        bx_address at;
        uint64_t clearing = bx_keeper_clearing(u->k, one, ~one->first, &at);
        if (clearing)
            add(u, &at, clearing, true);
        return;
    }
    bool gates = u->k->roles[one->r->reg] & (BX_ROLE_GATE | BX_ROLE_CONTROL);
    uint64_t clearing = ~one->first & one->r->clears;
    if (!gates || clearing || !is_shut(u, one))
        add(u, &one->at, back(one) | clearing, true);
}

size_t bx_kept_undo_most(const bx_kept *kept)
{
    return 3 * kept->n; /* shut, unguarded, put back */
}

void bx_kept_undo(const bx_keeper *k, const bx_kept *kept, const uint16_t *cpus, int package,
                  bx_arena *arena, bx_journal *j)
{
    const undoing u = {k, kept, cpus, package, arena, j};
    for (size_t i = 0; i < kept->n; i++)
        shut(&u, &kept->list[i]);
    for (size_t i = 0; i < kept->n; i++)
        unguard(&u, &kept->list[i]);
    for (unsigned turn = BX_FIRST_TURN; turn < BX_TURNS; turn++)
        for (size_t i = 0; i < kept->n; i++)
            if (bx_keeper_turn(k, kept->list[i].r) == turn)
                put_back(&u, &kept->list[i]);
}
