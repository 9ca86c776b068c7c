/* What all commands of `boxscore` share: output, messages, look-ups of their common options. */
#ifndef BX_CLI_COMMON_CLI_H
#define BX_CLI_COMMON_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/nearest.h"
#include "cli/common/options.h"

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

/* Writes all of it; 0 or an errno. A closed pipe is an error here, not the end of the process: a
 * command may have registers to restore. */
int bx_cli_write(int fd, const char *bytes, size_t n);

/* Writes an error to standard error: the message, the line of `input` (NULL: none) with carets
 * under the span, the hint. Returns BX_EXIT_ERROR, so that commands write `return
 * bx_cli_error(...)`. */
int bx_cli_error(const bx_error *e, const char *input);

/* The same for a message without a bx_error. */
int bx_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A remark on standard error. */
void bx_cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Drops what is in cli->out and fails: for commands that write all or nothing. */
int bx_cli_reject(bx_cli *cli, const bx_error *e, const char *input);

/* Hints at the nearest name, or, if nothing is like it, at something else. */
void bx_cli_hint(bx_error *e, const bx_nearest *nearest, const char *otherwise);

/* What the options --cpu and --machine of a command (each may be NULL) make it speak of. */
typedef struct bx_subject {
    int cpu;             /* catalogue index; -1: every model, none was named */
    bx_machine *machine; /* NULL unless --machine named one; to be closed */
} bx_subject;

/* Returns an exit status, after having said what is wrong. */
int bx_cli_subject(bx_cli *cli, const char *cpu, const char *machine, bx_subject *subject);

/* An exit status: whether the catalogue has the machine's CPU, which a host's may lack. */
int bx_cli_need_cpu(const bx_machine *m);

/* The same for a command that speaks of a host whose CPU the catalogue lacks as well: cpu is then
 * -1 though there is a machine. root: where the host's files are, or NULL. */
int bx_cli_subject_at(bx_cli *cli, const char *cpu, const char *machine, const char *root,
                      bx_subject *subject);

/* The plain virtual machine of the catalogue's first CPU model; it lives as long as the command. */
const char *bx_cli_first_machine(bx_cli *cli);

/* BX_OK, or BX_NO_FIT with the event's span if the machine that was named lacks its unit or
 * package. */
int bx_cli_unit_exists(const bx_subject *subject, const bx_evsel *event, bx_error *e);

/* All texts with commas between them, so that a span holds in the whole; NULL when out of memory.
 */
char *bx_cli_join(bx_cli *cli, const bx_texts *first, const bx_texts *second);

/* The commands. */
extern const bx_command bx_command_list, bx_command_info, bx_command_encode, bx_command_decode,
    bx_command_plan, bx_command_stat, bx_command_stage, bx_command_explain, bx_command_vpmu,
    bx_command_doctor, bx_command_regs, bx_command_allowlist, bx_command_restore,
    bx_command_machine, bx_command_help;

/* All of them, in the order of the help; ends in NULL. */
extern const bx_command *const bx_commands[];

/* A command by its name; NULL and *e with the nearest one if there is none. */
const bx_command *bx_command_find(const char *name, bx_error *e);

#endif
