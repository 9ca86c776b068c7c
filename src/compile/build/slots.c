/* Slots, which an event may borrow in addition to a counter, and the places of each. */
#include "compile/build/build.h"

#include "base/bits.h"
#include "base/error.h"

/* Adds the settings of the counter's control register that select the place. */
static void add_settings(bx_build *b, const bx_syntax_node *node, uint16_t pmu, bx_cat_place *place)
{
    uint16_t select = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->select_event;
    for (unsigned i = 0; i < node->head.n && !b->failed; i++) {
        bx_str at = node->head.args[i], number = at, name = bx_str_cut(&number, '=');
        uint16_t field = bx_build_field_of_control(b, node, pmu, name);
        if (field == BX_NONE)
            return;
        const bx_cat_field *f = BX_ROW(b, bx_cat_field, BX_T_FIELDS, field);
        uint64_t value = bx_form_number(number);
        if (value > bx_mask_width(f->hi - f->lo + 1U))
            bx_build_fail(b, node, at, "slot", "the field has %u bits", f->hi - f->lo + 1U);
        place->control |= value << f->lo;
        place->control_mask |= bx_mask_bits(f->lo, f->hi);
        if (field == select)
            place->code = (uint16_t)value;
    }
}

static uint64_t number_or(bx_build *b, const bx_syntax_node *node, const char *word,
                          uint64_t preset, uint64_t most)
{
    uint64_t n = bx_syntax_number(node, word, preset);
    if (n > most)
        bx_build_fail(b, node, bx_syntax_arg(node, word, 0), "range", "%s is at most %llu", word,
                      (unsigned long long)most);
    return n;
}

/* Sets the bits of the place's first register that code and unit mask go to, if there are any. */
static void set_bits(bx_cat_place *place, bx_str bits)
{
    uint64_t hi, lo;
    bx_form_pair(bits, &hi, &lo);
    place->hi = (uint8_t)hi;
    place->lo = (uint8_t)lo;
    place->has = 1;
}

/* Adds the place's registers, and the bits that follow them. */
static void add_registers(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                          bx_cat_place *place)
{
    const bx_clause *at = bx_clause_find(node->clauses, "at");
    for (unsigned i = 0; at && i < at->n && !b->failed; i++) {
        if (bx_form_fits('B', at->args[i]))
            set_bits(place, at->args[i]);
        else if (i == BX_PLACE_REGS)
            bx_build_fail(b, node, at->args[i], "range", "a place has at most %d registers",
                          BX_PLACE_REGS);
        else
            place->reg[i] = bx_build_find_reg(b, node, pmu, at->args[i], at->args[i]);
    }
}

static void add_place(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint16_t slot,
                      uint16_t first)
{
    bx_cat_place place = {.slot = slot, .reg = {BX_NONE, BX_NONE, BX_NONE}};
    add_settings(b, node, pmu, &place);
    add_registers(b, node, pmu, &place);
    place.port = (uint8_t)number_or(b, node, "port", 0, UINT8_MAX - 1);
    place.code = (uint16_t)number_or(b, node, "code", place.code, UINT16_MAX);
    uint16_t row = bx_build_add(b, BX_T_PLACES, node);
    const bx_cat_place *last = row > first ? BX_ROW(b, bx_cat_place, BX_T_PLACES, row - 1) : NULL;
    if (last && last->port == place.port)
        place.index = (uint8_t)(last->index + 1);
    *BX_ROW(b, bx_cat_place, BX_T_PLACES, row) = place;
}

static void add_slot(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    enum { PLACES_MOST = BX_ANY_PLACE };
    bx_cat_slot slot = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .pmu = pmu,
    };
    uint16_t row = bx_build_add(b, BX_T_SLOTS, node), first = bx_build_n(b, BX_T_PLACES);
    for (const bx_syntax_node *place = node->first; place && !b->failed; place = place->next)
        add_place(b, place, pmu, row, first);
    slot.places = bx_build_span(b, BX_T_PLACES, first);
    if (slot.places.n > PLACES_MOST)
        bx_build_fail(b, node, node->head.key, "size", "more than %d places", PLACES_MOST);
    *BX_ROW(b, bx_cat_slot, BX_T_SLOTS, row) = slot;
}

/* The number of ports of a unit: those that places name, and all lower ones; 0 if no place names a
 * port. */
static uint8_t count_ports(const bx_build *b, bx_span slots)
{
    unsigned ports = 0;
    for (unsigned i = slots.first; i < (unsigned)slots.first + slots.n; i++) {
        bx_span places = BX_ROW(b, bx_cat_slot, BX_T_SLOTS, i)->places;
        for (unsigned n = places.first; n < (unsigned)places.first + places.n; n++) {
            unsigned port = BX_ROW(b, bx_cat_place, BX_T_PLACES, n)->port;
            if (bx_syntax_has(b->tables[BX_T_PLACES].from[n], "port") && port >= ports)
                ports = port + 1;
        }
    }
    return (uint8_t)ports;
}

void bx_build_slots(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    uint16_t first = bx_build_n(b, BX_T_SLOTS);
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_syntax_is(node, "slot"))
            add_slot(b, node, pmu);
    bx_cat_pmu *row = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu);
    row->slots = bx_build_span(b, BX_T_SLOTS, first);
    row->ports = count_ports(b, row->slots);
}

uint16_t bx_build_find_slot(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    bx_str name = bx_syntax_arg(node, "in", 0);
    if (!name.p)
        return BX_NONE;
    uint16_t found =
        bx_build_find(b, BX_T_SLOTS, BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->slots, name);
    if (found == BX_NONE)
        bx_build_fail(b, node, name, "reference", "no slot is called '%.*s'", BX_QUOTED(name));
    return found;
}
