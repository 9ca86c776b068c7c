/* GT and IO: agents without caches of their own. */
#include "model/machine/client/uncore.h"

/* A load of GT or IO hits the LLC. If one core may have modified the line, it is snooped. If cores
 * have the line after that, it is shared with them. */
static void hit_external_load(struct bx_client *m, struct bx_client_llc_line at, uint64_t line)
{
    bx_client_snoop(m, at, BX_DIRECTORY_NOBODY, line, BX_SNOOP_EXTERNAL, false);
    if (*bx_cache_cores(at.cache, at.way) && bx_cache_state(at.cache, at.way) == BX_LINE_E)
        bx_cache_set_state(at.cache, at.way, BX_LINE_S);
}

static uint64_t gt_load(struct bx_client *m, struct bx_client_llc_line at, uint64_t line,
                        uint64_t t)
{
    m->counts.lookup[at.slice][BX_CLIENT_READ][bx_cache_state(at.cache, at.way)]++;
    if (bx_cache_found(at.way)) {
        bx_cache_touch(at.cache, at.way);
        hit_external_load(m, at, line);
        return t + m->times.llc_hit;
    }
    bx_client_llc_make_way(m, &at, line, t);
    uint64_t done = bx_client_read_memory(m, BX_IMC_GT, BX_ARB_OTHER_READ, line, t);
    bx_client_llc_put(at, line, 0);
    return done;
}

static uint64_t gt_store(struct bx_client *m, struct bx_client_llc_line at, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);

    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_cache_state(at.cache, at.way)]++;
    if (bx_cache_found(at.way)) {
        bx_client_snoop(m, at, BX_DIRECTORY_NOBODY, line, BX_SNOOP_EXTERNAL, true);
        bx_cache_set_state(at.cache, at.way, BX_LINE_M);
        return t + m->times.llc_hit;
    }
    uint64_t done = bx_client_imc_write(m, BX_IMC_GT, line, a & BX_ACCESS_PARTIAL, t);
    bx_client_arb_enter(m, BX_ARB_WRITE, t, done);
    return done;
}

static uint64_t gt_access(struct bx_client *m, bx_access a, uint64_t t)
{
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, bx_access_line(a));

    if (bx_access_kind_of(a) == BX_STORE)
        return gt_store(m, at, a, t);
    return gt_load(m, at, bx_access_line(a), t);
}

static uint64_t io_access(struct bx_client *m, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);
    bool found = bx_cache_found(at.way);

    m->counts.coh++;
    m->counts.lookup[at.slice][BX_CLIENT_EXTSNP][bx_cache_state(at.cache, at.way)]++;
    if (bx_access_kind_of(a) == BX_STORE) {
        if (found)
            bx_client_drop(m, at, BX_DIRECTORY_NOBODY, BX_SNOOP_EXTERNAL, a, t);
        return bx_client_imc_write(m, BX_IMC_IO, line, a & BX_ACCESS_PARTIAL, t);
    }
    if (!found)
        return bx_imc_access(&m->imc, &m->counts, BX_IMC_IO, line, false, t);
    hit_external_load(m, at, line);
    return t + m->times.llc_hit;
}

uint64_t bx_client_device_access(bx_model *model, unsigned agent, bx_access a, uint64_t t)
{
    struct bx_client *m = bx_client_of(model);

    return agent - m->cores == BX_CLIENT_GT ? gt_access(m, a, t) : io_access(m, a, t);
}
