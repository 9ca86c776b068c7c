/* Matches names with numbers in them. */
#include "event/pattern.h"

#include <string.h>

size_t bx_digits(bx_str text, uint32_t *value)
{
    enum { MOST = 1000000000 };
    size_t n = 0;
    uint64_t sum = 0;
    for (; n < text.n && bx_is_digit(text.p[n]); n++) {
        sum = sum * 10 + (unsigned)(text.p[n] - '0');
        if (sum > MOST)
            sum = MOST;
    }
    *value = (uint32_t)sum;
    return n;
}

bool bx_pattern_match(const char *pattern, bx_str text, bx_numbers *numbers)
{
    *numbers = (bx_numbers){BX_NO_NUMBER, BX_NO_NUMBER};
    if (!*pattern || (*pattern != '{' && !bx_str_starts_fold(text, (bx_str){pattern, 1})))
        return false;
    while (*pattern) {
        const char *brace = strchr(pattern, '{');
        bx_str literal = {pattern, brace ? (size_t)(brace - pattern) : strlen(pattern)};
        if (!bx_str_starts_fold(text, literal))
            return false;
        text = bx_str_sub(text, literal.n, text.n);
        if (!brace)
            break;
        bool unit = strncmp(brace, "{unit}", 6) == 0;
        size_t n = bx_digits(text, unit ? &numbers->unit : &numbers->n);
        if (n == 0)
            return false;
        text = bx_str_sub(text, n, text.n);
        pattern = brace + (unit ? sizeof "{unit}" : sizeof "{n}") - 1;
    }
    return text.n == 0;
}
