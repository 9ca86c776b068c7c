/* What follows an event's name: unit masks and modifiers. */
#include "base/name.h"
#include "event/draft.h"
#include "event/hint.h"

bx_str bx_cut_part(bx_str *rest, const char **equals)
{
    const char *p = rest->p, *end = p + rest->n;
    *equals = NULL;
    while ((p += bx_name_skip(p, (size_t)(end - p))) < end && !bx_is_joint(*p)) {
        if (*p == '=' && !*equals)
            *equals = p;
        p++;
    }
    bx_str part = {rest->p, (size_t)(p - rest->p)};
    *rest = p < end ? (bx_str){p + 1, (size_t)(end - p - 1)} : (bx_str){NULL, 0};
    return part;
}

/* "t, e" of the modifiers that the event takes. */
static bx_names modifier_names(const bx_draft *d)
{
    bx_names names = {0};
    uint32_t takes = d->event ? d->event->modifiers : UINT32_MAX;
    takes &= ~d->pmu->hidden;
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++)
        if (takes >> i & 1)
            bx_names_add(&names,
                         bx_cat_z(d->c, bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i].name));
    return names;
}

static int unknown_attribute(bx_draft *d, bx_str name)
{
    const char *event = d->event ? bx_cat_z(d->c, d->event->name) : "RAW";
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "%s has no unit mask or modifier '%s'", event,
                         bx_quote(name).text);
    bx_nearest near = bx_nearest_to(name);
    uint32_t hidden = d->pmu->hidden;
    bx_nearest_offer_modifiers(&near, d->c, d->pmu,
                               (d->event ? d->event->modifiers : UINT32_MAX) & ~hidden);
    if (d->event)
        bx_nearest_offer_umasks(&near, d->c, d->event);
    bx_names umasks = d->event ? bx_names_of_umasks(d->c, d->event) : (bx_names){0};
    bx_names modifiers = modifier_names(d);
    if (near.name[0])
        bx_hint_nearest(d->e, &near, NULL, NULL);
    else if (umasks.n || modifiers.n)
        bx_hint(d->e, "%s%s%s%s%s", umasks.n ? "unit masks: " : "", umasks.text,
                umasks.n && modifiers.n ? "; " : "", modifiers.n ? "modifiers: " : "",
                modifiers.text);
    else
        bx_hint(d->e, "it has neither");
    return code;
}

/* The modifier of this name that event strings may use, or BX_NONE. Some are hidden behind names of
 * unit masks; `numbers` allows them for what has no such name. */
static uint16_t find_modifier(const bx_draft *d, bx_str name, bool numbers)
{
    uint16_t modifier = bx_cat_find_modifier(d->c, d->to.pmu, name);
    if (modifier == BX_NONE || !(bx_cat_modifiers(d->c)[modifier].flags & BX_MODIFIER_HIDDEN))
        return modifier;
    return numbers && bx_has_number(d->c, d->event, modifier) ? modifier : BX_NONE;
}

/* A name alone: a unit mask or a flag. */
static int read_word(bx_draft *d, bx_str word)
{
    if (d->event) {
        uint16_t umask = bx_cat_find_umask(d->c, d->to.event, word);
        if (umask != BX_NONE)
            return bx_draft_umask(d, umask, word);
    }
    uint16_t modifier = find_modifier(d, word, false);
    if (modifier == BX_NONE)
        return unknown_attribute(d, word);
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
    if (m->flag)
        return bx_draft_modifier(d, modifier, 1, word);
    const char *name = bx_cat_z(d->c, m->name);
    int code = BX_REFUSE(d, BX_BAD_INPUT, word, "the modifier '%s' needs a value", name);
    bx_hint(d->e, "%s=%llu to %s=%llu", name, (unsigned long long)m->lo, name,
            (unsigned long long)m->hi);
    return code;
}

/* The words that every PMU knows, as far as they apply. */
static void add_common(const bx_draft *d, bx_names *names, bx_nearest *near)
{
    const char *common[] = {
        d->pmu->select_umask != BX_NONE ? "umask" : NULL,
        d->event ? NULL : "code",
        "counter",
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        if (!common[i])
            continue;
        bx_nearest_offer(near, common[i]);
        bx_names_add(names, common[i]);
    }
}

static int unknown_key(bx_draft *d, bx_str pair, bx_str name)
{
    if (name.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, pair, "no name before '='");
    if (d->event && bx_cat_find_umask(d->c, d->to.event, name) != BX_NONE)
        return BX_REFUSE(d, BX_BAD_INPUT, pair, "'%s' is a unit mask and takes no value",
                         bx_quote(name).text);
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "%s has no modifier '%s'",
                         bx_cat_z(d->c, d->pmu->name), bx_quote(name).text);
    bx_nearest near = bx_nearest_to(name);
    bx_names all = modifier_names(d);
    bx_nearest_offer_modifiers(&near, d->c, d->pmu, ~d->pmu->hidden);
    add_common(d, &all, &near);
    bx_hint_nearest(d->e, &near, "it has", &all);
    return code;
}

/* name=value: a modifier, or one of the words that every PMU knows. */
static int read_pair(bx_draft *d, bx_str pair, size_t equals)
{
    bx_str name = {pair.p, equals};
    bx_str digits = {pair.p + equals + 1, pair.n - equals - 1};
    int (*common)(bx_draft *, uint64_t, bx_str) = NULL;
    uint16_t modifier = find_modifier(d, name, true);
    if (modifier == BX_NONE) {
        common = bx_str_eq_fold(name, BX_STR("umask"))     ? bx_draft_umask_number
                 : bx_str_eq_fold(name, BX_STR("code"))    ? bx_draft_code
                 : bx_str_eq_fold(name, BX_STR("counter")) ? bx_draft_counter
                                                           : NULL;
        if (!common)
            return unknown_key(d, pair, name);
    }
    if (digits.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, pair, "no value after '%s'", bx_quote(pair).text);
    uint64_t value;
    int code = bx_draft_number(d, digits, &value);
    if (code)
        return code;
    return common ? common(d, value, pair) : bx_draft_modifier(d, modifier, value, pair);
}

int bx_read_attributes(bx_draft *d, bx_str joint, bx_str rest)
{
    while (rest.p) {
        const char *equals;
        bx_str part = bx_cut_part(&rest, &equals);
        if (part.n == 0)
            return BX_REFUSE(d, BX_BAD_INPUT, joint, "nothing after '%c'", *joint.p);
        int code = equals ? read_pair(d, part, (size_t)(equals - part.p)) : read_word(d, part);
        if (code)
            return code;
        joint = (bx_str){part.p + part.n, 1};
    }
    return BX_OK;
}
