/* Snoops at a slice: of the cores of its package, and for other packages. */
#include "model/machine/nhmex/slice.h"

#include "model/part/directory.h"

/* A snoop of cores at t. */
struct snooping {
    const struct bx_nhmex_target *at;
    uint64_t t;
};

static enum bx_snoop_response snoop_core(void *of, unsigned core, bool invalidate)
{
    const struct bx_nhmex_target *at = ((const struct snooping *)of)->at;
    uint64_t t = ((const struct snooping *)of)->t;
    enum bx_snoop_response response =
        bx_turns_snoop(&at->m->model, at->package * at->m->cores + core, at->line, invalidate);
    uint64_t back = t + bx_snoop_cycles(&at->m->times, response), ring = at->m->times.ring;

    back = back > t + ring ? back - ring : t;

    bx_nhmex_slice_sends(at, BX_NHMEX_IV, t);
    at->c->to_core[0]++;
    bx_nhmex_occupy(at->m, &bx_nhmex_stop(at, core)->queue[BX_NHMEX_RSPF], back, BX_NHMEX_STOP);
    bx_nhmex_count_messages(at->c->from_core,
                            response == BX_SNOOP_HITM ? BX_NHMEX_BL : BX_NHMEX_AK);
    return response;
}

enum bx_snoop_response bx_nhmex_snoop_cores(const struct bx_nhmex_target *at,
                                            struct bx_cache_way way, unsigned self, bool invalidate,
                                            uint64_t t)
{
    struct snooping of = {at, t};

    return bx_directory_snoop(&at->c->llc, way, self, invalidate, snoop_core, &of);
}

struct bx_nhmex_snoop_response bx_nhmex_snoop(struct bx_nhmex *m, unsigned package, uint64_t line,
                                              enum bx_nhmex_request_kind kind, uint64_t t)
{
    struct bx_nhmex_target at = bx_nhmex_at_slice(m, package, line);
    struct bx_cache_way way = bx_cache_find(&at.c->llc, line);
    bool own = kind == BX_NHMEX_RFO || kind == BX_NHMEX_INVALIDATE;
    struct bx_nhmex_snoop_response response = {.was = BX_LINE_I};
    enum bx_snoop_response cores = BX_NOT_SNOOPED;

    uint64_t arrives = t;
    t = bx_nhmex_occupy(m, &at.c->queue[BX_NHMEX_IPQ], t, m->times.c_lookup);
    bx_nhmex_gauge_put(m, &m->package[package].s[bx_nhmex_side(at.slice)].ipq_waiting, arrives,
                       t - m->times.c_lookup);
    uint64_t looked_up = t, until = bx_nhmex_held_until(&at.c->asked, line, t);
    at.c->snoop[own]++;
    if (until > t) {
        at.c->nack1[BX_NHMEX_AC_PENDING]++;
        response.conflict = bx_nhmex_slice_sends(&at, BX_NHMEX_AK_SB, t + m->times.c_response);
        t = bx_cache_found(way) ? until : t;
    }
    if (bx_cache_found(way))
        cores = bx_nhmex_snoop_cores(&at, way, BX_DIRECTORY_NOBODY, own, t);
    t += bx_snoop_cycles(&m->times, cores);
    bx_nhmex_hold(m, &at.c->snooped, line, looked_up - m->times.c_lookup, t);
    if (bx_cache_found(way)) {
        response.was = bx_cache_state(&at.c->llc, way);
        response.dirty = response.was == BX_LINE_M;
        at.c->snoop_hit[4 * own + bx_nhmex_column(response.was)]++;
        if (own)
            bx_cache_drop(&at.c->llc, way);
        else if (kind == BX_NHMEX_READ)
            bx_cache_set_state(&at.c->llc, way, BX_LINE_S);
    }
    response.data = response.dirty || (kind != BX_NHMEX_INVALIDATE &&
                                       (response.was == BX_LINE_E || response.was == BX_LINE_F));
    if (response.conflict && !bx_cache_found(way))
        return response;
    bool sends_data = response.data && (!response.conflict || kind == BX_NHMEX_INVALIDATE);
    response.done = bx_nhmex_slice_sends(&at, sends_data ? BX_NHMEX_BL_SB : BX_NHMEX_AK_SB,
                                         t + m->times.c_response);
    return response;
}

uint64_t bx_nhmex_answer_late(struct bx_nhmex *m, unsigned package, uint64_t line, bool data,
                              uint64_t t)
{
    struct bx_nhmex_target at = bx_nhmex_at_slice(m, package, line);

    return bx_nhmex_slice_sends(&at, data ? BX_NHMEX_BL_SB : BX_NHMEX_AK_SB,
                                t + m->times.c_response);
}
