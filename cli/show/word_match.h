/* Words and globs that choose what is listed. */
#ifndef BX_CLI_SHOW_WORD_MATCH_H
#define BX_CLI_SHOW_WORD_MATCH_H

#include "base/str.h"

bool bx_word_is_glob(bx_str word);

/* Whether a word of one of the texts begins with this word, or this glob matches a whole text. '.'
 * and ':' are the same. `_` separates words: "ratio" is in "miss_ratio", not in "operation". */
bool bx_word_matches(bx_str word, const bx_str *texts, size_t n);

#endif
