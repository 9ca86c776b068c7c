/* Sums of levels over cycles, from which the signals of all boxes are made. */
#ifndef BX_TESTS_ORACLE_NHMEX_SUMS_H
#define BX_TESTS_ORACLE_NHMEX_SUMS_H

#include "nhmex/machine.h"

/* Levels while they are added up: differences, level[t] - level[t - 1]. */
struct sum {
    int32_t *level;
    size_t cycles;
    const struct nhmex_oracle *oracle;
};

/* Adds to the cycles begin … end - 1, or to one cycle. */
void sum_add(struct sum *s, uint64_t begin, uint64_t end, unsigned amount);
void sum_at(struct sum *s, uint64_t t, unsigned amount);

/* Converts differences to levels, and back. */
void sum_add_up(struct sum *s);
void sum_finished(struct sum *s);

/* Sets 1 in the cycles that reach the level. Differences become levels. */
void sum_reach(struct sum *s, int32_t level);

/* Adds the events with this code and one of these bits, each with its amount. */
void sum_instants(struct sum *s, const struct instants *counts, unsigned code, unsigned umask);

typedef void part(struct sum *s, const struct resource *r);

/* Parts: entries that enter a resource, entries that do so without waiting, and cycles of entries
 * that are in it, wait, or starve. */
void sum_inserts(struct sum *s, const struct resource *r);
void sum_bypasses(struct sum *s, const struct resource *r);
void sum_occupancy(struct sum *s, const struct resource *r);
void sum_waiting(struct sum *s, const struct resource *r);
void sum_starving(struct sum *s, const struct resource *r);

/* Adds 1 in the cycles in which the part is not 0. */
void sum_cycles_of(struct sum *s, part *which, const struct resource *r);

enum measure { CYCLES_FULL, CYCLES_NE, OCCUPANCY };

/* One queue, or several, which are full if all of them are full. */
void sum_queue_event(struct sum *s, enum measure measure, const struct resource *const *queue,
                     unsigned n);
void sum_queue_of(struct sum *s, enum measure measure, const struct resource *queue);

/* Packets that match, or their flits. */
void sum_packets(struct sum *s, const struct instants *of, unsigned code, unsigned bits,
                 const struct nhmex_pattern *p);

/* Cycles in which an entry waits for one of the resources, in which an entry arrives, and in which
 * the link is empty. */
void sum_no_credit(struct sum *s, const struct resource *r, unsigned n);
void sum_arrivals(struct sum *s, const struct instants *of);
void sum_idle(struct sum *s, const struct resource *link);

/* ---- levels of one box; false: there is no such signal ---- */

bool nhmex_ubox_levels(struct sum *s, const struct nhmex_signal *sig);
bool nhmex_wbox_levels(struct sum *s, const struct nhmex_signal *sig);
bool nhmex_cbox_levels(struct sum *s, const struct cbox *c, const struct nhmex_signal *sig);
bool nhmex_sbox_levels(struct sum *s, const struct package *p, const struct nhmex_signal *sig);
bool nhmex_bbox_0_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig);
bool nhmex_bbox_1_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig);
bool nhmex_bbox_2_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig);
bool nhmex_bbox_3_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig);
bool nhmex_rbox_levels(struct sum *s, const struct package *p, const struct nhmex_signal *sig);
bool nhmex_mbox_levels(struct sum *s, const struct mbox *m, const struct nhmex_signal *sig);

#endif
