/* Lists the attributes of an event in libpfm4's order, with its numbers. */
#include "pfm/attributes.h"

/* Order and numbers of the modifiers in libpfm4. */
static const char *const core_modifiers[] = {"k", "u", "e", "i", "c"};
static const char *const uncore_modifiers[] = {"e",  NULL, "t",  NULL, "tf",   "cf",
                                               NULL, NULL, NULL, "nf", "isoc", "nc"};

/* Iterates over all attributes: counts them, and describes the one with the index. */
typedef struct walk {
    int n, index;
    bx_pfmlib_attr_info *info;
} walk;

static void pass(walk *w, bx_pfmlib_attr_info attribute)
{
    if (w->n++ == w->index)
        *w->info = attribute;
}

static bool is_default(const struct bx_catalog *c, const bx_cat_event *event, uint16_t umask)
{
    uint16_t group = bx_cat_umasks(c)[umask].group;
    return event->umask_default == umask ||
           (group != BX_NONE && bx_cat_groups(c)[group].preset == umask);
}

static void pass_umasks(walk *w, const struct bx_catalog *c, const bx_cat_event *event)
{
    for (unsigned i = event->umasks.first; i < (unsigned)event->umasks.first + event->umasks.n;
         i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[i];
        if (u->flags & BX_UMASK_NO_LIBPFM)
            continue;
        pass(w, (bx_pfmlib_attr_info){.name = bx_cat_z(c, u->name),
                                      .desc = bx_cat_z(c, u->title),
                                      .code = u->value,
                                      .type = BX_PFMLIB_ATTR_UMASK,
                                      .ctrl = BX_PFMLIB_CTRL_PMU,
                                      .is_dfl = is_default(c, event, (uint16_t)i)});
    }
}

/* Offers a modifier, except a privilege level if perf is the OS layer: then that is perf's
 * attribute. */
static void pass_modifier(walk *w, const bx_pfmlib_state *s, const bx_pfmlib_pmu *p,
                          const bx_cat_event *event, int os, unsigned code, const char *name)
{
    const struct bx_catalog *c = s->catalog;
    uint16_t at = bx_cat_find_modifier(c, p->pmu, bx_str_of(name));
    if (at == BX_NONE)
        return;
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[at];
    unsigned local = at - bx_pfmlib_facts(s, p)->modifiers.first;
    if (!(event->modifiers >> local & 1) ||
        (os != BX_PFMLIB_OS_NONE && m->flags & BX_MODIFIER_LEVEL))
        return;
    pass(w, (bx_pfmlib_attr_info){.name = bx_cat_z(c, m->name),
                                  .desc = bx_cat_z(c, m->title),
                                  .code = code,
                                  .type = m->flag ? BX_PFMLIB_ATTR_BOOL : BX_PFMLIB_ATTR_INTEGER,
                                  .ctrl = BX_PFMLIB_CTRL_PMU});
}

int bx_pfmlib_attributes(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, uint16_t event, int os,
                         int index, bx_pfmlib_attr_info *info)
{
    const bx_cat_event *e = &bx_cat_events(s->catalog)[event];
    walk w = {0, index, info};
    pass_umasks(&w, s->catalog, e);
    bool uncore = bx_pfmlib_uncore(s, p);
    const char *const *names = uncore ? uncore_modifiers : core_modifiers;
    size_t n = uncore ? sizeof uncore_modifiers / sizeof *uncore_modifiers
                      : sizeof core_modifiers / sizeof *core_modifiers;
    for (unsigned i = 0; i < n; i++)
        if (names[i])
            pass_modifier(&w, s, p, e, os, i, names[i]);
    for (unsigned i = 0; i < BX_PFMLIB_PERF_N; i++) {
        const bx_pfmlib_perf_term *t = bx_pfmlib_perf_offers(bx_pfmlib_has(s, p), os, i);
        if (t)
            pass(&w, bx_pfmlib_perf_described(t));
    }
    return w.n;
}
