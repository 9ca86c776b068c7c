/* The page about a field of registers. */
#include "cli/show/describe.h"

#include "cli/common/names.h"
#include "cli/common/page.h"

/* The registers of the PMU that have the field: equal registers share their fields. */
static void add_registers(bx_buf *to, const bx_catalog *c, const bx_cat_pmu *pmu, unsigned field)
{
    unsigned n = 0;
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        const bx_cat_reg *r = &bx_cat_regs(c)[pmu->regs.first + i];
        bool has = field >= r->fields.first && field < (unsigned)r->fields.first + r->fields.n;
        if (has)
            bx_buf_f(to, "%s%s", n++ ? ", " : "", bx_cat_z(c, r->name));
    }
}

/* The event selection's parts that are in the field: code, unit mask, a modifier. */
static void add_uses(bx_buf *to, const bx_catalog *c, const bx_cat_pmu *pmu, unsigned field)
{
    if (pmu->select_event == field)
        bx_buf_z(to, "an event's code");
    if (pmu->select_umask == field)
        bx_buf_z(to, "an event's unit mask");
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        if (m->field == field)
            bx_buf_f(to, "%smodifier %s", to->n ? "; " : "", bx_cat_z(c, m->name));
    }
}

void bx_describe_field(bx_page *to, const bx_catalog *c, unsigned pmu, unsigned field)
{
    const bx_cat_pmu *of = &bx_cat_pmus(c)[pmu];
    const bx_cat_field *f = &bx_cat_fields(c)[field];
    bx_buf registers = {.whole = &to->to->failed}, uses = {.whole = &to->to->failed};
    add_registers(&registers, c, of, field);
    add_uses(&uses, c, of, field);
    bx_page_subject(to, "field", bx_cat_z(c, f->name), bx_cat_z(c, f->title), false);
    bx_page_row(to, "PMU", "%s", bx_cat_z(c, of->name));
    bx_page_row(to, "registers", "%s", bx_buf_text(&registers));
    bx_page_row(to, "bits", "%s", bx_bits_word(f).text);
    bx_page_row(to, "kind", "%s", bx_field_kind_name(f->kind));
    bx_page_row(to, "set by", "%s", bx_buf_text(&uses));
    bx_page_row(to, "note", "%s", bx_cat_z(c, f->note));
    bx_buf_free(&uses);
    bx_buf_free(&registers);
}
