/* The workloads whose instructions are more than accesses: their classes, branches, misaligned and
 * locked operands. docs/explanation/model-workloads.md, "Instructions and branches". */
#ifndef BX_MODEL_ENGINE_INSTRUCTION_PATTERN_H
#define BX_MODEL_ENGINE_INSTRUCTION_PATTERN_H

#include "model/engine/access_pattern.h"

void bx_step_instructions(struct bx_generator *g); /* one of a round */
uint64_t bx_instruction_steps(const struct bx_generator *g);
void bx_step_branches(struct bx_generator *g); /* one, and a load */

/* ---- what both are made of ---- */

/* An instruction of a class retires, after so many cycles. taken: of a branch. */
void bx_generator_execute(struct bx_generator *g, unsigned class, bool taken, unsigned cost);

/* Adds to what retires with the next access: enum bx_retired_count, or a misprediction. */
void bx_generator_retire(struct bx_generator *g, unsigned count, int n);

/* A remark (enum bx_remark, or of a predictor), if the machine asks for remarks. */
void bx_generator_remark(struct bx_generator *g, unsigned what);

/* Writes an access of the workload's page. It takes the cycles before it, and `flags`. */
void bx_generator_access(struct bx_generator *g, uint64_t offset, unsigned kind, bx_access flags);

/* A load or store of one line is an instruction of its own. */
void bx_generator_load(struct bx_generator *g, uint64_t offset);

#endif
