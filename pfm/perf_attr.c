/* Parses perf's attributes, and translates a selection to struct perf_event_attr. */
#include "pfm/perf_attr.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static bool has(const bx_pfmlib_perf *perf, unsigned term)
{
    return perf->given >> term & 1;
}

/* ---- reading ---- */

static int read_value(const bx_pfmlib_perf_term *term, bx_str text, uint64_t *value)
{
    if (!term->flag)
        return text.n && bx_str_u64(text, value) ? BX_PFM_SUCCESS : BX_PFM_ATTR_VAL;
    *value = 1;
    if (!text.p)
        return BX_PFM_SUCCESS;
    if (text.n != 1 || !strchr("1yYtT0nNfF", *text.p))
        return BX_PFM_ATTR_VAL;
    *value = strchr("1yYtT", *text.p) != NULL;
    return BX_PFM_SUCCESS;
}

static int give(bx_pfmlib_perf *perf, const bx_pfmlib_perf_term *t, unsigned term, bx_str text)
{
    uint64_t value;
    int code = read_value(t, text, &value);
    if (code != BX_PFM_SUCCESS)
        return code;
    if (has(perf, term) && perf->value[term] != value)
        return BX_PFM_ATTR_SET;
    perf->given |= 1U << term;
    perf->value[term] = value;
    return BX_PFM_SUCCESS;
}

/* Returns the term with this name; BX_PFMLIB_PERF_N: the name is an attribute of the PMU. */
static unsigned find_term(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os, bx_str name)
{
    unsigned i = 0;
    for (; i < BX_PFMLIB_PERF_N; i++) {
        const bx_pfmlib_perf_term *t = bx_pfmlib_perf_offers(s, p, os, i);
        if (t && bx_str_eq_fold(bx_str_of(t->name), name))
            break;
    }
    return i;
}

static size_t end_of_part(bx_str text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] != ':' && text.p[n] != '.')
        n++;
    return n;
}

int bx_pfmlib_perf_split(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os, bx_str text,
                         bx_buf *rest, bx_pfmlib_perf *perf)
{
    *perf = (bx_pfmlib_perf){0};
    for (bool first = true;; first = false) {
        bx_str part = bx_str_sub(text, 0, end_of_part(text)), value = part;
        bx_str name = bx_str_cut(&value, '=');
        unsigned term = first ? BX_PFMLIB_PERF_N : find_term(s, p, os, name);
        if (term == BX_PFMLIB_PERF_N) {
            bx_buf_z(rest, first ? "" : ":");
            bx_buf_str(rest, part);
        } else {
            int code = give(perf, bx_pfmlib_perf_offers(s, p, os, term), term, value);
            if (code != BX_PFM_SUCCESS)
                return code;
        }
        if (part.n == text.n)
            break;
        text = bx_str_sub(text, part.n + 1, text.n);
    }
    /* A sampling period and a frequency exclude each other. */
    if (has(perf, BX_PFMLIB_PERF_PERIOD) && has(perf, BX_PFMLIB_PERF_FREQ))
        return BX_PFM_ATTR_VAL;
    return rest->failed ? BX_PFM_NOMEM : BX_PFM_SUCCESS;
}

unsigned bx_pfmlib_perf_levels(const bx_pfmlib_perf *perf, unsigned plm)
{
    if (!has(perf, BX_PFMLIB_PERF_U) && !has(perf, BX_PFMLIB_PERF_K))
        return plm;
    return (perf->value[BX_PFMLIB_PERF_U] ? BX_PFM_PLM3 : 0) |
           (perf->value[BX_PFMLIB_PERF_K] ? BX_PFM_PLM0 : 0);
}

/* ---- the kernel's PMU ---- */

int bx_pfmlib_perf_type(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const char *root,
                        uint32_t *type)
{
    if (!bx_pfmlib_uncore(s, p)) {
        *type = PERF_TYPE_RAW;
        return BX_PFM_SUCCESS;
    }
    char name[64], path[512];
    bx_cat_expand(name, sizeof name, bx_cat_z(s->catalog, bx_pfmlib_facts(s, p)->kernel),
                  p->unit < 0 ? 0 : (unsigned)p->unit, 0);
    int n = snprintf(path, sizeof path, "%s/sys/bus/event_source/devices/%s/type", root, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return BX_PFMLIB_NOTSUPP;
    FILE *f = fopen(path, "re");
    if (!f)
        return errno == ENOMEM ? BX_PFM_NOMEM : BX_PFMLIB_NOTSUPP;
    bool read = fscanf(f, "%u", type) == 1;
    fclose(f);
    return read ? BX_PFM_SUCCESS : BX_PFMLIB_NOTSUPP;
}

/* ---- filling in ---- */

/* The bits of a control register that select and refine an event. perf itself sets levels, enables
 * and interrupts. */
static uint64_t raw_bits(const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    const bx_cat_field *fields = bx_cat_fields(c);
    uint64_t mask = bx_cat_field_mask(&fields[pmu->select_event]) |
                    bx_cat_field_mask(&fields[pmu->select_umask]);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        if (m->reg == BX_NONE && !(m->flags & BX_MODIFIER_LEVEL))
            mask |= bx_cat_field_mask(&fields[m->field]);
    }
    return mask;
}

/* libpfm4 takes mg=0 and mh=0 for mg and mh. */
static bool guests(const bx_pfmlib_perf *perf)
{
    return has(perf, BX_PFMLIB_PERF_MG);
}

/* Whether to count on the host: yes, unless only guests are requested. */
static bool host(const bx_pfmlib_perf *perf)
{
    return has(perf, BX_PFMLIB_PERF_MH) || !guests(perf);
}

void bx_pfmlib_perf_fill(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const bx_pfm_code *code,
                         const bx_pfmlib_perf *perf, unsigned levels, uint32_t type,
                         struct perf_event_attr *attr)
{
    bool core = !bx_pfmlib_uncore(s, p);
    attr->type = type;
    attr->config = code->word[0] & raw_bits(s->catalog, bx_pfmlib_facts(s, p));
    /* Linux, uncore_snbep.c: filter_* are config1, FILTER1's above FILTER0's */
    if (code->words > 1)
        attr->config1 = code->word[1] | (code->words > 2 ? code->word[2] << 32 : 0);
    /* The kernel refuses to exclude anything on a PMU outside the cores. */
    attr->exclude_user = core && !(levels & BX_PFM_PLM3);
    attr->exclude_kernel = core && !(levels & BX_PFM_PLM0);
    attr->exclude_hv = 0;
    attr->exclude_guest = core && !guests(perf);
    attr->exclude_host = core && !host(perf);
    if (has(perf, BX_PFMLIB_PERF_PERIOD))
        attr->sample_period = perf->value[BX_PFMLIB_PERF_PERIOD];
    if (has(perf, BX_PFMLIB_PERF_FREQ)) {
        attr->sample_freq = perf->value[BX_PFMLIB_PERF_FREQ];
        attr->freq = 1;
    }
    if (has(perf, BX_PFMLIB_PERF_EXCL))
        attr->exclusive = perf->value[BX_PFMLIB_PERF_EXCL] & 1;
    if (has(perf, BX_PFMLIB_PERF_PINNED))
        attr->pinned = perf->value[BX_PFMLIB_PERF_PINNED] & 1;
}

/* ---- spelling ---- */

/* Whether ":name=value" is a privilege level of the PMU. */
static bool is_level(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, bx_str part)
{
    bx_str value = part, name = bx_str_cut(&value, '=');
    uint16_t m = value.p ? bx_cat_find_modifier(s->catalog, p->pmu, name) : BX_NONE;
    return m != BX_NONE && bx_cat_modifiers(s->catalog)[m].flags & BX_MODIFIER_LEVEL;
}

/* Sets the value of the term in the string. false: the term is left out. */
static bool spelled(const bx_pfmlib_perf *perf, unsigned term, unsigned levels, uint64_t *value)
{
    *value = perf->value[term];
    switch (term) {
    case BX_PFMLIB_PERF_U:
        *value = !!(levels & BX_PFM_PLM3);
        return true;
    case BX_PFMLIB_PERF_K:
        *value = !!(levels & BX_PFM_PLM0);
        return true;
    case BX_PFMLIB_PERF_MH:
        *value = host(perf);
        return true;
    case BX_PFMLIB_PERF_MG:
        *value = guests(perf);
        return true;
    case BX_PFMLIB_PERF_EXCL:
        return true;
    case BX_PFMLIB_PERF_CPU:
    case BX_PFMLIB_PERF_PINNED: /* libpfm4 does not print them */
        return false;
    default:
        return has(perf, term);
    }
}

void bx_pfmlib_perf_spell(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os,
                          const bx_pfm_code *code, const bx_pfmlib_perf *perf, unsigned levels,
                          bx_buf *to)
{
    bx_str rest = bx_str_of(code->fstr);
    for (bool first = true; rest.p; first = false) {
        bx_str part = bx_str_cut(&rest, ':');
        if (is_level(s, p, part))
            continue;
        bx_buf_z(to, first ? "" : ":");
        bx_buf_str(to, part);
    }
    for (unsigned i = 0; i < BX_PFMLIB_PERF_N; i++) {
        const bx_pfmlib_perf_term *t = bx_pfmlib_perf_offers(s, p, os, i);
        uint64_t value;
        if (t && spelled(perf, i, levels, &value))
            bx_buf_f(to, ":%s=%llu", t->name, (unsigned long long)value);
    }
}
