/* Errors as values: a code, the byte span of the input at fault, a message and a hint.
 * The library never prints and never exits. The type itself is public: boxscore.h. */
#ifndef BX_BASE_ERROR_H
#define BX_BASE_ERROR_H

#include "base/str.h"

#include <boxscore/boxscore.h>

/* Fills *e (which may be NULL) and returns code, so that callers write `return bx_fail(...)`.
 * The first error wins: an error already set is kept. at, len: byte span of the input, 0, 0 for
 * none. Bytes that are not printable become '?': messages quote input. */
int bx_fail(bx_error *e, int code, size_t at, size_t len, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same with a failure that another bx_error holds. */
void bx_fail_as(bx_error *e, const bx_error *failure);

/* The same with BX_NO_MEMORY and no other message. */
/* BX_BAD_INPUT: an argument is NULL that must not be. what: what it is, such as "machine". */
int bx_missing(bx_error *e, const char *what);

int bx_out_of_memory(bx_error *e);

/* The error code for an errno. Not for register accesses. */
int bx_code_of(int err);

/* Sets the hint of *e: what to try. A hint does not end in a full stop. After a failure that was
 * not kept, its hint is not kept, either. */
void bx_hint(bx_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the hint if `size` ends in KB, MB or GB, and returns true then. bx_str_size() refuses these
 * units because they can mean powers of 1000 or of 1024. */
bool bx_hint_at_size(bx_error *e, bx_str size);

/* Moves the span by `by` bytes. Use it after a part of a text was parsed alone: the span then
 * refers to the whole text. */
void bx_error_shift(bx_error *e, size_t by);

/* Arguments for "%.*s": enough of a word to recognise it. */
#define BX_QUOTED(word) (int)((word).n < 40 ? (word).n : 40), (word).p

/* Writes the line of `text` in which the span of *e begins, and carets under the span below it.
 * There is no line feed at the end. If the line is longer than `columns` bytes, only the part
 * around the span is shown. The result is NUL-terminated if room > 0. Returns the whole length. */
size_t bx_error_caret(const bx_error *e, bx_str text, size_t columns, char *to, size_t room);

#endif
