/* Evaluates a formula while reading it once from left to right: recursive descent, with one
 * function for each level of precedence. A missing value does not stop it, so a later syntax error
 * is still found. All parts are evaluated, also those that an `if` does not choose: the lookups of
 * a formula are the same in each evaluation. */
#include "metric/metric.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h> /* isfinite() is a macro: libm is not needed */
#include <stdio.h>
#include <string.h>

enum { DEPTH = 64 }; /* deepest nesting of parentheses and signs */

typedef struct formula {
    bx_str text;
    size_t at;
    unsigned depth;
    bx_metric_lookup *lookup;
    void *context;
    bx_error *e;
} formula;

/* A part's value, and why it has none. */
typedef struct result {
    double value;
    bool missing;   /* something was not measured */
    bool undefined; /* something was divided by 0 */
} result;

static int choice(formula *f, result *to);

/* The next character that is not blank, without consuming it; 0 at the end. */
static char peek(formula *f)
{
    while (f->at < f->text.n && (f->text.p[f->at] == ' ' || f->text.p[f->at] == '\t'))
        f->at++;
    return f->at < f->text.n ? f->text.p[f->at] : '\0';
}

/* The character at the reading position; 0 at the end. */
static char here(const formula *f)
{
    return f->at < f->text.n ? f->text.p[f->at] : '\0';
}

/* Reads digits into *value; returns how many there were. */
static int digits(formula *f, double *value)
{
    int n = 0;
    for (; bx_is_digit(here(f)); f->at++, n++)
        *value = *value * 10 + (here(f) - '0');
    return n;
}

/* 10 to the n; exact up to 22, so the conversion rounds only once. */
static double power_of_ten(int n)
{
    double scale = 1;
    while (n-- > 0)
        scale *= 10;
    return scale;
}

/* Reads the power of ten after an `e`; 0 if there is none. */
static int exponent(formula *f, int *power)
{
    *power = 0;
    if (here(f) != 'e' && here(f) != 'E')
        return BX_OK;
    size_t start = f->at++;
    bool negative = here(f) == '-';
    if (here(f) == '-' || here(f) == '+')
        f->at++;
    double value = 0;
    if (!digits(f, &value) || value > 300)
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start,
                       "the exponent is not a number up to 300");
    *power = negative ? -(int)value : (int)value;
    return BX_OK;
}

/* Reads a number. It does not use strtod(), because the text is a slice, and the locale must not
 * change the decimal point. */
static int constant(formula *f, double *value)
{
    size_t start = f->at;
    int power;
    int whole = digits(f, value);
    int fraction = 0;
    if (here(f) == '.') {
        f->at++;
        fraction = digits(f, value);
    }
    if (whole + fraction == 0)
        return bx_fail(f->e, BX_BAD_INPUT, start, 1, "a '.' without digits");
    int code = exponent(f, &power);
    if (code)
        return code;
    power -= fraction;
    double scale = power_of_ten(power < 0 ? -power : power);
    *value = power < 0 ? *value / scale : *value * scale;
    if (!isfinite(*value))
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "the number is too large");
    return BX_OK;
}

static int look_up(formula *f, bx_str name, result *to)
{
    to->missing = !f->lookup(f->context, name, &to->value);
    if (to->missing)
        to->value = 0;
    return BX_OK;
}

/* ---- functions ---- */

/* The results of a part's values: what one of them lacks, the part lacks. */
static result both(double value, result a, result b)
{
    return (result){value, a.missing || b.missing, a.undefined || b.undefined};
}

static result smaller(result a, result b)
{
    return both(a.value < b.value ? a.value : b.value, a, b);
}

static result larger(result a, result b)
{
    return both(a.value > b.value ? a.value : b.value, a, b);
}

/* perf's d_ratio(x, 0) is 0. */
static result ratio_or_zero(result a, result b)
{
    return both(b.value != 0 ? a.value / b.value : 0, a, b);
}

static const struct {
    bx_str name;
    result (*of)(result a, result b);
} functions[] = {{{"min", 3}, smaller}, {{"max", 3}, larger}, {{"d_ratio", 7}, ratio_or_zero}};

/* Functions of an event: the lookup knows them by "source_count EVENT". */
static const bx_str of_event[] = {{"source_count", 12}, {"has_event", 9}};

enum { NAME_ROOM = 300 };

static int call_of_event(formula *f, bx_str function, size_t start, result *to)
{
    char name[NAME_ROOM];
    f->at++;
    if (peek(f) != '{')
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "an event belongs here");
    ptrdiff_t end = bx_str_find(f->text, '}', f->at);
    size_t n = end < 0 ? 0 : (size_t)end - f->at - 1;
    if (end < 0 || function.n + n + 2 > sizeof name)
        return bx_fail(f->e, BX_BAD_INPUT, f->at, 1, "a '{' without its '}'");
    memcpy(name, function.p, function.n);
    name[function.n] = ' ';
    memcpy(name + function.n + 1, f->text.p + f->at + 1, n);
    f->at = (size_t)end + 1;
    if (peek(f) != ')')
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "a '(' without its ')'");
    f->at++;
    return look_up(f, (bx_str){name, function.n + 1 + n}, to);
}

static int call(formula *f, size_t which, size_t start, result *to)
{
    result a, b;
    f->at++;
    int code = choice(f, &a);
    if (!code && peek(f) != ',')
        code = bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "'%s' needs two values",
                       functions[which].name.p);
    f->at += !code;
    if (!code)
        code = choice(f, &b);
    if (!code && peek(f) != ')')
        code = bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "a '(' without its ')'");
    f->at += !code;
    if (!code)
        *to = functions[which].of(a, b);
    return code;
}

/* ---- operands ---- */

static bool is_word(char c)
{
    return bx_is_letter(c) || bx_is_digit(c) || c == '#';
}

/* A name, or a function with its values. */
static int word(formula *f, result *to)
{
    size_t start = f->at;
    while (is_word(here(f)))
        f->at++;
    bx_str name = bx_str_sub(f->text, start, f->at - start);
    if (peek(f) == '(')
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (bx_str_eq(name, functions[i].name))
                return call(f, i, start, to);
    if (here(f) == '(')
        for (size_t i = 0; i < sizeof of_event / sizeof *of_event; i++)
            if (bx_str_eq(name, of_event[i]))
                return call_of_event(f, name, start, to);
    return look_up(f, name, to);
}

static int braces(formula *f, result *to)
{
    size_t start = f->at;
    ptrdiff_t end = bx_str_find(f->text, '}', start);
    if (end < 0)
        return bx_fail(f->e, BX_BAD_INPUT, start, f->text.n - start, "a '{' without its '}'");
    f->at = (size_t)end + 1;
    bx_str name = bx_str_trim(bx_str_sub(f->text, start + 1, (size_t)end - start - 1));
    if (!name.n)
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "no event between the braces");
    return look_up(f, name, to);
}

static int parentheses(formula *f, result *to)
{
    size_t start = f->at++;
    int code = choice(f, to);
    if (code)
        return code;
    if (peek(f) != ')')
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "a '(' without its ')'");
    f->at++;
    return BX_OK;
}

static int operand(formula *f, result *to)
{
    char c = peek(f);
    *to = (result){0};
    if (bx_is_digit(c) || c == '.')
        return constant(f, &to->value);
    if (bx_is_letter(c) || c == '#')
        return word(f, to);
    if (c == '{')
        return braces(f, to);
    if (c == '(')
        return parentheses(f, to);
    if (c)
        return bx_fail(f->e, BX_BAD_INPUT, f->at, 1,
                       "'%c' where a number, a name or '{event}' belongs", c);
    return bx_fail(f->e, BX_BAD_INPUT, f->at, 0,
                   "the formula ends where a number, a name or '{event}' belongs");
}

/* Reads an operand with its signs. Every nesting calls this function, so it checks the depth. */
static int factor(formula *f, result *to)
{
    if (f->depth == DEPTH)
        return bx_fail(f->e, BX_BAD_INPUT, f->at, 1, "more than %d nested parts", DEPTH);
    f->depth++;
    char sign = peek(f);
    int code;
    if (sign == '-' || sign == '+') {
        f->at++;
        code = factor(f, to);
        if (sign == '-')
            to->value = -to->value;
    } else {
        code = operand(f, to);
    }
    f->depth--;
    return code;
}

/* ---- operators, from the strongest to the weakest, as in perf ---- */

/* A whole number that & | ^ and % can take; others have no result. */
static bool is_whole(result r)
{
    return r.value >= -9e15 && r.value <= 9e15;
}

static result of_bits(char op, result a, result b)
{
    bool fine = is_whole(a) && is_whole(b) && (op != '%' || (int64_t)b.value != 0);
    int64_t x = fine ? (int64_t)a.value : 0, y = fine ? (int64_t)b.value : 1;
    result r = both((double)(op == '&'   ? x & y
                             : op == '|' ? x | y
                             : op == '^' ? x ^ y
                                         : x % y),
                    a, b);
    r.undefined |= !fine;
    return r;
}

static result apply_operator(char op, result a, result b)
{
    if (op == '+' || op == '-')
        return both(op == '+' ? a.value + b.value : a.value - b.value, a, b);
    if (op == '*')
        return both(a.value * b.value, a, b);
    if (op == '/') {
        result r = both(b.value != 0 ? a.value / b.value : 0, a, b);
        r.undefined |= !(b.value != 0);
        return r;
    }
    if (op == '<' || op == '>')
        return both(op == '<' ? a.value < b.value : a.value > b.value, a, b);
    if (op == 'l' || op == 'g')
        return both(op == 'l' ? a.value <= b.value : a.value >= b.value, a, b);
    return of_bits(op, a, b);
}

/* The operators of each level; `l` and `g` stand for <= and >=. */
static const char *const levels[] = {"*/%", "+-", "<>lg", "&", "^", "|"};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Consumes an operator of the level; 0: there is none. `> =` is written for >=, too. */
static char take_operator(formula *f, unsigned level)
{
    char c = peek(f);
    if (!c || !strchr(levels[level], c) || c == 'l' || c == 'g')
        return 0;
    f->at++;
    if ((c == '<' || c == '>') && peek(f) == '=') {
        f->at++;
        return c == '<' ? 'l' : 'g';
    }
    return c;
}

static int operation(formula *f, unsigned level, result *to)
{
    int code = level ? operation(f, level - 1, to) : factor(f, to);
    for (char op; !code && (op = take_operator(f, level));) {
        result right;
        code = level ? operation(f, level - 1, &right) : factor(f, &right);
        if (!code)
            *to = apply_operator(op, *to, right);
    }
    return code;
}

/* Consumes the word if it comes next. */
static bool take_word(formula *f, bx_str name)
{
    peek(f);
    if (!bx_str_eq(bx_str_sub(f->text, f->at, name.n), name) ||
        (f->at + name.n < f->text.n && is_word(f->text.p[f->at + name.n])))
        return false;
    f->at += name.n;
    return true;
}

/* "X if C else Y": what the part lacks that is not chosen does not matter. */
static int choice(formula *f, result *to)
{
    result condition, otherwise;
    int code = operation(f, LEVELS - 1, to);
    if (code || !take_word(f, BX_STR("if")))
        return code;
    code = operation(f, LEVELS - 1, &condition);
    if (!code && !take_word(f, BX_STR("else")))
        code = bx_fail(f->e, BX_BAD_INPUT, f->at, 1, "an 'if' without its 'else'");
    if (!code && f->depth++ == DEPTH)
        code = bx_fail(f->e, BX_BAD_INPUT, f->at, 1, "more than %d nested parts", DEPTH);
    if (!code)
        code = choice(f, &otherwise);
    if (code)
        return code;
    f->depth--;
    if (!(condition.value != 0))
        *to = otherwise;
    to->missing |= condition.missing;
    to->undefined |= condition.undefined;
    return BX_OK;
}

int bx_metric_eval(bx_str text, bx_metric_lookup *lookup, void *context, double *value,
                   enum bx_metric_state *state, bx_error *e)
{
    formula f = {.text = text, .lookup = lookup, .context = context, .e = e};
    result r;
    int code = choice(&f, &r);
    if (code)
        return code;
    if (peek(&f))
        return bx_fail(e, BX_BAD_INPUT, f.at, 1, "'%c' where an operator or the end belongs",
                       text.p[f.at]);
    *state = r.missing                           ? BX_METRIC_NOT_MEASURED
             : r.undefined || !isfinite(r.value) ? BX_METRIC_UNDEFINED
                                                 : BX_METRIC_OK;
    *value = *state == BX_METRIC_OK ? r.value : 0;
    return BX_OK;
}

typedef struct walk {
    const struct bx_catalog *c;
    const bx_cat_operand *operands;
    unsigned next, n;
    bool ended;
    bx_metric_take *take;
    void *context;
} walk;

/* An imported event's name is Intel's or perf's in the formula. Returns our own event string. */
static bx_str own_text(const struct bx_catalog *c, const bx_cat_operand *operand, bx_str name,
                       char to[NAME_ROOM])
{
    const bx_cat_event *event = &bx_cat_events(c)[operand->event];
    if (!(event->flags & BX_EVENT_TERMS))
        return name;
    int n = snprintf(to, NAME_ROOM, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[event->pmu].name),
                     bx_cat_z(c, event->name));
    for (unsigned i = 0; i < operand->sets.n && n > 0 && n < NAME_ROOM; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[operand->sets.first + i];
        n += snprintf(to + n, NAME_ROOM - (size_t)n, ":%s=%" PRIu64,
                      bx_cat_z(c, bx_cat_modifiers(c)[set->modifier].name), set->value);
    }
    return n > 0 && n < NAME_ROOM ? bx_str_of(to) : name;
}

/* A bx_metric_lookup. */
static bool pass_on(void *context, bx_str name, double *value)
{
    walk *w = context;
    unsigned index = w->next++;
    char text[NAME_ROOM];
    *value = 1;
    if (index < w->n && !w->ended && w->operands[index].event < BX_OPERAND_EVENTS)
        w->ended = !w->take(w->context, index, own_text(w->c, &w->operands[index], name, text));
    return true;
}

void bx_metric_events(const struct bx_catalog *c, const bx_cat_metric *metric, bx_metric_take *take,
                      void *context)
{
    walk w = {.c = c,
              .operands = &bx_cat_operands(c)[metric->operands.first],
              .n = metric->operands.n,
              .take = take,
              .context = context};
    double value;
    enum bx_metric_state state;
    bx_metric_eval(bx_cat_str(c, metric->formula), pass_on, &w, &value, &state, NULL);
}

/* A bx_metric_lookup. */
static bool note_unknown(void *context, bx_str name, double *value)
{
    walk *w = context;
    unsigned index = w->next++;
    bx_str *unknown = w->context;
    *value = 1;
    bool none = bx_str_eq(name, BX_STR("#NA")); /* Intel's word for no value */
    if (!unknown->p && !none && (index >= w->n || w->operands[index].event == BX_NONE))
        *unknown = name;
    return true;
}

bx_str bx_metric_unknown(const struct bx_catalog *c, const bx_cat_metric *metric)
{
    bx_str unknown = {NULL, 0};
    walk w = {.operands = &bx_cat_operands(c)[metric->operands.first],
              .n = metric->operands.n,
              .context = &unknown};
    double value;
    enum bx_metric_state state;
    bx_metric_eval(bx_cat_str(c, metric->formula), note_unknown, &w, &value, &state, NULL);
    return unknown;
}
