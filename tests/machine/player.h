/* A machine and a register dialogue with it. */
#ifndef BX_TESTS_MACHINE_PLAYER_H
#define BX_TESTS_MACHINE_PLAYER_H

#include "machine/dialogue/dialogue.h"

struct player {
    bx_machine *m;
    bx_dialogue *d;
    bx_buf out;
};

/* A line that cannot be understood, where, and parts of what is said. */
struct bad_line {
    const char *line;
    size_t at, len;
    const char *message, *hint;
};

void player_open(struct player *p, const char *spec);
void player_close(struct player *p);

/* Plays lines that are all good; returns what they print, until the next call. */
const char *player_says(struct player *p, const char *text);

void player_refuses(struct player *p, const struct bad_line *bad);

#endif
