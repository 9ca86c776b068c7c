/* Terms of perf's spelling, put into the config words of an event. */
#include "host/perf/kernel_pmus.h"
#include "host/perf/stand_ins.h"
#include "event/hint.h"

#include <inttypes.h>

/* ---- small texts ---- */

bool bx_perf_fraction(bx_str s, double *value)
{
    double number = 0;
    long power = 0, exponent = 0;
    size_t i = 0, digits = 0;
    bool point = false;
    for (; i < s.n && (bx_is_digit(s.p[i]) || (s.p[i] == '.' && !point)); i++) {
        if (s.p[i] == '.') {
            point = true;
            continue;
        }
        number = number * 10 + (s.p[i] - '0');
        power -= point;
        digits++;
    }
    if (i < s.n && (s.p[i] | 0x20) == 'e') {
        bool minus = i + 1 < s.n && s.p[i + 1] == '-';
        i += 1 + (minus || (i + 1 < s.n && s.p[i + 1] == '+'));
        size_t begins = i;
        for (; i < s.n && bx_is_digit(s.p[i]) && exponent < 1000; i++)
            exponent = exponent * 10 + (s.p[i] - '0');
        if (i == begins)
            return false;
        exponent = minus ? -exponent : exponent;
    }
    if (!digits || i != s.n)
        return false;
    double ten = 1;
    power += exponent;
    if (power < -300 || power > 300)
        return false;
    for (long left = power < 0 ? -power : power; left > 0; left--)
        ten *= 10;
    *value = power < 0 ? number / ten : number * ten;
    return true;
}

bool bx_perf_word_named(bx_str s, uint8_t *word)
{
    static const char *const names[BX_PERF_WORDS] = {"config", "config1", "config2"};
    for (uint8_t i = 0; i < BX_PERF_WORDS; i++)
        if (bx_str_eq(s, bx_str_of(names[i]))) {
            *word = i;
            return true;
        }
    return false;
}

bool bx_perf_format_read(bx_str file, bx_perf_format *to)
{
    bx_perf_format made = {0};
    bx_str rest = bx_str_trim(file);
    if (!bx_perf_word_named(bx_str_cut(&rest, ':'), &made.word) || !rest.n)
        return false;
    while (rest.p) {
        bx_str last = bx_str_cut(&rest, ',');
        bx_str first = bx_str_cut(&last, '-');
        uint64_t lo, hi;
        if (!bx_str_u64(first, &lo))
            return false;
        hi = lo;
        if ((last.p && !bx_str_u64(last, &hi)) || lo > hi || hi > 63)
            return false;
        for (; lo <= hi; lo++)
            made.mask |= UINT64_C(1) << lo;
    }
    *to = made;
    return true;
}

/* ---- one term ---- */

typedef struct parser {
    const bx_perf_pmu *pmu;
    bx_str text; /* that spans of errors count from */
    bx_perf_config *to;
    const bx_perf_named **by;
    bx_str *name;
    bx_error *e;
} parser;

#define REFUSE(w, code, part, ...)                                                                 \
    bx_fail((w)->e, code, (size_t)((part).p - (w)->text.p), (part).n, __VA_ARGS__)

static uint64_t most_of(uint64_t mask)
{
    unsigned bits = (unsigned)__builtin_popcountll(mask);
    return bits > 63 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Puts the value's bits, from the lowest on, at the bits of the mask. */
static uint64_t deposit_bits(uint64_t value, uint64_t mask)
{
    uint64_t to = 0;
    for (; mask; mask &= mask - 1, value >>= 1)
        if (value & 1)
            to |= mask & -mask;
    return to;
}

static int put_term(const parser *w, unsigned word, uint64_t mask, uint64_t value, bx_str term)
{
    if (value > most_of(mask))
        return REFUSE(w, BX_BAD_INPUT, term, "%s is out of range 0..0x%" PRIx64,
                      bx_quote(term).text, most_of(mask));
    w->to->word[word] = (w->to->word[word] & ~mask) | deposit_bits(value, mask);
    return BX_OK;
}

static const bx_perf_named *named(const bx_perf_pmu *pmu, bx_str name)
{
    for (size_t i = 0; i < pmu->events_n; i++)
        if (bx_str_eq_fold(bx_str_of(pmu->events[i].name), name))
            return &pmu->events[i];
    return NULL;
}

static int unknown_term(const parser *w, bx_str key, bool has_value)
{
    bx_nearest near = bx_nearest_to(key);
    bx_names all = {0};
    for (size_t i = 0; !has_value && i < w->pmu->events_n; i++) {
        bx_nearest_offer(&near, w->pmu->events[i].name);
        bx_names_add(&all, w->pmu->events[i].name);
    }
    for (size_t i = 0; i < w->pmu->formats_n; i++) {
        bx_nearest_offer(&near, w->pmu->formats[i].name);
        bx_names_add(&all, w->pmu->formats[i].name);
    }
    bx_nearest_offer(&near, "config");
    int code = REFUSE(w, BX_NOT_FOUND, key, "%s has no term %s'%s'", w->pmu->name,
                      has_value ? "" : "or event ", bx_quote(key).text);
    if (!near.name[0] && !all.n)
        bx_hint(w->e, "the kernel names nothing for it: config=NUMBER");
    bx_hint_nearest(w->e, &near, "it has", &all);
    return code;
}

/* A parameter of a named event ("event=0x4,core=?"). The user gives its value as another term. */
static bool is_parameter(bx_str value)
{
    return value.n == 1 && *value.p == '?';
}

/* The terms of a named event. An error in them is the kernel's, not the user's. */
static int read_named(const parser *w, const bx_perf_named *event, bx_str term)
{
    bx_str rest = bx_str_of(event->terms);
    while (rest.p) {
        bx_str value = bx_str_trim(bx_str_cut(&rest, ','));
        bx_str key = bx_str_cut(&value, '=');
        const bx_perf_format *f = bx_perf_format_named(w->pmu, key);
        uint64_t number = 1;
        uint8_t word;
        if (is_parameter(value))
            continue;
        bool ok = !value.p || bx_str_u64(value, &number);
        if (ok && f)
            ok = put_term(&(parser){.pmu = w->pmu, .text = term, .to = w->to}, f->word, f->mask,
                          number, term) == BX_OK;
        else if (ok && bx_perf_word_named(key, &word))
            w->to->word[word] = number;
        else
            ok = false;
        if (!ok)
            return REFUSE(w, BX_BAD_INPUT, term,
                          "the kernel's own terms for '%s' are malformed: '%s'", event->name,
                          event->terms);
    }
    *w->by = event;
    return BX_OK;
}

static int read_term(const parser *w, bx_str term)
{
    bx_str value = term;
    bx_str key = bx_str_trim(bx_str_cut(&value, '='));
    uint64_t number = 1;
    uint8_t word;
    if (!key.n)
        return REFUSE(w, BX_BAD_INPUT, ((bx_str){term.p, 1}), "a term is missing here");
    if (value.p && !value.n)
        return REFUSE(w, BX_BAD_INPUT, term, "no value after '%s'", bx_quote(term).text);
    if (bx_str_eq(key, BX_STR("name")) && value.p) {
        *w->name = value;
        return BX_OK;
    }
    const bx_perf_format *f = bx_perf_format_named(w->pmu, key);
    if (!f && value.p && (bx_str_eq(key, BX_STR("period")) || bx_str_eq(key, BX_STR("freq"))))
        return BX_OK; /* how often perf takes a sample */
    const bx_perf_named *event = f || value.p ? NULL : named(w->pmu, key);
    if (event)
        return read_named(w, event, term);
    bool is_word = !f && bx_perf_word_named(key, &word), instead = !f && !is_word;
    if (instead && !(value.p && bx_str_u64(value, &number) &&
                     (f = bx_perf_term_instead(w->pmu, key, &number))))
        return unknown_term(w, key, value.p != NULL);
    if (is_word && !value.p)
        return REFUSE(w, BX_BAD_INPUT, term, "the term '%s' needs a value", bx_quote(key).text);
    if (value.p && !instead && !bx_str_u64(value, &number))
        return REFUSE(w, BX_BAD_INPUT, value, "'%s' is no number", bx_quote(value).text);
    int code = f ? put_term(w, f->word, f->mask, number, term)
                 : put_term(w, word, UINT64_MAX, number, term);
    if (code)
        bx_perf_later_kernel(w->pmu, key, number, w->e);
    return code;
}

/* Fails if the named event has a parameter without a value. */
static int check_parameters(const parser *w, bx_str part)
{
    bx_str rest = *w->by ? bx_str_of((*w->by)->terms) : (bx_str){0};
    while (rest.p) {
        bx_str value = bx_str_trim(bx_str_cut(&rest, ','));
        bx_str key = bx_str_cut(&value, '=');
        bool given = !is_parameter(value);
        for (bx_str terms = part; terms.p && !given;) {
            bx_str digits = bx_str_cut(&terms, ',');
            given = bx_str_eq_fold(bx_str_cut(&digits, '='), key) && digits.p;
        }
        if (!given)
            return REFUSE(w, BX_BAD_INPUT, part, "'%s' needs the term '%s=NUMBER'", (*w->by)->name,
                          bx_quote(key).text);
    }
    return BX_OK;
}

int bx_perf_terms(const bx_perf_pmu *pmu, bx_str text, bx_str part, bx_perf_config *to,
                  const bx_perf_named **by, bx_str *name, bx_error *e)
{
    const parser w = {pmu, text, to, by, name, e};
    int code = BX_OK;
    to->type = pmu->type;
    if (!part.n)
        return BX_OK; /* config is 0: a PMU with one event */
    for (bx_str rest = part; !code && rest.p;)
        code = read_term(&w, bx_str_cut(&rest, ','));
    return code ? code : check_parameters(&w, part);
}
