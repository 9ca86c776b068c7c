/* Cuts a shell script's line into commands and words. */
#include "reglog/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The length of what begins at s: a quoted text, "$(…)", or one character. */
static size_t unit_of(bx_str s)
{
    if (s.n > 1 && s.p[0] == '\\')
        return 2;
    if (s.p[0] == '\'' || s.p[0] == '"' || s.p[0] == '`') {
        for (size_t i = 1; i < s.n; i++) {
            if (s.p[i] == '\\' && s.p[0] == '"')
                i++;
            else if (s.p[i] == s.p[0])
                return i + 1;
        }
        return s.n;
    }
    if (s.n > 1 && s.p[0] == '$' && (s.p[1] == '(' || s.p[1] == '{')) {
        char open = s.p[1], close = open == '(' ? ')' : '}';
        unsigned depth = 0;
        for (size_t i = 1; i < s.n; i++) {
            depth += s.p[i] == open;
            depth -= s.p[i] == close;
            if (!depth)
                return i + 1;
        }
        return s.n;
    }
    return 1;
}

static bool ends_command(char c)
{
    return c == ';' || c == '&' || c == '|';
}

bx_str bx_script_command(bx_str *rest)
{
    bx_str s = *rest;
    size_t i = 0;
    while (i < s.n && !ends_command(s.p[i])) {
        if (s.p[i] == '#' && (i == 0 || bx_is_blank(s.p[i - 1]))) { /* a comment */
            *rest = (bx_str){0};
            return bx_str_trim(bx_str_sub(s, 0, i));
        }
        size_t n = unit_of(bx_str_sub(s, i, s.n));
        i = n < s.n - i ? i + n : s.n;
    }
    size_t next = i;
    while (next < s.n && ends_command(s.p[next]))
        next++;
    *rest = next < s.n ? bx_str_sub(s, next, s.n) : (bx_str){0};
    return bx_str_trim(bx_str_sub(s, 0, i));
}

/* ---- words ---- */

static void put_word(bx_script_word *w, bx_str s)
{
    if (s.n > BX_SCRIPT_WORD - w->n) {
        if (!w->unknown)
            w->part = w->source;
        w->unknown = true;
        return;
    }
    if (s.n)
        memcpy(w->text + w->n, s.p, s.n);
    w->n += s.n;
}

static void put_unknown(bx_script_word *w, bx_str part)
{
    if (!w->unknown)
        w->part = part;
    w->unknown = true;
}

static const bx_log_variable *find_variable(const bx_log_reader *r, bx_str name)
{
    for (unsigned i = 0; r && i < r->variables; i++)
        if (bx_str_eq(r->variable[i].name, name))
            return &r->variable[i];
    return NULL;
}

void bx_script_set(bx_log_reader *r, bx_str name, bx_str value, bool unknown)
{
    for (unsigned i = 0; i < r->variables; i++)
        if (bx_str_eq(r->variable[i].name, name)) {
            r->variable[i] = (bx_log_variable){name, value, unknown};
            return;
        }
    if (r->variables < BX_LOG_VARIABLES)
        r->variable[r->variables++] = (bx_log_variable){name, value, unknown};
}

static size_t name_length(bx_str s)
{
    size_t n = 0;
    while (n < s.n && (bx_is_letter(s.p[n]) || (n && bx_is_digit(s.p[n]))))
        n++;
    return n;
}

/* An operand of arithmetic: a number or a variable that holds one, with or without `$`. */
static bool operand(const bx_log_reader *r, bx_str *s, uint64_t *value)
{
    *s = bx_str_trim(*s);
    bool dollar = s->n && s->p[0] == '$';
    bx_str rest = bx_str_sub(*s, dollar, s->n);
    size_t n = name_length(rest);
    if (n) {
        const bx_log_variable *v = find_variable(r, bx_str_sub(rest, 0, n));
        *s = bx_str_sub(rest, n, rest.n);
        return v && !v->unknown && bx_str_u64(v->value, value);
    }
    while (n < rest.n && (bx_digit_value(rest.p[n]) < 16 || rest.p[n] == 'x' || rest.p[n] == 'X'))
        n++;
    *s = bx_str_sub(rest, n, rest.n);
    return !dollar && bx_str_u64(bx_str_sub(rest, 0, n), value);
}

static bool apply(char op, uint64_t *value, uint64_t by)
{
    switch (op) {
    case '+':
        *value += by;
        return true;
    case '*':
        *value *= by;
        return true;
    case '|':
        *value |= by;
        return true;
    case '&':
        *value &= by;
        return true;
    case '<':
        *value = by < 64 ? *value << by : 0;
        return by < 64;
    default:
        return false;
    }
}

/* "0x186 + n": operands and operators of one kind, so that no precedence matters. */
static bool arithmetic(const bx_log_reader *r, bx_str s, uint64_t *value)
{
    char only = 0;
    if (!operand(r, &s, value))
        return false;
    while ((s = bx_str_trim(s)).n) {
        char op = s.p[0];
        bool shift = op == '<';
        uint64_t by;
        if ((only && op != only) || shift != (s.n > 1 && s.p[1] == '<') || (shift && only))
            return false;
        s = bx_str_sub(s, shift ? 2 : 1, s.n);
        if (!operand(r, &s, &by) || !apply(op, value, by))
            return false;
        only = op;
    }
    return true;
}

/* Puts what "$…" at the begin of s stands for. Returns its length. */
static size_t expand(const bx_log_reader *r, bx_str s, bx_script_word *w)
{
    size_t n = unit_of(s);
    bx_str name = bx_str_sub(s, 1, name_length(bx_str_sub(s, 1, s.n)));
    uint64_t value;
    if (n > 5 && s.p[1] == '(' && s.p[2] == '(' && s.p[n - 2] == ')') {
        char text[24];
        bool fits = arithmetic(r, bx_str_sub(s, 3, n - 5), &value);
        if (!fits) {
            put_unknown(w, bx_str_sub(s, 0, n));
            return n;
        }
        put_word(w, (bx_str){text, (size_t)snprintf(text, sizeof text, "0x%" PRIx64, value)});
        return n;
    }
    if (n > 3 && s.p[1] == '{')
        name = bx_str_sub(s, 2, n - 3);
    else if (name.n)
        n = 1 + name.n;
    const bx_log_variable *v = find_variable(r, name);
    if (v && !v->unknown)
        put_word(w, v->value);
    else
        put_unknown(w, bx_str_sub(s, 0, n > 1 ? n : 2));
    return n > 1 ? n : s.n > 1 ? 2 : 1;
}

/* Puts a text in double quotes, without them. */
static void put_quoted(const bx_log_reader *r, bx_str s, bx_script_word *w)
{
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] == '$') {
            i += expand(r, bx_str_sub(s, i, s.n), w);
        } else if (s.p[i] == '`' || s.p[i] == '\\') {
            put_unknown(w, bx_str_sub(s, i, 1));
            i++;
        } else {
            put_word(w, bx_str_sub(s, i++, 1));
        }
    }
}

bool bx_script_next(const bx_log_reader *r, bx_str *rest, bx_script_word *w)
{
    bx_str s = bx_str_trim(*rest);
    size_t i = 0;
    *w = (bx_script_word){.n = 0};
    if (!s.n)
        return false;
    while (i < s.n && !bx_is_blank(s.p[i])) {
        size_t n = unit_of(bx_str_sub(s, i, s.n));
        i = n < s.n - i ? i + n : s.n;
    }
    w->source = bx_str_sub(s, 0, i);
    *rest = bx_str_sub(s, i, s.n);
    for (size_t k = 0; k < i;) {
        bx_str here = bx_str_sub(w->source, k, i);
        size_t n = unit_of(here);
        if (here.p[0] == '$') {
            k += expand(r, here, w);
            continue;
        }
        if (here.p[0] == '\'' && n > 1)
            put_word(w, bx_str_sub(here, 1, n - 2));
        else if (here.p[0] == '"' && n > 1)
            put_quoted(r, bx_str_sub(here, 1, n - 2), w);
        else if (here.p[0] == '`' || here.p[0] == '\\')
            put_unknown(w, bx_str_sub(here, 0, n));
        else
            put_word(w, bx_str_sub(here, 0, n));
        k += n;
    }
    return true;
}
