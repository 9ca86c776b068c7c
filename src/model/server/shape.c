/* Checks the shape of a server machine, and computes the size of its LLC. */
#include "model/server/shape.h"

#include "base/error.h"

unsigned bx_server_llc_sets(const struct bx_server_shape *of, const bx_model_shape *shape)
{
    uint64_t a_set = of->ways * UINT64_C(64) * shape->cores, sets = shape->llc_bytes / a_set;

    if (shape->llc_bytes == 0)
        return of->sets;
    return shape->llc_bytes % a_set == 0 && sets <= 1 << 20 && (sets & (sets - 1)) == 0
               ? (unsigned)sets
               : 0;
}

bx_model_llc bx_server_llc_of(const struct bx_model_kind *kind, const bx_model_shape *shape)
{
    const struct bx_server_shape *of = &bx_server_wiring_of(kind)->shape;
    uint64_t sets = bx_server_llc_sets(of, shape);
    return (bx_model_llc){sets * of->ways * UINT64_C(64) * shape->cores, of->ways};
}

static int out_of_range(const struct bx_server_shape *of, const char *what, unsigned n,
                        unsigned most, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "%s has no %u %s", of->name, n, what);
    bx_hint(e, "1 to %u", most);
    return BX_BAD_INPUT;
}

int bx_server_check_shape(const struct bx_model_kind *kind, const bx_model_shape *shape,
                          bx_error *e)
{
    const struct bx_server_shape *of = &bx_server_wiring_of(kind)->shape;

    if (shape->packages < 1 || shape->packages > of->packages)
        return out_of_range(of, "packages", shape->packages, of->packages, e);
    if (shape->cores < 1 || shape->cores > of->cores)
        return out_of_range(of, "cores", shape->cores, of->cores, e);
    if (shape->slices != 0 && shape->slices != shape->cores)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%s of %u cores has no %u LLC slices", of->name,
                       (unsigned)shape->cores, (unsigned)shape->slices);
    if (bx_server_llc_sets(of, shape) == 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "an LLC of %llu bytes cannot be built from %u slices of %u ways",
                       (unsigned long long)shape->llc_bytes, (unsigned)shape->cores, of->ways);
    return BX_OK;
}
