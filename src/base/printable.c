/* Makes text from foreign files safe to print. */
#include "base/printable.h"

#include <string.h>

size_t bx_character_length(bx_str s)
{
    unsigned char first = (unsigned char)s.p[0];
    if (first < 0x80)
        return 1;
    size_t n = first >= 0xc2 && first <= 0xdf   ? 2
               : first >= 0xe0 && first <= 0xef ? 3
               : first >= 0xf0 && first <= 0xf4 ? 4
                                                : 0;
    if (n == 0 || n > s.n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80)
            return 0;
    /* The second byte shows overlong forms, surrogates and code points above U+10FFFF. */
    unsigned char second = (unsigned char)s.p[1];
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    return n;
}

static bool is_control(bx_str character)
{
    unsigned char first = (unsigned char)character.p[0];
    return first < ' ' || first == 0x7f ||
           (first == 0xc2 && (unsigned char)character.p[1] < 0xa0); /* U+0080 to U+009F */
}

static void replace(char *text, size_t n, const char *but)
{
    while (n) {
        size_t length = bx_character_length((bx_str){text, n});
        bool bad = !length || is_control((bx_str){text, n});
        length = length ? length : 1;
        if (bad && (!*text || !strchr(but, *text)))
            memset(text, '?', length);
        text += length;
        n -= length;
    }
}

void bx_printable(char *text, size_t n)
{
    replace(text, n, "");
}

void bx_printable_lines(char *text, size_t n)
{
    replace(text, n, "\n\t");
}
