/* What a core of the client machine requests of the uncore: rules 1 to 3 of
 * docs/explanation/model-client.md. */
#include "model/machine/client/uncore.h"

/* Rule 2 for RD and CODE. *granted becomes the state that the core gets. */
static inline __attribute__((always_inline)) enum bx_snoop_response
hit_read(struct bx_client *m, struct bx_client_llc_line at, unsigned number, uint64_t line,
         enum bx_line_state *granted)
{
    enum bx_snoop_response best = bx_client_snoop(m, at, number, line, BX_SNOOP_XCORE, false);
    unsigned cores = *bx_cache_cores(at.cache, at.way), reader = 1u << number;
    enum bx_line_state state = bx_cache_state(at.cache, at.way);
    bool shared = cores & ~reader || state == BX_LINE_S;

    if (shared && state == BX_LINE_E)
        bx_cache_set_state(at.cache, at.way, BX_LINE_S);
    *bx_cache_cores(at.cache, at.way) = (uint16_t)(cores | reader);
    *granted = shared ? BX_LINE_S : BX_LINE_E;
    return best;
}

/* Rule 2 for RFO. The core gets M. */
static inline __attribute__((always_inline)) enum bx_snoop_response
hit_rfo(struct bx_client *m, struct bx_client_llc_line at, unsigned number, uint64_t line)
{
    enum bx_snoop_response best = bx_client_snoop(m, at, number, line, BX_SNOOP_XCORE, true);

    *bx_cache_cores(at.cache, at.way) = (uint16_t)(1u << number);
    if (bx_cache_state(at.cache, at.way) == BX_LINE_S)
        bx_cache_set_state(at.cache, at.way, BX_LINE_E);
    return best;
}

static inline unsigned ring_cycles(const struct bx_client *m, unsigned slice, unsigned number)
{
    return m->times.ring_hop * (slice > number ? slice - number : number - slice);
}

/* Reads the line of a core's request from memory. Returns the time when that is done. */
static inline uint64_t read_memory(struct bx_client *m, bx_access a, uint64_t t)
{
    return bx_client_read_memory(
        m, BX_IMC_IA, bx_access_kind_of(a) == BX_LOAD ? BX_ARB_DATA_READ : BX_ARB_OTHER_READ,
        bx_access_line(a), t);
}

/* The LLC has the line, because it is inclusive. */
void bx_client_write_back(bx_model *model, unsigned core, const struct bx_private_victim *victim,
                          uint64_t t)
{
    struct bx_client *m = bx_client_of(model);
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, victim->line);

    (void)core;
    (void)t;
    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_cache_state(at.cache, at.way)]++;
    bx_cache_set_state(at.cache, at.way, BX_LINE_M);
}

/* "Non-temporal stores", and flushes. Returns the completion. */
uint64_t bx_client_non_temporal_store(bx_model *model, unsigned number, bx_access a, uint64_t t)
{
    struct bx_client *m = bx_client_of(model);
    uint64_t line = bx_access_line(a);
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);

    m->counts.lookup[at.slice][BX_CLIENT_WRITE][bx_cache_state(at.cache, at.way)]++;
    if (bx_cache_found(at.way))
        bx_client_drop(m, at, number, BX_SNOOP_XCORE,
                       bx_access_flushes(a) ? a | BX_ACCESS_PARTIAL : a, t);
    if (bx_access_flushes(a))
        return t + m->times.llc_hit + ring_cycles(m, at.slice, number);
    return bx_client_write_memory(m, line, a & BX_ACCESS_PARTIAL, t) +
           ring_cycles(m, at.slice, number);
}

/* The LLC may have the line already. */
uint64_t bx_client_prefetch_llc(bx_model *model, unsigned number, bx_access a, uint64_t t,
                                enum bx_core_count *from)
{
    struct bx_client *m = bx_client_of(model);
    uint64_t line = bx_access_line(a);
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);
    bool found = bx_cache_found(at.way);

    *from = found ? BX_CORE_FROM_LLC : BX_CORE_FROM_MEMORY;
    m->counts.lookup[at.slice][BX_CLIENT_READ][bx_cache_state(at.cache, at.way)]++;
    if (found)
        return t + m->times.llc_hit + ring_cycles(m, at.slice, number);
    bx_client_llc_make_way(m, &at, line, t);
    uint64_t done = read_memory(m, bx_access_prefetched(a), t);
    bx_client_llc_put(at, line, 0);
    return done;
}

uint64_t bx_client_request(bx_model *model, unsigned number, bx_access a, uint64_t t,
                           struct bx_grant *grant)
{
    struct bx_client *m = bx_client_of(model);
    uint64_t line = bx_access_line(a), completion;
    struct bx_client_llc_line at = bx_client_llc_find(&m->llc, line);
    bool store = bx_access_kind_of(a) == BX_STORE;

    *grant = (struct bx_grant){store ? BX_LINE_M : BX_LINE_E, BX_CORE_FROM_MEMORY};
    m->counts.lookup[at.slice][BX_CLIENT_READ][bx_cache_state(at.cache, at.way)]++;
    if (bx_cache_found(at.way)) {
        bx_cache_touch(at.cache, at.way);
        enum bx_snoop_response best =
            store ? hit_rfo(m, at, number, line) : hit_read(m, at, number, line, &grant->state);
        grant->from = bx_llc_source(best);
        completion =
            bx_later(t + m->times.llc_hit + bx_snoop_cycles(&m->times, best),
                     bx_super_queue_until(&m->turns.agent[number].privates->super_queue, line, t));
    } else {
        bx_client_llc_make_way(m, &at, line, t);
        completion = a & BX_ACCESS_WHOLE ? t + m->times.llc_hit : read_memory(m, a, t);
        bx_client_llc_put(at, line, 1u << number);
    }
    return completion + ring_cycles(m, at.slice, number);
}
