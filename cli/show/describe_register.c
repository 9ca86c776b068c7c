/* The page about a register: its addresses and fields. */
#include "cli/show/describe.h"

#include "base/bits.h"
#include "cli/common/names.h"
#include "cli/common/page.h"

const char *bx_field_kind_name(unsigned kind)
{
    static const char *const names[] = {
        [BX_FIELD_RW] = "rw",   [BX_FIELD_RO] = "ro",           [BX_FIELD_WO] = "wo",
        [BX_FIELD_W1C] = "w1c", [BX_FIELD_IGNORED] = "ignored",
    };
    return kind < sizeof names / sizeof names[0] ? names[kind] : "";
}

static void field(bx_page *to, const bx_catalog *c, const bx_cat_field *f)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_z(&text, bx_cat_z(c, f->title));
    if (f->note)
        bx_buf_f(&text, " (%s)", bx_cat_z(c, f->note));
    bx_page_item(to, bx_buf_text(&text), "%s\t%s\t%s", bx_bits_word(f).text,
                 bx_field_kind_name(f->kind), bx_cat_z(c, f->name));
    bx_buf_free(&text);
}

static void addresses(bx_page *to, const bx_catalog *c, uint16_t reg)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[r->pmu];
    bx_buf all = {.whole = &to->to->failed};
    unsigned units = pmu->scope == BX_SCOPE_CORE ? 1 : pmu->unit_max; /* cores: one address */
    for (unsigned unit = 0; unit < units; unit++)
        bx_buf_f(&all, "%s%s", unit ? ", " : "", bx_address_word(c, 0, reg, unit).text);
    bx_page_row(to, "address", "%s %s%s", bx_cat_space_name(r->space), bx_buf_text(&all),
                units > 1 ? " (one for each unit)" : "");
    bx_buf_free(&all);
    if (r->base != BX_NONE) {
        const bx_cat_field *base = &bx_cat_fields(c)[r->base];
        bx_page_row(to, "BAR", "the value of %s, bits %s, in %s %s",
                    bx_cat_z(c, bx_cat_regs(c)[base->reg].name), bx_bits_word(base).text,
                    bx_cat_space_name(bx_cat_regs(c)[base->reg].space),
                    bx_address_word(c, 0, base->reg, 0).text);
    }
}

/* Other registers of the PMU with the same fields: those that differ in a number only. */
static void same_fields(bx_page *to, const bx_catalog *c, unsigned reg)
{
    const bx_cat_reg *r = bx_cat_regs(c);
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[r[reg].pmu];
    bx_buf names = {.whole = &to->to->failed};
    for (unsigned i = pmu->regs.first; i < (unsigned)pmu->regs.first + pmu->regs.n; i++)
        if (i != reg && r[i].fields.n && r[i].fields.first == r[reg].fields.first)
            bx_buf_f(&names, "%s%s", names.n ? ", " : "", bx_cat_z(c, r[i].name));
    bx_page_row(to, "same fields", "%s", bx_buf_text(&names));
    bx_buf_free(&names);
}

void bx_describe_register(bx_page *to, const bx_catalog *c, unsigned reg)
{
    static const bx_page_columns fields = {
        .heads = "bits\tkind\tfield", .widths = {7, 9}, .text_at = 36};
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    bx_page_subject(to, "register", bx_cat_z(c, r->name), bx_cat_z(c, r->title), false);
    bx_page_row(to, "PMU", "%s", bx_cat_z(c, bx_cat_pmus(c)[r->pmu].name));
    addresses(to, c, (uint16_t)reg);
    if (r->former)
        bx_page_row(to, "", "in earlier generations 0x%x", r->former);
    if (r->also)
        bx_page_row(to, "also", "%s", bx_cat_z(c, r->also));
    same_fields(to, c, reg);
    bx_page_row(to, "width", "%u bits", r->width);
    if (r->reset)
        bx_page_row(to, "reset value", "0x%llx", (unsigned long long)r->reset);
    bx_page_row(to, "source", "%s", bx_cat_z(c, r->source));
    bx_page_row(to, "note", "%s", bx_cat_z(c, r->note));
    bx_page_list(to, &fields, "fields");
    for (unsigned i = 0; i < r->fields.n; i++)
        field(to, c, &bx_cat_fields(c)[r->fields.first + i]);
    uint64_t reserved = r->bits.reserved & bx_mask_width(r->width);
    if (reserved)
        bx_page_remark(
            to, "bits 0x%llx are reserved: they read 0, and %s", (unsigned long long)reserved,
            r->space == BX_SPACE_MSR ? "writing 1 faults" : "what is written is dropped");
}

void bx_describe_passive(bx_page *to, const bx_catalog *c, unsigned cpu, unsigned passive)
{
    const bx_cat_passive *p = &bx_cat_passives(c)[passive];
    if (p->first == p->last)
        bx_page_row(to, "passive MSR", "0x%x: %s", p->first, bx_cat_z(c, p->title));
    else
        bx_page_row(to, "passive MSRs", "0x%x to 0x%x: %s", p->first, p->last,
                    bx_cat_z(c, p->title));
    bx_page_row(to, "CPU model", "%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    bx_page_row(to, "", "on a virtual machine it holds what is written and counts nothing");
    if (p->preset)
        bx_page_row(to, "reset value", "0x%llx", (unsigned long long)p->preset);
    bx_page_row(to, "one for each", "%s",
                p->scope == BX_SCOPE_PACKAGE ? "package"
                : p->scope == BX_SCOPE_CORE  ? "core"
                                             : "logical CPU");
}
