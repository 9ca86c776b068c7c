/* Initializes the list of PMUs, decides which are active, and finds them. */
#include "pfm/pmus.h"

#include "pfm/calls.h"
#include "pfm/host_cpu.h"
#include "pfm/installed.h"

#include <stdlib.h>
#include <string.h>

/* libpfm4's identifiers of the catalogue's PMUs; units of one PMU have consecutive ones. PMUs that
 * are not listed have none in libpfm4 and are not offered. */
static const struct {
    const char *pmu;
    int first;
} numbers[] = {
    {"p6", 6},
    {"pm", 10},
    {"ppro", 12},
    {"pii", 13},
    {"ivbep_unc_cbo", 115},
    {"ivbep_unc_imc", 132},
};

static bx_pfmlib_state the_state; /* libpfm4's interface has no handle for it */

const bx_pfmlib_state *bx_pfmlib_ready(void)
{
    return the_state.ready ? &the_state : NULL;
}

const bx_pfmlib_pmu *bx_pfmlib_by_id(const bx_pfmlib_state *s, int id)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->pmus[i].id == id)
            return &s->pmus[i];
    return NULL;
}

const bx_pfmlib_pmu *bx_pfmlib_by_name(const bx_pfmlib_state *s, bx_str name)
{
    for (unsigned i = 0; i < s->n; i++)
        if (bx_str_eq_fold(bx_str_of(s->pmus[i].name), name))
            return &s->pmus[i];
    return NULL;
}

uint16_t bx_pfmlib_event_from(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, unsigned from)
{
    bx_span events = bx_pfmlib_facts(s, p)->events;
    for (unsigned i = from; i < (unsigned)events.first + events.n; i++)
        if (!(bx_cat_events(s->catalog)[i].flags & BX_EVENT_NO_LIBPFM))
            return (uint16_t)i;
    return BX_NONE;
}

uint16_t bx_pfmlib_event(const bx_pfmlib_state *s, int idx, const bx_pfmlib_pmu **pmu)
{
    unsigned local = (unsigned)idx & ((1U << BX_PFMLIB_EVENT_BITS) - 1);
    *pmu = idx < 0 ? NULL : bx_pfmlib_by_id(s, idx >> BX_PFMLIB_EVENT_BITS);
    if (!*pmu || local >= bx_pfmlib_facts(s, *pmu)->events.n)
        return BX_NONE;
    unsigned event = bx_pfmlib_facts(s, *pmu)->events.first + local;
    return bx_pfmlib_event_from(s, *pmu, event) == event ? (uint16_t)event : BX_NONE;
}

/* ---- initialization ---- */

/* printf() is too slow here: a program that encodes a single event needs this, too. */
static void append(char *to, size_t room, bx_str s)
{
    size_t at = strlen(to), n = s.n < room - 1 - at ? s.n : room - 1 - at;
    memcpy(to + at, s.p, n);
    to[at + n] = 0;
}

/* Appends the label with the number in place of its `{unit}`. */
static void append_label(char *to, size_t room, const char *label, bx_str number)
{
    const char *placeholder = strstr(label, "{unit}");
    if (!placeholder) {
        append(to, room, bx_str_of(label));
        return;
    }
    append(to, room, (bx_str){label, (size_t)(placeholder - label)});
    append(to, room, number);
    append(to, room, bx_str_of(placeholder + strlen("{unit}")));
}

static void offer(bx_pfmlib_state *s, int id, uint16_t pmu, int unit)
{
    if (s->n == BX_PFMLIB_PMUS)
        return;
    const struct bx_catalog *c = s->catalog;
    const bx_cat_pmu *facts = &bx_cat_pmus(c)[pmu];
    bx_pfmlib_pmu *p = &s->pmus[s->n++];
    *p->name = *p->desc = 0;
    p->id = id;
    p->pmu = pmu;
    p->unit = (int16_t)unit;
    append(p->name, sizeof p->name, bx_cat_str(c, facts->name));
    if (unit < 0) {
        append(p->desc, sizeof p->desc, bx_cat_str(c, facts->title));
        return;
    }
    const char digits[] = {(char)('0' + unit / 10), (char)('0' + unit % 10)};
    bx_str shown = unit < 10 ? (bx_str){digits + 1, 1} : (bx_str){digits, 2};
    append(p->name, sizeof p->name, shown);
    append_label(p->desc, sizeof p->desc, bx_cat_z(c, facts->unit_label), shown);
    append(p->desc, sizeof p->desc, BX_STR(" of the "));
    append(p->desc, sizeof p->desc, bx_cat_str(c, bx_cat_cpus(c)[facts->cpu].title));
}

static void offer_all(bx_pfmlib_state *s)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint16_t pmu = bx_cat_find_pmu(s->catalog, bx_str_of(numbers[i].pmu));
        if (pmu == BX_NONE)
            continue;
        int units = bx_cat_pmus(s->catalog)[pmu].unit_max;
        for (int u = 0; u < units; u++)
            offer(s, numbers[i].first + u, pmu, units > 1 ? u : -1);
    }
}

/* Whether the name begins with an item of the comma-separated list, as in libpfm4. */
static bool listed(const char *list, const char *name)
{
    bx_str rest = bx_str_of(list);
    while (rest.p) {
        bx_str item = bx_str_cut(&rest, ',');
        if (item.n && bx_str_starts_fold(bx_str_of(name), item))
            return true;
    }
    return false;
}

/* As in libpfm4, text after a comma in LIBPFM_FORCE_PMU describes the named PMU, and only that PMU
 * is active. */
static void activate(bx_pfmlib_state *s)
{
    const char *forced = getenv("LIBPFM_FORCE_PMU"), *off = getenv("LIBPFM_DISABLED_PMUS");
    bool force = forced && *forced;
    bx_str rest = bx_str_of(forced), name = force ? bx_str_cut(&rest, ',') : (bx_str){0};
    int cpu = force ? -1 : bx_pfmlib_host_cpu(s->catalog);
    for (unsigned i = 0; i < s->n; i++) {
        bx_pfmlib_pmu *p = &s->pmus[i];
        p->active =
            force ? bx_str_eq_fold(name, bx_str_of(p->name)) : bx_pfmlib_facts(s, p)->cpu == cpu;
        if (off && listed(off, p->name))
            p->active = false;
    }
}

int pfm_initialize(void)
{
    bx_pfmlib_state *s = &the_state;
    if (s->ready)
        return BX_PFM_SUCCESS;
    s->catalog = bx_catalog_builtin();
    s->n = 0;
    s->inactive = getenv("LIBPFM_ENCODE_INACTIVE") != NULL;
    offer_all(s);
    activate(s);
    s->ready = true;
    return BX_PFM_SUCCESS;
}

void pfm_terminate(void)
{
    bx_pfmlib_installed_end();
    the_state.ready = false;
}
