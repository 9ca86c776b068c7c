/* Words and globs that choose what is listed. */
#ifndef BX_CLI_SHOW_WORD_MATCH_H
#define BX_CLI_SHOW_WORD_MATCH_H

#include "base/str.h"

bool bx_word_is_glob(bx_str word);

/* Whether a word is in one of the texts ('.' and ':' are the same), or a glob matches all of
 * one. */
bool bx_word_matches(bx_str word, const bx_str *texts, size_t n);

#endif
