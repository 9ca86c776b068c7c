/* A command whose work is a program of its own, as it needs libraries that nothing else does. */
#ifndef BX_CLI_COMMON_COMPANION_H
#define BX_CLI_COMMON_COMPANION_H

#include "cli/common/cli.h"

/* Becomes that program, with the arguments of this process but for its own name. Returns only if it
 * cannot be started: the exit status, after it has said so with the hint. what: "the server". */
int bx_companion_become(bx_cli *cli, const char *name, const char *what, const char *hint);

#endif
