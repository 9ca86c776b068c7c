/* boxscore trace: writes the trace of a program to a file, and shows the contents of such a
 * file. */
#include "base/json.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/common/sink.h"
#include "cli/measure/interruption.h"
#include "machine/machine.h"
#include "machine/program/trace/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct values {
    const char *output, *machine;
    bx_texts regions;
    bool json;
} values;

static const values defaults = {0};

static const bx_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write the trace to FILE; '-': to standard output",
     .offset = offsetof(values, output)},
    {.name = "machine",
     .kind = BX_OPTION_TEXT,
     .metavar = "MACHINE",
     .help = "the program sees the CPUs of this machine: their features, caches and number",
     .offset = offsetof(values, machine)},
    {.name = "region",
     .kind = BX_OPTION_TEXTS,
     .metavar = "func:NAME",
     .help = "the trace has the calls of this function as a region; may be repeated",
     .offset = offsetof(values, regions)},
    BX_OPTION_JSON(values),
};

static int usage(const char *what)
{
    bx_error e = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "%s", what);
    bx_hint(&e, "boxscore trace -o FILE -- PROGRAM, or boxscore trace info FILE");
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

/* ---- a program ---- */

/* The surroundings that the program would have on the machine of `stat`:
 * docs/explanation/model-repeatable.md, "The same each time". */
static int find_surroundings(bx_cli *cli, const char *name, bx_surroundings *shown, bx_error *e)
{
    bx_machine *machine;
    int code = bx_machine_open(cli->catalog, name, &machine, e);
    if (code != BX_OK)
        return code;
    *shown = bx_machine_surroundings(machine);
    bx_machine_close(machine);
    return BX_OK;
}

static int record(bx_cli *cli, const values *v, const bx_texts *program)
{
    bx_error e = {0};
    bx_sink sink = {.fd = -1};
    bx_recording what = {.argv = program->text, .runs = bx_interruption_pass_on};
    int status = 0, code = find_surroundings(cli, v->machine, &what.shown, &e);
    if (code != BX_OK)
        return bx_cli_error(&e, v->machine);
    what.shown.functions = (const char *const *)v->regions.text;
    what.shown.functions_n = v->regions.n;
    code = bx_recording_check(program->text[0], &e);
    if (code == BX_OK)
        code = bx_sink_is_standard(v->output) ? bx_sink_take_standard(&sink, &e)
                                              : bx_sink_open(cli, v->output, &sink, &e);
    bx_interruption_catch();
    what.fd = sink.fd;
    what.name = sink.name;
    if (code == BX_OK)
        code = bx_recording_make(&what, &status, &e);
    if (code == BX_OK)
        code = bx_sink_keep(&sink, &e);
    bx_sink_discard(&sink);
    cli->unread = code != BX_OK && !*e.message;
    return code == BX_OK ? status : bx_cli_error(&e, NULL);
}

/* ---- what a file holds ---- */

static void show_recording(bx_buf *to, const bx_recording_info *i)
{
    bx_buf_z(to, "program       ");
    for (size_t k = 0; k < i->head->arguments; k++) {
        bx_buf_z(to, " ");
        bx_buf_name(to, i->head->argument[k]);
    }
    bx_buf_z(to, "\nCPU features   ");
    bx_buf_name(to, i->head->features);
    bx_buf_z(to, "\n");
    const struct {
        const char *name;
        uint64_t value;
    } number[] = {{"CPUs", i->head->cpus},
                  {"processes", i->processes},
                  {"threads", i->counts.threads},
                  {"instructions", i->counts.made.instructions},
                  {"loads", i->counts.made.loads},
                  {"stores", i->counts.made.stores},
                  {"modifications", i->counts.made.modifications},
                  {"untraced", i->unread},
                  {"cut short", i->notes.cut},
                  {"left running", i->left},
                  {"bytes", i->bytes},
                  {"cksum", i->cksum}};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
        bx_buf_f(to, "%-14s %llu\n", number[k].name, (unsigned long long)number[k].value);
    if (i->whole)
        bx_buf_f(to, "exit status    %d\n", i->status);
    if (i->notes.text)
        bx_buf_f(to, " %s\n", i->notes.text);
}

static void json(bx_buf *to, const bx_recording_info *i)
{
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '{');
    bx_json_open(&j, "program", '[');
    for (size_t k = 0; k < i->head->arguments; k++)
        bx_json_text(&j, NULL, i->head->argument[k]);
    bx_json_close(&j, ']');
    bx_json_text(&j, "cpu_features", i->head->features);
    bx_json_number(&j, "cpus", (int64_t)i->head->cpus);
    bx_json_number(&j, "processes", i->processes);
    bx_json_number(&j, "threads", (int64_t)i->counts.threads);
    bx_json_number(&j, "instructions", (int64_t)i->counts.made.instructions);
    bx_json_number(&j, "loads", (int64_t)i->counts.made.loads);
    bx_json_number(&j, "stores", (int64_t)i->counts.made.stores);
    bx_json_number(&j, "modifications", (int64_t)i->counts.made.modifications);
    bx_json_number(&j, "untraced", i->unread);
    bx_json_number(&j, "cut_short", (int64_t)i->notes.cut);
    bx_json_number(&j, "left_running", i->left);
    if (i->notes.text)
        bx_json_text(&j, "notes", i->notes.text);
    bx_json_number(&j, "bytes", (int64_t)i->bytes);
    bx_json_number(&j, "cksum", i->cksum);
    bx_json_number(&j, "whole", i->whole);
    if (i->whole)
        bx_json_number(&j, "exit_status", i->status);
    bx_json_close(&j, '}');
    bx_buf_z(to, "\n");
}

/* Shows a file's contents. If the file was cut off, shows the part that can be read. */
static int info(bx_cli *cli, const values *v, const char *path)
{
    bx_error e = {0};
    bx_recording_info i = {0};
    int code = bx_recording_read(path, &i, &e);
    if (i.head)
        (v->json ? json : show_recording)(&cli->out, &i);
    bx_recording_info_free(&i);
    return code == BX_OK ? BX_EXIT_OK : bx_cli_error(&e, NULL);
}

static int check_regions(const values *v)
{
    for (size_t i = 0; i < v->regions.n; i++)
        if (!bx_region_function(v->regions.text[i]))
            return usage(
                "--region names functions, as func:solve: regions that the program marks are "
                "in a trace without it");
    return v->regions.n && !v->output ? usage("--region is for a trace that is made") : 0;
}

static int run_trace(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    if (check_regions(v))
        return BX_EXIT_USAGE;
    if (v->output)
        return v->json ? usage("--json is for the information on a trace")
                       : record(cli, v, operands);
    if (strcmp(operands->text[0], "info") == 0 && operands->n > 1) {
        values its = *v;
        const char *last = operands->text[operands->n - 1];
        const char *between = operands->n == 3 ? operands->text[1] : NULL;
        if (between && (strcmp(between, "-j") == 0 || strcmp(between, "--json") == 0))
            its.json = true;
        else if (between && strcmp(between, "--") != 0)
            return usage("a trace is shown as text, or with --json");
        if (operands->n <= 3)
            return info(cli, &its, last);
    }
    return usage("a program is traced to a file (-o FILE), or a trace is shown");
}

static const bx_example examples[] = {
    {"boxscore trace -o ls.trace -- ls /", "write the trace of a program"},
    {"boxscore trace info ls.trace", "what it holds"},
    {"boxscore stat --machine virtual:skl --trace ls.trace", "count it"},
    {.line = NULL},
};

const bx_command bx_command_trace = {
    .name = "trace",
    .help = "write the trace of a program to a file; show the contents of such a file",
    .operands = "-o FILE [--] PROGRAM [ARGUMENT...] | info FILE",
    .text =
        "The trace has all instructions, loads and stores of the program and of all processes\n"
        "that it starts, and the order in which they wait for each other\n"
        "(docs/reference/trace.md). boxscore stat --trace FILE counts it on a virtual machine.\n"
        "The exit status is the program's own. If a trace was cut off, its complete part is\n"
        "shown, and the exit status is 1.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_trace,
};
