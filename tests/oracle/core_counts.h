/* What a core has done, as its counters tell it, for all oracles:
 * docs/explanation/model-core-counters.md, "Counters of a core". */
#ifndef BX_TESTS_ORACLE_CORE_COUNTS_H
#define BX_TESTS_ORACLE_CORE_COUNTS_H

#include "cycles.h"

#include <stdbool.h>

/* Where a load's line came from, if not from L1D or L2. */
enum oracle_source {
    ORACLE_FLIGHT,
    ORACLE_LLC,
    ORACLE_SNOOP_MISS,
    ORACLE_CLEAN,
    ORACLE_DIRTY,
    ORACLE_PACKAGE_CLEAN, /* caches of another package */
    ORACLE_PACKAGE_DIRTY,
    ORACLE_MEMORY,
    ORACLE_REMOTE_MEMORY,
    ORACLE_SOURCES
};

/* Sources of a load that the LLC serves: a core was snooped, had the line, had it modified. */
static inline enum oracle_source oracle_source_in_llc(bool snooped, bool had, bool modified)
{
    return modified ? ORACLE_DIRTY : had ? ORACLE_CLEAN : snooped ? ORACLE_SNOOP_MISS : ORACLE_LLC;
}

/* What makes requests: enum bx_access_kind, then prefetchers. */
enum { ORACLE_PREFETCH = 3, ORACLE_ASKING };

struct oracle_core_counts {
    uint64_t instructions, loads, stores,
        load_hits; /* load_hits: loads of instructions that hit L1D */
    uint64_t l2_hits[ORACLE_ASKING], requests[ORACLE_ASKING], misses[ORACLE_ASKING];
    uint64_t flights[ORACLE_PREFETCH];
    uint64_t from_l2, from[ORACLE_SOURCES]; /* loads of instructions */
    uint64_t l1d_fills, l1d_write_backs, l2_fills, write_backs;
    uint64_t unhalted;
    struct oracle_cycles cycles;
    uint64_t outstanding[4]; /* requests times cycles: loads, stores, fetches; loads that miss */
    unsigned serving;        /* what the access that is served marks: enum oracle_cycle */
};

/* "Lines on the move": the cycles for which the lines move that the core has written back since
 * *then was copied from its counts. */
static inline uint64_t oracle_written(const struct oracle_core_counts *c,
                                      const struct oracle_core_counts *then, uint64_t l2_line,
                                      uint64_t llc_line)
{
    return (c->l1d_write_backs - then->l1d_write_backs) * l2_line +
           (c->write_backs - then->write_backs) * llc_line;
}

/* An access of a core. auxiliary: it belongs to no instruction. */
struct oracle_asks {
    unsigned by;
    bool auxiliary;
};

void oracle_count_access(struct oracle_core_counts *c,
                         struct oracle_asks asks); /* an access is made */
void oracle_count_l1_hit(struct oracle_core_counts *c, struct oracle_asks asks);
void oracle_count_l2_hit(struct oracle_core_counts *c, struct oracle_asks asks);
/* L2 has the line, but it has not arrived. */
void oracle_count_flight(struct oracle_core_counts *c, struct oracle_asks asks);
/* The LLC is asked. misses: the package's slices cannot serve the request. */
void oracle_count_request(struct oracle_core_counts *c, struct oracle_asks asks,
                          enum oracle_source from, bool misses);

/* The access counted last lasts from its turn until its completion. waits: the core waits for
 * it. */
void oracle_count_served(struct oracle_core_counts *c, uint64_t turn, uint64_t completion,
                         bool waits);

enum oracle_processor { ORACLE_SKYLAKE, ORACLE_IVY_BRIDGE, ORACLE_NEHALEM };

/* An event of a core, and its count. */
struct oracle_core_event {
    unsigned code, umask;
    uint64_t count;
    unsigned threshold;
};

enum { ORACLE_CORE_EVENTS = 82 };

/* The events of a processor. Returns their number. */
size_t oracle_core_events(const struct oracle_core_counts *c, enum oracle_processor processor,
                          struct oracle_core_event to[ORACLE_CORE_EVENTS]);

/* The marks of the cycles that an event with a threshold counts; 0: it is no such event. */
unsigned oracle_core_marks(unsigned code, unsigned umask, unsigned threshold);

#endif
