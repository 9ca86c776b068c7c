/* Refuses terms for which Linux has no name; the hint lists the names that it has. */
#include "event/foreign/perf_reader.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/foreign_names.h"

#include <string.h>

int bx_perf_unknown_pmu(bx_event_builder *d, bx_str name)
{
    if (name.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, ((bx_str){name.p, 1}), "no PMU before '/'");
    bx_nearest near = bx_nearest_to(name);
    bx_names all = {0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        char kernel[64];
        const char *pattern = bx_cat_z(d->c, bx_cat_pmus(d->c)[d->pmus.first + i].kernel);
        bx_cat_expand(kernel, sizeof kernel, pattern, 0, 0);
        if (!*pattern)
            continue;
        bx_nearest_offer(&near, kernel);
        if (!strstr(all.text, kernel)) /* the clock's PMU shares the C-Box's name */
            bx_names_add(&all, kernel);
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "Linux has no PMU '%s'", bx_quote(name).text);
    bx_hint_nearest(d->e, &near, "there are", &all);
    return code;
}

int bx_perf_unknown_event(bx_event_builder *d, const bx_perf_choice *ch)
{
    bx_nearest near = bx_nearest_to(ch->at);
    bx_names all = {0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        int32_t unit;
        const bx_cat_pmu *pmu = &bx_cat_pmus(d->c)[d->pmus.first + i];
        if (!bx_kernel_pmu(d->c, (uint16_t)(d->pmus.first + i), ch->pmu, &unit))
            continue;
        bx_nearest_offer_events(&near, d->c, pmu);
        for (unsigned j = 0; j < pmu->events.n; j++)
            bx_names_add(&all, bx_cat_z(d->c, bx_cat_events(d->c)[pmu->events.first + j].name));
        for (unsigned j = 0; j < pmu->perf_names.n; j++)
            bx_nearest_offer(
                &near, bx_cat_z(d->c, bx_cat_other_names(d->c)[pmu->perf_names.first + j].name));
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, ch->at, "%s has no event '%s'", bx_quote(ch->pmu).text,
                         bx_quote(ch->at).text);
    bx_hint_nearest(d->e, &near, "it has", &all);
    return code;
}

int bx_perf_unknown_term(bx_event_builder *d, bx_str key)
{
    static const char *const selecting[] = {"event", "umask", "config"};
    bx_nearest near = bx_nearest_to(key);
    bx_names all = {0};
    for (size_t i = 0; i < sizeof selecting / sizeof *selecting; i++) {
        bx_nearest_offer(&near, selecting[i]);
        bx_names_add(&all, selecting[i]);
    }
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++) {
        const char *z = bx_cat_z(d->c, bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i].kernel);
        if (!*z || bx_lowest_bit(bx_kernel_term(d->c, d->to.pmu, bx_str_of(z)).modifiers) != i)
            continue;
        bx_nearest_offer(&near, z);
        bx_names_add(&all, z);
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, key, "unknown term '%s'", bx_quote(key).text);
    bx_hint_nearest(d->e, &near, "terms", &all);
    return code;
}
