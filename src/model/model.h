/* A machine model: cores, caches and the uncore. It executes streams of memory accesses and raises
 * signals through seam/signal.h. It knows no registers and no event names. Rules:
 * docs/explanation/model.md for the client machine and all they share, docs/explanation/model-*.md
 * for the others. */
#ifndef BX_MODEL_MODEL_H
#define BX_MODEL_MODEL_H

#include "model/engine/access.h"
#include "model/engine/shape.h"
#include "seam/signal.h"

#include <boxscore/boxscore.h>

typedef struct bx_model bx_model;
struct bx_tlb_geometry;

/* name: the model that the catalogue names for the CPU, such as "client". To be freed by the
 * caller. NULL and *e: BX_NOT_FOUND (no such model), BX_BAD_INPUT (no such shape) or BX_NO_MEMORY.
 */
bx_model *bx_model_new(const char *name, const bx_model_shape *shape, bx_error *e);
void bx_model_free(bx_model *m);

/* The last-level cache of a machine of this model; bx_model_new() must accept the shape. */
bx_model_llc bx_model_llc_of(const char *name, const bx_model_shape *shape);

/* The model as a source of signals; belongs to it. */
bx_signals *bx_model_signals(bx_model *m);

/* Sets the feed of an agent (NULL: none). It starts at the model's present time, and must exist
 * until it has ended or is replaced. */
void bx_model_feed(bx_model *m, unsigned agent, bx_feed *feed);

/* Runs until every agent's feed has ended or the agent is parked, or until the time `until`.
 * Nothing at or after `until` is executed. Returns true if no agent has anything to do and all
 * accesses have completed. The time is then that of the last completion, else `until`. */
bool bx_model_run(bx_model *m, uint64_t until);

/* The next three are about agents whose refill returns BX_FEED_WAITS ("parked"). */

/* A parked agent's feed is asked again: it goes on at the time of the agent whose refill calls
 * this, or at the model's present time between runs. What it then does comes after what the caller
 * has done, also at the same time. An agent that is not parked is left as it is. To be called from
 * another agent's refill, or between runs. */
void bx_model_wake(bx_model *m, unsigned agent);

/* To be called from the agent's refill, which then returns BX_FEED_WAITS. The agent's feed is asked
 * again when agent `other` is done with the access at `position`, which is or was in the batch that
 * `other` has now: at the time when `other` could begin its next access, but not before the
 * agent's own time. So it is asked again at once if `other` is done with it by then. What `other`
 * does after the access comes later than that, wherever it has run ahead to. bx_model_wake() and a
 * new feed for `other` end the waiting early. Nobody waits for good: an agent that is parked
 * itself, or whose feed has ended, is done with all of its batch. For models with several cores. */
void bx_model_wait_for(bx_model *m, unsigned agent, unsigned other, const bx_access *position);

/* The time of an agent in its refill: when its last access was done. */
uint64_t bx_model_clock(const bx_model *m, unsigned agent);

/* In an agent's refill: signals are those of its time from here on. All that comes before it has
 * been executed, and nothing that comes after it. Elsewhere it does nothing. */
void bx_model_catch_up(bx_model *m);

/* Whether memory ran out in a run of this model. Its counts are then wrong, for good. */
bool bx_model_out_of_memory(const bx_model *m);

/* Lets `cycles` pass without work. Requests in flight complete; feeds are not read. */
void bx_model_idle(bx_model *m, uint64_t cycles);

/* Whether it counts what only remarks tell (engine/access.h). */
bool bx_model_wants_remarks(const bx_model *m);

/* Whether it produces what a selection counts, but only for work with remarks, or for what our own
 * tracer tells of instructions, and lackey does not. */
bool bx_model_needs_remarks(const bx_model *m, const bx_selection *sel);

/* The TLBs that stand before the caches of its cores (core/tlb.h): who makes its feeds translates
 * addresses with them. NULL: the machine has none. */
const struct bx_tlb_geometry *bx_model_tlb(const bx_model *m);

uint64_t bx_model_accesses(const bx_model *m); /* accesses executed since power-on */

/* Whether the model produces a signal; the selection's package and unit do not matter. */
bool bx_model_produces(const bx_model *m, const bx_selection *sel);

/* Whether it also knows its level in each cycle, and not only sums over some. */
bool bx_model_reports(const bx_model *m, const bx_selection *sel);

#endif
