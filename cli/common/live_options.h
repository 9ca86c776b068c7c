/* The options of commands that count until they are stopped, and show it meanwhile: serve, top. */
#ifndef BX_CLI_COMMON_LIVE_OPTIONS_H
#define BX_CLI_COMMON_LIVE_OPTIONS_H

#include "cli/common/options.h"

#include <boxscore/measure.h>

typedef struct bx_live_options {
    bx_texts events, metrics, workloads;
    const char *machine, *trace, *cpus;
    bool all_cpus;
    bx_machine_options host;
    uint64_t interval;
} bx_live_options;

/* type: a struct with a member `live`. */
#define BX_OPTIONS_LIVE(type)                                                                      \
    BX_OPTION_MACHINE(type, live.machine),                                                         \
        {.name = "event",                                                                          \
         .letter = 'e',                                                                            \
         .kind = BX_OPTION_TEXTS,                                                                  \
         .metavar = "EVENTS",                                                                      \
         .help = "events to count, separated by commas; without it: the CPU's most useful ones",   \
         .offset = offsetof(type, live.events)},                                                   \
        {.name = "metrics",                                                                        \
         .letter = 'M',                                                                            \
         .kind = BX_OPTION_TEXTS,                                                                  \
         .metavar = "METRICS",                                                                     \
         .help = "count the events of these metrics",                                              \
         .offset = offsetof(type, live.metrics)},                                                  \
        BX_OPTION_WORK(type, live.workloads), BX_OPTION_TRACE(type, live.trace),                   \
        {.name = "all-cpus",                                                                       \
         .letter = 'a',                                                                            \
         .kind = BX_OPTION_FLAG,                                                                   \
         .help = "count what runs on all CPUs of a host, as without -C",                           \
         .offset = offsetof(type, live.all_cpus)},                                                 \
        {.name = "cpu",                                                                            \
         .letter = 'C',                                                                            \
         .kind = BX_OPTION_TEXT,                                                                   \
         .metavar = "CPUS",                                                                        \
         .help = "count what runs on these CPUs of a host: 0-3,8",                                 \
         .offset = offsetof(type, live.cpus)},                                                     \
        {.name = "replay",                                                                         \
         .kind = BX_OPTION_TEXT,                                                                   \
         .metavar = "FILE",                                                                        \
         .help = "count what a register log of 'stat --log-registers -I' has, on no machine",      \
         .offset = offsetof(type, live.host.replay)},                                              \
    {                                                                                              \
        .name = "interval", .letter = 'I', .kind = BX_OPTION_TIME, .metavar = "TIME",              \
        .help =                                                                                    \
            "time between two readings (in ms, or with a unit), in the machine's own time; 1s of " \
            "a host, 1ms of a virtual machine",                                                    \
        .lo = 100000, .hi = 3600ull * 1000000000, .offset = offsetof(type, live.interval)          \
    }

/* What does not go together. */
#define BX_EXCLUSIONS_LIVE                                                                         \
    {"replay", "machine workload trace PROGRAM all-cpus cpu root", NULL,                           \
     "a register log has its machine and its work", "leave one of them out"},                      \
        {"trace", "workload PROGRAM", NULL,                                                        \
         "a trace is what a program has done, and something else to run was given",                \
         "one of them"},                                                                           \
        {"all-cpus", "cpu", NULL, "-a is all CPUs, -C some", "one of them"},                       \
        {"all-cpus", "workload trace PROGRAM", NULL,                                               \
         "-a counts what a host runs, and a virtual machine's work was given", "one of them"},     \
        {"workload", "PROGRAM", NULL, "a workload is the work, and a program was given",           \
         "one of them"},                                                                           \
    {                                                                                              \
        "workload+", NULL, NULL, "more than one workload was given",                               \
            "'+' joins what is to run at the same time: --workload stream+dma"                     \
    }

#endif
