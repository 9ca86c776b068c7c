/* Finds the slice of the last-level cache that serves an address: it touches the line, and finds
 * the C-Box whose count of misses has increased. */
#ifndef BX_CLI_MEASURE_SLICE_PROBE_H
#define BX_CLI_MEASURE_SLICE_PROBE_H

#include "base/arena.h"
#include "cli/measure/slice_hash.h"
#include "machine/machine.h"

typedef struct bx_slice_probe {
    bx_machine *machine;
    const char *event; /* in its canonical spelling */
    unsigned slices;
    unsigned top; /* highest address bit that lines differ in */
    bx_session *session;
    bx_evsel selection;
    uint64_t *before; /* [slices] */
    char *memory;     /* on a host: memory with lines to choose from; NULL: a virtual machine */
    int pagemap;
    bx_slice_sample *found; /* [found_n] lines that were touched; they are in a cache now */
    size_t found_n, room;
} bx_slice_probe;

/* Starts to count `event`; NULL: the catalogue's event for misses of the last-level cache. Close *p
 * in any case. */
int bx_slice_probe_open(bx_slice_probe *p, bx_machine *m, const char *event, bx_arena *arena,
                        bx_error *e);
void bx_slice_probe_close(bx_slice_probe *p);

/* The slice of an address of a virtual machine. BX_NOT_FOUND: no single C-Box stands out. */
int bx_slice_probe_address(bx_slice_probe *p, uint64_t address, unsigned *slice, bx_error *e);

/* Probes the i-th line for finding the hash. Lines are chosen at random, but are the same in each
 * run. On a host the line is in our own memory. */
int bx_slice_probe_next(bx_slice_probe *p, size_t i, bx_slice_sample *to, bx_error *e);

#endif
