/* Numbers of blocks. */
#ifndef BX_TRACER_NUMBERS_H
#define BX_TRACER_NUMBERS_H

#include "pub_tool_basics.h"

/* Returns a free number, for a part of the translation that begins at this address. `translation`
 * is the running number of the translation. */
UInt bx_number_take(Addr address, ULong translation);

/* The translation at this address was discarded: its numbers can be used again. */
void bx_number_free(Addr address);

#endif
