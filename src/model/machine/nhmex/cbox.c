/* The C-Box: a slice of the last-level cache, and the requests of cores. */
#include "model/machine/nhmex/slice.h"

#include "model/engine/attribution.h"
#include "model/part/directory.h"

static struct bx_nhmex_peer peer_of(const struct bx_nhmex_target *at)
{
    return (struct bx_nhmex_peer){.package = at->package, .slice = at->slice};
}

static struct bx_privates *privates_of(const struct bx_nhmex_target *at, unsigned core)
{
    return at->m->turns.agent[at->package * at->m->cores + core].privates;
}

/* Sends a line of the slice, or what a store writes, to its home. Returns the completion. */
static uint64_t send_home(const struct bx_nhmex_target *at, bool partial, uint64_t t)
{
    return bx_nhmex_write_home(at->m, peer_of(at), at->line, partial,
                               bx_nhmex_slice_sends(at, BX_NHMEX_BL_SB, t));
}

/* ---- fills ---- */

/* The way for a fill: an empty way, or that of a victim. A modified victim is written to its
 * home. */
static struct bx_cache_way make_way(const struct bx_nhmex_target *at, uint64_t t)
{
    const struct bx_cache *llc = &at->c->llc;
    struct bx_cache_way way = bx_cache_choose(llc, at->line);
    struct bx_nhmex_target victim = *at;

    if (bx_cache_state(llc, way) == BX_LINE_I) {
        at->c->victim[4]++;
        return way;
    }
    victim.line = bx_cache_line(llc, way, at->line);
    t += bx_snoop_cycles(&at->m->times,
                         bx_nhmex_snoop_cores(&victim, way, BX_DIRECTORY_NOBODY, true, t));
    bool modified = bx_cache_state(llc, way) == BX_LINE_M;
    if (modified)
        bx_note_eviction(&at->m->model, victim.line);
    at->c->victim[bx_nhmex_column(bx_cache_state(llc, way))]++;
    if (modified) {
        t = bx_nhmex_occupy(at->m, &at->c->queue[BX_NHMEX_VIQ], t, at->m->times.c_victim);
        t = send_home(&victim, false, t);
        bx_nhmex_hold(at->m, &at->c->evicted, victim.line, 0, t);
        bx_note_evicted(&at->m->model);
    }
    bx_cache_drop(llc, way);
    return way;
}

/* ---- requests of cores ---- */

struct request {
    struct bx_nhmex_target at;
    unsigned core;
    bool store, whole, code; /* whole: a store that needs no data */
    uint64_t looked_up;      /* when the slice accepts it */
};

/* The slice refuses a request at t until a time. */
static uint64_t refuse(uint64_t *reason, uint64_t t, uint64_t until)
{
    *reason += until > t;
    return until;
}

/* The slice accepts a request that it first looks at at t. misses: it asks its home; fills: it
 * needs a way. Until then the request waits in IRQ (323535-001 pages 29, 35, 36). */
static uint64_t accept(const struct bx_nhmex_target *at, bool misses, bool fills, uint64_t t)
{
    struct bx_nhmex *m = at->m;
    struct bx_nhmex_cbox *c = at->c;
    const struct bx_cache *llc = &c->llc;
    const struct {
        struct bx_queue *queue;
        unsigned reason;
        bool needed;
    } room[] = {
        {&c->queue[BX_NHMEX_MAF], BX_NHMEX_MAF_FULL, true},
        {&c->queue[BX_NHMEX_VIQ], BX_NHMEX_VIQ_FULL,
         fills && bx_cache_state(llc, bx_cache_choose(llc, at->line)) != BX_LINE_I},
        {bx_nhmex_table(m, peer_of(at)), BX_NHMEX_NO_S_REQTBL_ENTRIES, misses},
        {bx_nhmex_credits(m, peer_of(at), at->line), BX_NHMEX_NO_TRACKER_CREDITS, misses},
    };

    t = refuse(&c->nack1[BX_NHMEX_VIC_PENDING], t, bx_nhmex_held_until(&c->evicted, at->line, t));
    t = refuse(&c->nack1[BX_NHMEX_SNP_PENDING], t, bx_nhmex_held_until(&c->snooped, at->line, t));
    t = refuse(&c->nack2[BX_NHMEX_WB_PENDING], t, bx_nhmex_held_until(&c->written, at->line, t));
    t = refuse(&c->nack1[BX_NHMEX_PA_BLOCK], t, bx_nhmex_held_until(&c->open, at->line, t));
    for (unsigned i = 0; i < sizeof room / sizeof *room; i++)
        if (room[i].needed)
            t = refuse(&c->nack2[room[i].reason], t, bx_nhmex_queue_begin(m, room[i].queue, t));
    return t;
}

/* A request of a core on the ring AD, at its core's stop: the ring has it at `sent`, and at `taken`
 * for good, if the slice has refused it in between. */
static void inject(const struct request *r, uint64_t sent, uint64_t taken)
{
    const struct bx_nhmex_target *at = &r->at;
    struct bx_nhmex_cbox *stop = bx_nhmex_stop(at, r->core);
    bool away = bx_nhmex_side(r->core) != bx_nhmex_side(at->slice);
    struct bx_queue *ring = &stop->egress[away ? BX_NHMEX_AD_NSB : BX_NHMEX_AD_SB];

    ring->inserts++;
    bx_nhmex_gauge_put(at->m, &ring->waiting, sent, taken);
    bx_nhmex_gauge_put(at->m, away ? &ring->starving : &stop->core_starving,
                       sent + at->m->times.starving, taken);
}

/* Sends a request or write-back from a core to the slice. Until IRQ takes it, it stays in front of
 * the ring. Returns when the slice has accepted it. */
static uint64_t ingress(const struct request *r, bool accepts, bool misses, bool fills, uint64_t t)
{
    const struct bx_nhmex_target *at = &r->at;
    struct bx_queue *rwrf = &bx_nhmex_stop(at, r->core)->queue[BX_NHMEX_RWRF];
    struct bx_queue *irq = &at->c->queue[BX_NHMEX_IRQ];
    if (accepts)
        t = bx_nhmex_request_begins(at->m, t);
    uint64_t sent = bx_nhmex_queue_begin(at->m, rwrf, t), arrives = sent + at->m->times.ring;
    uint64_t begin = bx_nhmex_queue_begin(at->m, irq, arrives), end = begin + at->m->times.c_lookup;

    if (accepts)
        end = accept(at, misses, fills, end);
    inject(r, sent, begin - at->m->times.ring);
    bx_nhmex_queue_put(at->m, rwrf, t, sent, begin - at->m->times.ring + BX_NHMEX_STOP);
    bx_nhmex_queue_put(at->m, irq, arrives, begin, end);
    bx_nhmex_count_messages(at->c->from_core, BX_NHMEX_AD);
    if (begin > arrives)
        at->c->bounces[bx_nhmex_side(r->core) != bx_nhmex_side(at->slice)]++;
    return end;
}

/* The request is in MAF until `done`. */
static void complete(const struct request *r, uint64_t done)
{
    struct bx_queue *maf = &r->at.c->queue[BX_NHMEX_MAF];

    bx_nhmex_queue_put(r->at.m, maf, r->looked_up, r->looked_up, done);
    bx_nhmex_hold(r->at.m, &r->at.c->open, r->at.line, 0, done);
}

static enum bx_core_count source_of_miss(const struct bx_nhmex_target *at,
                                         const struct bx_nhmex_reply *reply)
{
    if (reply->forwarded)
        return reply->was_modified ? BX_CORE_FROM_PACKAGE_DIRTY : BX_CORE_FROM_PACKAGE_CLEAN;
    return bx_nhmex_home(at->m, at->line) == at->package ? BX_CORE_FROM_MEMORY
                                                         : BX_CORE_FROM_REMOTE_MEMORY;
}

/* Asks the line's home, from t on. */
static struct bx_nhmex_reply ask_home(const struct request *r, enum bx_nhmex_request_kind kind,
                                      uint64_t t)
{
    const struct bx_nhmex_target *at = &r->at;
    struct bx_nhmex_request to_home = {.requester = peer_of(at),
                                       .kind = kind,
                                       .code = r->code,
                                       .line = at->line,
                                       .accepted = r->looked_up};

    return bx_nhmex_request_home(at->m, &to_home, bx_nhmex_slice_sends(at, BX_NHMEX_AD_SB, t));
}

/* A request whose line the slice does not have. Returns the time when the slice has it. */
static uint64_t miss(const struct request *r, struct bx_grant *grant)
{
    const struct bx_nhmex_target *at = &r->at;
    struct bx_nhmex_reply reply = ask_home(r,
                                           r->whole   ? BX_NHMEX_INVALIDATE
                                           : r->store ? BX_NHMEX_RFO
                                                      : BX_NHMEX_READ,
                                           r->looked_up);
    struct bx_cache_way way = make_way(at, r->looked_up);
    enum bx_line_state state = reply.dirty ? BX_LINE_M : reply.shared ? BX_LINE_F : BX_LINE_E;

    at->c->miss[2]++;
    at->c->fill[bx_nhmex_column(state)]++;
    bx_cache_put(&at->c->llc, way, at->line, state);
    *bx_cache_cores(&at->c->llc, way) = (uint16_t)(1u << r->core);
    grant->state = r->store ? BX_LINE_M : reply.shared ? BX_LINE_S : BX_LINE_E;
    grant->from = source_of_miss(at, &reply);
    return reply.done;
}

/* A store to a line in S or F. Other packages invalidate their copies. */
static uint64_t take_ownership(const struct request *r, struct bx_cache_way way,
                               struct bx_grant *grant)
{
    const struct bx_nhmex_target *at = &r->at;
    const struct bx_cache *llc = &at->c->llc;

    at->c->miss[bx_cache_state(llc, way) == BX_LINE_F]++;
    struct bx_nhmex_reply reply = ask_home(r, BX_NHMEX_INVALIDATE, r->looked_up);
    uint64_t done = reply.done;
    done += bx_snoop_cycles(&at->m->times, bx_nhmex_snoop_cores(at, way, r->core, true, done));
    bool dirty = bx_cache_state(llc, way) == BX_LINE_M;
    bx_cache_set_state(llc, way, dirty ? BX_LINE_M : BX_LINE_E);
    *bx_cache_cores(llc, way) |= (uint16_t)(1u << r->core);
    *grant = (struct bx_grant){BX_LINE_M, source_of_miss(at, &reply)};
    return done;
}

static uint64_t hit(const struct request *r, struct bx_cache_way way, struct bx_grant *grant)
{
    const struct bx_nhmex_target *at = &r->at;
    const struct bx_cache *llc = &at->c->llc;
    uint16_t *bits = bx_cache_cores(llc, way);
    at->c->hit[bx_nhmex_column(bx_cache_state(llc, way))]++;
    enum bx_snoop_response cores = bx_nhmex_snoop_cores(at, way, r->core, r->store, r->looked_up);
    bool others = *bits & ~(1u << r->core);
    enum bx_line_state state = bx_cache_state(llc, way);

    bx_cache_touch(llc, way);
    *bits |= (uint16_t)(1u << r->core);
    grant->from = bx_llc_source(cores);
    if (r->store)
        grant->state = BX_LINE_M;
    else
        grant->state = others || bx_line_is_shared(state) ? BX_LINE_S : BX_LINE_E;
    return r->looked_up + at->m->times.llc_hit + bx_snoop_cycles(&at->m->times, cores);
}

/* Core `core` of all packages requests the line. */
static struct request request_of(bx_model *model, unsigned core, uint64_t line)
{
    struct bx_nhmex *m = bx_nhmex_of(model);

    return (struct request){.at = bx_nhmex_at_slice(m, core / m->cores, line),
                            .core = core % m->cores};
}

uint64_t bx_nhmex_request(bx_model *model, unsigned core, bx_access a, uint64_t t,
                          struct bx_grant *grant)
{
    struct request r = request_of(model, core, bx_access_line(a));
    struct bx_nhmex_cbox *c = r.at.c;
    struct bx_cache_way way = bx_cache_find(&c->llc, r.at.line);
    enum bx_line_state state = bx_cache_state(&c->llc, way);

    r.store = bx_access_kind_of(a) == BX_STORE;
    r.whole = a & BX_ACCESS_WHOLE;
    r.code = bx_access_kind_of(a) == BX_FETCH;
    bool has_data = r.whole || (r.store && bx_privates_have(privates_of(&r.at, r.core), r.at.line));

    bool upgrades = r.store && bx_line_is_shared(state);
    r.looked_up = ingress(&r, true, upgrades || state == BX_LINE_I, state == BX_LINE_I, t);
    uint64_t done = state == BX_LINE_I ? miss(&r, grant)
                    : upgrades         ? take_ownership(&r, way, grant)
                                       : hit(&r, way, grant);
    complete(&r, done);
    bx_nhmex_count_messages(c->to_core, has_data ? BX_NHMEX_AK : BX_NHMEX_BL);
    if (state == BX_LINE_I && !r.whole)
        c->s_to_core_data++;
    return bx_nhmex_served(
        r.at.m, bx_nhmex_slice_sends(&r.at, has_data ? BX_NHMEX_AK_NSB : BX_NHMEX_BL_NSB, done));
}

/* A core writes a modified line back. The slice has the line, because the LLC is inclusive. */
void bx_nhmex_write_back(bx_model *model, unsigned core, const struct bx_private_victim *victim,
                         uint64_t t)
{
    struct request r = request_of(model, core, victim->line);
    const struct bx_nhmex_target *at = &r.at;
    struct bx_cache_way way = bx_cache_find(&at->c->llc, at->line);

    bx_nhmex_count_messages(at->c->from_core, BX_NHMEX_BL);
    bx_nhmex_count_messages(at->c->to_core, BX_NHMEX_AK);
    uint64_t taken = ingress(&r, false, false, false, t);
    bx_nhmex_hold(at->m, &at->c->written, at->line, taken - at->m->times.c_lookup, taken);
    bx_nhmex_slice_sends(at, BX_NHMEX_AK_NSB, taken);
    bx_cache_set_state(&at->c->llc, way, BX_LINE_M);
    if (!bx_privates_have(privates_of(at, r.core), at->line))
        *bx_cache_cores(&at->c->llc, way) &= (uint16_t) ~(1u << r.core);
    bx_nhmex_served(at->m, t);
}

/* ---- uncacheable accesses ---- */

uint64_t bx_nhmex_uncacheable(bx_model *model, unsigned core, bx_access a, uint64_t t)
{
    struct request r = request_of(model, core, bx_access_line(a));
    struct bx_nhmex_cbox *c = r.at.c;
    unsigned ring = bx_access_instruction(a) == BX_STORE ? BX_NHMEX_AK : BX_NHMEX_BL;

    if (!bx_nhmex_has_ioh(r.at.m))
        return bx_nhmex_served(r.at.m, t);
    r.looked_up = ingress(&r, true, false, false, t);
    if (ring == BX_NHMEX_AK)
        bx_nhmex_count_messages(c->from_core, BX_NHMEX_BL);
    uint64_t done = bx_nhmex_device_registers(
        r.at.m, peer_of(&r.at), a,
        bx_nhmex_slice_sends(&r.at, ring == BX_NHMEX_AK ? BX_NHMEX_BL_SB : BX_NHMEX_AD_SB,
                             r.looked_up));
    complete(&r, done);
    bx_nhmex_count_messages(c->to_core, ring);
    if (ring == BX_NHMEX_BL)
        c->s_to_core_data++;
    return bx_nhmex_served(
        r.at.m,
        bx_nhmex_slice_sends(&r.at, ring == BX_NHMEX_AK ? BX_NHMEX_AK_NSB : BX_NHMEX_BL_NSB, done));
}

/* ---- non-temporal stores ---- */

/* Takes the line from all other caches. Returns the time when that is done. *dirty: the line
 * differs from memory. */
static uint64_t take_line(const struct request *r, struct bx_cache_way way, bool *dirty)
{
    const struct bx_nhmex_target *at = &r->at;
    uint64_t t = r->looked_up;
    enum bx_line_state state = bx_cache_state(&at->c->llc, way);
    bool alone = state == BX_LINE_M || state == BX_LINE_E;

    if (alone)
        at->c->hit[bx_nhmex_column(state)]++;
    else
        at->c->miss[state == BX_LINE_I ? 2 : state == BX_LINE_F]++;
    if (bx_cache_found(way))
        t += bx_snoop_cycles(&at->m->times, bx_nhmex_snoop_cores(at, way, r->core, true, t));
    *dirty = bx_cache_state(&at->c->llc, way) == BX_LINE_M;
    return alone ? t : ask_home(r, BX_NHMEX_INVALIDATE, t).done;
}

/* Writes the store to memory. Before a partial store, a modified line is written. A flush writes no
 * more. Returns the completion. */
static uint64_t write_past(const struct request *r, struct bx_cache_way way, bool partial,
                           bool flushes)
{
    const struct bx_nhmex_target *at = &r->at;
    bool dirty;
    uint64_t t = take_line(r, way, &dirty);

    if (dirty && partial)
        t = send_home(at, false, t);
    if (bx_cache_found(way))
        bx_cache_drop(&at->c->llc, way);
    return flushes ? t : send_home(at, partial, t);
}

uint64_t bx_nhmex_non_temporal_store(bx_model *model, unsigned core, bx_access a, uint64_t t)
{
    struct request r = request_of(model, core, bx_access_line(a));
    struct bx_nhmex_cbox *c = r.at.c;

    r.store = true;
    struct bx_cache_way way = bx_cache_find(&c->llc, r.at.line);
    enum bx_line_state state = bx_cache_state(&c->llc, way);
    r.looked_up = ingress(&r, true, state != BX_LINE_M && state != BX_LINE_E, false, t);
    bx_nhmex_count_messages(c->from_core, BX_NHMEX_BL);
    uint64_t done =
        write_past(&r, way, a & BX_ACCESS_PARTIAL || bx_access_flushes(a), bx_access_flushes(a));
    complete(&r, done);
    bx_nhmex_count_messages(c->to_core, BX_NHMEX_AK);
    return bx_nhmex_served(r.at.m, bx_nhmex_slice_sends(&r.at, BX_NHMEX_AK_NSB, done));
}
