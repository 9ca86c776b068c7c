#include "pfm/perf_terms.h"

#include <linux/perf_event.h>
#include <string.h>

enum { PLM_HYPERVISOR = 0x10 };

#define LEVELS BX_PFMLIB_HAS_LEVELS

static const bx_pfmlib_perf_term terms[BX_PFMLIB_PERF_N] = {
    [BX_PFMLIB_PERF_U] = {"u", "count at user level", 0, LEVELS, true, false, 0, 1},
    [BX_PFMLIB_PERF_K] = {"k", "count in the kernel", 1, LEVELS, true, false, 0, 1},
    [BX_PFMLIB_PERF_H] = {"h", "count in the hypervisor", 2, BX_PFMLIB_TAKES_H, true, false, 0, 1},
    [BX_PFMLIB_PERF_PERIOD] = {"period", "events between samples", 3, 0, false, true, 1,
                               UINT64_MAX},
    [BX_PFMLIB_PERF_FREQ] = {"freq", "samples per second", 4, 0, false, true, 1, UINT64_MAX},
    [BX_PFMLIB_PERF_PRECISE] = {"precise", "how near a sample is to its instruction", 5,
                                BX_PFMLIB_HAS_PRECISE, false, true, 0, 3},
    [BX_PFMLIB_PERF_EXCL] = {"excl", "nothing else on the PMU", 6, 0, true, true, 0, 1},
    [BX_PFMLIB_PERF_MG] = {"mg", "count in guests", 7, LEVELS, true, false, 0, 1},
    [BX_PFMLIB_PERF_MH] = {"mh", "count in the host", 8, LEVELS, true, false, 0, 1},
    [BX_PFMLIB_PERF_CPU] = {"cpu", "CPU to count on", 9, 0, false, true, 0, INT32_MAX - 1},
    [BX_PFMLIB_PERF_PINNED] = {"pinned", "always on a counter", 10, 0, true, true, 0, 1},
    [BX_PFMLIB_PERF_HW_SMPL] = {"hw_smpl", "samples that the hardware writes", 11,
                                BX_PFMLIB_HAS_HW_SMPL, true, true, 0, 1},
};

static bool is_given(const bx_pfmlib_perf *perf, unsigned term)
{
    return perf->given >> term & 1;
}

const bx_pfmlib_perf_term *bx_pfmlib_perf_offers(unsigned has, int os, unsigned term)
{
    const bx_pfmlib_perf_term *t = &terms[term];
    if (os == BX_PFMLIB_OS_NONE || (t->extended && os != BX_PFMLIB_OS_PERF_EXT) || t->has & ~has)
        return NULL;
    return t;
}

bx_pfmlib_attr_info bx_pfmlib_perf_described(const bx_pfmlib_perf_term *term)
{
    return (bx_pfmlib_attr_info){.name = term->name,
                                 .desc = term->title,
                                 .code = term->code,
                                 .type = term->flag ? BX_PFMLIB_ATTR_BOOL : BX_PFMLIB_ATTR_INTEGER,
                                 .ctrl = BX_PFMLIB_CTRL_PERF};
}

/* ---- reading ---- */

bool bx_pfmlib_flag(bx_str text, uint64_t *value)
{
    *value = 1;
    if (!text.p)
        return true;
    if (text.n != 1 || !strchr("1yYtT0nNfF", *text.p))
        return false;
    *value = strchr("1yYtT", *text.p) != NULL;
    return true;
}

static bool read_term_value(const bx_pfmlib_perf_term *term, bx_str text, uint64_t *value)
{
    if (term->flag)
        return bx_pfmlib_flag(text, value);
    return text.n && bx_pfm_number(text, value);
}

int bx_pfmlib_perf_give(bx_pfmlib_perf *perf, unsigned has, int os, bx_str name, bx_str text)
{
    const bx_pfmlib_perf_term *t = NULL;
    unsigned term = 0;
    uint64_t value;
    for (; term < BX_PFMLIB_PERF_N; term++) {
        t = bx_pfmlib_perf_offers(has, os, term);
        if (t && bx_str_eq_fold(bx_str_of(t->name), name))
            break;
    }
    if (term == BX_PFMLIB_PERF_N)
        return BX_PFM_ATTR;
    if (!read_term_value(t, text, &value))
        return BX_PFM_ATTR_VAL;
    if (is_given(perf, term) && perf->value[term] != value)
        return BX_PFM_ATTR_SET;
    perf->given |= 1U << term;
    perf->value[term] = value;
    return BX_PFM_SUCCESS;
}

int bx_pfmlib_perf_check(const bx_pfmlib_perf *perf)
{
    for (unsigned i = 0; i < BX_PFMLIB_PERF_N; i++)
        if (is_given(perf, i) &&
            (perf->value[i] < terms[i].least || perf->value[i] > terms[i].most))
            return BX_PFM_ATTR_VAL;
    bool both = is_given(perf, BX_PFMLIB_PERF_PERIOD) && is_given(perf, BX_PFMLIB_PERF_FREQ);
    return both ? BX_PFM_ATTR_VAL : BX_PFM_SUCCESS;
}

unsigned bx_pfmlib_perf_levels(const bx_pfmlib_perf *perf, unsigned plm)
{
    if (!is_given(perf, BX_PFMLIB_PERF_U) && !is_given(perf, BX_PFMLIB_PERF_K) &&
        !is_given(perf, BX_PFMLIB_PERF_H))
        return plm;
    return (perf->value[BX_PFMLIB_PERF_U] ? BX_PFM_PLM3 : 0) |
           (perf->value[BX_PFMLIB_PERF_K] ? BX_PFM_PLM0 : 0) |
           (perf->value[BX_PFMLIB_PERF_H] ? PLM_HYPERVISOR : 0);
}

/* ---- filling in ---- */

/* libpfm4 takes mg=0 and mh=0 for mg and mh. */
static bool guests(const bx_pfmlib_perf *perf)
{
    return is_given(perf, BX_PFMLIB_PERF_MG);
}

/* Whether to count on the host: yes, unless only guests are requested. */
static bool host(const bx_pfmlib_perf *perf)
{
    return is_given(perf, BX_PFMLIB_PERF_MH) || !guests(perf);
}

void bx_pfmlib_perf_fill_terms(const bx_pfmlib_perf *perf, unsigned has, unsigned levels,
                               struct perf_event_attr *attr)
{
    bool privileged = has & BX_PFMLIB_HAS_LEVELS;
    /* The kernel refuses to exclude anything on a PMU outside the cores. */
    attr->exclude_user = privileged && !(levels & BX_PFM_PLM3);
    attr->exclude_kernel = privileged && !(levels & BX_PFM_PLM0);
    attr->exclude_hv = has & BX_PFMLIB_HAS_HYPERVISOR && !(levels & PLM_HYPERVISOR);
    attr->exclude_guest = privileged && !guests(perf);
    attr->exclude_host = privileged && !host(perf);
    if (is_given(perf, BX_PFMLIB_PERF_PERIOD))
        attr->sample_period = perf->value[BX_PFMLIB_PERF_PERIOD];
    if (is_given(perf, BX_PFMLIB_PERF_FREQ)) {
        attr->sample_freq = perf->value[BX_PFMLIB_PERF_FREQ];
        attr->freq = 1;
    }
    if (is_given(perf, BX_PFMLIB_PERF_PRECISE))
        attr->precise_ip = perf->value[BX_PFMLIB_PERF_PRECISE] & 3;
    if (is_given(perf, BX_PFMLIB_PERF_HW_SMPL))
        attr->precise_ip = perf->value[BX_PFMLIB_PERF_HW_SMPL] & 3;
    if (is_given(perf, BX_PFMLIB_PERF_EXCL))
        attr->exclusive = perf->value[BX_PFMLIB_PERF_EXCL] & 1;
    if (is_given(perf, BX_PFMLIB_PERF_PINNED))
        attr->pinned = perf->value[BX_PFMLIB_PERF_PINNED] & 1;
}

/* ---- spelling ---- */

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
    case BX_PFMLIB_PERF_H:
        *value = !!(levels & PLM_HYPERVISOR);
        return true;
    case BX_PFMLIB_PERF_MH:
        *value = host(perf);
        return true;
    case BX_PFMLIB_PERF_MG:
        *value = guests(perf);
        return true;
    case BX_PFMLIB_PERF_PRECISE:
    case BX_PFMLIB_PERF_HW_SMPL:
    case BX_PFMLIB_PERF_EXCL:
        return true;
    case BX_PFMLIB_PERF_CPU:
    case BX_PFMLIB_PERF_PINNED: /* libpfm4 does not print them */
        return false;
    default:
        return is_given(perf, term);
    }
}

void bx_pfmlib_perf_spell_terms(const bx_pfmlib_perf *perf, unsigned has, int os, unsigned levels,
                                bx_buf *to)
{
    for (unsigned i = 0; i < BX_PFMLIB_PERF_N; i++) {
        const bx_pfmlib_perf_term *t = bx_pfmlib_perf_offers(has, os, i);
        uint64_t value;
        if (t && spelled(perf, i, levels, &value))
            bx_buf_f(to, ":%s=%llu", t->name, (unsigned long long)value);
    }
}
