/* What the readers of foreign logs share: words and numbers of a line, and how they refuse one. */
#include "reglog/foreign_internal.h"

#include "base/error.h"

#include <string.h>

bool bx_log_add(bx_log_reader *r, const bx_log_access *a)
{
    if (r->n == BX_LOG_ACCESSES)
        return false;
    r->access[r->n++] = *a;
    return true;
}

int bx_log_refuse(bx_str line, bx_str part, bx_error *e, const char *what, const char *hint)
{
    size_t from = part.p ? (size_t)(part.p - line.p) : line.n;
    bx_fail(e, BX_BAD_INPUT, from, part.n ? part.n : 1, "%s", what);
    bx_hint(e, "%s", hint);
    return BX_BAD_INPUT;
}

ptrdiff_t bx_log_behind(bx_str s, size_t from, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = from; i + n <= s.n; i++)
        if (memcmp(s.p + i, what, n) == 0)
            return (ptrdiff_t)(i + n);
    return -1;
}

bx_str bx_log_word(bx_str *rest)
{
    size_t from = 0, to;
    while (from < rest->n && bx_is_blank(rest->p[from]))
        from++;
    for (to = from; to < rest->n && !bx_is_blank(rest->p[to]);)
        to++;
    bx_str word = bx_str_sub(*rest, from, to - from);
    *rest = bx_str_sub(*rest, to, rest->n - to);
    return word;
}

bool bx_log_hex(bx_str s, uint64_t *value)
{
    char c_notation[2 + 16] = "0x";
    if (s.n == 0 || s.n > 16 || bx_digit_value(s.p[0]) > 15)
        return false;
    memcpy(c_notation + 2, s.p, s.n);
    return bx_str_u64((bx_str){c_notation, 2 + s.n}, value);
}
