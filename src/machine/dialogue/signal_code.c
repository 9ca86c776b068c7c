/* The code and the unit mask of a signal. */
#include "machine/dialogue/signal_code.h"

#include "event/event.h"
#include "event/hint.h"
#include "machine/dialogue/access.h"

static int no_event(const bx_topology *t, const bx_words *s, uint16_t pmu, bx_error *e)
{
    bx_nearest near = bx_nearest_to(s->w[2]);
    bx_nearest_offer_events(&near, t->catalog, &bx_cat_pmus(t->catalog)[pmu]);
    BX_FAIL_AT(e, s, s->w[2], "CODE '%.*s' is neither a number nor an event of this unit",
               BX_QUOTED(s->w[2]));
    bx_hint(e, "boxscore info %s lists its events",
            bx_cat_z(t->catalog, bx_cat_pmus(t->catalog)[pmu].name));
    bx_nearest_hint(e, &near);
    return BX_BAD_INPUT;
}

static int no_umask(const bx_topology *t, const bx_words *s, uint16_t event, bx_error *e)
{
    bx_nearest near = bx_nearest_to(s->w[3]);
    bx_span all = bx_cat_events(t->catalog)[event].umasks;
    for (unsigned i = 0; i < all.n; i++)
        bx_nearest_offer(&near,
                         bx_cat_z(t->catalog, bx_cat_umasks(t->catalog)[all.first + i].name));
    BX_FAIL_AT(e, s, s->w[3], "UMASK '%.*s' is neither a number nor a unit mask of the event",
               BX_QUOTED(s->w[3]));
    bx_hint(e, "boxscore info %s lists them",
            bx_cat_z(t->catalog, bx_cat_events(t->catalog)[event].name));
    bx_nearest_hint(e, &near);
    return BX_BAD_INPUT;
}

int bx_signal_code(const bx_topology *t, const bx_words *s, unsigned box, uint64_t *code,
                   uint64_t *umask, bx_error *e)
{
    const struct bx_catalog *c = t->catalog;
    uint16_t pmu = (uint16_t)(bx_cat_cpus(c)[t->cpu].pmus.first + box), event = BX_NONE;
    uint32_t within = 0; /* the event's own bits where its unit mask goes */
    if (bx_access_is_name(s->w[2])) {
        event = bx_cat_find_event(c, pmu, s->w[2]);
        if (event == BX_NONE)
            return no_event(t, s, pmu, e);
        *code = bx_event_signal_code(c, event);
        within = bx_cat_events(c)[event].slot == BX_NONE ? 0 : bx_cat_events(c)[event].code;
    } else if (bx_words_number(s, s->w[2], UINT16_MAX, "CODE", code, e)) {
        return BX_BAD_INPUT;
    }
    if (event == BX_NONE || !bx_access_is_name(s->w[3])) {
        if (bx_words_number(s, s->w[3], UINT32_MAX, "UMASK", umask, e))
            return BX_BAD_INPUT;
        *umask |= within;
        return BX_OK;
    }
    uint16_t mask = bx_cat_find_umask(c, event, s->w[3]);
    if (mask == BX_NONE)
        return no_umask(t, s, event, e);
    *umask = within | bx_cat_umasks(c)[mask].value;
    return BX_OK;
}
