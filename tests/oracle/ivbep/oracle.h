/* The plain reference model of Ivy Bridge-EP, written from docs/explanation/model-ivbep.md. The
 * tests compare src/model/machine/ivbep with it. It uses arrays of structs and loops over ways. It
 * shares with src/model only the record format of an access and the selection of a counter. It
 * never stops half-way: traces are executed to their end. */
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
 * the page. record: keeps the events for ivbep_oracle_levels(). Aborts if memory runs out. */
struct ivbep_oracle *ivbep_oracle_new(const bx_model_shape *shape, unsigned llc_sets, bool record);
void ivbep_oracle_free(struct ivbep_oracle *o);

/* Each package has its own part of the memory, in place of every other page. */
void ivbep_oracle_divide_memory(struct ivbep_oracle *o);

/* Disables prefetchers of a core, a bit for each enum bx_prefetcher, and enables the others. Cores
 * are numbered as agents. */
void ivbep_oracle_set_prefetchers(struct ivbep_oracle *o, unsigned core, unsigned off);

/* Executes trace[agent] of each agent (numbers as in enum bx_agent) to the end, from the present
 * time. */
void ivbep_oracle_run(struct ivbep_oracle *o, const struct ivbep_trace trace[BX_AGENTS]);

/* Time passes without work. */
void ivbep_oracle_idle(struct ivbep_oracle *o, uint64_t cycles);

/* The present time: the end of all work, or later if time has passed since. */
uint64_t ivbep_oracle_now(const struct ivbep_oracle *o);

/* What a core has done since power-on. Cores are numbered as agents. */
const struct oracle_core_counts *ivbep_oracle_core_counts(const struct ivbep_oracle *o,
                                                          unsigned core);

/* Sum of level x cycles since power-on. Entries that have not ended are counted in full. The
 * selection must be modelled: of a C-Box, or of a memory channel (BX_IVBEP_IMC). */
uint64_t ivbep_oracle_sum(const struct ivbep_oracle *o, const bx_selection *sel);

/* Writes to level[0 … cycles - 1] the level of the signal in each cycle since power-on. */
void ivbep_oracle_levels(const struct ivbep_oracle *o, const bx_selection *sel, uint32_t *level,
                         size_t cycles);

#endif
