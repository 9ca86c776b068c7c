/* What `boxscore plan` says, for another command. */
#ifndef BX_CLI_COMMANDS_PLAN_H
#define BX_CLI_COMMANDS_PLAN_H

#include "machine/machine.h"

/* Adds the register operations that would count these events on the machine, with the number of
 * passes and its reason. Where a kernel counts them, adds what it is given. Events that only the
 * kernel or the model has are left out. */
int bx_plan_tell(const bx_machine *m, const bx_evsel *events, size_t n, bx_arena *arena, bx_buf *to,
                 bx_error *e);

#endif
