/* The registers of a machine unpacked from an archive: those that could be read when it was
 * gathered, and no others. */
#ifndef BX_HOST_BUS_GATHERED_REGISTERS_H
#define BX_HOST_BUS_GATHERED_REGISTERS_H

#include "host/system/cpus.h"
#include "seam/bus.h"

/* The file below the machine's root that holds them, one line each: device file, bytes, offset,
 * value. One file per device would not do: MSRs have 8 bytes each at consecutive offsets. */
#define BX_UNPACKED_REGISTERS "/registers"

/* A bus to these registers. A read of any other register answers ENODATA, a write EROFS. NULL if
 * `root` is no such machine ("" never is), or when out of memory: *no_memory. cpus must outlive the
 * bus. */
struct bx_bus *bx_unpacked_open(const char *root, const bx_cpus *cpus, bool *no_memory);

#endif
