/* The state of a line in a cache. */
#ifndef BX_MODEL_PART_LINE_STATE_H
#define BX_MODEL_PART_LINE_STATE_H

#include <stdbool.h>

/* Private caches, and machines with one package, have only the first four. The order is that of
 * the state bits of FILTER0: Intel 329468-002. */
enum bx_line_state {
    BX_LINE_I,
    BX_LINE_S,
    BX_LINE_E,
    BX_LINE_M,
    BX_MESI_STATES,
    BX_LINE_F = BX_MESI_STATES,
    BX_LINE_M_PRIME, /* M, and cores may have copies in S: docs/explanation/model-ivbep.md */
    BX_LINE_STATES,
};

/* Whether the line differs from memory. */
static inline bool bx_line_is_dirty(enum bx_line_state state)
{
    return state == BX_LINE_M || state == BX_LINE_M_PRIME;
}

/* Whether other packages may have the line: a store asks them first. */
static inline bool bx_line_is_shared(enum bx_line_state state)
{
    return state == BX_LINE_S || state == BX_LINE_F;
}

#endif
