/* The readers of other tools' lines. */
#ifndef BX_REGLOG_FOREIGN_INTERNAL_H
#define BX_REGLOG_FOREIGN_INTERNAL_H

#include "reglog/foreign.h"

/* Whether the line looks like one with an access. */
bool bx_log_is_kernel_trace(bx_str line);
bool bx_log_is_likwid(bx_str line);
bool bx_log_is_strace(bx_str line);
bool bx_log_is_script(bx_str line);

int bx_log_kernel_trace(bx_log_reader *r, bx_str line, bx_error *e);
int bx_log_likwid(bx_log_reader *r, bx_str line, bx_error *e);
int bx_log_strace(bx_log_reader *r, bx_str line, bx_error *e);
int bx_log_script(bx_log_reader *r, bx_str line, bx_error *e);

/* Adds an access to access[]. false: there are too many in one line. */
bool bx_log_add(bx_log_reader *r, const bx_log_access *a);

/* Fails with a part of the line as the span. */
int bx_log_refuse(bx_str line, bx_str part, bx_error *e, const char *what, const char *hint);

/* The index after the first `what` in s from `from` on; -1: there is none. */
ptrdiff_t bx_log_behind(bx_str s, size_t from, const char *what);

/* Cuts the next word, up to a blank. Empty: there is none. */
bx_str bx_log_word(bx_str *rest);

/* Reads hexadecimal digits, without 0x, of all of s. */
bool bx_log_hex(bx_str s, uint64_t *value);

#endif
