/* Reads the MSRs of several packages in parallel: one thread per package, bound to the CPU of the
 * package's first register. A thread reads a register of its own CPU about twenty times as fast as
 * one of another CPU, which must be interrupted. And no package waits for the others. The calling
 * thread itself reads the package whose CPU it is on, and packages with few registers. */
#ifndef BX_HOST_BUS_MSR_READERS_H
#define BX_HOST_BUS_MSR_READERS_H

#include "host/bus/registers.h"

typedef struct bx_readers bx_readers;

/* Threads are started when they are first needed. NULL when out of memory. */
bx_readers *bx_readers_new(bx_msrs *msrs);
void bx_readers_free(bx_readers *r); /* NULL is fine */

/* Reads those of at[] that are MSRs; errnos[i]: 0 or the errno of at[i]. */
void bx_readers_read(bx_readers *r, const bx_address *at, uint64_t *values, int *errnos, size_t n);

#endif
