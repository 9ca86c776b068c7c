/* Lists of the lines that are on their way. An entry that is free again is used for another line,
 * so a list is as long as most of its lines were on their way at once. */
#include "model/part/line_turns.h"

#include <stddef.h>

static struct bx_line_turn *entry_for(const struct bx_line_turns *l, uint64_t line, uint64_t t)
{
    struct bx_line_turn *unused = NULL, *turn = l->list[line % BX_LINE_TURN_LISTS];

    for (; turn; turn = turn->next) {
        if (turn->line == line)
            return turn;
        if (turn->arrives < t)
            unused = turn;
    }
    return unused;
}

bool bx_line_turns_take(struct bx_line_turns *l, bx_arena *memory, unsigned core, uint64_t line,
                        uint64_t t, uint64_t arrives)
{
    struct bx_line_turn *turn = entry_for(l, line, t), **list = &l->list[line % BX_LINE_TURN_LISTS];

    if (turn == NULL) {
        turn = bx_arena_get(memory, sizeof *turn);
        if (turn == NULL)
            return false;
        turn->next = *list;
        *list = turn;
    }
    if (turn->line == line && turn->core == core && turn->arrives > arrives)
        return true;
    turn->line = line;
    turn->core = core;
    turn->arrives = arrives;
    return true;
}
