/* Parses perf's attributes, and translates a selection to struct perf_event_attr. */
#include "pfm/perf_attr.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

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
        int code =
            first ? BX_PFM_ATTR : bx_pfmlib_perf_give(perf, bx_pfmlib_has(s, p), os, name, value);
        if (code == BX_PFM_ATTR) {
            bx_buf_z(rest, first ? "" : ":");
            bx_buf_str(rest, part);
        } else if (code != BX_PFM_SUCCESS) {
            return code;
        }
        if (part.n == text.n)
            break;
        text = bx_str_sub(text, part.n + 1, text.n);
    }
    return rest->failed ? BX_PFM_NOMEM : bx_pfmlib_perf_check(perf);
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

void bx_pfmlib_perf_fill(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const bx_pfm_code *code,
                         const bx_pfmlib_perf *perf, unsigned levels, uint32_t type,
                         struct perf_event_attr *attr)
{
    attr->type = type;
    attr->config = code->word[0] & raw_bits(s->catalog, bx_pfmlib_facts(s, p));
    /* Linux, uncore_snbep.c: filter_* are config1, FILTER1's above FILTER0's */
    if (code->words > 1)
        attr->config1 = code->word[1] | (code->words > 2 ? code->word[2] << 32 : 0);
    bx_pfmlib_perf_fill_terms(perf, bx_pfmlib_has(s, p), levels, attr);
}

/* ---- spelling ---- */

/* Whether ":name=value" is a privilege level of the PMU. */
static bool is_level(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, bx_str part)
{
    bx_str value = part, name = bx_str_cut(&value, '=');
    uint16_t m = value.p ? bx_cat_find_modifier(s->catalog, p->pmu, name) : BX_NONE;
    return m != BX_NONE && bx_cat_modifiers(s->catalog)[m].flags & BX_MODIFIER_LEVEL;
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
    bx_pfmlib_perf_spell_terms(perf, bx_pfmlib_has(s, p), os, levels, to);
}
