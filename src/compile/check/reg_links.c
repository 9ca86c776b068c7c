/* Checks of references from registers and fields to others. */
#include "compile/check/check.h"

#include "base/bits.h"

static unsigned width_of(const bx_check *k, uint16_t field)
{
    const bx_cat_field *f = &bx_cat_fields(k->c)[field];
    return f->hi - f->lo + 1U;
}

/* Checks that a precondition is a value that its field can have, in the same unit or in the only
 * unit of another PMU. */
void bx_check_precondition(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_REGS, i);
        if (reg->precondition == BX_NONE)
            continue;
        const bx_cat_cond *cond = &bx_cat_conds(k->c)[reg->precondition];
        uint16_t owner = bx_cat_regs(k->c)[cond->reg].pmu;
        if (cond->value > bx_check_field_most(k, cond->field))
            bx_check_fail(k, node, "precondition", 0, "%s has no such value",
                          bx_cat_z(k->c, bx_cat_fields(k->c)[cond->field].name));
        if (cond->reg == i)
            bx_check_fail(k, node, "precondition", 0, "a register is not its own precondition");
        if (owner != reg->pmu && bx_cat_pmus(k->c)[owner].unit_max > 1)
            bx_check_fail(k, node, "precondition", 0, "the other PMU has several units");
    }
}

/* Checks that a field that clears another one is write-only and has as many bits. */
void bx_check_clears(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_FIELDS, i);
        if (f->clears == BX_NONE)
            continue;
        if (f->kind != BX_FIELD_WO)
            bx_check_fail(k, node, NULL, 2, "only write-only bits clear others");
        if (width_of(k, f->clears) != width_of(k, i))
            bx_check_fail(k, node, "clears", 0, "that field has %u bits, this one %u",
                          width_of(k, f->clears), width_of(k, i));
    }
}

/* Checks that a summary bit cannot be written. */
/* Checks that a field that `runs` is rw and is the only field of its register. */
void bx_check_runs(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(k->c)[i];
        for (uint16_t n = reg->fields.first; n < reg->fields.first + reg->fields.n; n++) {
            const bx_cat_field *f = &bx_cat_fields(k->c)[n];
            if (f->runs &&
                (f->kind != BX_FIELD_RW || reg->bits.stored != bx_mask_bits(f->lo, f->hi)))
                bx_check_fail(k, bx_check_from(k, BX_T_FIELDS, n), "runs", 0,
                              "this is not the only field that is written");
        }
    }
}

void bx_check_gathers(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_FIELDS, i);
        if (f->gathers.n && (f->kind != BX_FIELD_RO || width_of(k, i) != 1))
            bx_check_fail(k, node, NULL, 1, "a summary is a single bit that is read only");
        for (uint16_t n = f->gathers.first; n < f->gathers.first + f->gathers.n; n++)
            if (bx_cat_gathers(k->c)[n].reg == f->reg)
                bx_check_fail(k, node, "gathers", 0, "a register does not gather itself");
    }
}
