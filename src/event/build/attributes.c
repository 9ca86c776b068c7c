/* Reads the attributes after an event's name: unit masks and modifiers. */
#include "event/build/builder.h"
#include "event/hint.h"

#include <stdio.h>

bx_str bx_cut_part(bx_str *rest, const char **equals)
{
    const char *p = rest->p, *end = p + rest->n;
    *equals = NULL;
    for (; (p = bx_word_end(p, end)) < end && !bx_is_separator(*p); p++)
        if (*p == '=' && !*equals)
            *equals = p;
    bx_str part = {rest->p, (size_t)(p - rest->p)};
    *rest = p < end ? (bx_str){p + 1, (size_t)(end - p - 1)} : (bx_str){NULL, 0};
    return part;
}

/* "t, e": the modifiers that the event takes. */
static bx_names modifier_names(const bx_event_builder *d)
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

static int unknown_attribute(bx_event_builder *d, bx_str name)
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

/* The modifier of this name that event strings may use, or BX_NONE. Modifiers with unit mask names
 * are hidden; `numbers` allows those for values without a name. */
static uint16_t find_modifier(const bx_event_builder *d, bx_str name, bool numbers)
{
    uint16_t modifier = bx_cat_find_modifier(d->c, d->to.pmu, name);
    if (modifier == BX_NONE || !(bx_cat_modifiers(d->c)[modifier].flags & BX_MODIFIER_HIDDEN))
        return modifier;
    return numbers && bx_has_number(d->c, d->event, bx_builder_twin(d, modifier)) ? modifier
                                                                                  : BX_NONE;
}

/* The length of the event's longest unit mask name at the start of the text; 0 if there is none.
 * '.' and ':' are the same. *umask is the unit mask. */
static size_t longest_umask(const bx_event_builder *d, bx_str text, uint16_t *umask)
{
    size_t longest = 0;
    for (unsigned i = 0; i < d->event->umasks.n; i++) {
        uint16_t at = (uint16_t)(d->event->umasks.first + i);
        bx_str name = bx_cat_str(d->c, bx_cat_umasks(d->c)[at].name);
        if (name.n <= longest || name.n > text.n ||
            (name.n < text.n && !bx_is_separator(text.p[name.n])))
            continue;
        bool same = true;
        for (size_t j = 0; same && j < name.n; j++)
            same = bx_is_separator(name.p[j]) ? bx_is_separator(text.p[j])
                                              : bx_lower(name.p[j]) == bx_lower(text.p[j]);
        if (!same)
            continue;
        longest = name.n;
        *umask = at;
    }
    return longest;
}

/* The event that other tools call by this event's name with this word as a unit mask; BX_NONE. */
static uint16_t event_called(const bx_event_builder *d, bx_str word)
{
    char name[64];
    int n = d->event ? snprintf(name, sizeof name, "%s.%.*s", bx_cat_z(d->c, d->event->name),
                                (int)word.n, word.p)
                     : 0;
    return n > 0 && (size_t)n < sizeof name
               ? bx_cat_find_event(d->c, d->to.pmu, (bx_str){name, (size_t)n})
               : BX_NONE;
}

/* Reads a name without a value: a unit mask or a flag. */
static int read_word(bx_event_builder *d, bx_str word)
{
    if (d->event) {
        uint16_t umask = bx_cat_find_umask(d->c, d->to.event, word);
        if (umask != BX_NONE)
            return bx_builder_umask(d, umask, word);
    }
    uint16_t modifier = find_modifier(d, word, false);
    uint16_t other = modifier == BX_NONE && !d->has_umask ? event_called(d, word) : BX_NONE;
    if (other != BX_NONE) {
        bx_builder_event(d, d->to.pmu, other);
        return BX_OK;
    }
    if (modifier == BX_NONE) {
        bool found;
        int code = bx_read_intel_word(d, word, &found);
        return found ? code : unknown_attribute(d, word);
    }
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
    if (m->flag)
        return bx_builder_modifier(d, bx_builder_twin(d, modifier), 1, word);
    const char *name = bx_cat_z(d->c, m->name);
    int code = BX_REFUSE(d, BX_BAD_INPUT, word, "the modifier '%s' needs a value", name);
    bx_hint(d->e, "%s=%llu to %s=%llu", name, (unsigned long long)m->lo, name,
            (unsigned long long)m->hi);
    return code;
}

/* Offers the words that every PMU knows, where they apply. */
static void add_common(const bx_event_builder *d, bx_names *names, bx_nearest *near)
{
    const char *common[] = {
        d->pmu->select_umask != BX_NONE ? "umask" : NULL,
        d->event ? NULL : "code",
        "counter",
        d->pmu->ports ? "port" : NULL,
        d->pmu->slots.n ? "place" : NULL,
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        if (!common[i])
            continue;
        bx_nearest_offer(near, common[i]);
        bx_names_add(names, common[i]);
    }
}

static int unknown_key(bx_event_builder *d, bx_str pair, bx_str name)
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

/* Reads the value of a word that every PMU knows, for which no modifier is needed. */
typedef int common_word(bx_event_builder *d, uint64_t value, bx_str part);

static common_word *find_common(bx_str name)
{
    static const struct {
        const char *name;
        common_word *read;
    } common[] = {
        {"umask", bx_builder_umask_number}, {"code", bx_builder_code},
        {"counter", bx_builder_counter},    {"port", bx_builder_port},
        {"place", bx_builder_place},
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (bx_str_eq_fold(name, bx_str_of(common[i].name)))
            return common[i].read;
    return NULL;
}

/* Reads name=value: a modifier, or one of the words that every PMU knows. */
static int read_pair(bx_event_builder *d, bx_str pair, size_t equals)
{
    bx_str name = {pair.p, equals};
    bx_str word = {pair.p + equals + 1, pair.n - equals - 1};
    uint16_t modifier = find_modifier(d, name, true);
    common_word *common = modifier == BX_NONE ? find_common(name) : NULL;
    if (modifier == BX_NONE && !common) {
        bool found;
        int code = bx_read_intel_word(d, pair, &found);
        return found ? code : unknown_key(d, pair, name);
    }
    if (word.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, pair, "no value after '%s'", bx_quote(pair).text);
    bool named = !common && bx_cat_modifiers(d->c)[modifier].values.n && !bx_is_digit(word.p[0]);
    if (named)
        return bx_builder_value(d, modifier, word, pair);
    uint64_t value;
    int code = bx_builder_number(d, word, &value);
    if (code)
        return code;
    return common ? common(d, value, pair)
                  : bx_builder_modifier(d, bx_builder_twin(d, modifier), value, pair);
}

/* Cuts the next part. A unit mask with a dot in its name is one part, and *umask is set; else
 * *umask is BX_NONE. */
static bx_str next_part(const bx_event_builder *d, bx_str *rest, const char **equals,
                        uint16_t *umask)
{
    bx_str all = *rest;
    bx_str part = bx_cut_part(rest, equals);
    bool dotted = d->event && d->event->flags & BX_EVENT_DOTTED && !*equals;
    size_t n = dotted ? longest_umask(d, all, umask) : 0;
    if (n <= part.n) {
        *umask = BX_NONE;
        return part;
    }
    *rest = n < all.n ? (bx_str){all.p + n + 1, all.n - n - 1} : (bx_str){NULL, 0};
    return (bx_str){all.p, n};
}

int bx_read_attributes(bx_event_builder *d, bx_str separator, bx_str rest)
{
    while (rest.p) {
        const char *equals;
        uint16_t umask = BX_NONE;
        bx_str part = next_part(d, &rest, &equals, &umask);
        if (part.n == 0)
            return BX_REFUSE(d, BX_BAD_INPUT, separator, "nothing after '%c'", *separator.p);
        int code = umask != BX_NONE ? bx_builder_umask(d, umask, part)
                   : equals         ? read_pair(d, part, (size_t)(equals - part.p))
                                    : read_word(d, part);
        if (code)
            return code;
        separator = (bx_str){part.p + part.n, 1};
    }
    return BX_OK;
}
