/* Instruments translated code: it records what it accesses. */
#ifndef BX_TRACER_INSTRUMENT_H
#define BX_TRACER_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

IRSB *bx_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word);

/* A translation was discarded: the numbers of its blocks can be used again. */
void bx_instrument_discard(Addr address, VexGuestExtents extents);

#endif
