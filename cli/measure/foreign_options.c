/* Options that users of `perf stat` or LIKWID expect, and their replacements. */
#include "cli/measure/stat.h"

#define EVERYBODY                                                                                  \
    "outside the cores everybody is counted in any case, of the rest the program alone"
#define UNITS   "--per-unit: a line for each unit of each package"
#define RUNNING "have it started: -- PROGRAM; for what is outside the cores -- sleep 10 will do"
#define LONG    "the program says how long: -- sleep 10, or -- timeout 10 PROGRAM"
#define FIGURES "leave it out: figures are shown beside the events that they are made of"

const bx_habit bx_stat_habits[] = {
    {"all-cpus", 'a', "leave it out: " EVERYBODY},
    {"cpu", 'C', "leave it out: " EVERYBODY},
    {"", 'c', "leave it out: " EVERYBODY},
    {"pid", 'p', RUNNING},
    {"tid", 't', RUNNING},
    {"per-socket", 0, UNITS},
    {"per-die", 0, UNITS},
    {"per-node", 0, UNITS},
    {"per-core", 0, UNITS},
    {"no-aggr", 'A', UNITS},
    {"no-merge", 0, UNITS},
    {"timeout", 0, LONG},
    {"interval-count", 0, LONG},
    {"delay", 'D', "leave it out: counting begins with the program"},
    {"no-inherit", 'i', "leave it out: children are counted with the program that starts them"},
    {"metrics", 'M', FIGURES},
    {"metric-only", 0, FIGURES},
    {"", 'g', FIGURES},
    {"detailed", 'd', "-e names events; without it the most useful ones are counted"},
    {"topdown", 0, "-e names events; without it the most useful ones are counted"},
    {"verbose", 'v', "boxscore plan shows what would be programmed"},
    {"append", 0, "-o /dev/stdout, and >> FILE behind"},
    {"log-fd", 0, "-o /dev/fd/N"},
    {.hint = NULL},
};
