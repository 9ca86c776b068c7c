/* Event selections as text: the canonical string, and perf's. */
#include "event/event.h"
#include "event/kernel.h"
#include "event/out.h"

#include <stdio.h>

/* Whether the modifiers have the values that the unit mask's name stands for. */
static bool sets_hold(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_umask *u)
{
    uint16_t first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    for (unsigned i = 0; i < u->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[u->sets.first + i];
        if (event->modifier[set->modifier - first] != set->value)
            return false;
    }
    return true;
}

/* The one name of the whole unit mask: the manual's before others' (rank), of equal rank the one
 * that says more, then the first. NULL if there is none. */
static const bx_cat_umask *whole_name(const struct bx_catalog *c, const bx_evsel *event)
{
    bx_span all = bx_cat_events(c)[event->event].umasks;
    const bx_cat_umask *best = NULL;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[all.first + i];
        if (u->value != event->umask || u->flags & BX_UMASK_ALIAS || !sets_hold(c, event, u))
            continue;
        if (!best || u->rank < best->rank || (u->rank == best->rank && u->sets.n > best->sets.n))
            best = u;
    }
    return best;
}

/* Spells the unit mask bit by bit; false, with nothing written, if some bit has no name. */
static bool put_bits(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_out start = *o;
    bx_span all = bx_cat_events(c)[event->event].umasks;
    uint32_t left = event->umask;
    for (unsigned i = 0; left && i < all.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[all.first + i];
        bool plain = u->flags & BX_UMASK_BIT && !(u->flags & BX_UMASK_ALIAS) && !u->sets.n;
        if (!plain || !(left & u->value))
            continue;
        left &= ~(uint32_t)u->value;
        bx_out_char(o, ':');
        bx_out_z(o, bx_cat_z(c, u->name));
    }
    if (left || !event->umask)
        *o = start;
    return o->n != start.n;
}

/* Writes the unit mask; returns the modifiers (mask) that its name stands for. */
static uint32_t put_umask(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bool raw = event->event == BX_RAW;
    uint32_t said = 0;
    const bx_cat_umask *u = raw ? NULL : whole_name(c, event);
    if (u) {
        bx_out_char(o, ':');
        bx_out_z(o, bx_cat_z(c, u->name));
        for (unsigned i = 0; i < u->sets.n; i++)
            said |= UINT32_C(1) << (bx_cat_sets(c)[u->sets.first + i].modifier -
                                    bx_cat_pmus(c)[event->pmu].modifiers.first);
        return said;
    }
    bool none = !raw && !bx_cat_events(c)[event->event].umasks.n && !event->umask;
    if (none || (!raw && put_bits(c, event, o)))
        return 0;
    if (bx_cat_pmus(c)[event->pmu].select_umask != BX_NONE) {
        bx_out_z(o, ":umask=");
        bx_out_hex(o, event->umask);
    }
    return 0;
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
        if (!event->modifier[i] || said >> i & 1)
            continue;
        bx_out_char(&o, ':');
        bx_out_z(&o, bx_cat_z(c, bx_cat_modifiers(c)[pmu->modifiers.first + i].name));
        bx_out_char(&o, '=');
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

/* ",edge=1,cmask=3"; false if the kernel has no name for a modifier that is set. */
static bool put_kernel_modifiers(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++) {
        const char *name = bx_cat_z(c, bx_cat_modifiers(c)[all.first + i].kernel);
        if (!event->modifier[i])
            continue;
        if (!*name)
            return false;
        bx_out_char(o, ',');
        bx_out_z(o, name);
        bx_out_char(o, '=');
        bx_out_decimal(o, event->modifier[i]);
    }
    return true;
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
    return bx_out_end(&o);
}
