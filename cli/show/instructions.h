/* The instructions of a recording, with their counts. */
#ifndef BX_CLI_SHOW_INSTRUCTIONS_H
#define BX_CLI_SHOW_INSTRUCTIONS_H

#include "profile/format/formats.h"

/* A table by BX_BY_INSTRUCTIONS: the instructions of its functions, as their binaries have them
 * now. BX_NOT_FOUND: there is no disassembler. */
#define BX_BY_INSTRUCTIONS "instruction,line"
int bx_show_instructions(const bx_profile_table *t, bx_buf *to, bx_error *e);

#endif
