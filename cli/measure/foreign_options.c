/* Options that users of `perf stat` or LIKWID expect, and their replacements. */
#include "cli/measure/stat.h"

#define UNITS "--per-package, or --per-unit: a line for each unit of each package"

const bx_habit bx_stat_habits[] = {
    {"", 'c', "-C CPUS; outside the cores everybody is counted in any case"},
    {"no-merge", 0, UNITS},
    {"no-inherit", 'i', "leave it out: children are counted with the program that starts them"},
    {"log-fd", 0, "-o /dev/fd/N"},
    {"record", 0,
     "--log-registers FILE keeps register accesses; boxscore record: who causes the counts"},
    {.hint = NULL},
};
