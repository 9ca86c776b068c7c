/* The built-in workloads: work for the cores, graphics and devices of a virtual machine that runs
 * no program. docs/explanation/model-workloads.md, "Workloads". */
#ifndef BX_MODEL_ENGINE_WORKLOAD_H
#define BX_MODEL_ENGINE_WORKLOAD_H

#include "model/core/tlb.h"
#include "model/engine/access.h"
#include "model/engine/core_time.h"
#include "model/engine/frames.h"

#include <boxscore/boxscore.h>

struct bx_workload;

/* Makes the feeds for "name,key=value,…", or several of these joined by '+'. cores: of the machine.
 * Each part takes its own cores, the first part from core 0 on. All memory is mapped in `frames`,
 * in the order of addresses; if they are divided, at the node of the core that touches a page
 * first. The caller frees *w. Errors: BX_BAD_INPUT, BX_NOT_FOUND and BX_NO_FIT
 * with the wrong part of spec, BX_NO_MEMORY. */
int bx_workload_new(const char *spec, size_t len, unsigned cores, struct bx_frames *frames,
                    struct bx_workload **w, bx_error *e);

/* Adds TLBs to the cores; page walks are then among the accesses. Call it before the first access
 * is read. false: out of memory. */
bool bx_workload_translate(struct bx_workload *w, const bx_tlb_geometry *g,
                           struct bx_frames *frames);

/* What the TLBs of a core have counted. NULL: the core has no TLBs. */
const bx_tlb_counts *bx_workload_translations(const struct bx_workload *w, unsigned core);

/* Adds prefetchers to the cores; prefetches are then among the accesses. Call it before the first
 * access is read. false: out of memory. */
bool bx_workload_prefetch(struct bx_workload *w);

/* Tells the cores how long instructions take, and gives them branch predictors. remarks: the
 * machine asks for remarks. Call it before the first access is read. false: out of memory. */
bool bx_workload_execute(struct bx_workload *w, const bx_core_time *core, bool remarks);
void bx_workload_free(struct bx_workload *w); /* NULL is fine */

/* What cores access of devices: a set of enum bx_device_access. */
unsigned bx_workload_device_accesses(const struct bx_workload *w);

/* Sets the cost of loads that wait for the one before, and what locked operations do. Call it
 * before the first access is read. */
void bx_workload_time(struct bx_workload *w, const bx_core_time *core);

/* The feed of an agent (enum bx_agent, or a core's number). NULL: the agent has no work. The
 * workload owns the feed. */
bx_feed *bx_workload_feed(struct bx_workload *w, unsigned agent);

#endif
