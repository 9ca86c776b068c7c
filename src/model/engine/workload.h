/* The built-in workloads: work for the cores, graphics and devices of a virtual machine without a
 * program. docs/explanation/model.md, "Workloads". */
#ifndef BX_MODEL_ENGINE_WORKLOAD_H
#define BX_MODEL_ENGINE_WORKLOAD_H

#include "model/core/tlb.h"
#include "model/engine/access.h"
#include "model/engine/core_time.h"
#include "model/engine/frames.h"

#include <boxscore/boxscore.h>

struct bx_workload;

/* Makes the feeds for "name,key=value,…", or several of these joined by '+'. cores: how many the
 * machine has. Each part takes its own cores, the first part from core 0 on. Maps all its memory in
 * `frames`, in the order of addresses. *w is to be freed by the caller. Errors: BX_BAD_INPUT,
 * BX_NOT_FOUND, BX_NO_FIT with the part of spec at fault, BX_NO_MEMORY. */
int bx_workload_new(const char *spec, size_t len, unsigned cores, struct bx_frames *frames,
                    struct bx_workload **w, bx_error *e);

/* Before the first access: each core's part of it has TLBs, and their page walks are among its
 * accesses. false: no memory. */
bool bx_workload_translate(struct bx_workload *w, const bx_tlb_geometry *g,
                           struct bx_frames *frames);

/* What the TLBs of a core have counted; NULL: it has none. */
const bx_tlb_counts *bx_workload_translations(const struct bx_workload *w, unsigned core);

/* Its cores have prefetchers: what these ask for is among the accesses. Before any is read. false:
 * out of memory. */
bool bx_workload_prefetch(struct bx_workload *w);
void bx_workload_free(struct bx_workload *w); /* NULL is fine */

/* Before anything runs: what loads cost that wait for the one before. */
void bx_workload_time(struct bx_workload *w, const bx_core_time *core);

/* The feed for an agent (enum bx_agent, or a core's number); NULL: no work. Belongs to the
 * workload. */
bx_feed *bx_workload_feed(struct bx_workload *w, unsigned agent);

#endif
