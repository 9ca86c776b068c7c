#include "cli/show/word_match.h"

/* ASCII case ignored, '.' and ':' the same as in event strings. */
static bool same(char a, char b)
{
    if (a == b)
        return true;
    if ((a == '.' || a == ':') && (b == '.' || b == ':'))
        return true;
    a |= 0x20;
    return a == (b | 0x20) && a >= 'a' && a <= 'z';
}

static bool contains(bx_str text, bx_str word)
{
    for (size_t at = 0; at + word.n <= text.n; at++) {
        size_t i = 0;
        while (i < word.n && same(text.p[at + i], word.p[i]))
            i++;
        if (i == word.n)
            return true;
    }
    return false;
}

bool bx_word_is_glob(bx_str pattern)
{
    return bx_str_find(pattern, '*', 0) >= 0 || bx_str_find(pattern, '?', 0) >= 0;
}

bool bx_word_matches(bx_str word, const bx_str *texts, size_t n)
{
    bool glob = bx_word_is_glob(word);
    for (size_t i = 0; i < n; i++)
        if (glob ? bx_str_glob(word, texts[i]) : contains(texts[i], word))
            return true;
    return false;
}
