/* String slices. */
#include "base/str.h"

#include <string.h>

bx_str bx_str_of(const char *z)
{
    return (bx_str){z, z ? strlen(z) : 0};
}

bool bx_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool bx_str_eq(bx_str a, bx_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool bx_str_eq_fold(bx_str a, bx_str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (a.p[i] != b.p[i] && bx_lower(a.p[i]) != bx_lower(b.p[i]))
            return false;
    return true;
}

bool bx_str_starts_fold(bx_str s, bx_str prefix)
{
    return s.n >= prefix.n && bx_str_eq_fold((bx_str){s.p, prefix.n}, prefix);
}

bx_str bx_str_trim(bx_str s)
{
    while (s.n && bx_is_blank(*s.p))
        s.p++, s.n--;
    while (s.n && bx_is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

bx_str bx_str_sub(bx_str s, size_t from, size_t n)
{
    if (from > s.n)
        from = s.n;
    if (n > s.n - from)
        n = s.n - from;
    return (bx_str){s.p ? s.p + from : NULL, n};
}

ptrdiff_t bx_str_find(bx_str s, char c, size_t from)
{
    for (size_t i = from; i < s.n; i++)
        if (s.p[i] == c)
            return (ptrdiff_t)i;
    return -1;
}

bx_str bx_str_cut(bx_str *rest, char sep)
{
    bx_str part = *rest;
    ptrdiff_t at = bx_str_find(*rest, sep, 0);
    if (at < 0) {
        *rest = (bx_str){NULL, 0};
    } else {
        part.n = (size_t)at;
        *rest = bx_str_sub(*rest, (size_t)at + 1, rest->n);
    }
    return part;
}

bool bx_str_u64(bx_str s, uint64_t *value)
{
    unsigned base = 10;
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
        base = 16;
        s = bx_str_sub(s, 2, s.n);
    } else if (s.n > 1 && s.p[0] == '0') {
        base = 8;
        s = bx_str_sub(s, 1, s.n);
    }
    if (s.n == 0)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned d = bx_digit_value(s.p[i]);
        if (d >= base || sum > (UINT64_MAX - d) / base)
            return false;
        sum = sum * base + d;
    }
    *value = sum;
    return true;
}

bool bx_str_size(bx_str s, uint64_t *bytes)
{
    unsigned shift = 0;
    bool binary = s.n > 2 && bx_str_eq_fold(bx_str_sub(s, s.n - 2, 2), BX_STR("iB"));
    s.n -= binary ? 2 : 0;
    if (s.n > 1) {
        switch (bx_lower(s.p[s.n - 1])) {
        case 'k':
            shift = 10;
            break;
        case 'm':
            shift = 20;
            break;
        case 'g':
            shift = 30;
            break;
        default:
            break;
        }
    }
    uint64_t n;
    if (binary && !shift)
        return false;
    if (!bx_str_u64(shift ? bx_str_sub(s, 0, s.n - 1) : s, &n) || n > UINT64_MAX >> shift)
        return false;
    *bytes = n << shift;
    return true;
}

uint32_t bx_str_hash_fold(bx_str s, uint32_t seed)
{
    uint32_t h = seed;
    for (size_t i = 0; i < s.n; i++) /* FNV-1a; upper and lower case differ in bit 5 */
        h = (h ^ ((unsigned char)s.p[i] | 0x20)) * UINT32_C(16777619);
    return h ^ h >> 16;
}

bool bx_str_glob(bx_str pattern, bx_str text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
    while (t < text.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.n &&
                   (pattern.p[p] == '?' || bx_lower(pattern.p[p]) == bx_lower(text.p[t]))) {
            p++, t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

unsigned bx_str_distance(bx_str a, bx_str b, unsigned limit)
{
    enum { LONGEST = 63 };
    unsigned row[LONGEST + 1];
    size_t longer = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (a.n > LONGEST || b.n > LONGEST || longer > limit)
        return limit + 1;
    for (unsigned j = 0; j <= b.n; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a.n; i++) {
        unsigned diagonal = row[0], least = i;
        row[0] = i;
        for (unsigned j = 1; j <= b.n; j++) {
            unsigned change = diagonal + (bx_lower(a.p[i - 1]) != bx_lower(b.p[j - 1]));
            unsigned shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < shorter ? change : shorter;
            if (row[j] < least)
                least = row[j];
        }
        if (least > limit)
            return limit + 1;
    }
    return row[b.n];
}
