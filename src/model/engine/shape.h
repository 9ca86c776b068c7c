/* The size of a machine, and its last-level cache. */
#ifndef BX_MODEL_ENGINE_SHAPE_H
#define BX_MODEL_ENGINE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bx_model_shape {
    uint32_t packages, cores, slices; /* cores and slices per package */
    uint64_t llc_bytes;               /* per package */
    /* Mechanisms of real parts; without them the plain rules of docs/model.md hold. */
    bool measured_replacement;
} bx_model_shape;

/* The last-level cache of a package. */
typedef struct bx_model_llc {
    uint64_t bytes;
    unsigned ways; /* 0: there is none */
} bx_model_llc;

#endif
