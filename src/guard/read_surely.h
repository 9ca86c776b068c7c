/* Reads a register until its contents are certain. A glitch on the bus must not be saved, because
 * it would be written back. */
#ifndef BX_GUARD_READ_SURELY_H
#define BX_GUARD_READ_SURELY_H

#include "catalog/catalog.h"
#include "seam/bus.h"

/* Reads until two samples agree, or until three samples look like a running counter. Returns 0 or
 * an errno. EBADMSG: the contents cannot be determined. */
int bx_read_surely(struct bx_bus *bus, const struct bx_catalog *c, unsigned reg,
                   const bx_address *at, uint64_t *value);

#endif
