/* Finds the event that words of perf_event_attr select, by the kernel's own format files. */
#include "host/perf/decode_words.h"

#include "base/buf.h"
#include "event/event.h"
#include "event/foreign_names.h"
#include "host/perf/stand_ins.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool bx_perf_words_read(bx_str text, bx_str *pmu, uint64_t words[BX_PERF_WORDS])
{
    bx_str rest = bx_str_trim(text);
    *pmu = bx_str_cut(&rest, '/');
    if (!rest.p || !pmu->n)
        return false;
    bx_str terms = bx_str_cut(&rest, '/');
    if (!rest.p || rest.n || !terms.n)
        return false;
    memset(words, 0, BX_PERF_WORDS * sizeof *words);
    while (terms.p) {
        bx_str value = bx_str_cut(&terms, ',');
        bx_str key = bx_str_cut(&value, '=');
        uint8_t word;
        if (!bx_perf_word_named(key, &word) || !value.p || !bx_str_u64(value, &words[word]))
            return false;
    }
    return true;
}

/* ---- imported events ---- */

static uint64_t extract(uint64_t word, uint64_t mask)
{
    uint64_t value = 0;
    for (unsigned at = 0; mask; mask &= mask - 1, at++)
        if (word & mask & -mask)
            value |= UINT64_C(1) << at;
    return value;
}

static bool terms_give(const bx_perf_pmu *of, bx_str terms, bx_perf_config *to)
{
    const bx_perf_named *by = NULL;
    bx_str name = {0};
    *to = (bx_perf_config){0};
    return bx_perf_terms(of, terms, terms, to, &by, &name, NULL) == BX_OK;
}

static const bx_perf_format *format_for(const bx_perf_pmu *of, bx_str term)
{
    uint64_t any = 0;
    const bx_perf_format *f = bx_perf_format_named(of, term);
    return f ? f : bx_perf_term_instead(of, term, &any);
}

/* Writes the event with the modifiers that explain the bits that its own terms lack. Returns how
 * many bits they are; -1: some cannot be explained. */
static int explain_rest(const struct bx_catalog *c, const bx_perf_pmu *of, uint16_t event,
                        const bx_perf_config *own, const uint64_t words[BX_PERF_WORDS],
                        bx_buf *text)
{
    const bx_cat_event *row = &bx_cat_events(c)[event];
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[row->pmu];
    uint64_t left[BX_PERF_WORDS];
    int bits = 0;
    for (size_t i = 0; i < BX_PERF_WORDS; i++) {
        left[i] = words[i] & ~own->word[i];
        if (own->word[i] & ~words[i])
            return -1;
        bits += __builtin_popcountll(left[i]);
    }
    text->n = 0;
    bx_buf_f(text, "%s::%s", bx_cat_z(c, pmu->name), bx_cat_z(c, row->name));
    for (unsigned i = 0; i < pmu->modifiers.n && bits; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        const bx_perf_format *f = format_for(of, bx_cat_str(c, m->kernel));
        if (!f || !(left[f->word] & f->mask) || own->word[f->word] & f->mask)
            continue;
        bx_buf_f(text, ":%s=0x%" PRIx64, bx_cat_z(c, m->name), extract(left[f->word], f->mask));
        left[f->word] &= ~f->mask;
    }
    return left[0] | left[1] | left[2] ? -1 : bits;
}

typedef struct best {
    int bits; /* that modifiers explain; the fewer, the better. -1: no event was found */
    bx_evsel event;
} best;

static void look_among(const struct bx_catalog *c, int cpu, const bx_perf_pmu *of,
                       const bx_cat_pmu *pmu, const uint64_t words[BX_PERF_WORDS], bx_buf *text,
                       best *to)
{
    for (unsigned i = pmu->events.first;
         i < (unsigned)pmu->events.first + pmu->events.n && to->bits != 0; i++) {
        bx_perf_config own;
        bx_evsel event;
        const bx_cat_event *row = &bx_cat_events(c)[i];
        if (!(row->flags & BX_EVENT_TERMS) || !row->kernel ||
            !terms_give(of, bx_cat_str(c, row->kernel), &own))
            continue;
        int bits = explain_rest(c, of, (uint16_t)i, &own, words, text);
        if (bits < 0 || (to->bits >= 0 && bits >= to->bits) || text->failed ||
            bx_event_parse(c, cpu, text->p, text->n, &event, NULL) != BX_OK)
            continue;
        to->bits = bits;
        to->event = event;
    }
}

/* ---- built-in events ---- */

static bool gives_words(const bx_perf_pmu *of, const struct bx_catalog *c, const bx_evsel *event,
                        const uint64_t words[BX_PERF_WORDS])
{
    bx_perf_config own;
    char *perf = bx_event_text(c, event, bx_event_format_perf);
    bx_str rest = bx_str_of(perf);
    bx_str_cut(&rest, '/');
    bool same = rest.p && terms_give(of, bx_str_cut(&rest, '/'), &own) &&
                memcmp(own.word, words, sizeof own.word) == 0;
    free(perf);
    return same;
}

/* Terms of different formats may have bits in common: `skip` leaves out the first formats of
 * config1 that could have its bits. */
static bool write_terms(const bx_perf_pmu *of, bx_str pmu, const uint64_t words[BX_PERF_WORDS],
                        unsigned skip, bx_buf *text)
{
    uint64_t left[BX_PERF_WORDS];
    memcpy(left, words, sizeof left);
    text->n = 0;
    bx_buf_f(text, "%.*s/", (int)pmu.n, pmu.p);
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < of->formats_n; i++) {
            const bx_perf_format *f = &of->formats[i];
            bool whole = f->word == 0 || !(left[f->word] & ~f->mask);
            bool event = bx_str_eq(bx_str_of(f->name), BX_STR("event"));
            if (event == (pass > 0) || (!event && !(left[f->word] & f->mask)) || !whole)
                continue;
            if (f->word && skip) {
                skip--;
                continue;
            }
            bx_buf_f(text, "%s%s=0x%" PRIx64, text->p[text->n - 1] == '/' ? "" : ",", f->name,
                     extract(left[f->word], f->mask));
            left[f->word] &= ~f->mask;
        }
    bx_buf_z(text, "/");
    return !text->failed && !(left[0] | left[1] | left[2]);
}

static void look_built_in(const struct bx_catalog *c, int cpu, const bx_perf_pmu *of, bx_str pmu,
                          const uint64_t words[BX_PERF_WORDS], bx_buf *text, best *to)
{
    for (unsigned skip = 0; skip < 6 && to->bits < 0; skip++) {
        bx_evsel event;
        if (write_terms(of, pmu, words, skip, text) &&
            bx_event_parse(c, cpu, text->p, text->n, &event, NULL) == BX_OK &&
            event.event != BX_RAW && gives_words(of, c, &event, words)) {
            to->bits = 0;
            to->event = event;
        }
    }
    /* Events whose codes differ in the kernel, such as those of fixed counters. */
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = pmus.first; i < (unsigned)pmus.first + pmus.n && to->bits < 0; i++) {
        int32_t unit;
        bx_span events = bx_cat_pmus(c)[i].events;
        for (unsigned k = 0; k < events.n && to->bits < 0; k++) {
            bx_kernel_event special;
            bx_evsel event;
            const bx_cat_event *row = &bx_cat_events(c)[events.first + k];
            if (!bx_kernel_special(c, row, &special) || !bx_kernel_pmu(c, (uint16_t)i, pmu, &unit))
                continue;
            text->n = 0;
            bx_buf_f(text, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[i].name), bx_cat_z(c, row->name));
            if (!text->failed && bx_event_parse(c, cpu, text->p, text->n, &event, NULL) == BX_OK &&
                gives_words(of, c, &event, words)) {
                to->bits = 0;
                to->event = event;
            }
        }
    }
}

/* ---- a PMU by its name ---- */

/* "uncore_cha_3" is one of "uncore_cha_{unit}"; "uncore_type_5" may be "uncore_ubox". */
static bool counts(bx_perf *p, const struct bx_catalog *c, uint16_t pmu, const bx_perf_pmu *of)
{
    char text[96];
    bx_str stem = bx_kernel_stem(bx_cat_str(c, bx_cat_pmus(c)[pmu].kernel));
    bx_perf_event event;
    bool known;
    int32_t unit;
    if (bx_kernel_pmu(c, pmu, bx_str_of(of->name), &unit))
        return true;
    size_t n = stem.n < sizeof text - 20 ? stem.n : 0;
    memcpy(text, stem.p, n);
    memcpy(text + n, "/config=0/", sizeof "/config=0/");
    if (!n || bx_perf_parse(p, bx_str_of(text), &event, &known, NULL) != BX_OK)
        return false;
    for (size_t i = 0; i < event.n; i++)
        if (event.sources[i].pmu == of)
            return true;
    return false;
}

/* The kernel's PMU; the catalogue's name means the first that it has of it. */
static const bx_perf_pmu *find_pmu(bx_perf *p, const struct bx_catalog *c, bx_str pmu, bx_error *e)
{
    bx_perf_event event;
    bx_buf any = {0};
    bool known;
    bx_str kernel = pmu;
    uint16_t own = bx_cat_find_pmu(c, pmu);
    if (own != BX_NONE)
        kernel = bx_cat_str(c, bx_cat_pmus(c)[own].kernel);
    kernel = bx_kernel_stem(kernel);
    bx_buf_f(&any, "%.*s/config=0/", (int)kernel.n, kernel.p);
    int code = any.failed ? bx_out_of_memory(e)
                          : bx_perf_parse(p, (bx_str){any.p, any.n}, &event, &known, e);
    bx_buf_free(&any);
    return code ? NULL : event.sources[0].pmu;
}

int bx_perf_words_decode(bx_perf *p, const struct bx_catalog *c, int cpu, bx_str pmu,
                         const uint64_t words[BX_PERF_WORDS], bx_evsel *to, bx_error *e)
{
    bx_buf buf = {0};
    best found = {.bits = -1};
    const bx_perf_pmu *of = find_pmu(p, c, pmu, e);
    if (!of)
        return e ? e->code : BX_NOT_FOUND;
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = pmus.first; i < (unsigned)pmus.first + pmus.n && found.bits != 0; i++)
        if (bx_cat_pmus(c)[i].kernel && counts(p, c, (uint16_t)i, of))
            look_among(c, cpu, of, &bx_cat_pmus(c)[i], words, &buf, &found);
    if (found.bits != 0) {
        best own = {.bits = -1};
        look_built_in(c, cpu, of, bx_str_of(of->name), words, &buf, &own);
        found = own.bits == 0 ? own : found;
    }
    bool failed = buf.failed;
    bx_buf_free(&buf);
    if (failed)
        return bx_out_of_memory(e);
    if (found.bits < 0)
        return bx_fail(e, BX_NOT_FOUND, 0, 0,
                       "no event of %s has the bits 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64,
                       of->name, words[0], words[1], words[2]);
    *to = found.event;
    return BX_OK;
}
