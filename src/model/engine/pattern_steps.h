/* The steps of built-in workloads that are accesses alone. */
#ifndef BX_MODEL_ENGINE_PATTERN_STEPS_H
#define BX_MODEL_ENGINE_PATTERN_STEPS_H

#include "model/engine/access_pattern.h"

/* ---- cores and memory: memory_pattern.c ---- */

void bx_step_stream(struct bx_generator *g);
void bx_step_copy(struct bx_generator *g);
void bx_step_chase(struct bx_generator *g);
void bx_step_random(struct bx_generator *g);
void bx_step_pingpong(struct bx_generator *g);
void bx_step_sharing(struct bx_generator *g);
void bx_step_lock(struct bx_generator *g);
void bx_step_producer(struct bx_generator *g);
void bx_step_transfer(struct bx_generator *g);
void bx_step_code(struct bx_generator *g);
void bx_step_non_temporal(struct bx_generator *g);

/* How many steps there are, if all cores share the elements, if each core takes all, and of
 * `transfer`. */
uint64_t bx_steps_over_own(const struct bx_generator *g);
uint64_t bx_steps_over_all(const struct bx_generator *g);
uint64_t bx_steps_of_transfer(const struct bx_generator *g);

/* ---- devices, graphics, registers of devices: device_pattern.c ---- */

void bx_step_mmio(struct bx_generator *g);
void bx_step_ports(struct bx_generator *g);
void bx_step_dma(struct bx_generator *g);
void bx_step_gfx(struct bx_generator *g);

#endif
