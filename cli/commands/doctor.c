/* boxscore doctor: what this machine offers, what prevents counting, and what to do about it. */
#include "cli/commands/commands.h"
#include "cli/doctor/findings.h"

typedef struct values {
    const char *root, *helper;
    bool json;
} values;

static const values defaults = {.root = ""};

static const bx_option options[] = {
    BX_OPTION_ROOT(values, root),
    BX_OPTION_HELPER(values, helper),
    BX_OPTION_JSON(values),
};

static int run_doctor(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_findings f = {.arena = &cli->arena};
    (void)operands;
    bx_doctor_find(&f, cli->catalog, v->root, v->helper);
    if (cli->arena.failed)
        return bx_cli_fail("out of memory");
    if (v->json)
        bx_findings_json(&f, &cli->out);
    else
        bx_findings_text(&f, false, &cli->out);
    return BX_EXIT_OK;
}

static const bx_example examples[] = {
    {"boxscore doctor", "what can be counted on this machine, and what stands in the way"},
    {.line = NULL},
};

const bx_command bx_command_doctor = {
    .name = "doctor",
    .help = "show what this machine offers, and how to get what is missing",
    .operands = "",
    .text = "",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_doctor,
};
