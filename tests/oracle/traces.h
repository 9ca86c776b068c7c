/* Seeded streams of accesses that bring a machine into unusual states. */
#ifndef BX_TESTS_ORACLE_TRACES_H
#define BX_TESTS_ORACLE_TRACES_H

#include "../dice.h"
#include "oracle.h"

/* The properties of the streams of one trial, in percent. Lines of none of the four kinds are
 * anywhere. */
struct trace_family {
    const char *name;
    bx_model_shape shape;
    bool devices;                      /* GT and IO as well */
    unsigned hot, hot_lines;           /* an agent's own few lines */
    unsigned warm, warm_lines;         /* an agent's own many lines */
    unsigned shared, shared_lines;     /* lines that all agents use */
    unsigned conflict, conflict_lines; /* lines of one L1 set, many of them also of one L2 set */
    unsigned store, fetch, dependent, partial;
    unsigned non_temporal; /* percent of cores' stores */
    unsigned steer;        /* percent of cores' accesses that steer caches */
    unsigned prefetch;     /* percent of cores' accesses that are prefetches */
    unsigned registers;    /* percent of cores' accesses that are uncacheable */
    unsigned locks;        /* percent of the others that begin locked operations */
    unsigned bus_locks;    /* percent of these that lock the bus */
    unsigned cost;         /* the most cycles between two accesses */
};

/* The families; *n is their number. */
const struct trace_family *trace_families(size_t *n);

/* A random family. */
struct trace_family trace_family_random(uint64_t *random);

/* Makes `accesses` for each agent of the family; free them with traces_free(). */
void traces_new(struct oracle_trace traces[BX_AGENTS], const struct trace_family *family,
                size_t accesses, uint64_t *random);
void traces_free(struct oracle_trace traces[BX_AGENTS]);

/* 0 … n - 1. A sequence may start anywhere. */
static inline uint64_t random_below(uint64_t *random, uint64_t n)
{
    return dice_next(random) % n;
}

#endif
