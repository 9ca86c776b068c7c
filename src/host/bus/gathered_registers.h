/* The registers of a machine that was unpacked from an archive: those that could be read when it
 * was gathered, and nothing else. */
#ifndef BX_HOST_BUS_GATHERED_REGISTERS_H
#define BX_HOST_BUS_GATHERED_REGISTERS_H

#include "host/system/cpus.h"
#include "seam/bus.h"

/* The file below its root that has them, a line each: device file, bytes, offset, value. Files of
 * their own would not do: MSRs have 8 bytes at consecutive offsets. */
#define BX_UNPACKED_REGISTERS "/registers"

/* A bus to them; what is not among them answers ENODATA, a write EROFS. NULL if `root` is no such
 * machine, as "" never is, or when out of memory. cpus must outlive it. */
struct bx_bus *bx_unpacked_open(const char *root, const bx_cpus *cpus);

#endif
