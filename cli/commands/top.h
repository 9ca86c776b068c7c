/* The options of `boxscore top`, whose screen is a program of its own: it needs ncurses. */
#ifndef BX_CLI_COMMANDS_TOP_H
#define BX_CLI_COMMANDS_TOP_H

#include "cli/common/live_options.h"

typedef struct bx_top_options {
    bx_live_options live;
    const char *input;
    bool batch, ascii;
    uint64_t frames;
} bx_top_options;

#endif
