/* Parses a condition, finds its value in a comparison, and judges the change. */
#include "compare/condition.h"

#include "base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static size_t at_of(const bx_condition *c, bx_str part)
{
    return (size_t)(part.p - c->text.p);
}

static int fail(const bx_condition *c, bx_str part, bx_error *e, const char *what)
{
    bx_fail(e, BX_BAD_INPUT, at_of(c, part), part.n, "%s", what);
    bx_hint(e, "NAME > +2%%: more than 2 %% above the old value; NAME > 500: above 500");
    return BX_BAD_INPUT;
}

/* NAME@UNIT. In "nhmex_unc_rbox@0::FLITS_SENT" the '@' belongs to the event. */
static void split_name(bx_condition *c, bx_str left)
{
    size_t from = 0;
    for (size_t i = 0; i + 1 < left.n; i++)
        if (left.p[i] == ':' && left.p[i + 1] == ':')
            from = i;
    ptrdiff_t at = bx_str_find(left, '@', from);
    c->name = bx_str_trim(bx_str_sub(left, 0, at < 0 ? left.n : (size_t)at));
    c->place = at < 0 ? (bx_str){0} : bx_str_trim(bx_str_sub(left, (size_t)at + 1, left.n));
}

static size_t count_digits(bx_str s, size_t from)
{
    size_t n = 0;
    while (from + n < s.n && bx_is_digit(s.p[from + n]))
        n++;
    return n;
}

/* The length of the decimal number that s begins with; 0: there is none. */
static size_t number_length(bx_str s)
{
    size_t whole = count_digits(s, 0);
    bool point = whole < s.n && s.p[whole] == '.';
    size_t fraction = point ? count_digits(s, whole + 1) : 0;
    return whole + fraction ? whole + point + fraction : 0;
}

static int read_amount(bx_condition *c, bx_str s, bx_error *e)
{
    char digits[64];
    bool sign = s.n && (*s.p == '+' || *s.p == '-');
    bx_str rest = bx_str_sub(s, sign, s.n);
    size_t n = number_length(rest);
    if (!n || n >= sizeof digits)
        return fail(c, s, e, s.n ? "this is not an amount" : "the amount is missing");
    memcpy(digits, rest.p, n);
    digits[n] = '\0';
    c->amount = strtod(digits, NULL);
    c->unit = bx_str_trim(bx_str_sub(rest, n, rest.n));
    c->relative = sign;
    if (!sign)
        return BX_OK;
    if (!bx_str_eq(c->unit, BX_STR("%")))
        return fail(c, s, e, "an amount with a sign is in percent of the old value");
    c->amount = *s.p == '-' ? -c->amount : c->amount;
    return BX_OK;
}

int bx_condition_read(const char *text, bx_condition *to, bx_error *e)
{
    *to = (bx_condition){.text = bx_str_of(text)};
    size_t op = strcspn(text, "<>");
    if (op == to->text.n)
        return fail(to, to->text, e, "this is not NAME > AMOUNT or NAME < AMOUNT");
    to->above = text[op] == '>';
    split_name(to, bx_str_sub(to->text, 0, op));
    to->called = to->name;
    if (!to->name.n)
        return fail(to, bx_str_sub(to->text, op, 1), e, "the name before this is missing");
    if (text[op + 1] == '=')
        return fail(to, bx_str_sub(to->text, op, 2), e, "the operator is '>' or '<'");
    return read_amount(to, bx_str_trim(bx_str_sub(to->text, op + 1, to->text.n)), e);
}

/* ---- finding the value ---- */

/* Whether the value has this name. "DRAM_DATA_READS" also means "skl_unc_imc::DRAM_DATA_READS". */
static bool is_named(const bx_saved_value *v, bx_str name)
{
    bx_str whole = bx_str_of(v->name);
    const char *behind = strstr(v->name, "::");
    return bx_str_eq_fold(whole, name) || (behind && bx_str_eq_fold(bx_str_of(behind + 2), name));
}

/* Whether the value is of this place: a unit ("C-Box 2", "S0 C-Box 2"), or a region with all its
 * threads. */
static bool is_at(const bx_saved_value *v, bx_str place)
{
    if (!place.n)
        return !*v->place && !*v->region;
    if (*v->region)
        return !*v->place && !v->thread && bx_str_eq_fold(bx_str_of(v->region), place);
    const char *behind = strchr(v->place, ' ');
    return bx_str_eq_fold(bx_str_of(v->place), place) ||
           (behind && bx_str_eq_fold(bx_str_of(behind + 1), place));
}

static int not_found(const bx_condition *c, const bx_comparison *in, bool elsewhere, bx_error *e)
{
    bx_str part = elsewhere && c->place.n ? c->place : c->name;
    bx_nearest nearest = bx_nearest_to(c->name);
    bx_fail(e, BX_NOT_FOUND, at_of(c, part), part.n,
            !elsewhere   ? "neither run has this event or metric"
            : c->place.n ? "the runs have no such unit or region of it"
                         : "the runs have it by unit or region alone");
    if (elsewhere && !c->place.n)
        bx_hint(e, "NAME@UNIT, such as '%.*s@C-Box 0'", BX_QUOTED(c->name));
    for (size_t i = 0; i < in->n && !elsewhere; i++) {
        const char *name = bx_compared_value(&in->rows[i])->name, *behind = strstr(name, "::");
        bx_nearest_offer(&nearest, behind ? behind + 2 : name);
    }
    if (!elsewhere)
        bx_nearest_hint(e, &nearest);
    return BX_NOT_FOUND;
}

/* Finds the first row that a condition names. A name that fits two different values is refused. */
static int find_row(const bx_condition *c, const bx_comparison *in, const bx_compared **row,
                    bx_error *e)
{
    bool elsewhere = false;
    *row = NULL;
    for (size_t i = 0; i < in->n; i++) {
        const bx_saved_value *v = bx_compared_value(&in->rows[i]), *other;
        if (!is_named(v, c->called))
            continue;
        elsewhere = true;
        if (!is_at(v, c->place))
            continue;
        other = *row ? bx_compared_value(*row) : v;
        if (strcmp(v->name, other->name) != 0 || strcmp(v->place, other->place) != 0) {
            bx_fail(e, BX_BAD_INPUT, 0, c->text.n, "this may be '%.60s%s%.30s' or '%.60s%s%.30s'",
                    other->name, *other->place ? "@" : "", other->place, v->name,
                    *v->place ? "@" : "", v->place);
            return BX_BAD_INPUT;
        }
        *row = *row ? *row : &in->rows[i];
    }
    return *row ? BX_OK : not_found(c, in, elsewhere, e);
}

/* ---- judging ---- */

static int no_value(const bx_condition *c, const bx_saved *run, const bx_saved_value *v,
                    bx_error *e)
{
    return bx_fail(e, BX_BAD_INPUT, at_of(c, c->name), c->name.n, "%s has no value of this: %s",
                   run->name, v ? v->missing : "it was not counted");
}

static int check_condition(const bx_condition *c, const bx_comparison *in, const bx_compared *row,
                           bx_error *e)
{
    if (!row->was || row->was->missing)
        return no_value(c, in->was, row->was, e);
    if (!row->is || row->is->missing)
        return no_value(c, in->is, row->is, e);
    if (c->relative && !row->relative)
        return fail(c, c->name, e, "the old value is 0: no percentage of it can be told");
    if (!c->relative && c->unit.n && !bx_compare_same_unit(c->unit, bx_str_of(row->is->unit))) {
        bx_fail(e, BX_BAD_INPUT, at_of(c, c->unit), c->unit.n, "its unit is '%s'", row->is->unit);
        bx_hint(e, "an amount with a sign, +2%%, is relative to the old value");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

/* For an absolute limit, the old run does not matter: the new value's whole interval must be beyond
 * the limit. */
static bool is_significant(const bx_verdict *v, const bx_comparison *in)
{
    const bx_compared *row = v->row;
    if (v->of->relative)
        return !row->tested || row->significant;
    return fabs(row->is->value - v->limit) > bx_compare_within(row->is, in->is->runs);
}

/* The run in which the value's error is larger than the value. Such a value says little; it passes
 * only if all values that it may stand for do. */
static const bx_saved *find_vague(const bx_verdict *v, const bx_comparison *in, double over)
{
    const bx_compared *row = v->row;
    double is = bx_compare_within(row->is, in->is->runs), was = 0;
    if (v->of->relative)
        was = bx_compare_within(row->was, in->was->runs);
    double part = row->relative ? fabs(v->limit / row->was->value) : 0; /* of the old value */
    bool vague_was = was > fabs(row->was->value), vague_is = is > fabs(row->is->value);
    if ((!vague_was && !vague_is) || over + sqrt(is * is + was * part * was * part) <= 0)
        return NULL;
    return vague_is ? in->is : in->was;
}

static void judge_vague(bx_verdict *v, const bx_comparison *in, double over)
{
    static const bx_saved_unseen vague = {.text = "its error is larger than the value",
                                          .vague = true};
    const bx_saved *run = v->fails ? NULL : find_vague(v, in, over);
    if (!run)
        return;
    v->unseen = &vague;
    v->unseen_in = run;
    v->fails = true;
}

static void find_unseen(bx_verdict *v, const bx_comparison *in, const bx_saved *run)
{
    if (v->unseen)
        return;
    v->unseen = bx_compare_unseen(in, run, v->row);
    v->unseen_in = v->unseen ? run : NULL;
}

static int judge_row(const bx_condition *c, const bx_comparison *in, const bx_judging *how,
                     const bx_compared *row, bx_verdict *to, bx_error *e)
{
    const double rounding = 1e-12; /* a limit of 1.02 x the old value is not beyond itself */
    *to = (bx_verdict){.of = c, .row = row};
    int code = check_condition(c, in, row, e);
    if (code)
        return code;
    double was = to->row->was->value, is = to->row->is->value;
    to->limit = c->relative ? was + fabs(was) * c->amount / 100 : c->amount;
    double over = c->above ? is - to->limit : to->limit - is;
    to->beyond = over > rounding * fabs(to->limit);
    to->significant = is_significant(to, in);
    if (!how->accept_incomplete || !in->same_unseen) {
        find_unseen(to, in, in->was);
        find_unseen(to, in, in->is);
    }
    to->fails = to->unseen || (to->beyond && (to->significant || how->strict));
    judge_vague(to, in, over);
    return BX_OK;
}

/* An event that occurs twice has several rows: the first that fails is the verdict. */
int bx_condition_judge(const bx_condition *c, const bx_comparison *in, const bx_judging *how,
                       bx_verdict *to, bx_error *e)
{
    const bx_compared *row;
    *to = (bx_verdict){.of = c};
    int code = find_row(c, in, &row, e);
    if (!code)
        code = judge_row(c, in, how, row, to, e);
    for (size_t i = code ? in->n : (size_t)(row - in->rows) + 1; i < in->n && !code; i++) {
        const bx_saved_value *v = bx_compared_value(&in->rows[i]);
        bx_verdict also;
        if (!is_named(v, c->called) || !is_at(v, c->place))
            continue;
        code = judge_row(c, in, how, &in->rows[i], &also, e);
        if (!code && also.fails && !to->fails)
            *to = also;
    }
    return code;
}
