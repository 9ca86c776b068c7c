/* Matches words at the beginnings of words, and globs with whole texts. */
#include "cli/show/word_match.h"

/* Compares without ASCII case. As in event strings, '.' and ':' are the same. */
static bool same(char a, char b)
{
    if (a == b)
        return true;
    if ((a == '.' || a == ':') && (b == '.' || b == ':'))
        return true;
    a |= 0x20;
    return a == (b | 0x20) && a >= 'a' && a <= 'z';
}

static bool is_of_word(char c)
{
    return bx_is_digit(c) || (bx_is_letter(c) && c != '_');
}

/* Whether a word of the text begins there. A word that begins with a separator, such as "::", may
 * begin anywhere. */
static bool can_begin(bx_str text, size_t at, bx_str word)
{
    return at == 0 || !word.n || !is_of_word(word.p[0]) || !is_of_word(text.p[at - 1]);
}

static bool has_word(bx_str text, bx_str word)
{
    for (size_t at = 0; at + word.n <= text.n; at++) {
        size_t i = 0;
        while (i < word.n && same(text.p[at + i], word.p[i]))
            i++;
        if (i == word.n && can_begin(text, at, word))
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
        if (glob ? bx_str_glob(word, texts[i]) : has_word(texts[i], word))
            return true;
    return false;
}
