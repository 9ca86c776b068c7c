/* The lines that cores have requested: a line has one owner at a time, for a time. Until it is
 * free, other requests of it wait. docs/explanation/model-order.md, "A line's turns". */
#ifndef BX_MODEL_PART_LINE_TURNS_H
#define BX_MODEL_PART_LINE_TURNS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { BX_LINE_TURN_LISTS = 1024 };

struct bx_line_turn {
    struct bx_line_turn *next;
    uint64_t line, arrives;
    unsigned core;
};

/* All zero: every line is free. */
struct bx_line_turns {
    struct bx_line_turn *list[BX_LINE_TURN_LISTS];
};

/* The line's last request; NULL: it has had none, or is free. */
static inline const struct bx_line_turn *bx_line_turns_find(const struct bx_line_turns *l,
                                                            uint64_t line)
{
    const struct bx_line_turn *turn = l->list[line % BX_LINE_TURN_LISTS];

    while (turn && turn->line != line)
        turn = turn->next;
    return turn;
}

/* The line is requested by a core at t, which never decreases, and arrives there at `arrives`.
 * false: out of memory. */
bool bx_line_turns_take(struct bx_line_turns *l, bx_arena *memory, unsigned core, uint64_t line,
                        uint64_t t, uint64_t arrives);

#endif
