/* Checks the sizes of private caches. */
#include "model/part/core_caches.h"

#include "base/error.h"
#include "model/part/last_lines.h"

enum { WAYS_MOST = 16, SETS_MOST = 1 << 16 };
enum { LLC_WAYS_LEAST = 4, LLC_WAYS_MOST = 24 };

static const char *const names[BX_CORE_CACHES] = {"L1D", "L1I", "L2", "L3"};

/* The filter of the last lines needs so many sets (last_lines.h). */
static bool has_such_sets(uint64_t sets)
{
    return sets >= BX_LAST_LINES && sets <= SETS_MOST && (sets & (sets - 1)) == 0;
}

static int make_cache(struct bx_core_caches *caches, enum bx_core_cache which, bx_model_cache size,
                      const struct bx_policy *policy, bx_error *e)
{
    uint64_t a_way = (uint64_t)size.ways << caches->line_shift;
    uint64_t sets = size.ways ? size.bytes / a_way : 0;

    if (size.ways < 1 || size.ways > WAYS_MOST || size.bytes % a_way || !has_such_sets(sets)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "%s cannot have %llu bytes in %u ways", names[which],
                (unsigned long long)size.bytes, (unsigned)size.ways);
        bx_hint(e, "1 to %d ways of 4K to 4M bytes, a power of two", WAYS_MOST);
        return BX_BAD_INPUT;
    }
    if (!bx_replacement_make(&caches->replacement[which], policy, size.ways)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "%s cannot have %u ways: its replacement is %s",
                names[which], (unsigned)size.ways, policy->name);
        bx_hint(e, "a power of two");
        return BX_BAD_INPUT;
    }
    if (which < BX_CORE_L2 && !policy->settles) /* the filter would pass hits that change the set */
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%s cannot have the replacement %s", names[which],
                       policy->name);
    caches->sets[which] = (uint32_t)sets;
    return BX_OK;
}

static const struct bx_policy *policy_of(const bx_model_shape *shape, unsigned given,
                                         const struct bx_policy *own,
                                         const struct bx_policy *measured)
{
    return given ? bx_policy_at(given) : shape->measured_replacement && measured ? measured : own;
}

unsigned bx_llc_ways_of(const struct bx_core_caches_kind *kind, const bx_model_shape *shape)
{
    return kind->llc_ways && shape->llc_ways ? shape->llc_ways : kind->llc_ways;
}

static int make_llc(struct bx_core_caches *caches, const bx_model_shape *shape, bx_error *e)
{
    const struct bx_core_caches_kind *kind = caches->kind;
    const struct bx_policy *policy =
        policy_of(shape, shape->llc_policy, kind->llc_policy, kind->llc_measured);

    unsigned ways = bx_llc_ways_of(kind, shape);
    if (ways == 0)
        return BX_OK;
    if (ways < LLC_WAYS_LEAST || ways > LLC_WAYS_MOST) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the LLC cannot have %u ways", ways);
        bx_hint(e, "%d to %d", LLC_WAYS_LEAST, LLC_WAYS_MOST);
        return BX_BAD_INPUT;
    }
    if (bx_replacement_make(&caches->llc, policy, ways))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the LLC cannot have %u ways: its replacement is %s", ways,
            policy->name);
    bx_hint(e, "a power of two");
    return BX_BAD_INPUT;
}

int bx_core_caches_make(struct bx_core_caches *caches, const struct bx_core_caches_kind *kind,
                        const bx_model_shape *shape, bx_error *e)
{
    const bx_model_cache given[BX_CORE_CACHES] = {shape->l1d, shape->l1i, shape->l2, shape->l3};

    uint32_t line = bx_line_bytes_of(kind, shape);

    *caches = (struct bx_core_caches){.kind = kind};
    if (line < BX_LINE_BYTES_LEAST || line > BX_LINE_BYTES_MOST || line & (line - 1)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "a line cannot have %u bytes", (unsigned)line);
        bx_hint(e, "%d to %d, a power of two", BX_LINE_BYTES_LEAST, BX_LINE_BYTES_MOST);
        return BX_BAD_INPUT;
    }
    caches->line_shift = (unsigned)__builtin_ctz(line);
    for (enum bx_core_cache which = 0; which < BX_CORE_CACHES; which++) {
        enum bx_core_cache as = kind->own[which].bytes ? which : BX_CORE_L2;
        const bx_model_cache *own = &kind->own[as], *of = &given[which];
        bx_model_cache size = {.bytes = of->bytes ? of->bytes : kind->own[which].bytes,
                               .ways = of->ways ? of->ways : own->ways};
        caches->inclusion[which] = (uint8_t)(of->inclusion ? of->inclusion : own->inclusion);
        const struct bx_policy *policy =
            policy_of(shape, of->policy, kind->policy[as], kind->measured[as]);
        if (size.bytes && make_cache(caches, which, size, policy, e) != BX_OK)
            return BX_BAD_INPUT;
    }
    return make_llc(caches, shape, e);
}

void bx_core_cache_power_on(struct bx_cache *c, bx_arena *memory,
                            const struct bx_core_caches *caches, enum bx_core_cache which)
{
    bx_cache_power_on(c, memory,
                      &(struct bx_cache_geometry){.sets = caches->sets[which],
                                                  .replacement = &caches->replacement[which]});
}
