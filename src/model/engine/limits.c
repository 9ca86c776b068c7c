/* Checks the shape of a machine, and computes the size of its LLC. */
#include "model/engine/limits.h"

#include "base/error.h"

enum { SETS_MOST = 1 << 20 };

static unsigned slices_of(const struct bx_model_kind *kind, const bx_model_shape *shape)
{
    return shape->slices || kind->limits.slices ? shape->slices : shape->cores;
}

/* The sets of a slice; 0: there is no such LLC. */
static uint32_t sets_of(const struct bx_model_kind *kind, const bx_model_shape *shape)
{
    uint64_t of_all = (uint64_t)bx_llc_ways_of(kind->caches, shape) *
                      bx_line_bytes_of(kind->caches, shape) * slices_of(kind, shape);
    uint64_t sets = of_all ? shape->llc_bytes / of_all : 0;

    if (shape->llc_bytes == 0)
        return kind->limits.sets;
    return sets >= kind->limits.least_sets && sets <= SETS_MOST && (sets & (sets - 1)) == 0 &&
                   shape->llc_bytes % of_all == 0
               ? (uint32_t)sets
               : 0;
}

bx_model_llc bx_limits_llc(const struct bx_model_kind *kind, const bx_model_shape *shape)
{
    unsigned ways = bx_llc_ways_of(kind->caches, shape);
    uint64_t lines = (uint64_t)sets_of(kind, shape) * ways * slices_of(kind, shape);

    return (bx_model_llc){lines * bx_line_bytes_of(kind->caches, shape), ways};
}

static int check_number(const struct bx_model_limits *of, const char *what, unsigned n,
                        unsigned most, bx_error *e)
{
    if (n >= 1 && n <= most)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "%s has no %u %s", of->name, n, what);
    bx_hint(e, most > 1 ? "1 to %u" : "%u", most);
    return BX_BAD_INPUT;
}

static int check_slices(const struct bx_model_kind *kind, const bx_model_shape *shape, bx_error *e)
{
    unsigned slices = slices_of(kind, shape);
    bool fine = kind->limits.slices ? slices < 32 && kind->limits.slices >> slices & 1
                                    : slices == shape->cores;

    if (fine)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "%s of %u cores has no %u LLC slices", kind->limits.name,
            (unsigned)shape->cores, slices);
    bx_hint(e, kind->limits.slices ? "1, 2 or 4" : "one for each core");
    return BX_BAD_INPUT;
}

int bx_limits_check(const struct bx_model_kind *kind, const bx_model_shape *shape, bx_error *e)
{
    if (check_number(&kind->limits, "packages", shape->packages, kind->limits.packages, e) !=
            BX_OK ||
        check_number(&kind->limits, "cores", shape->cores, kind->limits.cores, e) != BX_OK ||
        (kind->caches->llc_ways && check_slices(kind, shape, e) != BX_OK))
        return BX_BAD_INPUT;
    if (!kind->caches->llc_ways || sets_of(kind, shape))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "an LLC of %llu bytes cannot be built from %u slices of %u ways",
            (unsigned long long)shape->llc_bytes, slices_of(kind, shape),
            bx_llc_ways_of(kind->caches, shape));
    bx_hint(e, "a slice has %u to %d sets, a power of two", kind->limits.least_sets, SETS_MOST);
    return BX_BAD_INPUT;
}

void bx_llc_slice_power_on(bx_model *m, const bx_model_shape *shape, struct bx_cache *slice)
{
    bx_cache_power_on(slice, &m->memory,
                      &(struct bx_cache_geometry){.sets = sets_of(m->kind, shape),
                                                  .replacement = &m->caches.llc,
                                                  .tracks_cores = true});
}
