/* Evaluates a formula while reading it once from left to right: recursive descent, with one
 * function for each level of precedence. A missing value does not stop it, so a later syntax error
 * is still found. */
#include "metric/metric.h"

#include "base/error.h"

#include <math.h> /* isfinite() is a macro: libm is not needed */

enum { DEPTH = 64 }; /* deepest nesting of parentheses and signs */

typedef struct formula {
    bx_str text;
    size_t at;
    unsigned depth;
    bx_metric_lookup *lookup;
    void *context;
    bool missing;   /* a value was not measured */
    bool undefined; /* something was divided by 0 */
    bx_error *e;
} formula;

static int sum(formula *f, double *value);

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

static int look_up(formula *f, bx_str name, double *value)
{
    if (!f->lookup(f->context, name, value)) {
        f->missing = true;
        *value = 0;
    }
    return BX_OK;
}

static int word(formula *f, double *value)
{
    size_t start = f->at;
    while (bx_is_letter(here(f)) || bx_is_digit(here(f)))
        f->at++;
    return look_up(f, bx_str_sub(f->text, start, f->at - start), value);
}

static int braces(formula *f, double *value)
{
    size_t start = f->at;
    ptrdiff_t end = bx_str_find(f->text, '}', start);
    if (end < 0)
        return bx_fail(f->e, BX_BAD_INPUT, start, f->text.n - start, "a '{' without its '}'");
    f->at = (size_t)end + 1;
    bx_str name = bx_str_trim(bx_str_sub(f->text, start + 1, (size_t)end - start - 1));
    if (!name.n)
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "no event between the braces");
    return look_up(f, name, value);
}

static int parentheses(formula *f, double *value)
{
    size_t start = f->at++;
    int code = sum(f, value);
    if (code)
        return code;
    if (peek(f) != ')')
        return bx_fail(f->e, BX_BAD_INPUT, start, f->at - start, "a '(' without its ')'");
    f->at++;
    return BX_OK;
}

static int operand(formula *f, double *value)
{
    char c = peek(f);
    *value = 0;
    if (bx_is_digit(c) || c == '.')
        return constant(f, value);
    if (bx_is_letter(c))
        return word(f, value);
    if (c == '{')
        return braces(f, value);
    if (c == '(')
        return parentheses(f, value);
    if (c)
        return bx_fail(f->e, BX_BAD_INPUT, f->at, 1,
                       "'%c' where a number, a name or '{event}' belongs", c);
    return bx_fail(f->e, BX_BAD_INPUT, f->at, 0,
                   "the formula ends where a number, a name or '{event}' belongs");
}

/* Reads an operand with its signs. Every nesting calls this function, so it checks the depth. */
static int factor(formula *f, double *value)
{
    if (f->depth == DEPTH)
        return bx_fail(f->e, BX_BAD_INPUT, f->at, 1, "more than %d nested parts", DEPTH);
    f->depth++;
    char sign = peek(f);
    int code;
    if (sign == '-' || sign == '+') {
        f->at++;
        code = factor(f, value);
        if (sign == '-')
            *value = -*value;
    } else {
        code = operand(f, value);
    }
    f->depth--;
    return code;
}

static int product(formula *f, double *value)
{
    int code = factor(f, value);
    while (!code && (peek(f) == '*' || peek(f) == '/')) {
        char op = f->text.p[f->at++];
        double right;
        code = factor(f, &right);
        if (code)
            break;
        if (op == '*')
            *value *= right;
        else if (right != 0)
            *value /= right;
        else
            f->undefined = true;
    }
    return code;
}

static int sum(formula *f, double *value)
{
    int code = product(f, value);
    while (!code && (peek(f) == '+' || peek(f) == '-')) {
        char op = f->text.p[f->at++];
        double right;
        code = product(f, &right);
        if (!code)
            *value += op == '+' ? right : -right;
    }
    return code;
}

int bx_metric_eval(bx_str text, bx_metric_lookup *lookup, void *context, double *value,
                   enum bx_metric_state *state, bx_error *e)
{
    formula f = {.text = text, .lookup = lookup, .context = context, .e = e};
    double result;
    int code = sum(&f, &result);
    if (code)
        return code;
    if (peek(&f))
        return bx_fail(e, BX_BAD_INPUT, f.at, 1, "'%c' where an operator or the end belongs",
                       text.p[f.at]);
    if (f.missing) {
        *state = BX_METRIC_NOT_MEASURED;
        *value = 0;
    } else if (f.undefined || !isfinite(result)) {
        *state = BX_METRIC_UNDEFINED;
        *value = 0;
    } else {
        *state = BX_METRIC_OK;
        *value = result;
    }
    return BX_OK;
}

typedef struct walk {
    const bx_cat_operand *operands;
    unsigned next;
    bool ended;
    bx_metric_take *take;
    void *context;
} walk;

/* A bx_metric_lookup. */
static bool pass_on(void *context, bx_str name, double *value)
{
    walk *w = context;
    unsigned index = w->next++;
    *value = 1;
    if (!w->ended && w->operands[index].event < BX_OPERAND_EVENTS)
        w->ended = !w->take(w->context, index, name);
    return true;
}

void bx_metric_events(const struct bx_catalog *c, const bx_cat_metric *metric, bx_metric_take *take,
                      void *context)
{
    walk w = {&bx_cat_operands(c)[metric->operands.first], 0, false, take, context};
    double value;
    enum bx_metric_state state;
    bx_metric_eval(bx_cat_str(c, metric->formula), pass_on, &w, &value, &state, NULL);
}
