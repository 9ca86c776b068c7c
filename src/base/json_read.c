/* Reads JSON (RFC 8259). */
#include "base/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct reader {
    bx_str text;
    size_t at;
    unsigned depth;
    bx_arena *arena;
    bx_error *e;
} reader;

static char here(const reader *r)
{
    return r->at < r->text.n ? r->text.p[r->at] : '\0';
}

static void skip_blanks(reader *r)
{
    while (r->at < r->text.n && bx_is_blank(r->text.p[r->at]))
        r->at++;
}

static int fail(const reader *r, size_t at, size_t len, const char *expected)
{
    if (at >= r->text.n)
        return bx_fail(r->e, BX_BAD_INPUT, r->text.n, 0, "it ends where %s is missing", expected);
    return bx_fail(r->e, BX_BAD_INPUT, at, len, "this is not %s", expected);
}

/* ---- strings ---- */

static bool hex4(const reader *r, size_t at, unsigned *code)
{
    *code = 0;
    for (size_t i = at; i < at + 4; i++) {
        unsigned digit = i < r->text.n ? bx_digit_value(r->text.p[i]) : 99;
        if (digit > 15)
            return false;
        *code = *code << 4 | digit;
    }
    return true;
}

static size_t utf8(unsigned code, char *to)
{
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(first[n] | code);
    return n;
}

/* Reads `\u` and four digits, or the two escapes of a surrogate pair. A half of a pair becomes
 * U+FFFD. 0: malformed. */
static size_t escaped_code(reader *r, char *to)
{
    unsigned code, low;
    if (!hex4(r, r->at + 1, &code))
        return 0;
    r->at += 5;
    if (code >= 0xd800 && code < 0xdc00 && here(r) == '\\' && r->at + 1 < r->text.n &&
        r->text.p[r->at + 1] == 'u' && hex4(r, r->at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
        r->at += 6;
        return utf8(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), to);
    }
    return utf8(code >= 0xd800 && code < 0xe000 ? 0xfffd : code, to);
}

/* Reads the escape after a backslash, which becomes at most four bytes. Returns their number; 0:
 * malformed. */
static size_t escape(reader *r, char *to)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (here(r) == 'u')
        return escaped_code(r, to);
    const char *name = here(r) ? strchr(names, here(r)) : NULL;
    if (!name)
        return 0;
    *to = bytes[name - names];
    r->at++;
    return 1;
}

/* Reads a string from quote to quote. An escape is never shorter than its character. */
static int string(reader *r, bx_str *to)
{
    size_t start = r->at++, n = 0, end = r->at;
    while (end < r->text.n && r->text.p[end] != '"')
        end += r->text.p[end] == '\\' ? 2 : 1;
    char *copy = bx_arena_get(r->arena, end - start + 4);
    if (!copy)
        return bx_out_of_memory(r->e);
    while (r->at < r->text.n && here(r) != '"') {
        if ((unsigned char)here(r) < ' ')
            return fail(r, r->at, 1, "a character of a string");
        if (here(r) != '\\') {
            copy[n++] = r->text.p[r->at++];
            continue;
        }
        size_t from = r->at++, bytes = escape(r, copy + n);
        if (!bytes)
            return fail(r, from, 2, "an escape of JSON");
        n += bytes;
    }
    if (r->at >= r->text.n)
        return fail(r, r->at, 0, "the '\"' of a string");
    r->at++;
    *to = (bx_str){copy, n};
    return BX_OK;
}

/* ---- numbers and words ---- */

static size_t digits(reader *r)
{
    size_t from = r->at;
    while (bx_is_digit(here(r)))
        r->at++;
    return r->at - from;
}

static bool scan_number(reader *r)
{
    r->at += here(r) == '-';
    size_t first = r->at, n = digits(r);
    if (n == 0 || (n > 1 && r->text.p[first] == '0'))
        return false;
    if (here(r) == '.') {
        r->at++;
        if (!digits(r))
            return false;
    }
    if (here(r) != 'e' && here(r) != 'E')
        return true;
    r->at++;
    r->at += here(r) == '-' || here(r) == '+';
    return digits(r) > 0;
}

static int read_number(reader *r, bx_json_value *to)
{
    size_t from = r->at;
    if (!scan_number(r))
        return fail(r, from, r->at - from ? r->at - from : 1, "a number");
    to->kind = BX_JSON_NUMBER;
    to->text.p = bx_arena_copy(r->arena, bx_str_sub(r->text, from, r->at - from));
    to->text.n = r->at - from;
    if (!to->text.p)
        return bx_out_of_memory(r->e);
    return isfinite(bx_json_double(to))
               ? BX_OK
               : bx_fail(r->e, BX_BAD_INPUT, from, to->text.n, "the number is too large");
}

static int word(reader *r, bx_json_value *to)
{
    static const bx_str words[] = {
        [BX_JSON_NULL] = {"null", 4}, [BX_JSON_FALSE] = {"false", 5}, [BX_JSON_TRUE] = {"true", 4}};
    for (unsigned kind = BX_JSON_NULL; kind <= BX_JSON_TRUE; kind++)
        if (bx_str_eq(bx_str_sub(r->text, r->at, words[kind].n), words[kind])) {
            to->kind = (bx_json_kind)kind;
            r->at += words[kind].n;
            return BX_OK;
        }
    return fail(r, r->at, 1, "a value");
}

/* ---- arrays and objects ---- */

static int value(reader *r, bx_json_value **to);

static int member_key(reader *r, bx_str *key)
{
    if (here(r) != '"')
        return fail(r, r->at, 1, "a member's name in quotes");
    int code = string(r, key);
    skip_blanks(r);
    if (!code && here(r) != ':')
        code = fail(r, r->at, 1, "the ':' after a member's name");
    r->at++;
    return code;
}

static int element(reader *r, bool of_object, bx_json_value **to)
{
    bx_str key = {0};
    skip_blanks(r);
    int code = of_object ? member_key(r, &key) : BX_OK;
    if (!code)
        code = value(r, to);
    if (!code)
        (*to)->key = key;
    skip_blanks(r);
    return code;
}

static int by_key(const void *a, const void *b)
{
    const bx_json_value *const *first = a, *const *second = b;
    bx_str x = (*first)->key, y = (*second)->key;
    int order = x.n && y.n ? memcmp(x.p, y.p, x.n < y.n ? x.n : y.n) : 0;
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

/* Programs disagree about which of two members of one name counts (RFC 8259, section 4). */
static int check_keys(const reader *r, const bx_json_value *object, size_t n)
{
    const bx_json_value **sorted = n > 1 ? bx_arena_get(r->arena, n * sizeof *sorted) : NULL;
    if (n < 2)
        return BX_OK;
    if (!sorted)
        return bx_out_of_memory(r->e);
    n = 0;
    for (const bx_json_value *v = object->first; v; v = v->next)
        sorted[n++] = v;
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1; i < n; i++) {
        const bx_json_value *a = sorted[i - 1], *b = sorted[i], *later = a->at > b->at ? a : b;
        if (by_key(&a, &b) == 0)
            return bx_fail(r->e, BX_BAD_INPUT, later->at, later->len,
                           "there are two members '%.*s' here", BX_QUOTED(later->key));
    }
    return BX_OK;
}

static int elements(reader *r, bx_json_value *to)
{
    size_t n = 0;
    bool of_object = here(r) == '{';
    char close = of_object ? '}' : ']';
    bx_json_value **last = &to->first;
    to->kind = of_object ? BX_JSON_OBJECT : BX_JSON_ARRAY;
    if (++r->depth > DEEPEST)
        return bx_fail(r->e, BX_BAD_INPUT, r->at, 1, "more than %d brackets are open here",
                       DEEPEST);
    r->at++;
    skip_blanks(r);
    for (bool more = here(r) != close; more;) {
        int code = element(r, of_object, last);
        if (code)
            return code;
        last = &(*last)->next;
        n++;
        more = here(r) == ',';
        if (!more && here(r) != close)
            return fail(r, r->at, 1, of_object ? "',' or '}'" : "',' or ']'");
        r->at += more;
    }
    r->at++;
    r->depth--;
    return of_object ? check_keys(r, to, n) : BX_OK;
}

static int value(reader *r, bx_json_value **to)
{
    skip_blanks(r);
    bx_json_value *v = *to = bx_arena_get(r->arena, sizeof *v);
    if (!v)
        return bx_out_of_memory(r->e);
    v->at = r->at;
    int code;
    char c = here(r);
    if (c == '{' || c == '[') {
        code = elements(r, v);
    } else if (c == '"') {
        v->kind = BX_JSON_STRING;
        code = string(r, &v->text);
    } else if (c == '-' || bx_is_digit(c)) {
        code = read_number(r, v);
    } else {
        code = word(r, v);
    }
    v->len = r->at - v->at;
    return code;
}

int bx_json_read(bx_str text, size_t *at, bx_arena *a, const bx_json_value **to, bx_error *e)
{
    reader r = {.text = text, .at = *at, .arena = a, .e = e};
    bx_json_value *v = NULL;
    int code = value(&r, &v);
    *to = code ? NULL : v;
    *at = r.at;
    return code;
}

const bx_json_value *bx_json_member(const bx_json_value *object, const char *key)
{
    if (object->kind == BX_JSON_OBJECT)
        for (const bx_json_value *v = object->first; v; v = v->next)
            if (bx_str_eq(v->key, bx_str_of(key)))
                return v;
    return NULL;
}

double bx_json_double(const bx_json_value *number)
{
    return strtod(number->text.p, NULL);
}

bool bx_json_u64(const bx_json_value *v, uint64_t *to)
{
    if (v->kind != BX_JSON_NUMBER && v->kind != BX_JSON_STRING)
        return false;
    for (size_t i = 0; i < v->text.n; i++)
        if (!bx_is_digit(v->text.p[i]))
            return false;
    return (v->text.n == 1 || (v->text.n && *v->text.p != '0')) && bx_str_u64(v->text, to);
}
