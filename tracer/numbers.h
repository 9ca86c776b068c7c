/* Numbers of blocks. */
#ifndef BX_TRACER_NUMBERS_H
#define BX_TRACER_NUMBERS_H

#include "pub_tool_basics.h"

/* A free number, for a part of the translation that begins at this address; `translation` counts
 * them. */
UInt bx_number_take(Addr address, ULong translation);

/* The translation that began at this address is gone: its numbers can be used again. */
void bx_number_free(Addr address);

#endif
