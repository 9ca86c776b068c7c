/* boxscore info: everything that the catalogue has about a name. If several things have the name,
 * such as a unit mask of many events, it shows all of them. */
#include "cli/commands/commands.h"
#include "cli/show/look_up.h"

typedef struct values {
    const char *cpu, *machine, *root;
    bool workloads;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_ROOT(values, root),
    BX_OPTION_WORKLOADS(values),
};

static int run_info(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *name = operands->text[0];
    bx_error e = {0};
    bx_subject subject;
    int status = bx_cli_subject_in(cli, v->cpu, v->machine, v->root, &subject);
    bx_look_up s = {.c = cli->catalog,
                    .cpu = subject.cpu,
                    .name = bx_str_of(name),
                    .page = bx_page_text(&cli->out),
                    .machine = subject.machine,
                    .workloads = v->workloads};
    cli->long_text = true;
    int code = status ? BX_OK : bx_look_up_show(&s, &e);
    if (code == BX_NOT_FOUND)
        bx_cli_hint(&e, &s.nearest, "boxscore list WORD looks into descriptions");
    if (code)
        status = bx_cli_error(&e, e.len ? name : NULL);
    bx_machine_close(subject.machine);
    return status;
}

static const bx_example examples[] = {
    {"boxscore info UNC_CBO_CACHE_LOOKUP", "an event: its meaning, unit masks and source"},
    {"boxscore info --cpu skl 0x700", "the register at an address, with its fields"},
    {"boxscore info --cpu skl llc_miss_ratio", "a metric: formula, meaning, when not to trust it"},
    {"boxscore info skl", "a CPU model: its PMUs, metrics, and keys of a virtual machine"},
    {"boxscore info --workloads --cpu skl llc_miss_ratio",
     "the same, and the built-in workloads in which it is not 0"},
    {.line = NULL},
};

const bx_command bx_command_info = {
    .name = "info",
    .help = "show all facts of the catalogue about a name",
    .operands = "NAME",
    .text =
        "NAME is an event, with or without unit masks and modifiers, a unit mask, a modifier,\n"
        "a metric or a group of them, a PMU, a register, a field of registers, the address of a\n"
        "register (0xe02, E02H), a CPU model, or a term of the glossary, such as PMI.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = 1,
    .values_size = sizeof(values),
    .run = run_info,
};
