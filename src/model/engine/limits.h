/* The shapes that a kind of machine can have, and the slices of its LLC. */
#ifndef BX_MODEL_ENGINE_LIMITS_H
#define BX_MODEL_ENGINE_LIMITS_H

#include "model/engine/kind.h"

/* BX_OK, or BX_BAD_INPUT and *e, which names the part of the shape that is not possible. */
int bx_limits_check(const struct bx_model_kind *kind, const bx_model_shape *shape, bx_error *e);

/* Of a package. Without LLC, all is 0. */
bx_model_llc bx_limits_llc(const struct bx_model_kind *kind, const bx_model_shape *shape);

/* Makes a slice of the machine's LLC, which tracks cores. */
void bx_llc_slice_power_on(bx_model *m, const bx_model_shape *shape, struct bx_cache *slice);

/* The slice that has a line: a hash of its address. */
static inline unsigned bx_slice_of_line(uint64_t line, unsigned slices)
{
    enum { FOLD = 11 /* bits of line numbers */ };

    return (unsigned)((line ^ line >> FOLD ^ line >> 2 * FOLD) % slices);
}

#endif
