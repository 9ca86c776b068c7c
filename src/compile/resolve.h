/* Event strings of a catalogue, read when it is compiled. */
#ifndef BX_COMPILE_RESOLVE_H
#define BX_COMPILE_RESOLVE_H

#include "compile/build/build.h"

/* Reads picks and metrics with the finished blob, and adds the metrics' operands to the tables. The
 * blob is then laid out again. If one cannot be read, it sets b->failed and returns false. */
bool bx_resolve_events(bx_build *b, const struct bx_catalog *c);

#endif
