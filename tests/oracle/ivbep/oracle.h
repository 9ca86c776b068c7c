/* The plain reference model of Ivy Bridge-EP: docs/explanation/model-ivbep.md in plain code, which
 * the tests compare src/model/ivbep with. Arrays of structs and loops over ways; nothing here is
 * shared with src/model but the record format of an access and what a counter selects. It never
 * stops half-way: traces are executed to their end. */
#ifndef BX_TESTS_ORACLE_IVBEP_ORACLE_H
#define BX_TESTS_ORACLE_IVBEP_ORACLE_H

#include "../core_counts.h"

#include "model/engine/access.h"
#include "model/engine/shape.h"
#include "seam/signal.h"

#include <stddef.h>

/* An agent's accesses; {NULL, 0}: none. */
struct ivbep_trace {
    const bx_access *access;
    size_t n;
};

struct ivbep_oracle;

/* A machine at power-on, to be freed by the caller. llc_sets: of a slice, 2048 in the machine of
 * the page. record: what happens is kept for ivbep_oracle_levels(). Running out of memory aborts.
 */
struct ivbep_oracle *ivbep_oracle_new(const bx_model_shape *shape, unsigned llc_sets, bool record);
void ivbep_oracle_free(struct ivbep_oracle *o);

/* Switches prefetchers of a core off, a bit for each enum bx_prefetcher, and the others on. Cores
 * are numbered as agents. */
void ivbep_oracle_set_prefetchers(struct ivbep_oracle *o, unsigned core, unsigned off);

/* Executes trace[agent] of each agent (numbers as in enum bx_agent) to the end, from the present
 * time. */
void ivbep_oracle_run(struct ivbep_oracle *o, const struct ivbep_trace trace[BX_AGENTS]);

/* Time passes with nothing to do. */
void ivbep_oracle_idle(struct ivbep_oracle *o, uint64_t cycles);

/* The present time: that at which all work has ended, and later if time has passed since. */
uint64_t ivbep_oracle_now(const struct ivbep_oracle *o);

/* What a core has done since power-on. Cores are numbered as agents. */
const struct oracle_core_counts *ivbep_oracle_core_counts(const struct ivbep_oracle *o,
                                                          unsigned core);

/* Sum of level x cycles since power-on. What has not ended by now is counted in full. The selection
 * must be one that is modelled: of a C-Box, or of a memory channel (BX_IVBEP_IMC). */
uint64_t ivbep_oracle_sum(const struct ivbep_oracle *o, const bx_selection *sel);

/* Writes to level[0 … cycles - 1] the level of the signal in each cycle since power-on. */
void ivbep_oracle_levels(const struct ivbep_oracle *o, const bx_selection *sel, uint32_t *level,
                         size_t cycles);

#endif
