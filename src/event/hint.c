/* Parts of error messages. */
#include "event/hint.h"

#include "event/event.h"

#include "base/printable.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

bx_quoted bx_quote(bx_str s)
{
    static const char dots[] = "…";
    bx_quoted q = {{0}};
    size_t n = s.n < sizeof q.text ? s.n : sizeof q.text - sizeof dots;
    while (n < s.n && n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--; /* do not cut a UTF-8 character */
    if (n)
        memcpy(q.text, s.p, n);
    bx_printable(q.text, n);
    if (n < s.n)
        memcpy(q.text + n, dots, sizeof dots);
    return q;
}

uint16_t bx_cpu_named(const struct bx_catalog *c, const char *name, bx_error *e)
{
    uint16_t cpu = bx_cat_find_cpu(c, bx_str_of(name));
    if (cpu == BX_NONE)
        bx_fail(e, BX_NOT_FOUND, 0, 0, "the catalogue has no CPU model '%s'",
                bx_quote(bx_str_of(name)).text);
    return cpu;
}

void bx_nearest_offer_umasks(bx_nearest *n, const struct bx_catalog *c, const bx_cat_event *event)
{
    for (unsigned i = 0; i < event->umasks.n; i++)
        bx_nearest_offer(n, bx_cat_z(c, bx_cat_umasks(c)[event->umasks.first + i].name));
}

void bx_nearest_offer_modifiers(bx_nearest *n, const struct bx_catalog *c, const bx_cat_pmu *pmu,
                                uint32_t mask)
{
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (mask >> i & 1)
            bx_nearest_offer(n, bx_cat_z(c, bx_cat_modifiers(c)[pmu->modifiers.first + i].name));
}

void bx_nearest_offer_events(bx_nearest *n, const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->events.n; i++)
        bx_nearest_offer(n, bx_cat_z(c, bx_cat_events(c)[pmu->events.first + i].name));
}

void bx_nearest_offer_pmus(bx_nearest *n, const struct bx_catalog *c, bx_span pmus)
{
    for (unsigned i = 0; i < pmus.n; i++)
        if (bx_cat_pmus(c)[pmus.first + i].events.n)
            bx_nearest_offer(n, bx_cat_z(c, bx_cat_pmus(c)[pmus.first + i].name));
}

static bool has_name(const bx_names *names, const char *name)
{
    bx_str rest = {names->text, names->n};
    while (rest.p && rest.n)
        if (bx_str_eq(bx_str_trim(bx_str_cut(&rest, ',')), bx_str_of(name)))
            return true;
    return false;
}

void bx_names_add(bx_names *names, const char *name)
{
    static const char more[] = ", …";
    size_t room = sizeof names->text - names->n;
    if (names->cut || !name[0] || has_name(names, name))
        return;
    if (strlen(name) + 2 + sizeof more > room) {
        memcpy(names->text + names->n, more, sizeof more);
        names->cut = true;
        return;
    }
    names->n += (size_t)snprintf(names->text + names->n, room, "%s%s", names->n ? ", " : "", name);
}

static bx_names names_of(const struct bx_catalog *c, bx_span umasks)
{
    bx_names names = {0};
    for (unsigned i = 0; i < umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[umasks.first + i];
        if (!(u->flags & BX_UMASK_ALIAS))
            bx_names_add(&names, bx_cat_z(c, u->name));
    }
    return names;
}

bx_names bx_names_of_umasks(const struct bx_catalog *c, const bx_cat_event *event)
{
    return names_of(c, event->umasks);
}

bx_names bx_names_of_group(const struct bx_catalog *c, const bx_cat_group *group)
{
    return names_of(c, group->umasks);
}

bx_names bx_names_of_setters(const struct bx_catalog *c, const bx_cat_event *event,
                             uint16_t modifier)
{
    bx_names names = {0};
    for (unsigned i = 0; i < event->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[event->umasks.first + i];
        for (unsigned j = 0; j < u->sets.n; j++)
            if (bx_cat_sets(c)[u->sets.first + j].modifier == modifier &&
                !(u->flags & BX_UMASK_ALIAS))
                bx_names_add(&names, bx_cat_z(c, u->name));
    }
    return names;
}

bx_names bx_names_of_other_counters(const struct bx_catalog *c, const bx_evsel *event)
{
    bx_names names = {0};
    uint32_t can = bx_cat_counters_of_code(c, event->pmu, event->code);
    if (event->counter == BX_ANY || can >> event->counter & 1 ||
        bx_event_reference_place(c, event) != BX_NONE)
        return names;
    for (; can; can &= can - 1) {
        char name[16];
        snprintf(name, sizeof name, "%u", bx_lowest_bit(can));
        bx_names_add(&names, name);
    }
    return names;
}

bx_names bx_names_of_events(const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    bx_names names = {0};
    for (unsigned i = 0; i < pmu->events.n; i++)
        bx_names_add(&names, bx_cat_z(c, bx_cat_events(c)[pmu->events.first + i].name));
    return names;
}

bx_names bx_names_of_pmus(const struct bx_catalog *c, bx_span pmus)
{
    bx_names names = {0};
    for (unsigned i = 0; i < pmus.n; i++)
        if (bx_cat_pmus(c)[pmus.first + i].events.n)
            bx_names_add(&names, bx_cat_z(c, bx_cat_pmus(c)[pmus.first + i].name));
    return names;
}

bx_names bx_names_of_cpus(const struct bx_catalog *c)
{
    bx_names names = {0};
    for (size_t i = 0; i < c->cpus.n; i++)
        bx_names_add(&names, bx_cat_z(c, bx_cat_cpus(c)[i].name));
    return names;
}

void bx_hint_nearest(bx_error *e, const bx_nearest *n, const char *heading, const bx_names *names)
{
    if (n->name[0])
        bx_hint(e, BX_DID_YOU_MEAN_NAME("%s"), n->name);
    else if (names && names->n)
        bx_hint(e, "%s: %s", heading, names->text);
}

bool bx_hint_is_likeness(const bx_error *e)
{
    return strncmp(e->hint, BX_DID_YOU_MEAN, strlen(BX_DID_YOU_MEAN)) == 0;
}
