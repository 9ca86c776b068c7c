/* Plays register accesses of a real program, recorded in tests/reglogs, on a bench. */
#ifndef BX_TESTS_VPMU_TRACE_H
#define BX_TESTS_VPMU_TRACE_H

#include "bench.h"

struct register_log {
    const char *name; /* file in tests/reglogs */
    unsigned start;   /* MSR: when its bit `go` is written as 1, ten cycles pass */
    unsigned go;
    unsigned counter;      /* MSR: every read of it must show as much more as the first */
    unsigned preloaded[6]; /* MSRs whose recorded values must be read; 0 ends them */
    unsigned lines;        /* that were played */
    uint64_t counted;      /* what the first read of the counter showed */
};

/* No access may fault. */
void register_log_play(struct bench *b, struct register_log *t);

#endif
