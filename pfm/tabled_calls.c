/* libpfm4's functions for the tables' PMUs: they answer as an installed libpfm4 would. */
#include "pfm/host_cpu.h"
#include "pfm/installed.h"
#include "pfm/results.h"
#include "pfm/sized.h"
#include "pfm/tabled_rows.h"

#include <linux/perf_event.h>
#include <stdlib.h>

enum { TYPE_OS_GENERIC = 3 };

/* A bit for each of bx_tabled_pmus: as libpfm4 does, decided once. libpfm4's interface has no
 * handle for it. */
static struct {
    unsigned present, nameable;
} pmus;

/* As libpfm4 treats its PMUs: LIBPFM_FORCE_PMU leaves one, LIBPFM_DISABLED_PMUS takes some away. */
static bool is_left(const bx_tabled_pmu *p, int cpu)
{
    const char *forced = getenv("LIBPFM_FORCE_PMU");
    bx_str rest = bx_str_of(forced), off = bx_str_of(getenv("LIBPFM_DISABLED_PMUS"));
    const struct bx_catalog *c = bx_catalog_builtin();
    bool force = forced && *forced;
    if (force && !bx_str_eq_fold(bx_str_cut(&rest, ','), bx_str_of(p->name)))
        return false;
    while (off.p) {
        bx_str item = bx_str_cut(&off, ',');
        if (item.n && bx_str_starts_fold(bx_str_of(p->name), item))
            return false;
    }
    return force || !p->core || bx_tabled_is_of(p, c, cpu);
}

static int start(void)
{
    int cpu = bx_pfmlib_host_cpu(bx_catalog_builtin());
    pmus.present = 0;
    for (unsigned i = 0; i < BX_TABLED_PMUS; i++)
        pmus.present |= (unsigned)is_left(bx_tabled_pmus[i], cpu) << i;
    pmus.nameable = getenv("LIBPFM_ENCODE_INACTIVE") ? ~0u : pmus.present;
    return BX_PFM_SUCCESS;
}

static void end(void)
{
}

static int read_string(const char *text, int os, bx_tabled_event *to)
{
    return bx_tabled_read(text, os, pmus.present, pmus.nameable, to);
}

/* ---- encoding ---- */

static int encode_raw(const char *text, unsigned plm, bx_pfmlib_raw_arg *arg)
{
    bx_tabled_event e;
    bx_tabled_words words;
    bx_buf string = {0};
    if (!bx_pfmlib_sized(arg, arg->size, sizeof *arg))
        return BX_PFM_INVAL;
    int code = read_string(text, BX_PFMLIB_OS_NONE, &e);
    if (!code)
        code = bx_tabled_encode(&e, BX_PFMLIB_OS_NONE, plm, &words, &string);
    if (!code)
        code = string.failed ? BX_PFM_NOMEM
                             : bx_pfmlib_hand_out_words(words.word, words.n, string.p, arg);
    bx_buf_free(&string);
    if (!code)
        arg->idx = bx_tabled_idx(e.pmu, e.event);
    return code;
}

/* perf itself sets levels, enable and interrupt of a core's control register. */
static void fill(const bx_tabled_event *e, const bx_tabled_words *words, unsigned levels,
                 struct perf_event_attr *attr)
{
    attr->type = e->pmu->core ? (uint32_t)PERF_TYPE_RAW : e->event->modifiers;
    attr->config = e->pmu->core ? words->word[0] & ~UINT64_C(0x530000) : words->word[0];
    if (words->n > 1)
        attr->config1 = words->word[1];
    bx_pfmlib_perf_fill_terms(&e->perf, bx_tabled_has(e->pmu, e->event), levels, attr);
}

static int encode_perf(const char *text, unsigned plm, int os, bx_pfmlib_perf_arg *arg)
{
    bx_tabled_event e;
    bx_tabled_words words;
    bx_buf string = {0};
    unsigned levels = 0;
    if (!bx_pfmlib_sized(arg, arg->size, sizeof *arg) || !arg->attr)
        return BX_PFM_INVAL;
    int code = read_string(text, os, &e);
    if (!code)
        code = bx_tabled_encode(&e, os, plm, &words, &string);
    if (!code)
        code = bx_pfmlib_perf_check(&e.perf);
    if (!code) {
        levels = bx_pfmlib_perf_levels(&e.perf, plm);
        bx_pfmlib_perf_spell_terms(&e.perf, bx_tabled_has(e.pmu, e.event), os, levels, &string);
        code = string.failed ? BX_PFM_NOMEM : bx_pfmlib_hand_out_text(arg->fstr, string.p);
    }
    bx_buf_free(&string);
    if (code)
        return code;
    fill(&e, &words, levels, arg->attr);
    arg->idx = bx_tabled_idx(e.pmu, e.event);
    arg->cpu = e.perf.given >> BX_PFMLIB_PERF_CPU & 1 ? (int)e.perf.value[BX_PFMLIB_PERF_CPU] : -1;
    return BX_PFM_SUCCESS;
}

static int encode(const char *text, int plm, int os, void *arg)
{
    return os == BX_PFMLIB_OS_NONE ? encode_raw(text, (unsigned)plm, arg)
                                   : encode_perf(text, (unsigned)plm, os, arg);
}

static int find(const char *text)
{
    bx_tabled_event e;
    int code = read_string(text, BX_PFMLIB_OS_NONE, &e);
    return code ? code : bx_tabled_idx(e.pmu, e.event);
}

/* ---- descriptions ---- */

static bool is_present(const bx_tabled_pmu *p)
{
    unsigned i = 0;
    while (bx_tabled_pmus[i] != p)
        i++;
    return pmus.present >> i & 1;
}

static const bx_tabled_row *event_of(int idx, const bx_tabled_pmu **p)
{
    *p = bx_tabled_by_id(idx >> BX_PFMLIB_EVENT_BITS);
    unsigned local = (unsigned)idx & ((1u << BX_PFMLIB_EVENT_BITS) - 1);
    return *p ? bx_tabled_nth(*p, local) : NULL;
}

static int count_events(const bx_tabled_pmu *p)
{
    int n = 0;
    for (const bx_tabled_row *e = p->rows; e; e = bx_tabled_next(p, e))
        n++;
    return n;
}

static int describe_pmu(int id, bx_pfmlib_pmu_info *info)
{
    const bx_tabled_pmu *p = bx_tabled_by_id(id);
    if (!p)
        return BX_PFMLIB_NOTSUPP;
    if (!bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    *info = (bx_pfmlib_pmu_info){.name = p->name,
                                 .desc = p->title,
                                 .size = sizeof *info,
                                 .pmu = id,
                                 .type = p->core ? BX_PFMLIB_TYPE_CORE : TYPE_OS_GENERIC,
                                 .nevents = count_events(p),
                                 .first_event = id << BX_PFMLIB_EVENT_BITS,
                                 .max_encoding = p->words,
                                 .num_cntrs = p->counters,
                                 .num_fixed_cntrs = p->fixed,
                                 .is_present = is_present(p)};
    return BX_PFM_SUCCESS;
}

static int validate(int id, FILE *to)
{
    (void)to;
    return bx_tabled_by_id(id) ? BX_PFM_SUCCESS : BX_PFM_INVAL;
}

static int next_event(int idx)
{
    const bx_tabled_pmu *p;
    const bx_tabled_row *event = event_of(idx, &p), *next = event ? bx_tabled_next(p, event) : NULL;
    return next ? bx_tabled_idx(p, next) : -1;
}

/* What the catalogue says of an event of a core, or of its unit mask; else its name. */
static const char *title_of(const bx_tabled_pmu *p, const char *event, const char *mask)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    uint16_t pmu = p->core ? bx_cat_find_pmu(c, bx_str_of(p->core)) : BX_NONE;
    uint16_t at = pmu == BX_NONE ? BX_NONE : bx_cat_find_event(c, pmu, bx_str_of(event));
    uint16_t umask = at == BX_NONE || !mask ? BX_NONE : bx_cat_find_umask(c, at, bx_str_of(mask));
    if (mask)
        return umask == BX_NONE ? mask : bx_cat_z(c, bx_cat_umasks(c)[umask].title);
    return at == BX_NONE ? event : bx_cat_z(c, bx_cat_events(c)[at].title);
}

/* Passes over the attributes of an event. Returns their number, and describes the one of that
 * index. `has`: of the event that is meant. */
static int attributes(const bx_tabled_pmu *p, const bx_tabled_row *event, unsigned has, int os,
                      int index, bx_pfmlib_attr_info *info)
{
    int n = 0;
    const bx_tabled_row *m = bx_tabled_masks(p, event);
    for (; m; m = bx_tabled_next_mask(p, m))
        if (n++ == index)
            *info = (bx_pfmlib_attr_info){
                .name = m->name,
                .desc = title_of(p, event->name, m->name),
                .equiv = m->equals,
                .code = !p->core || m->flags & RECODES ? m->code : m->code >> 8,
                .type = BX_PFMLIB_ATTR_UMASK,
                .ctrl = BX_PFMLIB_CTRL_PMU,
                .is_dfl = p->core && m->flags & PRESET,
                .is_precise = !!(m->flags & PRECISE),
                .support_hw_smpl = !!(m->flags & PRECISE),
            };
    for (unsigned i = 0; p->core && i < BX_TABLED_MODIFIERS; i++) {
        bool of_perf = os != BX_PFMLIB_OS_NONE && LEVELS >> i & 1;
        if (event->modifiers >> i & 1 && !of_perf && n++ == index)
            *info = (bx_pfmlib_attr_info){
                .name = bx_tabled_modifiers[i],
                .desc = bx_tabled_modifier_titles[i],
                .code = i,
                .type = bx_tabled_is_flag(i) ? BX_PFMLIB_ATTR_BOOL : BX_PFMLIB_ATTR_INTEGER,
                .ctrl = BX_PFMLIB_CTRL_PMU,
            };
    }
    for (unsigned i = 0; i < BX_PFMLIB_PERF_N; i++) {
        const bx_pfmlib_perf_term *t = bx_pfmlib_perf_offers(has, os, i);
        if (t && n++ == index)
            *info = bx_pfmlib_perf_described(t);
    }
    return n;
}

/* The event itself: of another name, that which it stands for. */
static const bx_tabled_row *meaning(const bx_tabled_pmu *p, const bx_tabled_row *event)
{
    bx_str name = bx_str_of(event->equals);
    return event->kind == ALIAS ? bx_tabled_named(p, bx_str_cut(&name, ':')) : event;
}

static int describe_event(int idx, int os, bx_pfmlib_event_info *info)
{
    const bx_tabled_pmu *p;
    const bx_tabled_row *event = event_of(idx, &p);
    if (!event || os < 0 || os >= BX_PFMLIB_OS_MAX || !info ||
        !bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    const bx_tabled_row *meant = meaning(p, event);
    *info = (bx_pfmlib_event_info){
        .name = event->name,
        .desc = title_of(p, event->name, NULL),
        .equiv = event->equals,
        .size = sizeof *info,
        .code = meant->code,
        .pmu = p->id,
        .dtype = BX_PFMLIB_DTYPE_UINT64,
        .idx = idx,
        .nattrs = attributes(p, event, bx_tabled_has(p, meant), os, -1, NULL),
        .is_precise = !!(event->flags & PRECISE),
        .support_hw_smpl = !!(event->flags & PRECISE),
    };
    return BX_PFM_SUCCESS;
}

static int describe_attribute(int idx, int attr, int os, bx_pfmlib_attr_info *info)
{
    const bx_tabled_pmu *p;
    const bx_tabled_row *event = event_of(idx, &p);
    bx_pfmlib_attr_info own = {0};
    if (!event || os < 0 || os >= BX_PFMLIB_OS_MAX || attr < 0 || !info ||
        !bx_pfmlib_sized(info, info->size, sizeof *info) ||
        attr >= attributes(p, event, bx_tabled_has(p, meaning(p, event)), os, attr, &own))
        return BX_PFM_INVAL;
    own.size = sizeof own;
    own.idx = attr;
    *info = own;
    return BX_PFM_SUCCESS;
}

const bx_pfmlib_installed bx_pfmlib_tabled = {
    .initialize = start,
    .terminate = end,
    .get_pmu_info = describe_pmu,
    .pmu_validate = validate,
    .get_event_next = next_event,
    .get_event_info = describe_event,
    .get_event_attr_info = describe_attribute,
    .find_event = find,
    .get_os_event_encoding = encode,
};
