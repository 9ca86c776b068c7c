/* The registers of a machine that was unpacked from an archive. It has only those that could be
 * read when the machine was gathered. */
#ifndef BX_HOST_BUS_GATHERED_REGISTERS_H
#define BX_HOST_BUS_GATHERED_REGISTERS_H

#include "host/system/cpus.h"
#include "seam/bus.h"

/* The file below the machine's root that has the registers, one per line: device file, bytes,
 * offset, value. Copies of the device files are not possible: MSRs have 8 bytes each at consecutive
 * offsets. */
#define BX_UNPACKED_REGISTERS "/registers"

/* A bus to these registers. A read of any other register answers ENODATA, a write EROFS. NULL if
 * `root` is not such a machine ("" never is), or if memory ran out (*no_memory). cpus must outlive
 * the bus. */
struct bx_bus *bx_unpacked_open(const char *root, const bx_cpus *cpus, bool *no_memory);

#endif
