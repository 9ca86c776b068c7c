/* What all commands of `boxscore` share: output, messages, look-ups of their common options. */
#ifndef BX_CLI_CLI_H
#define BX_CLI_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "cli/options.h"

typedef struct bx_cli {
    const bx_catalog *catalog;
    bx_buf out; /* to standard output: written when the command has ended, or by bx_cli_flush() */
    bx_arena arena; /* lives as long as the command */
    bool failed;    /* standard output could not be written; it was said */
} bx_cli;

/* Exit statuses. `stat` returns those of the program that it runs besides. */
enum { BX_EXIT_OK, BX_EXIT_ERROR, BX_EXIT_USAGE };

/* Writes what is in cli->out. false if that was not possible (a full disk, a closed pipe): it is
 * said once, and the exit status of the whole will be BX_EXIT_ERROR. */
bool bx_cli_flush(bx_cli *cli);

/* Writes an error to standard error: the message, the line of `input` (NULL: none) with carets
 * under the span, the hint. Returns BX_EXIT_ERROR, so that commands write `return
 * bx_cli_error(...)`. */
int bx_cli_error(const bx_error *e, const char *input);

/* The same for a message without a bx_error. */
int bx_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A remark on standard error. */
void bx_cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The CPU model that --cpu and --machine name (each may be NULL): its catalogue index, or -1 for
 * every model when both are NULL. *machine gets the machine that was opened for it, if it is not
 * NULL and one was. false after having said what is wrong. */
bool bx_cli_cpu(bx_cli *cli, const char *cpu, const char *machine, int *index);

/* The commands. */
extern const bx_command bx_command_list, bx_command_info, bx_command_encode, bx_command_decode,
    bx_command_plan, bx_command_stat, bx_command_vpmu, bx_command_doctor, bx_command_help;

/* All of them, in the order of the help; ends in NULL. */
extern const bx_command *const bx_commands[];

#endif
