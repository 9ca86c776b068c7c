/* Addresses as sums of registers' values at the begin of a block, followed while a superblock is
 * translated. So two accesses are known to be of one word. */
#ifndef BX_TRACER_SYMBOLS_H
#define BX_TRACER_SYMBOLS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* offset, + the register `base`, + the register `index` << shift. */
typedef struct bx_symbol {
    Bool known;
    Int base, index; /* numbers of general registers; -1: none */
    UInt shift;
    Long offset;
} bx_symbol;

/* Begins a superblock with that number of temporaries, or a part of one. */
void bx_symbols_begin(Int temporaries);

/* Call this for each statement of the superblock. */
void bx_symbols_follow(const IRStmt *s);

bx_symbol bx_symbol_of(const IRExpr *atom);

Bool bx_symbols_equal(bx_symbol a, bx_symbol b);

/* If the block is executed again from here: *s, a symbol of this round, becomes the symbol that its
 * address has in the next one. False: it cannot be told. */
Bool bx_symbol_in_next_round(bx_symbol *s);

#endif
