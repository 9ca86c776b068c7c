/* Linux perf's spelling: uncore_cbox_0/event=0x34,umask=0x88,edge/. */
#include "event/foreign/foreign.h"
#include "event/foreign/perf_reader.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/foreign_names.h"
#include "event/foreign/perf_registers.h"

#include <stdio.h>
#include <string.h>

/* Reads a term for a whole register, or for the counter where codes depend on it. */
static int parse_register(bx_event_builder *d, uint16_t place, bx_str term, bx_str key,
                          bx_str digits)
{
    uint64_t value;
    bool counter = bx_str_eq_fold(key, BX_STR("counter")) && bx_codes_differ(d->c, d->to.pmu);
    bool known = bx_kernel_has_registers(d->c, d->to.pmu);
    if (!digits.n || !(counter || known))
        return bx_perf_unknown_term(d, key);
    int code = bx_builder_number(d, digits, &value);
    if (!code && counter)
        return bx_builder_counter(d, value, term);
    if (!code && known)
        code = bx_perf_register(d, place, key, value, term, &known);
    return code || known ? code : bx_perf_unknown_term(d, key);
}

static int read_modifier(bx_event_builder *d, uint16_t place, bx_str term)
{
    bx_str digits = term;
    bx_str key = bx_str_cut(&digits, '=');
    bx_term known = bx_kernel_term(d->c, d->to.pmu, key);
    if (!known.modifiers)
        return parse_register(d, place, term, key, digits);
    uint64_t value = 1;
    unsigned first = d->pmu->modifiers.first + bx_lowest_bit(known.modifiers);
    if (digits.p ? digits.n == 0 : !bx_cat_modifiers(d->c)[first].flag)
        return BX_REFUSE(d, BX_BAD_INPUT, term, "the term '%s' needs a value", bx_quote(key).text);
    int code = digits.p ? bx_builder_number(d, digits, &value) : BX_OK;
    return code ? code : bx_builder_term(d, known, value, term);
}

/* Reads unit masks after an event's name and '.', and all terms that did not choose the event. */
static int read_rest(bx_event_builder *d, bx_perf_choice *ch)
{
    int code = BX_OK;
    bool whole = d->event && d->event->flags & BX_EVENT_TERMS;
    ptrdiff_t separator = whole ? -1 : bx_str_find(ch->name, '.', 0);
    if (separator >= 0)
        code = bx_read_attributes(d, bx_str_sub(ch->name, (size_t)separator, 1),
                                  bx_str_sub(ch->name, (size_t)separator + 1, ch->name.n));
    bool numbered = d->event && !ch->name.p; /* by the kernel's number, with its umask */
    if (!code && ch->umask.part.p && !numbered && ch->place == BX_NONE)
        code = bx_builder_umask_number(d, ch->umask.value, ch->umask.part);
    bx_str rest = ch->terms;
    while (!code && rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str value = term;
        bx_str key = bx_str_cut(&value, '=');
        if (!bx_perf_selecting(d, ch, key) && term.p != ch->name.p && term.p != ch->config.part.p &&
            !bx_perf_changes_nothing(d, ch->pmu, key) && !bx_perf_has_field(d, ch->pmu, key, true))
            code = read_modifier(d, ch->place, term);
    }
    return code;
}

/* Whether the PMU's counters tell privilege levels: those of cores. */
static bool has_levels(const bx_event_builder *d)
{
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++)
        if (bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i].flags & BX_MODIFIER_LEVEL)
            return true;
    return false;
}

/* Reads what follows the closing '/': privilege levels, if the PMU has them. p and P say how exact
 * samples must be, which changes no count. */
static int read_suffix(bx_event_builder *d, bx_str suffix)
{
    int code = BX_OK;
    if (suffix.n && *suffix.p == ':' && has_levels(d))
        suffix = bx_str_sub(suffix, 1, suffix.n - 1);
    for (size_t i = 0; !code && i < suffix.n; i++) {
        bx_str letter = bx_str_sub(suffix, i, 1);
        if ((*letter.p == 'p' || *letter.p == 'P') && has_levels(d))
            continue;
        uint16_t level = bx_cat_find_modifier(d->c, d->to.pmu, letter);
        if (level == BX_NONE || !(bx_cat_modifiers(d->c)[level].flags & BX_MODIFIER_LEVEL)) {
            code = BX_REFUSE(d, BX_BAD_INPUT, suffix, "'%s' after the closing '/'",
                             bx_quote(suffix).text);
            bx_hint(d->e, "perf's suffixes choose privilege levels and sampling, which counters "
                          "outside the cores do not know");
        } else {
            code = bx_builder_modifier(d, level, 1, letter);
        }
    }
    return code;
}

/* The terms that an event name of a PMU of this name stands for. */
static bx_str terms_of_name(const bx_event_builder *d, const bx_perf_choice *ch)
{
    bx_str terms = {NULL, 0};
    int32_t unit;
    for (unsigned i = d->pmus.first; !terms.p && ch->name.p && i < d->pmus.first + d->pmus.n; i++)
        if (bx_kernel_pmu(d->c, (uint16_t)i, ch->pmu, &unit))
            terms = bx_kernel_terms(d->c, (uint16_t)i, ch->name);
    return terms;
}

int bx_read_perf_instead(bx_event_builder *d, bx_str name, bx_str pmu, bx_str terms, bx_str behind)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%.*s/%.*s/%.*s", (int)pmu.n, pmu.p, (int)terms.n, terms.p,
                     (int)behind.n, behind.p ? behind.p : "");
    if (n < 0 || (size_t)n >= sizeof text)
        return BX_REFUSE(d, BX_BAD_INPUT, name, "too much beside '%s'", bx_quote(name).text);
    bx_str whole = d->text;
    d->text = (bx_str){text, (size_t)n};
    int code = bx_read_perf(d, d->text);
    d->text = whole;
    d->counter_part = d->counter_part.p ? name : d->counter_part;
    d->place_part = d->place_part.p ? name : d->place_part;
    if (code && d->e) {
        d->e->at = (size_t)(name.p - whole.p);
        d->e->len = name.n;
    }
    return code;
}

/* Reads the text with the terms in place of the name. */
static int read_named(bx_event_builder *d, const bx_perf_choice *ch, bx_str terms, bx_str suffix)
{
    char text[256];
    size_t before = (size_t)(ch->name.p - ch->terms.p);
    int n = snprintf(text, sizeof text, "%.*s%.*s%.*s", (int)before, ch->terms.p, (int)terms.n,
                     terms.p, (int)(ch->terms.n - before - ch->name.n), ch->name.p + ch->name.n);
    if (n < 0 || (size_t)n >= sizeof text)
        return BX_REFUSE(d, BX_BAD_INPUT, ch->name, "too much beside '%s'",
                         bx_quote(ch->name).text);
    return bx_read_perf_instead(d, ch->name, ch->pmu, (bx_str){text, (size_t)n}, suffix);
}

/* The kernel's name of the PMU, without a number, that has this word of perf; no string: none has.
 * exact: in perf's own spelling, not only in other case. */
static bx_str pmu_of_word(const bx_event_builder *d, bx_str name, bool exact)
{
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++) {
        bx_span names = bx_cat_pmus(d->c)[i].perf_names;
        for (unsigned j = 0; j < names.n; j++) {
            bx_str known = bx_cat_str(d->c, bx_cat_other_names(d->c)[names.first + j].name);
            if ((exact ? bx_str_eq(name, known) : bx_str_eq_fold(name, known)) &&
                bx_kernel_is_word(d->c, (uint16_t)i, j))
                return bx_kernel_stem(bx_cat_str(d->c, bx_cat_pmus(d->c)[i].kernel));
        }
    }
    return (bx_str){NULL, 0};
}

static bool is_letter(char letter)
{
    return memchr("ukpP", letter, 4);
}

/* Otherwise it may be a unit mask's name with modifiers after it. */
static bool are_letters(bx_str letters)
{
    size_t i = 0;
    while (i < letters.n && is_letter(letters.p[i]))
        i++;
    return i == letters.n;
}

/* Checks the letters after a word. */
static int check_letters(bx_event_builder *d, bx_str letters)
{
    for (size_t i = 0; i < letters.n; i++) {
        bx_str letter = bx_str_sub(letters, i, 1);
        if (is_letter(*letter.p))
            continue;
        int code = BX_REFUSE(d, BX_BAD_INPUT, letter, "'%s' after ':'", bx_quote(letter).text);
        bx_hint(d->e, "u and k choose privilege levels; p changes nothing that is counted");
        return code;
    }
    return BX_OK;
}

int bx_read_perf_word(bx_event_builder *d, bx_str part, bool exact, bool *found)
{
    bx_str letters = part, word = bx_str_cut(&letters, ':');
    uint64_t config;
    bx_str pmu = pmu_of_word(d, word, exact);
    if (!pmu.p && !exact && bx_kernel_raw_word(word, &config))
        pmu = BX_STR("cpu");
    *found = pmu.p && (!exact || are_letters(letters));
    if (!*found)
        return BX_OK;
    int code = check_letters(d, letters);
    return code ? code : bx_read_perf_instead(d, part, pmu, word, letters);
}

int bx_read_perf(bx_event_builder *d, bx_str part)
{
    bx_perf_choice ch = {.place = BX_NONE};
    d->zero_masks = true;
    size_t open = (size_t)bx_str_find(part, '/', 0);
    ptrdiff_t close = bx_str_find(part, '/', open + 1);
    ch.pmu = bx_str_sub(part, 0, open);
    if (close < 0) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, bx_str_sub(part, open, 1), "this '/' is not closed");
        bx_hint(d->e, "PMU/term,term/");
        return code;
    }
    bx_str suffix = bx_str_sub(part, (size_t)close + 1, part.n);
    ch.terms = bx_str_sub(part, open + 1, (size_t)close - open - 1);
    int32_t unit;
    int code = bx_perf_collect_terms(d, &ch);
    bx_str terms = code ? (bx_str){NULL, 0} : terms_of_name(d, &ch);
    if (terms.p)
        return read_named(d, &ch, terms, suffix);
    if (!code)
        code = bx_perf_choose(d, &ch);
    if (code)
        return code;
    bx_kernel_pmu(d->c, d->to.pmu, ch.pmu, &unit);
    if (unit != BX_ANY)
        code = bx_builder_unit(d, (uint64_t)unit, ch.pmu);
    if (!code)
        code = read_suffix(d, suffix);
    return code ? code : read_rest(d, &ch);
}
