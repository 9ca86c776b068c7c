/* boxscore help: what the tables say, for people, for man and for shells. */
#include "cli/cli.h"
#include "cli/usage.h"

enum { MANUAL, BASH, ZSH, NOTHING };

typedef struct values {
    unsigned generate; /* NOTHING when not given */
} values;

static const values presets = {.generate = NOTHING};

static const bx_option options[] = {
    {.name = "generate",
     .kind = BX_OPTION_CHOICE,
     .metavar = "man|bash|zsh",
     .help = "write the manual page, or the completion of a shell",
     .offset = offsetof(values, generate)},
};

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_error e = {0};
    const bx_command *command = NULL;
    if (operands->n && !(command = bx_command_find(operands->text[0], &e))) {
        bx_cli_error(&e, NULL);
        return BX_EXIT_USAGE;
    }
    switch (v->generate) {
    case MANUAL:
        bx_manual_page(&cli->out);
        break;
    case BASH:
        bx_completion_bash(&cli->out);
        break;
    case ZSH:
        bx_completion_zsh(&cli->out);
        break;
    default:
        if (command)
            bx_usage_command(&cli->out, command);
        else
            bx_usage_all(&cli->out);
        break;
    }
    return BX_EXIT_OK;
}

const bx_command bx_command_help = {
    .name = "help",
    .help = "show what a command does and takes",
    .operands = "[COMMAND]",
    .text = "",
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .presets = &presets,
    .values_size = sizeof(values),
    .run = run,
};
