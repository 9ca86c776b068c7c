/* Who caused what a machine counts: docs/explanation/attribution.md. The counts of an access at the
 * uncore are what its turn has changed, and turns are final. So the model counts as ever, and the
 * rows add up to the counters by construction. */
#ifndef BX_MODEL_ENGINE_ATTRIBUTION_H
#define BX_MODEL_ENGINE_ATTRIBUTION_H

#include "model/engine/kind.h"
#include "model/engine/ledger.h"

/* The sum that a selection has now. It makes no core go back. */
uint64_t bx_attribution_sum(bx_model *m, const bx_attributed *of);

/* An access has been served: what has changed since the last call is its own. */
void bx_attribution_served(bx_model *m, unsigned core, const bx_feed *feed, const bx_access *at);
/* Before: its turn begins. Then: it asks for its line. */
void bx_attribution_turn(bx_model *m, unsigned core, const bx_feed *feed, const bx_access *at);
void bx_attribution_ask(bx_model *m, unsigned core, const bx_feed *feed, const bx_access *at);
/* Meanwhile: a core that had a line has been snooped. */
void bx_attribution_snooped(bx_model *m, unsigned core, uint64_t line, bool modified);
/* A device's access has been served. */
void bx_attribution_device(bx_model *m, bx_access a);
/* The same where no access is served: what has changed is nobody's. */
void bx_attribution_rest(bx_model *m);

/* ---- write-backs ---- */

/* A modified line is written back, by a core; or it leaves the caches behind the cores. What
 * changes up to bx_attribution_written() is charged to its own data. */
void bx_attribution_write_back(bx_model *m, unsigned core, uint64_t line);
void bx_attribution_evict(bx_model *m, uint64_t line);
void bx_attribution_written(bx_model *m);

/* The same where nobody may ask. */
static inline void bx_note_eviction(bx_model *m, uint64_t line)
{
    if (m->attribution)
        bx_attribution_evict(m, line);
}

static inline void bx_note_evicted(bx_model *m)
{
    if (m->attribution)
        bx_attribution_written(m);
}

/* ---- for a machine without turns, whose core executes one access after the other ---- */

/* Its present access is this one from now on. */
void bx_attribution_take(bx_model *m, const bx_feed *feed, const bx_access *at);
/* What has changed is its present access's. */
void bx_attribution_own(bx_model *m);
/* A device's access is about to be served. */
void bx_attribution_take_device(bx_model *m);
/* A number for what will change later because of what is served now: the present access, the
 * write-back that is noted, or the device's access. Then: it has changed, and nothing else has. */
uint32_t bx_attribution_cause(bx_model *m);
void bx_attribution_caused(bx_model *m, uint32_t cause);
/* The same of the time that has passed; works: the core was not halted. */
void bx_attribution_pass(bx_model *m, bool works, enum bx_cause cause);

#endif
