/* Command lines for a shell. */
#ifndef BX_HOST_SYSTEM_SHELL_H
#define BX_HOST_SYSTEM_SHELL_H

#include "base/buf.h"

/* Appends a word in single quotes, so that it stays as it is. */
void bx_shell_word(bx_buf *to, const char *word);

/* Appends what a command line writes to standard output. Its exit status; -1: it could not be
 * executed, or did not end by itself. */
int bx_shell_read(const char *line, bx_buf *to);

#endif
