/* The commands: a file each in this folder, and the list of all of them. */
#ifndef BX_CLI_COMMANDS_COMMANDS_H
#define BX_CLI_COMMANDS_COMMANDS_H

#include "cli/common/cli.h"

/* In the order of the help. */
#define BX_COMMANDS(X)                                                                             \
    X(list)                                                                                        \
    X(info)                                                                                        \
    X(encode)                                                                                      \
    X(decode)                                                                                      \
    X(metric)                                                                                      \
    X(plan)                                                                                        \
    X(stat)                                                                                        \
    X(record)                                                                                      \
    X(report)                                                                                      \
    X(annotate)                                                                                    \
    X(diff)                                                                                        \
    X(sweep)                                                                                       \
    X(top)                                                                                         \
    X(serve)                                                                                       \
    X(stage)                                                                                       \
    X(explain)                                                                                     \
    X(vpmu)                                                                                        \
    X(doctor)                                                                                      \
    X(import)                                                                                      \
    X(regs)                                                                                        \
    X(allowlist)                                                                                   \
    X(restore)                                                                                     \
    X(machine)                                                                                     \
    X(trace)                                                                                       \
    X(slices)                                                                                      \
    X(help)

/* bx_command_list and so on, each in the file of its name. */
#define BX_COMMAND_DECLARED(name) extern const bx_command bx_command_##name;
BX_COMMANDS(BX_COMMAND_DECLARED)
#undef BX_COMMAND_DECLARED

/* All commands; ends in NULL. */
extern const bx_command *const bx_commands[];

/* Finds a command by its name. NULL if there is none; *e then suggests the nearest. */
const bx_command *bx_command_find(const char *name, bx_error *e);

#endif
