/* Reading the MSRs of several packages at once: a thread for each package, which stays on the CPU
 * that the first of them names. A register of the CPU that the reader is on is read some twenty
 * times as fast as one of another CPU, which has to be interrupted; and no package waits for the
 * others. What the calling thread is on the CPU of, or what is little, it reads itself. */
#ifndef BX_HOST_BUS_MSR_READERS_H
#define BX_HOST_BUS_MSR_READERS_H

#include "host/bus/registers.h"

typedef struct bx_readers bx_readers;

/* Threads begin when they are needed first. NULL when out of memory. */
bx_readers *bx_readers_new(bx_msrs *msrs);
void bx_readers_free(bx_readers *r); /* NULL is fine */

/* Reads those of at[] that are MSRs; errnos[i]: 0 or the errno of at[i]. */
void bx_readers_read(bx_readers *r, const bx_address *at, uint64_t *values, int *errnos, size_t n);

#endif
