/* The size of a machine, and its last-level cache. */
#ifndef BX_MODEL_ENGINE_SHAPE_H
#define BX_MODEL_ENGINE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* The memory of a package, or of a node: docs/model.md, "DRAM". Clocks are the memory's, of two
 * transfers each. */
typedef struct bx_model_dram {
    uint32_t rate;                           /* millions of transfers a second; 0: the plain rule */
    uint32_t cl, rcd, rp, ras, rtp, wr, wtr; /* clocks */
    uint32_t rfc, refi, transit;             /* ns; refi 0: no refresh */
    uint32_t ranks, banks, row_bytes;        /* of a channel; of a rank; of a bank's row */
} bx_model_dram;

typedef struct bx_model_shape {
    uint32_t packages, cores, slices; /* cores and slices per package */
    uint64_t llc_bytes;               /* per package */
    /* Mechanisms of real parts; without them the plain rules of docs/model.md hold. */
    bool measured_replacement;
    bx_model_dram dram;
    uint64_t hz; /* of the uncore; only for mechanisms in ns or with clocks of their own */
} bx_model_shape;

/* The last-level cache of a package. */
typedef struct bx_model_llc {
    uint64_t bytes;
    unsigned ways; /* 0: there is none */
} bx_model_llc;

#endif
