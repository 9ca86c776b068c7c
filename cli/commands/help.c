/* boxscore help: writes the tables of commands and options as text, manual page or shell
 * completion. */
#include "cli/commands/commands.h"
#include "cli/common/page.h"
#include "cli/help/usage.h"
#include "model/engine/workload.h"

#include <string.h>

enum { MANUAL, BASH, ZSH, NOTHING };

typedef struct values {
    unsigned generate; /* NOTHING if not given */
} values;

static const values defaults = {.generate = NOTHING};

static const bx_option options[] = {
    {.name = "generate",
     .kind = BX_OPTION_CHOICE,
     .metavar = "man|bash|zsh",
     .help = "write the manual page, or the completion of a shell",
     .offset = offsetof(values, generate)},
};

static void workloads(bx_buf *to)
{
    const struct bx_workload_about *about;
    bx_buf_z(to, "Workloads for a virtual machine: --workload NAME[,KEY=VALUE...], several at once "
                 "joined by '+'.\n\n");
    for (size_t i = 0; (about = bx_workload_describe(i)); i++) {
        char keys[256];
        bx_workload_keys(i, keys, sizeof keys);
        bx_page_item(to, 14, about->title, "%s", about->name);
        bx_page_item(to, 14, keys, "%s", "");
    }
}

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_error e = {0};
    const bx_command *command = NULL;
    const char *topic = operands->n ? operands->text[0] : NULL;
    bool on_workloads = topic && strcmp(topic, "workloads") == 0;
    if (topic && !on_workloads && !(command = bx_command_find(topic, &e))) {
        bx_cli_error(&e, NULL);
        return BX_EXIT_USAGE;
    }
    switch (v->generate) {
    case MANUAL:
        bx_manual_page(&cli->out, bx_commands);
        break;
    case BASH:
        bx_completion_bash(&cli->out, bx_commands);
        break;
    case ZSH:
        bx_completion_zsh(&cli->out, bx_commands);
        break;
    default:
        if (on_workloads)
            workloads(&cli->out);
        else if (command)
            bx_usage_command(&cli->out, command);
        else
            bx_usage_all(&cli->out, bx_commands);
        break;
    }
    return BX_EXIT_OK;
}

static const bx_example examples[] = {
    {"boxscore help stat", "the options of a command"},
    {"boxscore help workloads", "what a virtual machine can run"},
    {.line = NULL},
};

const bx_command bx_command_help = {
    .name = "help",
    .help = "show what a command does and takes",
    .operands = "[COMMAND|workloads]",
    .text = "Of 'workloads' it tells what a virtual machine can be given to run.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run,
};
