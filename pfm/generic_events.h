/* The kernel's generic events, with libpfm4's names: those of its PMU `perf` that need no files of
 * the kernel. The numbers are the kernel's interface, linux/perf_event.h. */
#ifndef BX_PFM_GENERIC_EVENTS_H
#define BX_PFM_GENERIC_EVENTS_H

#include <stdint.h>

/* Bits of `operations`: PERF_COUNT_HW_CACHE_OP_*, as the kernel numbers them. */
enum { BX_GENERIC_READ = 1, BX_GENERIC_WRITE = 2, BX_GENERIC_PREFETCH = 4 };
enum { BX_GENERIC_OPERATIONS = 3, BX_GENERIC_RESULTS = 2 };

typedef struct bx_generic_event {
    const char *name;
    const char *equals;   /* another name: "PERF_COUNT_HW_CACHE_L1D:READ:MISS"; NULL: it is none */
    uint8_t type, config; /* PERF_TYPE_*; of a cache the cache's number */
    uint8_t operations;   /* of a cache: those that it has */
} bx_generic_event;

enum { BX_GENERIC_EVENTS = 82 };
extern const bx_generic_event bx_generic_events[BX_GENERIC_EVENTS];

/* "READ", "WRITE", "PREFETCH"; "ACCESS", "MISS": bits 8 up, and 16 up, of the config word. */
extern const char *const bx_generic_operations[BX_GENERIC_OPERATIONS];
extern const char *const bx_generic_results[BX_GENERIC_RESULTS];

#endif
