/* Turns event strings into code words or a perf_event_attr. The code words come from
 * event/foreign/libpfm.h. */
#include "pfm/calls.h"
#include "pfm/installed.h"
#include "pfm/perf_attr.h"
#include "pfm/results.h"
#include "pfm/sized.h"

#include <string.h>

/* What the caller requests, and for which OS layer. */
typedef struct request {
    int os;
    unsigned plm;
    bool words; /* false: only finds the event */
} request;

/* An event found and encoded. */
typedef struct found {
    const bx_pfmlib_pmu *pmu;
    bx_pfm_code code;
    bx_pfmlib_perf perf;
    unsigned levels;
} found;

/* Encodes "pmu::EVENT:attribute…" with the PMU's own attributes only. */
static int encode_own(const bx_pfmlib_state *s, bx_str text, const request *w, found *f)
{
    bx_error e = {0};
    f->levels = bx_pfmlib_perf_levels(&f->perf, w->plm);
    return w->words ? bx_pfm_encode(s->catalog, -1, text, f->levels, &f->code, &e)
                    : bx_pfm_find(s->catalog, -1, text, &f->code, &e);
}

/* Encodes "EVENT:attribute…" on one PMU. */
static int encode_on(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, bx_str event,
                     const request *w, found *f)
{
    bx_buf text = {0};
    f->pmu = p;
    bx_buf_z(&text, p->name);
    bx_buf_z(&text, "::");
    int code = bx_pfmlib_perf_split(s, p, w->os, event, &text, &f->perf);
    if (code == BX_PFM_SUCCESS)
        code = encode_own(s, (bx_str){text.p, text.n}, w, f);
    bx_buf_free(&text);
    return code;
}

/* Splits "pmu::EVENT". Returns the PMU, empty if there is none; *event is the rest. */
static bx_str cut_pmu(bx_str text, bx_str *event)
{
    for (size_t i = 0; i + 1 < text.n; i++) {
        if (text.p[i] != ':' || text.p[i + 1] != ':')
            continue;
        *event = bx_str_sub(text, i + 2, text.n);
        return bx_str_sub(text, 0, i);
    }
    *event = text;
    return (bx_str){0};
}

/* An event without a PMU belongs to the first active PMU that has it. */
static int encode_anywhere(const bx_pfmlib_state *s, bx_str event, const request *w, found *f)
{
    int code = BX_PFM_NOTFOUND;
    for (unsigned i = 0; i < s->n && code == BX_PFM_NOTFOUND; i++)
        if (s->pmus[i].active)
            code = encode_on(s, &s->pmus[i], event, w, f);
    return code;
}

static int encode(const bx_pfmlib_state *s, const char *z, const request *w, found *f)
{
    bx_str event, text = bx_str_of(z), name = cut_pmu(text, &event);
    if (strpbrk(z, " \t\n,")) /* one event, not a list: so libpfm4 does, unlike its manual page */
        return BX_PFM_INVAL;
    if (!name.p)
        return encode_anywhere(s, event, w, f);
    const bx_pfmlib_pmu *p = bx_pfmlib_by_name(s, name);
    if (!p || !(p->active || s->inactive))
        return BX_PFM_NOTFOUND;
    if (w->os != BX_PFMLIB_OS_NONE)
        return encode_on(s, p, event, w, f);
    f->pmu = p;
    f->perf.given = 0;
    return encode_own(s, text, w, f);
}

/* Who answers for a string that we have answered with `code`. NULL: nobody else. A PMU that we have
 * is ours alone: an event's identifier says only its number within the PMU. */
static const bx_pfmlib_installed *other_for(const bx_pfmlib_state *s, const char *text, int code)
{
    bx_str event, name = cut_pmu(bx_str_of(text), &event);
    bool ours = code != BX_PFM_NOTFOUND || (name.p && bx_pfmlib_by_name(s, name));
    return ours ? NULL : bx_pfmlib_installed_get();
}

static int idx_of(const bx_pfmlib_state *s, const found *f)
{
    return bx_pfmlib_idx(s, f->pmu, f->code.event);
}

int pfm_find_event(const char *text)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    found f;
    if (!s)
        return BX_PFMLIB_NOINIT;
    if (!text)
        return BX_PFM_INVAL;
    int code = encode(s, text, &(request){.os = BX_PFMLIB_OS_NONE}, &f);
    const bx_pfmlib_installed *other = other_for(s, text, code);
    return other ? other->find_event(text) : code == BX_PFM_SUCCESS ? idx_of(s, &f) : code;
}

/* ---- code words ---- */

static int encode_raw(const bx_pfmlib_state *s, const char *text, unsigned plm,
                      bx_pfmlib_raw_arg *arg)
{
    found f;
    if (!bx_pfmlib_sized(arg, arg->size, sizeof *arg))
        return BX_PFM_INVAL;
    int code = encode(s, text, &(request){BX_PFMLIB_OS_NONE, plm, true}, &f);
    if (code == BX_PFM_SUCCESS)
        code = bx_pfmlib_hand_out_words(f.code.word, f.code.words, f.code.fstr, arg);
    if (code == BX_PFM_SUCCESS)
        arg->idx = idx_of(s, &f);
    return code;
}

int pfm_get_event_encoding(const char *text, int plm, char **fstr, int *idx, uint64_t **codes,
                           int *count)
{
    if (!text || !codes || !count || (!*codes) != (*count == 0))
        return BX_PFM_INVAL;
    bx_pfmlib_raw_arg arg = {.codes = *codes, .fstr = fstr, .count = *count};
    int code = pfm_get_os_event_encoding(text, plm, BX_PFMLIB_OS_NONE, &arg);
    if (code != BX_PFM_SUCCESS)
        return code;
    *codes = arg.codes;
    *count = arg.count;
    if (idx)
        *idx = arg.idx;
    return BX_PFM_SUCCESS;
}

/* ---- perf ---- */

static int encode_perf(const bx_pfmlib_state *s, const char *text, unsigned plm, int os,
                       bx_pfmlib_perf_arg *arg)
{
    found f;
    uint32_t type;
    bx_buf fstr = {0};
    if (!bx_pfmlib_sized(arg, arg->size, sizeof *arg) || !arg->attr)
        return BX_PFM_INVAL;
    int code = encode(s, text, &(request){os, plm, true}, &f);
    if (code == BX_PFM_SUCCESS)
        code = bx_pfmlib_perf_type(s, f.pmu, "", &type);
    if (code != BX_PFM_SUCCESS)
        return code;
    bx_pfmlib_perf_spell(s, f.pmu, os, &f.code, &f.perf, f.levels, &fstr);
    code = fstr.failed ? BX_PFM_NOMEM : bx_pfmlib_hand_out_text(arg->fstr, fstr.p);
    bx_buf_free(&fstr);
    if (code != BX_PFM_SUCCESS)
        return code;
    bx_pfmlib_perf_fill(s, f.pmu, &f.code, &f.perf, f.levels, type, arg->attr);
    arg->idx = idx_of(s, &f);
    arg->cpu = f.perf.given >> BX_PFMLIB_PERF_CPU & 1 ? (int)f.perf.value[BX_PFMLIB_PERF_CPU] : -1;
    return BX_PFM_SUCCESS;
}

int pfm_get_os_event_encoding(const char *text, int plm, int os, void *arg)
{
    const bx_pfmlib_state *s = bx_pfmlib_ready();
    if (!s)
        return BX_PFMLIB_NOINIT;
    if (!text || !arg || (plm & ~0x1f))
        return BX_PFM_INVAL;
    int code = BX_PFMLIB_NOTSUPP;
    if (os == BX_PFMLIB_OS_NONE)
        code = encode_raw(s, text, (unsigned)plm, arg);
    else if (os == BX_PFMLIB_OS_PERF || os == BX_PFMLIB_OS_PERF_EXT)
        code = encode_perf(s, text, (unsigned)plm, os, arg);
    const bx_pfmlib_installed *other = other_for(s, text, code);
    return other ? other->get_os_event_encoding(text, plm, os, arg) : code;
}

int pfm_get_perf_event_encoding(const char *text, int plm, struct perf_event_attr *attr,
                                char **fstr, int *idx)
{
    if (!attr)
        return BX_PFM_INVAL;
    bx_pfmlib_perf_arg arg = {.attr = attr, .fstr = fstr};
    int code = pfm_get_os_event_encoding(text, plm, BX_PFMLIB_OS_PERF_EXT, &arg);
    if (code == BX_PFM_SUCCESS && idx)
        *idx = arg.idx;
    return code;
}
