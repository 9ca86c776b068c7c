/* Common to all commands of `boxscore`: output, messages, and the options that select a CPU or
 * machine. */
#ifndef BX_CLI_COMMON_CLI_H
#define BX_CLI_COMMON_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/nearest.h"
#include "cli/common/options.h"
#include "measure/remarks.h"

typedef struct bx_cli {
    const bx_catalog *catalog;
    const struct bx_command *const *commands; /* all, for help; NULL ends them */
    bx_buf out;     /* standard output; written at the end of the command, or by bx_cli_flush() */
    bx_arena arena; /* lives as long as the command */
    bool long_text; /* what the command writes is text to read: a pager may show it */
    bool failed;    /* writing standard output failed, and this was reported */
    bool unread;    /* the reader of our output has closed its pipe: nothing is reported, and the
                       command ends as by SIGPIPE */
} bx_cli;

/* Exit statuses. `stat` also returns those of the program that it runs. `diff` returns
 * BX_EXIT_FAILS if a condition of --fail-if fails. */
enum { BX_EXIT_OK, BX_EXIT_ERROR, BX_EXIT_USAGE, BX_EXIT_FAILS };

/* Whether something is missing from the output, or in the arena, for lack of memory. */
bool bx_cli_lacks_memory(const bx_cli *cli);

/* Writes cli->out. false if that fails (a full disk, a closed pipe), or if bx_cli_lacks_memory():
 * it is reported once, and the exit status becomes BX_EXIT_ERROR. So a command does not have to
 * check its buffers and its arena. */
bool bx_cli_flush(bx_cli *cli);

/* Writes all bytes; 0 or an errno. A closed pipe and a file at its size limit are errors here and
 * do not end the process: a command may have registers to restore. */
int bx_cli_write(int fd, const char *bytes, size_t n);

/* Prints an error to standard error: the message, the line of `input` (NULL: none) with carets
 * under the span, the hint. Returns BX_EXIT_ERROR, so that commands write `return
 * bx_cli_error(...)`. */
int bx_cli_error(const bx_error *e, const char *input);

/* The same for a message without a bx_error. */
int bx_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a note to standard error. */
void bx_cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints notes to standard error. */
extern const bx_listener bx_cli_listener;

/* Drops cli->out and prints an error: for commands that write all or nothing. */
int bx_cli_reject(bx_cli *cli, const bx_error *e, const char *input);

/* Sets the hint to the nearest name, or to `otherwise` if no name is near enough. */
void bx_cli_hint(bx_error *e, const bx_nearest *nearest, const char *otherwise);

/* The CPU or machine that a command's options --cpu and --machine (each may be NULL) select. */
typedef struct bx_subject {
    int cpu;             /* catalogue index; -1: no CPU was named, all models */
    bx_machine *machine; /* NULL without --machine; close it */
} bx_subject;

/* Opens the subject. Returns an exit status; errors are printed. */
int bx_cli_subject(bx_cli *cli, const char *cpu, const char *machine, bx_subject *subject);

/* The same with the files of a machine in a folder; root may be NULL. Without a CPU and a machine,
 * the CPU is that of the folder. */
int bx_cli_subject_in(bx_cli *cli, const char *cpu, const char *machine, const char *root,
                      bx_subject *subject);

/* Reports that a command was given neither --cpu nor --machine; returns BX_EXIT_USAGE. */
int bx_cli_no_cpu(const bx_cli *cli, const char *command);

/* Returns an error status if the machine's CPU is not in the catalogue, as a host's may be. */
int bx_cli_need_cpu(const bx_machine *m);

/* The same for a command that accepts a host whose CPU is not in the catalogue: cpu is then -1
 * although there is a machine. root: folder of the host's files, or NULL. */
int bx_cli_subject_at(bx_cli *cli, const char *cpu, const char *machine, const char *root,
                      bx_subject *subject);

/* The default virtual machine of the catalogue's first CPU model; it lives as long as the
 * command. */
const char *bx_cli_first_machine(bx_cli *cli);

/* The separator of CSV that -x gives: '\\t' means a tabulator. NULL: none was given. */
const char *bx_cli_separator(const char *given);

/* Joins all texts with commas, so that a span refers to one text; NULL when out of memory. */
char *bx_cli_join(bx_cli *cli, const bx_texts *first, const bx_texts *second);

#endif
