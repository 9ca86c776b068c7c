/* The data that read() returns for a perf event: perf_event_open(2), "Reading results". */
#ifndef BX_STAGE_PERF_READ_FORMAT_H
#define BX_STAGE_PERF_READ_FORMAT_H

#include <stddef.h>
#include <stdint.h>

typedef struct bx_read_value {
    uint64_t count, id, lost;
} bx_read_value;

/* Bytes of a read in this read_format. n: events of the group, used with PERF_FORMAT_GROUP only. */
size_t bx_read_size(uint64_t format, size_t n);

/* Writes these bytes. values: n with PERF_FORMAT_GROUP, the leader's first; else one. enabled,
 * running: times in ns. */
void bx_read_put(uint64_t format, uint64_t enabled, uint64_t running, const bx_read_value *values,
                 size_t n, char *to);

#endif
