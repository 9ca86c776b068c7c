/* Splits a line into words, and parses numbers. */
#include "machine/dialogue/words.h"

int bx_words_split(bx_str line, bx_words *to, bx_error *e)
{
    ptrdiff_t comment = bx_str_find(line, '#', 0);
    size_t end = comment < 0 ? line.n : (size_t)comment;
    *to = (bx_words){.line = line};
    for (size_t at = 0; at < end;) {
        if (bx_is_blank(line.p[at])) {
            at++;
            continue;
        }
        size_t from = at;
        while (at < end && !bx_is_blank(line.p[at]))
            at++;
        if (to->n == BX_WORDS)
            return bx_fail(e, BX_BAD_INPUT, from, at - from, "more than %d words", BX_WORDS);
        to->w[to->n++] = bx_str_sub(line, from, at - from);
    }
    return BX_OK;
}

int bx_words_number(const bx_words *s, bx_str word, uint64_t most, const char *what,
                    uint64_t *value, bx_error *e)
{
    uint64_t n;
    if (!bx_str_u64(word, &n)) {
        BX_FAIL_AT(e, s, word, "%s '%.*s' is not a number of at most 64 bits", what,
                   BX_QUOTED(word));
        bx_hint(e, "numbers are written as in C: 0x1f, 31 or 037");
        return BX_BAD_INPUT;
    }
    if (n > most)
        return BX_FAIL_AT(e, s, word, "%s '%.*s' is over 0x%llx", what, BX_QUOTED(word),
                          (unsigned long long)most);
    *value = n;
    return BX_OK;
}
