/* Writes an event selection as its canonical string. */
#include "event/event.h"
#include "event/foreign_names.h"
#include "event/format/out.h"
#include "event/format/spell.h"

/* Writes the unit mask; returns the modifiers (mask) of the names that it wrote. */
static uint32_t put_umask(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_spelling s = {.number = true};
    if (event->event != BX_RAW)
        s = bx_event_spell(c, event);
    uint16_t reference = bx_event_reference_place(c, event);
    bool choice = reference != BX_NONE && bx_cat_places(c)[reference].has;
    if (s.number && (choice || bx_cat_pmus(c)[event->pmu].select_umask != BX_NONE)) {
        bx_out_z(o, ":umask=");
        bx_out_hex(o, event->umask);
    }
    for (unsigned i = 0; i < s.n; i++) {
        bx_out_char(o, ':');
        bx_out_z(o, bx_cat_z(c, bx_cat_umasks(c)[s.umask[i]].name));
    }
    return s.implied;
}

static const bx_cat_event *event_of(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->event == BX_RAW ? NULL : &bx_cat_events(c)[event->event];
}

static const bx_cat_modifier *modifier_of(const struct bx_catalog *c, const bx_evsel *event,
                                          unsigned local)
{
    return &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first + local];
}

bool bx_zero_matters(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    const bx_cat_event *of = event_of(c, event);
    bool sets = false;
    for (unsigned i = 0; of && i < of->groups.n; i++) {
        uint16_t preset = bx_cat_groups(c)[of->groups.first + i].preset;
        sets |= preset != BX_NONE &&
                bx_umask_sets(c, &bx_cat_umasks(c)[preset],
                              (uint16_t)(bx_cat_pmus(c)[event->pmu].modifiers.first + local));
    }
    return sets && event->given >> local & 1;
}

/* Whether a raw code has a modifier that prevents it from being an event: the modifier must be
 * written. */
static bool keeps_raw(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    return event->event == BX_RAW && event->given & bx_code_fixes(c, event) & UINT32_C(1) << local;
}

/* The modifier (index within the PMU) that this one masks; -1: it is not a mask. */
static int masks(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++)
        if (bx_cat_modifiers(c)[all.first + i].masked == all.first + local)
            return (int)i;
    return -1;
}

/* Whether a modifier of a pattern and its mask is left out. A pattern that is compared in all bits
 * is written alone; its mask is written only if some bits are not compared. */
static bool is_silent_pair(const struct bx_catalog *c, const bx_evsel *event, unsigned local,
                           int masked, uint32_t implied)
{
    unsigned i = masked < 0 ? local : (unsigned)masked;
    const bx_cat_modifier *m = modifier_of(c, event, i);
    unsigned mask = (unsigned)(m->masked - bx_cat_pmus(c)[event->pmu].modifiers.first);
    bool whole = event->modifier[mask] == bx_compares_all(c, m);
    /* the filter that the name turns on shows that it was given */
    bool used = m->sets.n && bx_modifier_sets_hold(c, m, event);
    bool shown = implied >> i & 1 || whole || used || event->modifier[i] != m->preset;
    if (masked < 0)
        return !shown;
    return whole || (!shown && event->modifier[mask] == modifier_of(c, event, mask)->preset);
}

/* Whether a modifier is left out: it has its default and its name alone adds nothing. `implied`
 * (mask): modifiers of the unit masks' names. */
static bool is_silent(const struct bx_catalog *c, const bx_evsel *event, unsigned local,
                      uint32_t implied)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + local];
    if (m->flags & BX_MODIFIER_LEVEL) {
        uint32_t levels = pmu->levels;
        uint32_t on = levels & bx_event_used(event, pmu->modifiers.n);
        return on == levels || (on && !event->modifier[local]); /* all levels are the default */
    }
    int masked = masks(c, event, local);
    if (masked >= 0 || m->masked != BX_NONE)
        return is_silent_pair(c, event, local, masked, implied);
    bool usual = event->modifier[local] == m->preset && !keeps_raw(c, event, local);
    if (m->flags & BX_MODIFIER_HIDDEN)
        return !bx_has_number(c, event_of(c, event), (uint16_t)(pmu->modifiers.first + local)) ||
               (usual && !bx_zero_matters(c, event, local));
    if (!usual)
        return false;
    /* A thread filter for thread 0 on core 0: only the first of the two is written. */
    uint32_t partners = m->partners;
    if (!partners || bx_lowest_bit(partners) != local ||
        partners & bx_event_used(event, pmu->modifiers.n))
        return true;
    const bx_cat_set *set = &bx_cat_sets(c)[m->sets.first];
    return event->modifier[set->modifier - pmu->modifiers.first] != set->value;
}

/* Whether the value's name can be printed: when it is read, it gives the selection's settings, and
 * all of their bits are compared. */
static bool name_holds(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_value *v)
{
    const bx_cat_event *of = event_of(c, event);
    unsigned first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    for (unsigned i = 0; i < v->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[v->sets.first + i];
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[set->modifier];
        unsigned local = set->modifier - first;
        if ((of && !(of->modifiers >> local & 1)) || event->modifier[local] != set->value ||
            (m->masked != BX_NONE && event->modifier[m->masked - first] != bx_compares_all(c, m)))
            return false;
    }
    return true;
}

/* Writes a value by its name if it has one; wide ones such as addresses in hexadecimal. */
static void put_value(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_modifier *m,
                      uint64_t value, bx_out *o)
{
    for (unsigned i = 0; i < m->values.n; i++) {
        const bx_cat_value *v = &bx_cat_values(c)[m->values.first + i];
        if (v->value == value && name_holds(c, event, v)) {
            bx_out_z(o, bx_cat_z(c, v->name));
            return;
        }
    }
    const bx_cat_field *f = &bx_cat_fields(c)[m->field];
    if (m->flags & BX_MODIFIER_HIDDEN || f->hi - f->lo >= 16)
        bx_out_hex(o, value);
    else
        bx_out_decimal(o, value);
}

static void put_number(bx_out *o, const char *word, uint64_t value)
{
    bx_out_z(o, word);
    bx_out_decimal(o, value);
}

/* Whether the counter must be written: a raw code means different events on different counters. */
static bool needs_counter(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->event == BX_RAW && event->counter != BX_ANY &&
           bx_event_reference_place(c, event) == BX_NONE &&
           bx_cat_event_by_code(c, event->pmu, event->code) != BX_NONE &&
           bx_codes_differ(c, event->pmu);
}

static void put_where(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    unsigned unit = event->unit == BX_ANY ? 0 : (unsigned)event->unit;
    if (needs_counter(c, event))
        put_number(
            o, ":counter=", bx_cat_pmus(c)[event->pmu].stride * unit + (unsigned)event->counter);
    if (event->port != BX_ANY)
        put_number(o, ":port=", (uint64_t)event->port);
    if (event->place != BX_ANY)
        put_number(o, ":place=", (uint64_t)event->place);
}

size_t bx_event_format(const bx_catalog *c, const bx_evsel *event, char *to, size_t room)
{
    room = to ? room : 0;
    if (!c || !event)
        return 0;
    bx_out o = {to, room, 0};
    if (!bx_event_is_valid(c, event)) /* for a kernel's event there is bx_machine_event_format() */
        return bx_out_end(&o);
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    bx_out_z(&o, bx_cat_z(c, pmu->name));
    if (event->unit != BX_ANY && event->port == BX_ANY && pmu->unit_max > 1)
        bx_out_decimal(&o, (uint64_t)event->unit);
    if (event->package == BX_SOCKET)
        bx_out_z(&o, "@socket");
    else if (event->package != BX_ANY)
        put_number(&o, "@", (uint64_t)event->package);
    bx_out_z(&o, "::");
    if (event->event == BX_RAW) {
        bx_out_z(&o, "RAW:code=");
        bx_out_hex(&o, event->code);
    } else {
        bx_out_z(&o, bx_cat_z(c, bx_cat_events(c)[event->event].name));
    }
    uint32_t implied = put_umask(c, event, &o);
    put_where(c, event, &o);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        if (implied >> i & 1 || is_silent(c, event, i, implied))
            continue;
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        bx_out_char(&o, ':');
        bx_out_z(&o, bx_cat_z(c, m->name));
        bx_out_char(&o, '=');
        put_value(c, event, m, event->modifier[i], &o);
    }
    return bx_out_end(&o);
}
