/* A register read until its contents are certain: a glitch on the bus must not be saved, since it
 * would be put back. */
#ifndef BX_HOST_UNDO_READ_SURELY_H
#define BX_HOST_UNDO_READ_SURELY_H

#include "catalog/catalog.h"
#include "seam/bus.h"

/* Reads until two samples agree, or three are those of a running counter. 0 or an errno; EBADMSG:
 * the contents cannot be determined. */
int bx_read_surely(struct bx_bus *bus, const struct bx_catalog *c, unsigned reg,
                   const bx_address *at, uint64_t *value);

#endif
