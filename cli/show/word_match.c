/* Matches words at the beginnings of words, also their stems and synonyms, and globs with whole
 * texts. */
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

static bool matches_any(bx_str word, const bx_str *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has_word(texts[i], word))
            return true;
    return false;
}

/* Words that readers type, and the catalogue's words for them. */
static const char *const synonyms[][2] = {
    {"rate", "ratio"},
    {"numa", "socket"},
    {"numa", "remote"},
    {"miss", "mispredict"},
    {"throughput", "bandwidth"},
    {"ram", "memory"},
    {"cpi", "ipc"},
    {"ipc", "cpi"},
    {"utilisation", "utilization"},
};

static bool matches_synonym(bx_str word, const bx_str *texts, size_t n)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (bx_str_eq_fold(word, bx_str_of(synonyms[i][0])) &&
            matches_any(bx_str_of(synonyms[i][1]), texts, n))
            return true;
    return false;
}

/* The word without an ending of a plural. Words match at their beginnings, so other endings need no
 * care: "miss" finds "missed". */
static bx_str stem_of(bx_str word)
{
    enum { LEAST = 3 };
    static const char *const endings[] = {"sses", "ches", "xes", "s"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        bx_str ending = bx_str_of(endings[i]);
        size_t cut = ending.n > 1 ? 2 : 1; /* "es" or "s" */
        bool is_plural = cut == 2 || (word.n > 1 && bx_lower(word.p[word.n - 2]) != 's');
        if (word.n >= LEAST + cut && word.n > ending.n && is_plural &&
            bx_str_eq_fold(bx_str_sub(word, word.n - ending.n, ending.n), ending))
            return bx_str_sub(word, 0, word.n - cut);
    }
    return word;
}

bool bx_word_matches(bx_str word, const bx_str *texts, size_t n)
{
    if (bx_word_is_glob(word)) {
        for (size_t i = 0; i < n; i++)
            if (bx_str_glob(word, texts[i]))
                return true;
        return false;
    }
    bx_str stem = stem_of(word);
    return matches_any(word, texts, n) || matches_synonym(word, texts, n) ||
           (stem.n < word.n && (matches_any(stem, texts, n) || matches_synonym(stem, texts, n)));
}
