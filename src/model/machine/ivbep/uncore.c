/* The slices of the last-level cache, and snoops of the other package. */
#include "model/machine/ivbep/machine.h"

#include "model/engine/attribution.h"
#include "model/part/directory.h"
#include "model/part/later.h"

/* ---- snoops of cores of the package ---- */

/* A line in its slice. */
struct in_slice {
    struct bx_ivbep *m;
    unsigned package;
    uint64_t line;
};

static enum bx_snoop_response snoop_core(void *of, unsigned core, bool invalidate)
{
    const struct in_slice *at = of;
    unsigned slice = bx_ivbep_slice_number(at->m, at->line);
    enum bx_snoop_response response =
        bx_turns_snoop(&at->m->model, at->package * at->m->cores + core, at->line, invalidate);

    bx_ivbep_send(at->m, at->package, BX_IVBEP_IV, at->line, slice, core, false);
    bx_ivbep_send(at->m, at->package, response == BX_SNOOP_HITM ? BX_IVBEP_BL : BX_IVBEP_AK,
                  at->line, core, slice, true);
    return response;
}

enum bx_snoop_response bx_ivbep_snoop_cores(struct bx_ivbep *m, struct bx_ivbep_slice *s,
                                            uint64_t line, struct bx_cache_way way, unsigned self,
                                            bool invalidate)
{
    struct in_slice at = {m, s->package, line};

    return bx_directory_snoop(&s->llc, way, self, invalidate, snoop_core, &at);
}

/* ---- the other package ---- */

static bool invalidates(enum bx_ivbep_snoop_kind kind)
{
    return kind == BX_IVBEP_INVALIDATE || kind == BX_IVBEP_TAKE;
}

/* Snoops the cores of the other package, and changes the line in its slice. */
static enum bx_snoop_response peer_response(struct bx_ivbep *m, struct bx_ivbep_slice *s,
                                            uint64_t line, struct bx_cache_way way,
                                            enum bx_ivbep_snoop_kind kind, bool *dirty)
{
    enum bx_snoop_response response =
        bx_ivbep_snoop_cores(m, s, line, way, BX_IVBEP_NO_THREAD, invalidates(kind));

    *dirty = bx_line_is_dirty(bx_cache_state(&s->llc, way));
    if (invalidates(kind) && !*dirty)
        bx_ivbep_counts_to_change(s)->misc[BX_IVBEP_RSPI_WAS_FSE]++;
    if (invalidates(kind))
        bx_cache_drop(&s->llc, way);
    else if (kind != BX_IVBEP_CURRENT)
        bx_cache_set_state(&s->llc, way, BX_LINE_S);
    return response;
}

/* Whether the other package gives the line. */
static bool gives_line(const struct bx_ivbep_reply *reply, enum bx_ivbep_snoop_kind kind)
{
    if (kind == BX_IVBEP_CURRENT)
        return reply->state != BX_LINE_I;
    return reply->dirty || (kind != BX_IVBEP_INVALIDATE &&
                            (reply->state == BX_LINE_E || reply->state == BX_LINE_F));
}

struct bx_ivbep_reply bx_ivbep_snoop_peer(struct bx_ivbep *m, unsigned package, uint64_t line,
                                          enum bx_ivbep_snoop_kind kind, uint64_t t)
{
    struct bx_ivbep_reply reply = {.done = t};

    if (m->packages < 2)
        return reply;
    unsigned peer = 1 - package;
    struct bx_ivbep_slice *s = bx_ivbep_slice(m, peer, line);
    struct bx_cache_way way = bx_cache_find(&s->llc, line);
    struct bx_ivbep_entry entry =
        bx_ivbep_entry_of(m, line, BX_IVBEP_PEER_SNOOP, BX_IVBEP_NO_THREAD);
    enum bx_snoop_response response = BX_NOT_SNOOPED;

    reply.state = bx_cache_state(&s->llc, way);
    bx_ivbep_counts_to_change(s)
        ->lookup[BX_IVBEP_SNOOP][reply.state][entry.node][BX_IVBEP_NO_THREAD]++;
    bx_ivbep_send_in(m, peer, BX_IVBEP_AD, line);
    if (bx_cache_found(way))
        response = peer_response(m, s, line, way, kind, &reply.dirty);
    uint64_t begin = bx_ivbep_admit(m, s, &entry, BX_IVBEP_IPQ, false, t + m->link.latency);
    uint64_t end = begin + m->times.peer_snoop + bx_snoop_cycles(&m->times, response);
    bx_ivbep_tor_enter(m, s, &entry, end);
    reply.gives_line = gives_line(&reply, kind);
    bx_ivbep_send_out(m, peer, reply.gives_line ? BX_IVBEP_BL : BX_IVBEP_AK, line);
    reply.done =
        reply.gives_line ? bx_link_send(&m->link, peer, reply.dirty, end) : end + m->link.latency;
    bool to_home = entry.node == package; /* the line that is given is what memory gets */
    if (reply.dirty && kind == BX_IVBEP_SHARE)
        bx_ivbep_memory(m, to_home ? package : peer, line, true, to_home ? reply.done : end);
    return reply;
}

/* ---- evictions ---- */

static enum bx_ivbep_victim victim_of(enum bx_line_state state)
{
    return bx_line_is_dirty(state) ? BX_IVBEP_VICTIM_M
           : state == BX_LINE_E    ? BX_IVBEP_VICTIM_E
                                   : BX_IVBEP_VICTIM_S;
}

static void evict(struct bx_ivbep *m, struct bx_ivbep_slice *s, struct bx_cache_way way,
                  uint64_t line, unsigned requester, uint64_t t)
{
    enum bx_snoop_response response =
        bx_ivbep_snoop_cores(m, s, line, way, BX_IVBEP_NO_THREAD, true);
    enum bx_line_state state = bx_cache_state(&s->llc, way);
    struct bx_ivbep_entry entry = bx_ivbep_entry_of(m, line, BX_IVBEP_EVICTION, BX_IVBEP_NO_THREAD);

    entry.writes = bx_line_is_dirty(state);
    if (entry.writes)
        bx_note_eviction(&m->model, line);
    bx_ivbep_counts_to_change(s)->victim[victim_of(state)][entry.node][requester]++;
    bx_ivbep_admit_eviction(m, s, &entry, t);
    uint64_t end = entry.begin + m->times.tor_eviction + bx_snoop_cycles(&m->times, response);
    if (entry.writes) {
        bx_ivbep_send_out(m, s->package, BX_IVBEP_AD, line);
        bx_ivbep_send_out(m, s->package, BX_IVBEP_BL, line);
        end = bx_ivbep_memory(m, s->package, line, true, entry.begin);
    }
    bx_ivbep_tor_enter(m, s, &entry, end);
    if (entry.writes)
        bx_note_evicted(&m->model);
    bx_cache_drop(&s->llc, way);
}

struct bx_cache_way bx_ivbep_make_way(struct bx_ivbep *m, unsigned package, uint64_t line,
                                      unsigned requester, uint64_t t)
{
    struct bx_ivbep_slice *s = bx_ivbep_slice(m, package, line);
    struct bx_cache_way way = bx_cache_choose(&s->llc, line);

    if (bx_cache_state(&s->llc, way) == BX_LINE_I)
        bx_ivbep_counts_to_change(s)
            ->victim[BX_IVBEP_VICTIM_NONE][bx_ivbep_node(m, line)][requester]++;
    else
        evict(m, s, way, bx_cache_line(&s->llc, way, line), requester, t);
    return way;
}

/* ---- cores' requests ---- */

struct request {
    struct bx_ivbep *m;
    unsigned package, core, slice;
    struct bx_ivbep_slice *s;
    uint64_t line, begin;
    /* own: for ownership; whole: without data; prefetch: fills only the LLC */
    bool own, whole, prefetch;
};

/* A request whose line the LLC has. Returns the time when it is done. */
static uint64_t hit(const struct request *r, struct bx_cache_way way, struct bx_grant *grant)
{
    const struct bx_cache *llc = &r->s->llc;
    uint16_t *cores = bx_cache_cores(llc, way);
    enum bx_line_state state = bx_cache_state(llc, way);
    uint64_t done = r->begin + r->m->times.llc_hit;

    grant->from = BX_CORE_FROM_LLC;
    if (r->prefetch)
        return done;
    bx_cache_touch(llc, way);
    enum bx_snoop_response response =
        bx_ivbep_snoop_cores(r->m, r->s, r->line, way, r->core, r->own);
    if (r->own) {
        if (bx_line_is_shared(state)) {
            bx_ivbep_send_out(r->m, r->package, BX_IVBEP_AD, r->line);
            struct bx_ivbep_reply reply =
                bx_ivbep_snoop_peer(r->m, r->package, r->line, BX_IVBEP_INVALIDATE, r->begin);
            done = bx_later(done, reply.done);
        }
        bool dirty = bx_line_is_dirty(bx_cache_state(llc, way));
        bx_cache_set_state(llc, way, dirty ? BX_LINE_M : BX_LINE_E);
        grant->state = BX_LINE_M;
    } else {
        bool others = *cores & ~(1u << r->core);
        state = bx_cache_state(llc, way);
        if (others && state == BX_LINE_M)
            bx_cache_set_state(llc, way, BX_LINE_M_PRIME);
        grant->state = others || bx_line_is_shared(state) ? BX_LINE_S : BX_LINE_E;
    }
    *cores |= (uint16_t)(1u << r->core);
    grant->from = bx_llc_source(response);
    return done + bx_snoop_cycles(&r->m->times, response);
}

/* A request whose line comes from the other package or from memory. Returns the time when it is
 * done. */
static uint64_t miss(const struct request *r, struct bx_grant *grant)
{
    struct bx_ivbep *m = r->m;
    struct bx_ivbep_reply reply = bx_ivbep_snoop_peer(m, r->package, r->line,
                                                      r->whole ? BX_IVBEP_INVALIDATE
                                                      : r->own ? BX_IVBEP_TAKE
                                                               : BX_IVBEP_SHARE,
                                                      r->begin);
    uint64_t done = reply.done;

    bx_ivbep_send_out(m, r->package, BX_IVBEP_AD, r->line);
    grant->from = reply.dirty ? BX_CORE_FROM_PACKAGE_DIRTY : BX_CORE_FROM_PACKAGE_CLEAN;
    if (r->whole) {
        done = bx_later(done, r->begin + m->times.llc_hit);
    } else if (!reply.gives_line) {
        bool local = bx_ivbep_node(m, r->line) == r->package;
        uint64_t read = bx_ivbep_memory(m, r->package, r->line, false, r->begin);
        grant->from = local ? BX_CORE_FROM_MEMORY : BX_CORE_FROM_REMOTE_MEMORY;
        done = bx_later(done, read);
    }
    bx_ivbep_send_in(m, r->package, r->whole && !reply.gives_line ? BX_IVBEP_AK : BX_IVBEP_BL,
                     r->line);
    struct bx_cache_way way = bx_ivbep_make_way(m, r->package, r->line, r->core, r->begin);
    bool shared = !r->own && reply.state != BX_LINE_I;
    enum bx_line_state state = shared ? BX_LINE_F : BX_LINE_E;
    if (r->own && reply.dirty)
        state = BX_LINE_M;
    bx_cache_put(&r->s->llc, way, r->line, state);
    *bx_cache_cores(&r->s->llc, way) = r->prefetch ? 0 : (uint16_t)(1u << r->core);
    if (!r->prefetch)
        grant->state = r->own ? BX_LINE_M : shared ? BX_LINE_S : BX_LINE_E;
    return done;
}

static void answer_core(const struct request *r, bool data)
{
    bx_ivbep_send(r->m, r->package, BX_IVBEP_AK, r->line, r->slice, r->core, false);
    if (data)
        bx_ivbep_send(r->m, r->package, BX_IVBEP_BL, r->line, r->slice, r->core, false);
}

uint64_t bx_ivbep_request(struct bx_ivbep *m, unsigned package, unsigned core,
                          enum bx_ivbep_opcode opcode, uint64_t line, uint64_t t,
                          struct bx_grant *grant)
{
    struct request r = {
        .m = m,
        .package = package,
        .core = core,
        .slice = bx_ivbep_slice_number(m, line),
        .s = bx_ivbep_slice(m, package, line),
        .line = line,
        .own = opcode == BX_IVBEP_RFO || opcode == BX_IVBEP_PF_RFO || opcode == BX_IVBEP_ITOM,
        .whole = opcode == BX_IVBEP_ITOM,
        .prefetch = opcode >= BX_IVBEP_PF_RFO,
    };
    struct bx_cache_way way = bx_cache_find(&r.s->llc, line);
    enum bx_line_state state = bx_cache_state(&r.s->llc, way);
    struct bx_ivbep_entry entry = bx_ivbep_entry_of(m, line, opcode, core);
    bool has_data =
        r.whole || (!r.prefetch && bx_privates_have(bx_ivbep_privates(m, package, core), line));

    entry.miss = !bx_cache_found(way);
    bx_ivbep_counts_to_change(r.s)->lookup[BX_IVBEP_READ][state][entry.node][core]++;
    if (opcode == BX_IVBEP_RFO && bx_line_is_shared(state))
        bx_ivbep_counts_to_change(r.s)->misc[BX_IVBEP_RFO_HIT_S]++;
    bx_ivbep_send(m, package, BX_IVBEP_AD, line, core, r.slice, true);
    r.begin = bx_ivbep_admit(m, r.s, &entry, BX_IVBEP_IRQ, false, t);
    uint64_t done = bx_cache_found(way) ? hit(&r, way, grant) : miss(&r, grant);
    bx_ivbep_tor_enter(m, r.s, &entry, done);
    if (!r.prefetch)
        answer_core(&r, !has_data);
    return done + bx_ivbep_hops(m, core, r.slice);
}

/* The LLC has the line, because it is inclusive. */
void bx_ivbep_write_back(bx_model *model, unsigned agent, const struct bx_private_victim *victim,
                         uint64_t t)
{
    struct bx_ivbep_of_core of = bx_ivbep_of_core(model, agent);
    struct bx_ivbep *m = of.m;
    unsigned package = of.package, core = of.number;
    uint64_t line = victim->line;
    unsigned slice = bx_ivbep_slice_number(m, line);
    struct bx_ivbep_slice *s = &m->slice[package][slice];
    struct bx_cache_way way = bx_cache_find(&s->llc, line);
    struct bx_ivbep_entry entry =
        bx_ivbep_entry_of(m, line, victim->in_l1d ? BX_IVBEP_WBMTOE : BX_IVBEP_WBMTOI, core);

    bx_ivbep_counts_to_change(s)
        ->lookup[BX_IVBEP_WRITE][bx_cache_state_of_line(&s->llc, way)][entry.node][core]++;
    bx_cache_set_state(&s->llc, way, BX_LINE_M);
    if (!bx_privates_have(bx_ivbep_privates(m, package, core), line))
        *bx_cache_cores(&s->llc, way) &= (uint16_t) ~(1u << core);
    bx_ivbep_send(m, package, BX_IVBEP_AD, line, core, slice, true);
    bx_ivbep_send(m, package, BX_IVBEP_BL, line, core, slice, true);
    bx_ivbep_admit(m, s, &entry, BX_IVBEP_IRQ, false, t);
    bx_ivbep_tor_enter(m, s, &entry, entry.begin + m->times.tor_write_back);
    bx_ivbep_send(m, package, BX_IVBEP_AK, line, slice, core, false);
}
