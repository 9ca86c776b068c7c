/* The options of `boxscore serve`, whose server is a program of its own: it needs libraries that
 * nothing else does. */
#ifndef BX_CLI_COMMANDS_SERVE_H
#define BX_CLI_COMMANDS_SERVE_H

#include "cli/common/options.h"

#include <boxscore/measure.h>

typedef struct bx_serve_options {
    bx_texts events, metrics, workloads, hosts;
    const char *machine, *listen, *token_file, *textfile, *cpus;
    bx_machine_options host;
    uint64_t interval, most;
} bx_serve_options;

#endif
