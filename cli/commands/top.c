/* boxscore top: starts the screen, boxscore-top. */
#include "cli/commands/top.h"
#include "cli/commands/commands.h"
#include "cli/common/companion.h"

static const bx_top_options defaults = {.live = {.host = {.size = sizeof(bx_machine_options)}}};

static const bx_option table[] = {
    BX_OPTIONS_LIVE(bx_top_options),
    {.name = "input",
     .letter = 'i',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "show a recording of 'boxscore record', with a time bar",
     .offset = offsetof(bx_top_options, input)},
    {.name = "batch",
     .letter = 'b',
     .kind = BX_OPTION_FLAG,
     .help = "no screen: print the tables as text at each interval",
     .offset = offsetof(bx_top_options, batch)},
    {.name = "iterations",
     .letter = 'n',
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "with --batch: end after N intervals",
     .lo = 1,
     .hi = UINT32_MAX,
     .offset = offsetof(bx_top_options, frames)},
    {.name = "ascii",
     .kind = BX_OPTION_FLAG,
     .help = "draw with ASCII characters only, as in a locale without UTF-8",
     .offset = offsetof(bx_top_options, ascii)},
    BX_OPTION_HELPER(bx_top_options, live.host.helper),
    BX_OPTION_ROOT(bx_top_options, live.host.root),
};

static const bx_exclusion exclusions[] = {
    BX_EXCLUSIONS_LIVE,
    {"input", "machine event metrics workload trace all-cpus cpu interval replay PROGRAM", NULL,
     "a recording has what was counted, and nothing is counted now", "boxscore top -i FILE"},
    {"iterations", NULL, "batch", "-n is of --batch: a screen ends by a key", "add --batch"},
    {.why = NULL},
};

static int run_top(bx_cli *cli, const void *given, const bx_texts *operands)
{
    (void)given, (void)operands;
    return bx_companion_become(cli, "boxscore-top", "the screen",
                               "apt-get install libncurses-dev, and build again");
}

static const bx_example examples[] = {
    {"boxscore top --batch -n 1 --machine virtual:skl,part=plain -w stream,size=1M",
     "print one interval of a workload as text"},
    {"boxscore top --batch --machine virtual:skl,part=plain -e DRAM_DATA_READS -- true",
     "print which lines of a program read memory"},
    {.line = NULL},
};

const bx_command bx_command_top = {
    .name = "top",
    .help = "watch counts on this terminal",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text =
        "Shows rates, their course, each unit's share and metrics of a host, of a workload or\n"
        "PROGRAM on a virtual machine, or of a recording; of a program also its hottest lines.\n"
        "'h' shows the keys, 'q' ends it. What PROGRAM writes to the terminal is not shown:\n"
        "redirect it to a file. A workload begins again when it has ended.",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .exclusions = exclusions,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(bx_top_options),
    .run = run_top,
};
