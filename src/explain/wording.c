/* The words of the report: names of units, registers, fields and selections. */
#include "explain/internal.h"

#include "event/decode/recognize.h"
#include "event/decode/decode.h"

#include <inttypes.h>
#include <string.h>

static void pattern(const bx_explain *x, bx_cat_text text, unsigned unit, bx_buf *to)
{
    char word[128];
    bx_cat_expand(word, sizeof word, bx_cat_z(x->c, text), unit, 0);
    bx_buf_z(to, word);
}

void bx_say_unit(const bx_explain *x, bx_register_instance at, uint16_t pmu, bx_buf *to)
{
    const bx_cat_pmu *p = &bx_cat_pmus(x->c)[pmu];
    bool by_core = p->scope == BX_SCOPE_CORE;
    unsigned package = by_core ? at.scope / x->topology.cores : at.scope;
    pattern(x, p->unit_label, by_core ? at.scope % x->topology.cores : at.unit, to);
    if (p->scope == BX_SCOPE_CPU)
        bx_buf_f(to, " of CPU %u", at.scope);
    else if (package)
        bx_buf_f(to, " of package %u", package);
}

void bx_say_counter(const bx_explain *x, const bx_unit_counter *n, bx_buf *to)
{
    bx_say_unit(x, n->at, n->facts->pmu, to);
    bx_buf_f(to, " counter %u", n->facts->index);
}

void bx_say_address(const bx_address *at, bx_buf *to)
{
    if (at->space == BX_SPACE_MSR)
        bx_buf_f(to, "MSR %" PRIX64 "H", at->offset);
    else if (at->space == BX_SPACE_PCI)
        bx_buf_f(to, "PCI %s+%" PRIX64 "H", bx_pci_bdf_text(at->offset).text, at->offset & 0xfff);
    else
        bx_buf_f(to, "memory %" PRIX64 "H", at->offset);
}

void bx_say_name(const bx_explain *x, bx_register_instance at, bx_buf *to)
{
    pattern(x, bx_cat_regs(x->c)[at.reg].name, at.unit, to);
}

void bx_say_field(const bx_explain *x, bx_register_instance at, uint16_t field, bx_buf *to)
{
    bx_say_name(x, at, to);
    bx_buf_z(to, ".");
    pattern(x, bx_cat_fields(x->c)[field].name, at.unit, to);
}

void bx_say_fields(const bx_explain *x, uint16_t reg, uint64_t value, bx_buf *to)
{
    bx_span fields = bx_cat_regs(x->c)[reg].fields;
    bool any = false;
    for (unsigned i = 0; i < fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(x->c)[fields.first + i];
        uint64_t part = bx_field_of(f, value);
        if (!part || f->kind == BX_FIELD_IGNORED)
            continue;
        bx_buf_f(to, "%s%s", any ? ", " : "", bx_cat_z(x->c, f->name));
        if (f->hi != f->lo)
            bx_buf_f(to, part < 10 ? " %" PRIu64 : " 0x%" PRIx64, part);
        any = true;
    }
    if (!any)
        bx_buf_f(to, value ? "0x%" PRIx64 : "%" PRIu64, value);
}

/* ---- selections ---- */

enum { MOST_REGS = 64 };

/* The control register and the shared registers of its unit, as far as accesses have shown them. */
static size_t read_controls(const bx_explain *x, const bx_unit_counter *n, bx_raw *raw)
{
    bx_span regs = bx_cat_pmus(x->c)[n->facts->pmu].regs;
    size_t count = 0;
    for (unsigned i = 0; i < regs.n && count < MOST_REGS; i++) {
        uint16_t reg = (uint16_t)(regs.first + i);
        const bx_cat_reg *r = &bx_cat_regs(x->c)[reg];
        const bx_shadow *k = bx_shadow_at(x, (bx_register_instance){reg, n->at.unit, n->at.scope});
        bool matters = r->flags & BX_REG_SHARED && (k->seen || reg == bx_shadow_choice(x, n));
        if (reg == n->facts->control || matters)
            raw[count++] = bx_register_raw(x->c, reg, n->at.unit, k->value);
    }
    return count;
}

/* Takes the privilege levels from the register that a fixed counter shares with others. */
static void take_levels(const bx_explain *x, const bx_unit_counter *n, bx_evsel *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(x->c)[n->facts->pmu];
    unsigned levels = bx_shadow_levels(x, n);
    for (uint32_t left = pmu->levels; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        event->modifier[i] = (bx_modifier_level(x->c, pmu, i) & levels) != 0;
    }
}

static bool selection_of(const bx_explain *x, const bx_unit_counter *n, bx_evsel *event, bx_buf *to)
{
    bx_raw raw[MOST_REGS];
    bx_decoded decoded[MOST_REGS];
    size_t found = 0;
    if (n->facts->control == BX_NONE && !(n->facts->flags & BX_COUNTER_FREE)) {
        *event = bx_event_of_counter(x->c, n->facts);
        take_levels(x, n, event);
        return true;
    }
    if (n->facts->control == BX_NONE)
        return false;
    int code = bx_decode(x->c, x->topology.cpu, raw, read_controls(x, n, raw), decoded, MOST_REGS,
                         &found, NULL);
    if (code == BX_NO_MEMORY)
        bx_buf_fail(to);
    if (code)
        return false;
    for (size_t i = 0; i < found; i++) {
        if (decoded[i].reg != n->facts->control)
            continue;
        *event = decoded[i].event;
        return true;
    }
    return false;
}

bool bx_selection_of(const bx_explain *x, const bx_unit_counter *n, bx_evsel *event, bx_buf *to)
{
    bool found = selection_of(x, n, event, to);
    if (found && bx_cat_pmus(x->c)[n->facts->pmu].scope == BX_SCOPE_CORE)
        event->unit = (int16_t)(n->at.scope % x->topology.cores);
    return found;
}

void bx_say_event(const bx_explain *x, const bx_evsel *event, bx_buf *to)
{
    char text[512];
    bx_event_format(x->c, event, text, sizeof text);
    bx_buf_z(to, text);
}

/* A selection being described: unit masks and modifiers, then edge and invert. */
typedef struct description {
    const bx_explain *x;
    const bx_unit_counter *n;
    const bx_evsel *event;
    bool masked; /* the last part was a unit mask */
    bx_buf *to;
    bx_buf last;
} description;

/* Describes a modifier: "t=3" is a threshold on this counter; other modifiers appear as they are
 * written. */
static void say_modifier(description *t, uint16_t modifier, bx_str part)
{
    const bx_cat_counter *counter = t->n->facts;
    uint16_t field = bx_cat_modifiers(t->x->c)[modifier].field;
    ptrdiff_t equals = bx_str_find(part, '=', 0);
    if (field == counter->edge) {
        bx_buf_z(&t->last, ", edge");
    } else if (field == counter->invert) {
        bx_buf_z(&t->last, ", inverted");
    } else if (field == counter->threshold && equals >= 0) {
        bx_buf_z(t->to, ", threshold ");
        bx_buf_str(t->to, bx_str_sub(part, (size_t)equals + 1, part.n));
    } else {
        bx_buf_z(t->to, ", ");
        bx_buf_str(t->to, part);
    }
}

/* Describes a part; unit masks are combined: "umask READ + STATE_M". */
static void say_part(description *t, bx_str part)
{
    const struct bx_catalog *c = t->x->c;
    bx_str rest = part;
    bool mask = t->event->event != BX_RAW && bx_cat_find_umask(c, t->event->event, part) != BX_NONE;
    uint16_t modifier = bx_cat_find_modifier(c, t->event->pmu, bx_str_cut(&rest, '='));
    if (!mask && modifier != BX_NONE) {
        say_modifier(t, modifier, part);
    } else {
        bx_buf_z(t->to, !mask ? ", " : t->masked ? " + " : ", umask ");
        bx_buf_str(t->to, part);
    }
    t->masked = mask;
}

bool bx_is_enabled(const bx_explain *x, const bx_unit_counter *n)
{
    for (unsigned i = 0; i < n->facts->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(x->c)[n->facts->counts.first + i];
        if (cond->reg == n->facts->control &&
            !bx_condition_holds(x->c, cond, bx_shadow_at(x, n->at)->value))
            return false;
    }
    return true;
}

void bx_say_selection(const bx_explain *x, const bx_unit_counter *n, uint64_t value, bx_buf *to)
{
    bx_evsel event;
    bx_buf text = {.whole = &to->failed};
    description t = {.x = x, .n = n, .event = &event, .to = to, .last = {.whole = &to->failed}};
    if (!bx_selection_of(x, n, &event, to)) {
        bx_say_fields(x, n->at.reg, value, to);
        return;
    }
    bx_say_event(x, &event, &text);
    bx_str rest = {text.p, text.n};
    bx_str_cut(&rest, ':'); /* removes the PMU, and the empty part after it */
    bx_str_cut(&rest, ':');
    bx_buf_str(to, bx_str_cut(&rest, ':'));
    while (rest.p)
        say_part(&t, bx_str_cut(&rest, ':'));
    bx_buf_str(to, (bx_str){t.last.p, t.last.n});
    bx_buf_free(&t.last);
    bx_buf_free(&text);
    if (n->facts->overflow_en != BX_NONE && bx_shadow_field(x, n->at, n->facts->overflow_en))
        bx_buf_z(to, ", overflow reported");
    if (!bx_is_enabled(x, n))
        bx_buf_z(to, ", not enabled");
}
