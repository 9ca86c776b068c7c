/* Seeded streams of accesses for Ivy Bridge-EP: families of them, which differ in what agents
 * share. */
#ifndef BX_TESTS_MODEL_IVBEP_STREAMS_H
#define BX_TESTS_MODEL_IVBEP_STREAMS_H

#include "../oracle/ivbep/oracle.h"
#include "model/machine/ivbep/boxes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The properties of the streams of one trial, in percent. Lines of none of the kinds are
 * anywhere. */
struct family {
    const char *name;
    unsigned packages, cores, llc_sets;
    bool io;
    unsigned own, own_lines;       /* an agent's own */
    unsigned shared, shared_lines; /* all agents use them */
    unsigned slice, slice_lines;   /* in slice 0 */
    unsigned set, set_lines;       /* in set 0 of L1 and L2, some of them in that of the LLC */
    unsigned next;                 /* the line after the last one, instead of all these */
    unsigned store, fetch, dependent, partial;
    unsigned non_temporal; /* percent of cores' stores */
    unsigned cost;         /* the most cycles between two accesses */
    unsigned prefetch;     /* percent of accesses of cores */
    unsigned steer;        /* the same that steer caches */
    unsigned locks;        /* percent of the others */
    bool divided;          /* each package has its own part of the memory */
};

enum { IVBEP_FAMILIES = 11 };
extern const struct family ivbep_families[IVBEP_FAMILIES];

struct family ivbep_random_family(uint64_t *dice);

/* n accesses of each agent that the family has. */
void ivbep_new_traces(struct ivbep_trace traces[BX_AGENTS], const struct family *f, size_t n,
                      uint64_t *dice);
void ivbep_free_traces(struct ivbep_trace traces[BX_AGENTS]);

#endif
