/* The shape of a server machine: packages of cores, each core with a slice of the LLC beside it. */
#ifndef BX_MODEL_SERVER_SHAPE_H
#define BX_MODEL_SERVER_SHAPE_H

#include "model/engine/kind.h"

struct bx_server_shape {
    const char *name;         /* for messages: "a Xeon 7500 machine" */
    unsigned packages, cores; /* the most that there can be */
    unsigned sets, ways;      /* of a slice; sets: the default */
};

/* What machines of one kind of uncore differ in (bx_model_kind.wiring). */
struct bx_server_wiring {
    struct bx_server_shape shape;
    bx_model_times times; /* where the shape gives none */
};

static inline const struct bx_server_wiring *bx_server_wiring_of(const struct bx_model_kind *kind)
{
    return kind->wiring;
}

/* See bx_model_kind.llc. */
bx_model_llc bx_server_llc_of(const struct bx_model_kind *kind, const bx_model_shape *shape);

/* The slice that has a line: a hash of its address. */
static inline unsigned bx_server_slice(uint64_t line, unsigned slices)
{
    enum { FOLD = 11 /* bits of line numbers */ };

    return (unsigned)((line ^ line >> FOLD ^ line >> 2 * FOLD) % slices);
}

/* The sets of a slice for an LLC of shape->llc_bytes (0: the default). Returns 0 if there is no
 * such LLC. */
unsigned bx_server_llc_sets(const struct bx_server_shape *of, const bx_model_shape *shape);

/* See bx_model_kind.check. *e names the part of the shape that is not possible. */
int bx_server_check_shape(const struct bx_model_kind *kind, const bx_model_shape *shape,
                          bx_error *e);

#endif
