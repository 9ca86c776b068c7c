#include "../cmocked.h"

#include "facts.h"

uint16_t facts_pmu(const struct bx_catalog *c, const char *name)
{
    uint16_t i = bx_cat_find_pmu(c, bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("no PMU %s", name);
    return i;
}

const bx_cat_event *facts_event(const struct bx_catalog *c, uint16_t pmu, const char *name)
{
    uint16_t i = bx_cat_find_event(c, pmu, bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("no event %s", name);
    return &bx_cat_events(c)[i];
}

const bx_cat_umask *facts_umask(const struct bx_catalog *c, const bx_cat_event *event,
                                const char *name)
{
    if (!*name)
        return NULL;
    uint16_t i = bx_cat_find_umask(c, (uint16_t)(event - bx_cat_events(c)), bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("%s has no unit mask %s", bx_cat_z(c, event->name), name);
    return &bx_cat_umasks(c)[i];
}
