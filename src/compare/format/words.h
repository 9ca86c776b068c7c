/* Words for a value, a difference and a condition, the same in all formats. */
#ifndef BX_COMPARE_FORMAT_WORDS_H
#define BX_COMPARE_FORMAT_WORDS_H

#include "base/buf.h"
#include "compare/condition.h"

enum { BX_WORDS = 160 }; /* size of a buffer for any of them */

/* "49,152", or why there is no value: "<not modelled>"; "-": the run does not have it. */
const char *bx_words_value(const bx_saved_value *value, char to[BX_WORDS]);

/* The values of two runs, with as many digits as tell them apart: "0.0020812" and "0.0021463". */
const char *bx_words_before(const bx_compared *row, char to[BX_WORDS]);
const char *bx_words_after(const bx_compared *row, char to[BX_WORDS]);

/* "+3.13 %", "equal", "+3.13 % +- 0.20 %", "+5 from 0", or "". */
const char *bx_words_change(const bx_compared *row, char to[BX_WORDS]);

/* A remark on it, such as "not significant", or "". */
const char *bx_words_remark(const bx_compared *row);

/* "S0 C-Box 2", "region 'copy'", "region 'copy', thread 2"; "": of the whole run. */
const char *bx_words_place(const bx_saved_value *value, char to[BX_WORDS]);

/* "not judged", "fails", "passes", "passes: the difference is not significant". */
const char *bx_words_verdict(const bx_verdict *verdict);

/* Appends "dram_bytes_read > +2%: fails: 3.15 -> 3.24 MB (+3.13 %)". */
void bx_words_add_verdict(const bx_verdict *verdict, bx_buf *to);

/* Appends what a run did not see: "region 'copy': ended 3 times without a begin". */
void bx_words_add_unseen(const bx_saved_unseen *unseen, bx_buf *to);

/* What that is: "incomplete", or "left running". */
const char *bx_words_unseen(const bx_saved_unseen *unseen);

/* Appends why a condition is not judged: "new.json is incomplete: …". */
void bx_words_add_reason(const bx_verdict *verdict, bx_buf *to);

#endif
