/* Compares the counters of cores of a model with an oracle. */
#ifndef BX_TESTS_MODEL_CORE_COMPARED_H
#define BX_TESTS_MODEL_CORE_COMPARED_H

#include "../oracle/core_counts.h"

#include "model/model.h"

/* Compares every event of one core. core: a selection of that core, with any event. disagree: fails
 * the test with this text. */
void core_compare(bx_model *m, bx_selection core, enum oracle_processor processor,
                  const struct oracle_core_counts *expected,
                  void (*disagree)(void *trial, const char *text), void *trial);

/* The levels of an event that counts cycles with its threshold: level[0 … cycles - 1]. */
void core_levels(const struct oracle_core_counts *expected, const bx_selection *sel,
                 uint32_t *level, uint64_t cycles);

#endif
