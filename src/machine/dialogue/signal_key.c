/* Parses the words `key=value` of a signal command. */
#include "machine/dialogue/signal_key.h"

#include "base/bits.h"
#include "base/buf.h"
#include "machine/dialogue/unit_name.h"
#include "vpmu/vpmu.h"

#include <string.h>

/* The bits of a filter that a key sets. */
typedef struct key_target {
    unsigned filter, lo;
    unsigned first, last; /* highest bit of the first field, and of all fields that the key sets */
    uint16_t twin;        /* a modifier that also gets the value; BX_NONE */
} key_target;

typedef struct search {
    const struct bx_catalog *c;
    const bx_cat_pmu *pmu;
    bx_str key;
} search;

static search search_for(const bx_topology *t, const bx_selection *what, bx_str key)
{
    unsigned first = bx_cat_cpus(t->catalog)[t->cpu].pmus.first;
    return (search){t->catalog, &bx_cat_pmus(t->catalog)[first + what->box], key};
}

/* ---- names ---- */

/* Whether the modifier is the mask of another one. */
static bool is_mask(const search *f, const bx_cat_modifier *m)
{
    const bx_cat_modifier *all = bx_cat_modifiers(f->c);
    bx_span span = f->pmu->modifiers;
    for (unsigned i = 0; i < span.n; i++)
        if (all[span.first + i].masked == m - all)
            return true;
    return false;
}

/* Whether only names of modifiers are keys. In a PMU with masks or slots, several registers have
 * fields of the same name; names of modifiers are unique. */
static bool has_modifier_keys(const search *f)
{
    for (unsigned i = 0; i < f->pmu->modifiers.n; i++)
        if (bx_cat_modifiers(f->c)[f->pmu->modifiers.first + i].masked != BX_NONE)
            return true;
    return f->pmu->slots.n > 0;
}

/* Whether the modifier describes a signal: neither a mask nor a flag. */
static bool is_filter_key(const search *f, const bx_cat_modifier *m)
{
    return m->reg != BX_NONE && !m->flag && !is_mask(f, m);
}

/* The modifier of a field of a filter register; NULL: no event uses that field. */
static const bx_cat_modifier *modifier_of(const search *f, uint16_t reg, uint16_t field)
{
    const bx_cat_modifier *m = bx_cat_modifiers(f->c) + f->pmu->modifiers.first;
    for (unsigned i = 0; i < f->pmu->modifiers.n; i++)
        if (m[i].reg == reg && m[i].field == field)
            return &m[i];
    return NULL;
}

/* Whether the key is the name, or the part of the name after its first '_'. */
static bool names(bx_str key, bx_str name)
{
    ptrdiff_t joint = bx_str_find(name, '_', 0);
    return bx_str_eq_fold(key, name) ||
           (joint >= 0 && bx_str_eq_fold(key, bx_str_sub(name, (size_t)joint + 1, name.n)));
}

/* Whether the key is the part of the name before its first '_'. */
static bool begins(bx_str key, bx_str name)
{
    ptrdiff_t joint = bx_str_find(name, '_', 0);
    return joint >= 0 && bx_str_eq_fold(key, bx_str_sub(name, 0, (size_t)joint));
}

/* ---- fields ---- */

static bool find_in(const search *f, uint16_t reg, key_target *to)
{
    bx_span fields = bx_cat_regs(f->c)[reg].fields;
    bool found = false;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(f->c)[i];
        bx_str name = bx_cat_str(f->c, field->name);
        const bx_cat_modifier *m = modifier_of(f, reg, i);
        if (!m)
            continue;
        if (names(f->key, name) || bx_str_eq_fold(f->key, bx_cat_str(f->c, m->name))) {
            to->lo = field->lo;
            to->first = to->last = field->hi;
            return true;
        }
        if (begins(f->key, name)) {
            to->lo = found ? to->lo : field->lo;
            to->first = found ? to->first : field->hi;
            to->last = field->hi;
            found = true;
        }
    }
    return found;
}

static bool find_modifier(const search *f, key_target *to)
{
    uint16_t i = bx_cat_find_modifier(f->c, (uint16_t)(f->pmu - bx_cat_pmus(f->c)), f->key);
    const bx_cat_modifier *m = &bx_cat_modifiers(f->c)[i];
    if (i == BX_NONE || !is_filter_key(f, m))
        return false;
    const bx_cat_field *field = &bx_cat_fields(f->c)[m->field];
    *to =
        (key_target){bx_vpmu_filter_index(f->c, m->reg), field->lo, field->hi, field->hi, m->twin};
    return to->filter < BX_FILTERS;
}

static bool find_key(const search *f, key_target *to)
{
    to->twin = BX_NONE;
    if (has_modifier_keys(f))
        return find_modifier(f, to);
    for (uint16_t i = f->pmu->regs.first; i < f->pmu->regs.first + f->pmu->regs.n; i++) {
        to->filter = bx_vpmu_filter_index(f->c, i);
        if (to->filter < BX_FILTERS && find_in(f, i, to))
            return true;
    }
    return false;
}

/* Whether some code means different events on different counters. */
static bool codes_depend_on_counter(const search *f)
{
    uint16_t pmu = (uint16_t)(f->pmu - bx_cat_pmus(f->c));
    bx_span events = f->pmu->events;
    for (uint16_t i = events.first; i < events.first + events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(f->c)[i];
        if (event->slot == BX_NONE && bx_cat_event_by_code(f->c, pmu, event->code) != i)
            return true;
    }
    return false;
}

static bool has_levels(const search *f)
{
    const bx_cat_counter *counters = bx_cat_counters(f->c) + f->pmu->counters.first;
    for (unsigned i = 0; i < f->pmu->counters.n; i++)
        if (counters[i].user != BX_NONE)
            return true;
    return false;
}

/* ---- messages ---- */

static void name_fields(const search *f, uint16_t reg, bx_buf *to)
{
    bx_span fields = bx_cat_regs(f->c)[reg].fields;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        bx_str name = bx_cat_str(f->c, bx_cat_fields(f->c)[i].name);
        ptrdiff_t joint = bx_str_find(name, '_', 0);
        if (!modifier_of(f, reg, i))
            continue;
        name = joint < 0 ? name : bx_str_sub(name, (size_t)joint + 1, name.n);
        bx_buf_f(to, "%s", to->n ? ", " : "");
        for (size_t k = 0; k < name.n; k++)
            bx_buf_f(to, "%c", bx_lower(name.p[k]));
    }
}

static void name_modifiers(const search *f, bx_buf *to)
{
    for (unsigned i = 0; i < f->pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(f->c)[f->pmu->modifiers.first + i];
        if (is_filter_key(f, m))
            bx_buf_f(to, "%s%s", to->n ? ", " : "", bx_cat_z(f->c, m->name));
    }
}

static void name_keys(const search *f, bx_buf *to)
{
    if (f->pmu->ports)
        bx_buf_f(to, "port");
    if (codes_depend_on_counter(f))
        bx_buf_f(to, "%sctr", to->n ? ", " : "");
    if (has_levels(f))
        bx_buf_f(to, "%scpl", to->n ? ", " : "");
    if (has_modifier_keys(f)) {
        name_modifiers(f, to);
        return;
    }
    for (uint16_t i = f->pmu->regs.first; i < f->pmu->regs.first + f->pmu->regs.n; i++)
        if (bx_vpmu_filter_index(f->c, i) < BX_FILTERS)
            name_fields(f, i, to);
}

static int no_key(const search *f, const bx_words *s, bx_str pmu, bx_error *e)
{
    bx_buf keys = {0};
    BX_FAIL_AT(e, s, f->key, "'%.*s' has no filter '%.*s'", BX_QUOTED(pmu), BX_QUOTED(f->key));
    name_keys(f, &keys);
    if (keys.n)
        bx_hint(e, "there %s %s", strchr(keys.p, ',') ? "are" : "is", keys.p);
    bx_buf_free(&keys);
    return BX_BAD_INPUT;
}

/* ---- values ---- */

static int read_level(const bx_words *s, bx_str value, bx_selection *what, bx_error *e)
{
    uint64_t cpl;
    if (bx_words_number(s, value, 3, "cpl", &cpl, e))
        return BX_BAD_INPUT;
    what->levels = cpl == 0 ? BX_LEVEL_OS : BX_LEVEL_USER;
    return BX_OK;
}

static int twice(const bx_words *s, bx_str key, bx_error *e)
{
    return BX_FAIL_AT(e, s, key, "'%.*s' is given twice", BX_QUOTED(key));
}

/* Whether an earlier word has the same key. */
static bool is_second(const bx_words *s, bx_str word, bx_str key)
{
    for (size_t i = 0; i < s->n && s->w[i].p < word.p; i++) {
        bx_str rest = s->w[i];
        if (bx_str_eq(bx_str_cut(&rest, '='), key) && rest.p)
            return true;
    }
    return false;
}

/* Ports are numbered throughout the package. */
static int read_port(const search *f, const bx_words *s, bx_str value, bx_selection *what,
                     bx_error *e)
{
    unsigned ports = f->pmu->ports;
    uint64_t port;
    if (bx_words_number(s, value, UINT64_C(1) * ports * f->pmu->unit_max - 1, "port", &port, e))
        return BX_BAD_INPUT;
    if (port / ports != what->unit) {
        BX_FAIL_AT(e, s, value, "port %u is of unit %u", (unsigned)port, (unsigned)port / ports);
        bx_hint(e, "unit %u has ports %u to %u", what->unit, what->unit * ports,
                what->unit * ports + ports - 1);
        return BX_BAD_INPUT;
    }
    what->port = (uint16_t)(port % ports);
    return BX_OK;
}

static int read_counter(const search *f, const bx_words *s, bx_str value, bx_selection *what,
                        bx_error *e)
{
    uint64_t counter;
    if (bx_words_number(s, value, f->pmu->counters.n - 1U, "counter", &counter, e))
        return BX_BAD_INPUT;
    what->counter = (uint16_t)counter;
    return BX_OK;
}

static bool put_filter(bx_selection *what, unsigned filter, unsigned lo, unsigned hi,
                       uint64_t value)
{
    uint64_t mask = bx_mask_bits(lo, hi);
    bool first = !(what->applies[filter] & mask);
    what->applies[filter] |= mask;
    what->filter[filter] = bx_bits_set(what->filter[filter], lo, hi, value);
    return first;
}

static int read_filter(const search *f, const bx_words *s, bx_str value, bx_selection *what,
                       bx_error *e)
{
    uint64_t number;
    key_target at;
    if (!find_key(f, &at))
        return no_key(f, s, bx_str_of(bx_cat_z(f->c, f->pmu->name)), e);
    if (bx_words_number(s, value, bx_mask_width(at.last - at.lo + 1), "key", &number, e))
        return BX_BAD_INPUT;
    unsigned hi = number > bx_mask_width(at.first - at.lo + 1) ? at.last : at.first;
    if (!put_filter(what, at.filter, at.lo, hi, number))
        return twice(s, f->key, e);
    /* Also sets the twins: the code decides which of them a counter uses. */
    for (uint16_t i = at.twin; i != BX_NONE; i = bx_cat_modifiers(f->c)[i].twin) {
        const bx_cat_modifier *m = &bx_cat_modifiers(f->c)[i];
        const bx_cat_field *field = &bx_cat_fields(f->c)[m->field];
        put_filter(what, bx_vpmu_filter_index(f->c, m->reg), field->lo, field->hi, number);
    }
    return BX_OK;
}

int bx_key_read(const bx_topology *t, const bx_words *s, bx_str word, bx_selection *what,
                bx_error *e)
{
    bx_str rest = word, key = bx_str_cut(&rest, '=');
    search f = search_for(t, what, key);
    if (!rest.p)
        rest = bx_str_sub(word, word.n, word.n);
    bool port = f.pmu->ports && bx_str_eq(key, BX_STR("port"));
    bool counter = !port && bx_str_eq(key, BX_STR("ctr")) && codes_depend_on_counter(&f);
    if ((port || counter) && is_second(s, word, key))
        return twice(s, key, e);
    if (port)
        return read_port(&f, s, rest, what, e);
    if (counter)
        return read_counter(&f, s, rest, what, e);
    if (has_levels(&f) && bx_str_eq(key, BX_STR("cpl")))
        return read_level(s, rest, what, e);
    return read_filter(&f, s, rest, what, e);
}
