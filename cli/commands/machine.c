/* boxscore machine: packs the facts on this machine that a bug report needs into one file, and
 * shows such a file. */
#include "host/gather/archive.h"
#include "cli/commands/commands.h"
#include "cli/common/sink.h"
#include "cli/common/unpacked.h"
#include "cli/doctor/findings.h"
#include "machine/machine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct values {
    const char *root, *output;
} values;

static const values defaults = {.root = ""};

static const bx_option options[] = {
    BX_OPTION_ROOT(values, root),
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write to FILE; '-': to standard output",
     .offset = offsetof(values, output)},
};

/* ---- gather ---- */

static int write_out(bx_cli *cli, const values *v, const bx_buf *text)
{
    bx_error e = {0};
    int code = bx_sink_put(cli, v->output, false, text, &e);
    return code && !cli->failed ? bx_cli_error(&e, NULL) : code ? BX_EXIT_ERROR : BX_EXIT_OK;
}

static int gather(bx_cli *cli, const values *v)
{
    bx_findings f = {.arena = &cli->arena};
    bx_buf findings = {0}, text = {0};
    bx_error e = {0};
    int status;
    bx_doctor_find(&f, cli->catalog, v->root, NULL);
    bx_findings_text(&f, true, &findings);
    if (cli->arena.failed || findings.failed)
        status = bx_cli_fail("out of memory");
    else if (bx_archive_gather(cli->catalog, v->root, findings.p, &text, &e))
        status = bx_cli_error(&e, NULL);
    else
        status = write_out(cli, v, &text);
    bx_buf_free(&findings);
    bx_buf_free(&text);
    return status;
}

/* ---- show ---- */

/* Runs another command for the machine below a folder, and appends its output to cli->out. */
static int run_on(bx_cli *cli, const bx_command *command, const char *root)
{
    bx_error e = {0};
    bx_arguments arguments;
    void *of = bx_arena_get(&cli->arena, command->values_size + 1);
    char *path = bx_arena_copy(&cli->arena, bx_str_of(root));
    if (!of || !path)
        return bx_cli_fail("out of memory");
    char *const argv[] = {(char[]){"--root"}, path, NULL};
    if (bx_options_parse(command, argv, of, &arguments, &cli->arena, &e))
        return bx_cli_error(&e, NULL);
    return command->run(cli, of, &arguments.operands);
}

/* Shows the registers. If the CPU is not in the catalogue, or the registers could not be read,
 * nothing is shown, and that is no failure. */
static int show_registers(bx_cli *cli, const char *root)
{
    bx_error e = {0};
    bx_machine *m = NULL;
    const bx_machine_options host = {.size = sizeof host, .root = root};
    int code = bx_machine_open_with(cli->catalog, "host", &host, &m, &e);
    if (code && code != BX_NO_ACCESS)
        return bx_cli_error(&e, NULL);
    bool readable = !code && bx_machine_bus(m);
    if (!readable)
        bx_buf_f(&cli->out, "no registers: %s\n", code ? e.message : bx_machine_no_access(m));
    bx_machine_close(m);
    return readable ? run_on(cli, &bx_command_regs, root) : BX_EXIT_OK;
}

static int show_machine(bx_cli *cli, const char *path)
{
    bx_error e = {0};
    char *root = NULL;
    if (access(path, R_OK) != 0)
        return bx_cli_fail("cannot read '%s': %s", path, strerror(errno));
    if (!bx_archive_is(path))
        return bx_cli_fail("'%s' is no file of boxscore machine gather", path);
    if (bx_unpacked_make(bx_archive_unpack, path, &root, &e))
        return bx_cli_error(&e, NULL);
    int status = run_on(cli, &bx_command_doctor, root);
    if (status == BX_EXIT_OK)
        status = show_registers(cli, root);
    bx_unpacked_drop(root);
    return status;
}

static int run_machine(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *what = operands->text[0];
    if (strcmp(what, "gather") == 0 && operands->n == 1)
        return gather(cli, v);
    if (strcmp(what, "show") == 0 && operands->n == 2 && !v->output)
        return show_machine(cli, operands->text[1]);
    bx_error e = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "a machine is gathered, or a file of one shown");
    bx_hint(&e, "boxscore machine gather -o FILE, or boxscore machine show FILE");
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

static const bx_example examples[] = {
    {"boxscore machine gather -o this.machine", "gather the facts for a bug report"},
    {"boxscore machine show this.machine", "check the file before you send it"},
    {.line = NULL},
};

const bx_command bx_command_machine = {
    .name = "machine",
    .help = "gather the facts of this machine for a bug report in one file; show such a file",
    .operands = "gather | show FILE",
    .text = "The file is a text. It has the CPU, the topology, the kernel's version and PMUs, and\n"
            "the contents of the monitoring registers that can be read. It has no names of the\n"
            "machine or of people, no serial numbers, processes or environment. Every option\n"
            "--root accepts such a file in place of a folder.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = 2,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_machine,
};
