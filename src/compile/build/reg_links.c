/* References from registers and fields to others: preconditions of writes, status bits that are
 * cleared, registers that a summary bit summarises. They are resolved when all registers of the CPU
 * are known. */
#include "compile/build/build.h"

/* The number of register i in the pattern that it is made from. */
static uint64_t number_in_pattern(const bx_build *b, uint16_t i)
{
    const bx_syntax_node *const *from = b->tables[BX_T_REGS].from;
    uint64_t lo, hi, n = 0;
    bx_build_range(bx_syntax_arg(from[i], NULL, 0), &lo, &hi);
    while (i - n > 0 && from[i - n - 1] == from[i])
        n++;
    return lo + n;
}

static void link_precondition(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint16_t reg)
{
    bx_str at = bx_syntax_arg(node, "precondition", 0), value = at, name = bx_str_cut(&value, '=');
    if (!at.p)
        return;
    bx_cat_cond cond = {.value = bx_form_number(value)};
    name = bx_build_fill(b, name, "n", number_in_pattern(b, reg));
    cond.field = bx_build_resolve(b, node, pmu, reg, name, at, &cond.reg);
    uint16_t row = bx_build_add(b, BX_T_CONDS, node);
    *BX_ROW(b, bx_cat_cond, BX_T_CONDS, row) = cond;
    BX_ROW(b, bx_cat_reg, BX_T_REGS, reg)->precondition = row;
}

/* Adds `gathers REG units…`: the units are divided evenly among those of the PMU, in their order.
 */
static void add_gather(bx_build *b, const bx_syntax_node *node, uint16_t pmu, const bx_clause *c)
{
    unsigned owners = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->unit_max, units = c->n - 1;
    uint16_t reg = bx_build_find_reg(b, node, pmu, c->args[0], c->args[0]);
    if (b->failed)
        return;
    unsigned most =
        BX_ROW(b, bx_cat_pmu, BX_T_PMUS, BX_ROW(b, bx_cat_reg, BX_T_REGS, reg)->pmu)->unit_max;
    if (units % owners)
        bx_build_fail(b, node, c->key, "gathers", "%u units do not split evenly among %u", units,
                      owners);
    for (unsigned owner = 0; owner < owners && !b->failed; owner++) {
        bx_cat_gather gather = {.reg = reg, .unit = (uint16_t)owner};
        for (unsigned i = 0; i < units / owners; i++) {
            bx_str arg = c->args[1 + owner * (units / owners) + i];
            uint64_t unit = bx_form_number(arg);
            if (unit >= most || unit >= 32)
                bx_build_fail(b, node, arg, "gathers", "the register has %u units", most);
            else
                gather.units |= UINT32_C(1) << unit;
        }
        uint16_t row = bx_build_add(b, BX_T_GATHERS, node);
        *BX_ROW(b, bx_cat_gather, BX_T_GATHERS, row) = gather;
    }
}

static void link_field(bx_build *b, uint16_t pmu, uint16_t i)
{
    const bx_syntax_node *node = b->tables[BX_T_FIELDS].from[i];
    bx_str clears = bx_syntax_arg(node, "clears", 0);
    uint16_t own_reg = BX_ROW(b, bx_cat_field, BX_T_FIELDS, i)->reg, reg;
    if (clears.p) {
        uint16_t field = bx_build_resolve(b, node, pmu, own_reg, clears, clears, &reg);
        BX_ROW(b, bx_cat_field, BX_T_FIELDS, i)->clears = field;
    }
    uint16_t first = bx_build_n(b, BX_T_GATHERS);
    const bx_clause *c = bx_clause_find(node->clauses, "gathers");
    for (; c && !b->failed; c = bx_clause_find(c->next, "gathers"))
        add_gather(b, node, pmu, c);
    bx_span gathers = bx_build_span(b, BX_T_GATHERS, first);
    BX_ROW(b, bx_cat_field, BX_T_FIELDS, i)->gathers = gathers;
}

void bx_build_reg_links(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    (void)file;
    bx_span regs = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->regs;
    for (uint16_t r = regs.first; r < regs.first + regs.n && !b->failed; r++) {
        link_precondition(b, b->tables[BX_T_REGS].from[r], pmu, r);
        bx_span fields = BX_ROW(b, bx_cat_reg, BX_T_REGS, r)->fields;
        for (uint16_t i = fields.first; i < fields.first + fields.n && !b->failed; i++)
            if (BX_ROW(b, bx_cat_field, BX_T_FIELDS, i)->reg == r)
                link_field(b, pmu, i);
    }
}
