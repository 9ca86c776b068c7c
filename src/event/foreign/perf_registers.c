/* perf's terms for whole registers, and for fields that choose a place. */
#include "event/foreign/perf_registers.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/decode/recognize.h"
#include "register/register.h"

#include <inttypes.h>

static bool is_called(const struct bx_catalog *c, bx_cat_text kernel, bx_str key)
{
    return kernel && bx_str_eq_fold(key, bx_cat_str(c, kernel));
}

uint16_t bx_perf_field(const struct bx_catalog *c, uint16_t pmu, bx_str key)
{
    const bx_cat_counter *counter = bx_pmu_counter(c, pmu, 0);
    if (!counter || counter->control == BX_NONE)
        return BX_NONE;
    bx_span fields = bx_cat_regs(c)[counter->control].fields;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++)
        if (is_called(c, bx_cat_fields(c)[i].kernel, key))
            return i;
    return BX_NONE;
}

/* Sets the port of a place, within the named unit. */
static int take_port(bx_event_builder *d, const bx_cat_place *place, bx_str at)
{
    if (!d->pmu->ports)
        return BX_OK;
    if (d->to.unit == BX_ANY) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, at, "a port of which unit");
        bx_hint(d->e, "name the PMU with its number, such as the one that ends in '_0'");
        return code;
    }
    return bx_builder_port(d, (uint64_t)(d->to.unit * d->pmu->ports + place->port), at);
}

int bx_perf_select(bx_event_builder *d, uint64_t control, bx_str at, uint16_t *place)
{
    *place = bx_place_selected(d->c, d->pmu, control);
    const bx_cat_field *event = &bx_cat_fields(d->c)[d->pmu->select_event];
    uint64_t own = bx_cat_field_mask(event); /* bits of codes that are not places */
    if (d->pmu->select_umask != BX_NONE)
        own |= bx_cat_field_mask(&bx_cat_fields(d->c)[d->pmu->select_umask]);
    if (*place == BX_NONE && control & ~own)
        return BX_REFUSE(d, BX_NOT_FOUND, at, "these terms select no event");
    if (*place == BX_NONE)
        return bx_builder_code(d, bx_field_of(event, control), at);
    const bx_cat_place *p = &bx_cat_places(d->c)[*place];
    int code = bx_builder_code(d, p->code, at);
    if (!code)
        code = take_port(d, p, at);
    if (!code && bx_event_place(d->c, &d->to, p->port) != *place)
        code = bx_builder_place(d, p->index, at);
    return code;
}

/* The register of a term, as modifiers refer to it. *choice: the bits of the event's choice. */
static uint16_t register_called(const bx_event_builder *d, uint16_t place, bx_str key,
                                uint64_t *choice)
{
    *choice = 0;
    if (place != BX_NONE) {
        const bx_cat_place *p = &bx_cat_places(d->c)[place];
        const bx_cat_place *first = &bx_cat_places(d->c)[bx_cat_slots(d->c)[p->slot].places.first];
        for (unsigned i = 0; i < BX_PLACE_REGS; i++) {
            if (p->reg[i] == BX_NONE || !is_called(d->c, bx_cat_regs(d->c)[p->reg[i]].kernel, key))
                continue;
            *choice = i == 0 && p->has ? bx_mask_bits(p->lo, p->hi) : 0;
            return first->reg[i];
        }
    }
    bx_span regs = d->pmu->regs;
    for (uint16_t i = regs.first; i < regs.first + regs.n; i++)
        if (is_called(d->c, bx_cat_regs(d->c)[i].kernel, key))
            return i;
    return BX_NONE;
}

int bx_perf_register(bx_event_builder *d, uint16_t place, bx_str key, uint64_t value, bx_str term,
                     bool *known)
{
    uint64_t choice;
    uint16_t reg = register_called(d, place, key, &choice);
    *known = reg != BX_NONE;
    if (!*known)
        return BX_OK;
    int code = BX_OK;
    if (choice)
        code = bx_builder_umask_number(d, (value & choice) >> bx_lowest_bit64(choice), term);
    uint64_t left = value & ~choice;
    for (unsigned i = 0; !code && i < d->pmu->modifiers.n; i++) {
        uint16_t modifier = (uint16_t)(d->pmu->modifiers.first + i);
        const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
        if (m->reg != reg || m->mask & choice)
            continue;
        uint64_t mine = (value & m->mask) >> m->at;
        left &= ~m->mask;
        if (mine != m->preset || (choice && m->flags & BX_MODIFIER_HIDDEN))
            code = bx_builder_modifier(d, modifier, mine, term);
    }
    if (!code && left)
        code = BX_REFUSE(d, BX_BAD_INPUT, term, "bits 0x%" PRIx64 " of %s filter nothing", left,
                         bx_quote(term).text);
    return code;
}
