/* Linux perf's spelling, both ways: uncore_cbox_0/event=0x34,umask=0x88/. The kernel's PMU is found by
 * its name; one name can stand for two PMUs of the catalogue (the clock is lent to the first C-Box). */
#include "event/draft.h"
#include "event/hint.h"
#include "event/out.h"
#include "event/pattern.h"

#include "base/bits.h"

#include <inttypes.h>

/* ---- the kernel's names ---- */

/* *unit is BX_ANY where the name leaves the number out: all units. */
static bool kernel_named(const struct bx_catalog *c, uint16_t pmu, bx_str name, int32_t *unit)
{
    bx_str pattern = bx_cat_str(c, bx_cat_pmus(c)[pmu].kernel);
    bx_numbers found;
    *unit = BX_ANY;
    if (bx_pattern_match(pattern.p, name, &found)) {
        if (found.unit != BX_NO_NUMBER)
            *unit = (int32_t)found.unit;
        return true;
    }
    if (name.n == 0 || !bx_str_starts_fold(pattern, name) || pattern.p[name.n] != '_')
        return false;
    bx_str number = bx_str_sub(pattern, name.n + 1, pattern.n);
    uint32_t value;
    return bx_str_eq(number, BX_STR("{unit}")) || bx_digits(number, &value) == number.n;
}

/* An event that the kernel has under another code than the hardware, or under a name of its own:
 * "event=0xff,clockticks". */
typedef struct special {
    uint64_t event, umask;
    bx_str name;
} special;

static bool special_of(const struct bx_catalog *c, const bx_cat_event *event, special *s)
{
    *s = (special){0};
    if (!event->kernel)
        return false;
    bx_str rest = bx_cat_str(c, event->kernel);
    while (rest.p) {
        bx_str digits = bx_str_cut(&rest, ',');
        bx_str key = bx_str_cut(&digits, '=');
        if (!digits.p)
            s->name = key;
        else if (!bx_str_u64(digits, bx_str_eq(key, BX_STR("event")) ? &s->event : &s->umask))
            return false;
    }
    return true;
}

static uint16_t find_flag(const struct bx_catalog *c, uint16_t pmu, bx_str key)
{
    bx_span all = bx_cat_pmus(c)[pmu].modifiers;
    for (unsigned i = 0; key.n && i < all.n; i++)
        if (bx_str_eq_fold(key, bx_cat_str(c, bx_cat_modifiers(c)[all.first + i].kernel)))
            return (uint16_t)(all.first + i);
    return BX_NONE;
}

/* ---- which event is meant ---- */

/* The terms that choose the event. */
typedef struct choice {
    bx_str pmu, terms;
    bx_str name, event, umask, config; /* values; name: a word that is no modifier */
    bx_str at;                         /* the term that decides, for messages */
    bool special;                      /* … one: event and umask are the kernel's, not the hardware's */
    uint64_t code, bits;               /* event= and umask= as numbers, or what config= holds */
} choice;

static bool is_flag(const bx_draft *d, const choice *ch, bx_str word)
{
    int32_t unit;
    for (unsigned i = 0; i < d->pmus.n; i++) {
        uint16_t pmu = (uint16_t)(d->pmus.first + i);
        if (kernel_named(d->c, pmu, ch->pmu, &unit) && find_flag(d->c, pmu, word) != BX_NONE)
            return true;
    }
    return false;
}

static void gather(const bx_draft *d, choice *ch)
{
    bx_str rest = ch->terms;
    while (rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str value = term;
        bx_str key = bx_str_cut(&value, '=');
        bx_str *slot = bx_str_eq_fold(key, BX_STR("event"))    ? &ch->event
                       : bx_str_eq_fold(key, BX_STR("umask"))  ? &ch->umask
                       : bx_str_eq_fold(key, BX_STR("config")) ? &ch->config
                                                               : NULL;
        if (!value.p && !slot && term.n && !ch->name.p && !is_flag(d, ch, term))
            ch->name = term;
        else if (slot && value.p && !slot->p)
            *slot = value;
        else
            continue;
        if (slot != &ch->umask)
            ch->at = term;
    }
}

static uint16_t event_named(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    for (unsigned i = 0; i < events.n; i++) {
        special s;
        if (special_of(c, &bx_cat_events(c)[events.first + i], &s) && s.name.n &&
            bx_str_eq_fold(name, s.name))
            return (uint16_t)(events.first + i);
    }
    ptrdiff_t joint = bx_str_find(name, '.', 0);
    return bx_cat_find_event(c, pmu, joint < 0 ? name : bx_str_sub(name, 0, (size_t)joint));
}

static uint16_t event_numbered(const struct bx_catalog *c, uint16_t pmu, uint64_t code,
                               uint64_t umask)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    for (unsigned i = 0; i < events.n; i++) {
        special s;
        if (special_of(c, &bx_cat_events(c)[events.first + i], &s) && s.event == code &&
            s.umask == umask)
            return (uint16_t)(events.first + i);
    }
    return BX_NONE;
}

static int unknown_pmu(bx_draft *d, bx_str name)
{
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "no PMU that Linux calls '%s'", bx_quote(name).text);
    bx_nearest near = bx_nearest_to(name);
    bx_names all = {0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        char kernel[64];
        bx_str pattern = bx_cat_str(d->c, bx_cat_pmus(d->c)[d->pmus.first + i].kernel);
        bx_cat_expand(kernel, sizeof kernel, pattern.p, 0, 0);
        if (pattern.n) {
            bx_nearest_offer(&near, kernel);
            bx_names_add(&all, kernel);
        }
    }
    bx_hint_nearest(d->e, &near, "there are", &all);
    return code;
}

static int unknown_event(bx_draft *d, const choice *ch)
{
    bx_nearest near = bx_nearest_to(ch->name);
    bx_names all = {0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        uint16_t pmu = (uint16_t)(d->pmus.first + i);
        const bx_cat_pmu *p = &bx_cat_pmus(d->c)[pmu];
        int32_t unit;
        if (!kernel_named(d->c, pmu, ch->pmu, &unit))
            continue;
        for (unsigned j = 0; j < p->events.n; j++) {
            const bx_cat_event *event = &bx_cat_events(d->c)[p->events.first + j];
            special s;
            const char *name = special_of(d->c, event, &s) && s.name.n
                                   ? s.name.p
                                   : bx_cat_z(d->c, event->name);
            bx_nearest_offer(&near, name);
            bx_names_add(&all, name);
        }
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, ch->at, "%s has no event '%s'", bx_quote(ch->pmu).text,
                         bx_quote(ch->at).text);
    bx_hint_nearest(d->e, &near, "it has", &all);
    return code;
}
