/* The functions that a process has compiled in its memory, as it tells perf:
 * https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/jit-interface.txt */
#ifndef BX_SYMBOLS_PERF_MAP_H
#define BX_SYMBOLS_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct bx_perf_map {
    struct bx_perf_function {
        uint64_t from, bytes;
        const char *name;
    } * function; /* [n], in the order of the file */
    size_t n;
    char *text;
} bx_perf_map;

/* Reads /tmp/perf-PID.map. It stays empty where there is none, it is a link, or another user's. */
void bx_perf_map_read(bx_perf_map *m, uint32_t pid);
void bx_perf_map_free(bx_perf_map *m);

/* The function that was told last for the address; NULL: none. */
const char *bx_perf_map_function(const bx_perf_map *m, uint64_t address);

#endif
