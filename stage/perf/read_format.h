/* What read() of a perf event gives: perf_event_open(2), "Reading results". */
#ifndef BX_STAGE_PERF_READ_FORMAT_H
#define BX_STAGE_PERF_READ_FORMAT_H

#include <stddef.h>
#include <stdint.h>

typedef struct bx_read_value {
    uint64_t count, id, lost;
} bx_read_value;

/* Bytes that a read gives, of a group of n events or of one. */
size_t bx_read_size(uint64_t format, size_t n);

/* Writes them. PERF_FORMAT_GROUP: all values, the leader's first; else the first one alone. */
void bx_read_put(uint64_t format, uint64_t enabled, uint64_t running, const bx_read_value *values,
                 size_t n, char *to);

#endif
