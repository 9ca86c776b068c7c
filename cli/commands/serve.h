/* The options of `boxscore serve`, whose server is a program of its own: it needs libraries that
 * nothing else does. */
#ifndef BX_CLI_COMMANDS_SERVE_H
#define BX_CLI_COMMANDS_SERVE_H

#include "cli/common/live_options.h"

typedef struct bx_serve_options {
    bx_live_options live;
    bx_texts hosts;
    const char *listen, *token_file, *textfile;
    uint64_t most;
} bx_serve_options;

#endif
