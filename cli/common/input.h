/* Files that a command reads as a whole. */
#ifndef BX_CLI_COMMON_INPUT_H
#define BX_CLI_COMMON_INPUT_H

#include "base/buf.h"

/* Appends all of the file to *text; "-" is standard input. 0 or an errno; EFBIG: more than
 * 1 GiB. */
int bx_input_read(const char *path, bx_buf *text);

#endif
