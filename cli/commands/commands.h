/* The commands: a file each in this folder, and the list of all of them. */
#ifndef BX_CLI_COMMANDS_COMMANDS_H
#define BX_CLI_COMMANDS_COMMANDS_H

#include "cli/common/cli.h"

extern const bx_command bx_command_list, bx_command_info, bx_command_encode, bx_command_decode,
    bx_command_plan, bx_command_stat, bx_command_stage, bx_command_explain, bx_command_vpmu,
    bx_command_doctor, bx_command_regs, bx_command_allowlist, bx_command_restore,
    bx_command_machine, bx_command_trace, bx_command_diff, bx_command_slices, bx_command_help;

/* All of them, in the order of the help; ends in NULL. */
extern const bx_command *const bx_commands[];

/* Finds a command by its name. NULL if there is none; *e then suggests the nearest. */
const bx_command *bx_command_find(const char *name, bx_error *e);

#endif
