/* Splits a line at blanks and parses its words as numbers; errors have their spans. */
#ifndef BX_MACHINE_DIALOGUE_WORDS_H
#define BX_MACHINE_DIALOGUE_WORDS_H

#include "base/error.h"

enum { BX_WORDS = 16 }; /* most in one line */

typedef struct bx_words {
    bx_str line;
    bx_str w[BX_WORDS];
    size_t n;
} bx_words;

/* `#` starts a comment. BX_BAD_INPUT if there are too many words. */
int bx_words_split(bx_str line, bx_words *to, bx_error *e);

/* Parses a number in C notation, at most `most`; `what` names it in messages. */
int bx_words_number(const bx_words *s, bx_str word, uint64_t most, const char *what,
                    uint64_t *value, bx_error *e);

/* bx_fail() with the span of a part of the line. */
#define BX_FAIL_AT(e, s, part, ...)                                                                \
    bx_fail(e, BX_BAD_INPUT, (size_t)((part).p - (s)->line.p), (part).n, __VA_ARGS__)

#endif
