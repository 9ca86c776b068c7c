/* Event strings of a catalogue, read when it is compiled. */
#ifndef BX_CATALOG_COMPILE_RESOLVE_H
#define BX_CATALOG_COMPILE_RESOLVE_H

#include "catalog/build/build.h"

/* Reads picks and metrics with the finished blob, and adds the metrics' operands to the tables. The
 * blob is laid out once more after that. false and b->failed at the first that cannot be read. */
bool bx_resolve_events(bx_build *b, const struct bx_catalog *c);

#endif
