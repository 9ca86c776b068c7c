/* Makes the names on the lines of a report from the catalogue and a selection. */
#include "report/label.h"

#include <stdio.h>
#include <string.h>

const char *bx_label_event(const struct bx_catalog *c, const bx_evsel *event, bx_arena *a)
{
    size_t length = bx_event_format(c, event, NULL, 0);
    char *text = bx_arena_get(a, length + 1);
    if (text)
        bx_event_format(c, event, text, length + 1);
    return text;
}

/* The value of the modifier for a field of the counters' control register; 0 if there is none. */
static uint64_t modifier_of(const struct bx_catalog *c, const bx_evsel *event, uint16_t field)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    for (unsigned i = 0; field != BX_NONE && i < pmu->modifiers.n && i < BX_MODIFIERS; i++)
        if (bx_cat_modifiers(c)[pmu->modifiers.first + i].field == field)
            return event->modifier[i];
    return 0;
}

/* Whether the selection has the unit mask. Two names with the same bits may differ in modifiers
 * only. */
static bool is_umask(const struct bx_catalog *c, const bx_evsel *event, const bx_cat_umask *umask)
{
    unsigned first = bx_cat_pmus(c)[event->pmu].modifiers.first;
    for (unsigned i = 0; i < umask->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[umask->sets.first + i];
        if (event->modifier[set->modifier - first] != set->value)
            return false;
    }
    return umask->value == event->umask;
}

/* The unit of a count as the unit mask names it; NULL if it does not. */
static const char *named_count(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_event *named = &bx_cat_events(c)[event->event];
    const bx_cat_umask *umasks = bx_cat_umasks(c) + named->umasks.first;
    for (unsigned i = 0; i < named->umasks.n; i++)
        if (umasks[i].unit && is_umask(c, event, &umasks[i]))
            return bx_cat_z(c, umasks[i].unit);
    return bx_cat_z(c, named->unit);
}

const char *bx_label_count(const struct bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    if (pmu->counters.n) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first];
        if (modifier_of(c, event, counter->edge))
            return "rises";
        if (modifier_of(c, event, counter->threshold))
            return "cycles";
    }
    return event->event == BX_NONE ? "" : named_count(c, event);
}

const char *bx_label_unit(const struct bx_catalog *c, uint16_t pmu, unsigned unit, bx_arena *a)
{
    const char *pattern = bx_cat_z(c, bx_cat_pmus(c)[pmu].unit_label);
    size_t length = bx_cat_expand(NULL, 0, pattern, unit, 0);
    char *text = bx_arena_get(a, length + 1);
    if (text)
        bx_cat_expand(text, length + 1, pattern, unit, 0);
    return text;
}

/* The first word of a unit's name is the box's name. */
const char *bx_label_port(const struct bx_catalog *c, uint16_t pmu, int port, bx_arena *a)
{
    const char *pattern = bx_cat_z(c, bx_cat_pmus(c)[pmu].unit_label);
    int word = (int)strcspn(pattern, " ");
    size_t room = (size_t)word + sizeof " port 65535";
    char *text = bx_arena_get(a, room);
    if (text)
        snprintf(text, room, "%.*s port %d", word, pattern, port);
    return text;
}
