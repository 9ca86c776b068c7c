/* Event selections as text: the canonical string, and perf's. */
#include "event/event.h"
#include "event/kernel.h"
#include "event/out.h"
#include "event/spell.h"

#include <stdio.h>

/* Writes the unit mask; returns the modifiers (mask) that its names stand for. */
static uint32_t put_umask(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_spelling s = {.number = true};
    if (event->event != BX_RAW)
        s = bx_event_spell(c, event);
    if (s.number && bx_cat_pmus(c)[event->pmu].select_umask != BX_NONE) {
        bx_out_z(o, ":umask=");
        bx_out_hex(o, event->umask);
    }
    for (unsigned i = 0; i < s.n; i++) {
        bx_out_char(o, ':');
        bx_out_z(o, bx_cat_z(c, bx_cat_umasks(c)[s.umask[i]].name));
    }
    return s.said;
}

static const bx_cat_event *event_of(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->event == BX_RAW ? NULL : &bx_cat_events(c)[event->event];
}

/* Whether it says something that a filter which the event always has is 0: no state at all. */
static bool zero_matters(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    const bx_cat_event *of = event_of(c, event);
    return of && event->given >> local & 1 && !(of->bound >> local & 1) &&
           bx_event_names_modifier(c, of, local);
}

/* Whether a modifier is left out: one that is 0, unless its name alone says something. */
static bool is_silent(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + local];
    if (m->flags & BX_MODIFIER_LEVEL) {
        uint32_t levels = pmu->levels;
        uint32_t on = levels & bx_event_used(event, pmu->modifiers.n);
        return on == levels || (on && !event->modifier[local]); /* all is what none says */
    }
    if (m->flags & BX_MODIFIER_HIDDEN)
        return !bx_has_number(c, event_of(c, event), (uint16_t)(pmu->modifiers.first + local)) ||
               !(event->modifier[local] || zero_matters(c, event, local));
    if (event->modifier[local])
        return false;
    /* A thread filter of thread 0 on core 0: the first of the two says it. */
    uint32_t partners = m->partners;
    if (!partners || bx_lowest_bit(partners) != local ||
        partners & bx_event_used(event, pmu->modifiers.n))
        return true;
    const bx_cat_set *set = &bx_cat_sets(c)[m->sets.first];
    return event->modifier[set->modifier - pmu->modifiers.first] != set->value;
}

size_t bx_event_format(const bx_catalog *c, const bx_evsel *event, char *to, size_t room)
{
    bx_out o = {to, room, 0};
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    bx_out_z(&o, bx_cat_z(c, pmu->name));
    if (event->unit != BX_ANY && pmu->unit_max > 1)
        bx_out_decimal(&o, (uint64_t)event->unit);
    if (event->package != BX_ANY) {
        bx_out_char(&o, '@');
        bx_out_decimal(&o, (uint64_t)event->package);
    }
    bx_out_z(&o, "::");
    if (event->event == BX_RAW) {
        bx_out_z(&o, "RAW:code=");
        bx_out_hex(&o, event->code);
    } else {
        bx_out_z(&o, bx_cat_z(c, bx_cat_events(c)[event->event].name));
    }
    uint32_t said = put_umask(c, event, &o);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        if (said >> i & 1 || is_silent(c, event, i))
            continue;
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        bx_out_char(&o, ':');
        bx_out_z(&o, bx_cat_z(c, m->name));
        bx_out_char(&o, '=');
        if (m->flags & BX_MODIFIER_HIDDEN)
            bx_out_hex(&o, event->modifier[i]);
        else
            bx_out_decimal(&o, event->modifier[i]);
    }
    return bx_out_end(&o);
}

enum { KERNEL_NAME = 64 };

/* "uncore_cbox_2", or "uncore_cbox" for all units. */
static void kernel_name(const struct bx_catalog *c, const bx_evsel *event, char to[KERNEL_NAME])
{
    static const char unit[] = "_{unit}";
    bx_str pattern = bx_cat_str(c, bx_cat_pmus(c)[event->pmu].kernel);
    size_t stem = pattern.n - (sizeof unit - 1);
    if (event->unit == BX_ANY && pattern.n >= sizeof unit - 1 &&
        bx_str_eq(bx_str_sub(pattern, stem, pattern.n), BX_STR(unit)))
        snprintf(to, KERNEL_NAME, "%.*s", (int)stem, pattern.p);
    else
        bx_cat_expand(to, KERNEL_NAME, pattern.p, event->unit < 0 ? 0 : (unsigned)event->unit, 0);
}

/* Whether the kernel takes this code under this name for something else (0xff: the clock). */
static bool means_another(const struct bx_catalog *c, const bx_evsel *event, const char *kernel)
{
    bx_span pmus = bx_cat_cpus(c)[bx_cat_pmus(c)[event->pmu].cpu].pmus;
    int32_t unit;
    for (uint16_t pmu = pmus.first; pmu < pmus.first + pmus.n; pmu++)
        if (bx_kernel_pmu(c, pmu, bx_str_of(kernel), &unit) &&
            bx_kernel_event_numbered(c, pmu, event->code, event->umask) != BX_NONE)
            return true;
    return false;
}

/* The value of the term that the modifier is written as, which it may share with those of
 * neighbouring fields: it begins with the lowest. 0 where another one writes it. */
static uint64_t kernel_value(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[all.first];
    bx_term term = bx_kernel_term(c, event->pmu, bx_cat_str(c, m[local].kernel));
    uint64_t value = 0;
    for (uint32_t left = term.modifiers; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        value |= event->modifier[i] << (bx_cat_fields(c)[m[i].field].lo - term.lo);
    }
    return bx_lowest_bit(term.modifiers) == local ? value : 0;
}

/* ",edge=1,cmask=3"; false if the kernel has no name for a modifier that is set. */
static bool put_kernel_modifiers(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[all.first + i];
        const char *name = bx_cat_z(c, m->kernel);
        if (m->flags & BX_MODIFIER_LEVEL)
            continue;
        if (!*name && event->modifier[i])
            return false;
        uint64_t value = *name ? kernel_value(c, event, i) : 0;
        if (!value && !(m->flags & BX_MODIFIER_HIDDEN && zero_matters(c, event, i)))
            continue;
        bx_out_char(o, ',');
        bx_out_z(o, name);
        bx_out_char(o, '=');
        bx_out_decimal(o, value);
    }
    return true;
}

/* perf's suffix for privilege levels: none means all. false: it has none for no level at all. */
static bool put_kernel_levels(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint32_t levels = pmu->levels;
    uint32_t on = levels & bx_event_used(event, pmu->modifiers.n);
    for (uint32_t left = on == levels ? 0 : on; left; left &= left - 1)
        bx_out_z(o,
                 bx_cat_z(c, bx_cat_modifiers(c)[pmu->modifiers.first + bx_lowest_bit(left)].name));
    return on || !levels;
}

size_t bx_event_format_perf(const bx_catalog *c, const bx_evsel *event, char *to, size_t room)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    bx_kernel_event kernel;
    bool special =
        event->event != BX_RAW && bx_kernel_special(c, &bx_cat_events(c)[event->event], &kernel);
    if (!special)
        kernel = (bx_kernel_event){.event = event->code, .umask = event->umask};
    if (!pmu->kernel || (!special && pmu->select_event == BX_NONE))
        return 0;
    char name[KERNEL_NAME];
    kernel_name(c, event, name);
    if (!special && means_another(c, event, name))
        return 0;
    bx_out o = {to, room, 0};
    bx_out_z(&o, name);
    bx_out_z(&o, "/event=");
    bx_out_hex(&o, kernel.event);
    if (!special || kernel.umask) {
        bx_out_z(&o, ",umask=");
        bx_out_hex(&o, kernel.umask);
    }
    if (!put_kernel_modifiers(c, event, &o))
        return 0;
    bx_out_char(&o, '/');
    if (!put_kernel_levels(c, event, &o))
        return 0;
    return bx_out_end(&o);
}
