/* A counter whose count is the number in a file of the kernel. */
#ifndef BX_HOST_PERF_FILE_COUNTER_H
#define BX_HOST_PERF_FILE_COUNTER_H

#include "host/perf/perf_counters.h"

typedef struct bx_file_counter {
    int fd;     /* -1: not open */
    bool level; /* the file has what there is now, and no count */
    bool runs;
    int err;              /* an errno: the file had no number */
    uint64_t begun, from; /* the time and the number at which it last began to count */
    uint64_t counted, ns; /* before that */
} bx_file_counter;

/* 0, or an errno. The path includes the machine's root. */
int bx_file_counter_open(bx_file_counter *c, const char *path, bool level);
void bx_file_counter_close(bx_file_counter *c);

void bx_file_counter_start(bx_file_counter *c);
void bx_file_counter_stop(bx_file_counter *c);
bx_perf_value bx_file_counter_read(const bx_file_counter *c);

#endif
