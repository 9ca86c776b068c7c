/* A machine with a register dialogue, for tests. */
#ifndef BX_TESTS_MACHINE_PLAYER_H
#define BX_TESTS_MACHINE_PLAYER_H

#include "machine/dialogue/dialogue.h"

struct player {
    bx_machine *m;
    bx_dialogue *d;
    bx_buf out;
};

/* A malformed line, the span of its error, and parts of the message. */
struct bad_line {
    const char *line;
    size_t at, len;
    const char *message, *hint;
};

void player_open(struct player *p, const char *spec);
void player_close(struct player *p);

/* Executes valid lines; returns their output, valid until the next call. */
const char *player_says(struct player *p, const char *text);

void player_refuses(struct player *p, const struct bad_line *bad);

#endif
