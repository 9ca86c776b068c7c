/* Begins and ends attribution on a machine. */
#ifndef BX_MODEL_ENGINE_ATTRIBUTION_COURSE_H
#define BX_MODEL_ENGINE_ATTRIBUTION_COURSE_H

#include "model/engine/attribution.h"

/* Whether a selection can be attributed: it counts pulses, and they change at turns only. */
bool bx_attribution_can(const bx_model *m, const struct bx_signal *signal);

/* Begins at the present time. `of` has n selections that bx_attribution_can() accepts; the model
 * frees it with bx_attribution_free(). false: out of memory. */
bool bx_attribution_begin(bx_model *m, bx_attributed *of, size_t n, unsigned events);
void bx_attribution_free(struct bx_attribution *a); /* NULL is fine */

/* All that cores have executed so far is in the rows. Call it between runs. */
void bx_attribution_settle(bx_model *m);

#endif
