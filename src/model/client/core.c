/* A core: it runs ahead through its private accesses, and uses the uncore at its turns. */
#include "model/client/core_step.h"
#include "model/client/uncore.h"

enum { RING_HOP = 2, SNOOP_CLEAN = 25, SNOOP_DIRTY = 35 };

/* ---- uncore accesses: rules 1 to 4 of docs/model.md ---- */

/* Rule 2 for RD and CODE. *granted: what the core gets. */
static struct bx_client_snoop_result hit_read(struct bx_client *m, uint8_t *meta, unsigned reader,
                                              uint64_t line, unsigned slice,
                                              enum bx_line_state *granted)
{
    struct bx_client_snoop_result result =
        bx_client_snoop_share(m, meta, reader, line, slice, BX_SNOOP_XCORE);
    unsigned cores = bx_client_llc_cores(*meta), state = bx_client_llc_state(*meta);
    bool shared = cores & ~reader || state == BX_LINE_S;

    if (shared && state == BX_LINE_E)
        state = BX_LINE_S;
    *meta = bx_client_llc_meta(cores | reader, state);
    *granted = shared ? BX_LINE_S : BX_LINE_E;
    return result;
}

/* Rule 2 for RFO. The core gets M. */
static struct bx_client_snoop_result hit_rfo(struct bx_client *m, uint8_t *meta, unsigned writer,
                                             uint64_t line, unsigned slice)
{
    struct bx_client_snoop_result result = bx_client_snoop_invalidate(
        m, bx_client_llc_cores(*meta) & ~writer, line, slice, BX_SNOOP_XCORE);
    bool dirty = result.dirty || bx_client_llc_state(*meta) == BX_LINE_M;

    *meta = bx_client_llc_meta(writer, dirty ? BX_LINE_M : BX_LINE_E);
    return result;
}

/* The copies of a store's line: existing ones get the new state, missing ones are filled. */
static inline void fill_store(struct bx_client *m, struct bx_client_core *c, uint64_t line,
                              unsigned llc_way)
{
    unsigned index = bx_l1_index(line);
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    struct bx_l1_set *l1d = &c->l1d[index];
    unsigned in_l2 = bx_l2_match(l2, line), in_l1d = bx_match8(l1d->tag, bx_l1_tag(line));

    if (in_l2) {
        unsigned way = bx_first_way(in_l2);
        l2->state[way] = BX_LINE_E;
        l2->plru = bx_plru4_touch(l2->plru, way);
    } else {
        bx_l2_fill(m, c, line, BX_LINE_E, llc_way);
    }
    if (in_l1d) {
        unsigned way = bx_first_way(in_l1d);
        l1d->state[way] = BX_LINE_M;
        l1d->plru = bx_plru8_touch(l1d->plru, way);
        bx_client_set_data_mru(c, index, bx_l1_tag(line), BX_LINE_M);
    } else {
        bx_l1d_fill(m, c, line, BX_LINE_M);
    }
}

/* Rule 4; `state` is what a reader was granted. A load that missed has no copy in L1D or L2, a
 * fetch none in L1I or L2. */
static inline void fill(struct bx_client *m, struct bx_client_core *c, bx_access a, unsigned state,
                        unsigned llc_way)
{
    uint64_t line = bx_access_line(a);

    if (bx_client_access_kind(a) == BX_STORE) {
        fill_store(m, c, line, llc_way);
        return;
    }
    bx_l2_fill(m, c, line, state, llc_way);
    if (bx_client_access_kind(a) == BX_LOAD)
        bx_l1d_fill(m, c, line, state);
    else
        bx_l1i_fill(c, line);
}

/* An access that the private caches cannot serve, at t. Returns its completion. */
static uint64_t uncore_access(struct bx_client *m, const struct bx_client_agent *agent, bx_access a,
                              uint64_t t)
{
    uint64_t line = bx_access_line(a), completion;
    struct bx_client_llc_location at = bx_client_llc_locate(&m->llc, line);
    unsigned found = bx_client_llc_find(at), way, kind = bx_client_access_kind(a);
    unsigned number = agent->number, self = 1u << number;
    enum bx_line_state granted = BX_LINE_E; /* to a reader; a store makes it M */

    if (found) {
        way = bx_first_way(found);
        uint8_t *meta = &at.set->meta[way];
        m->counts.lookup[at.slice][BX_CLIENT_READ][bx_client_llc_state(*meta)]++;
        bx_client_llc_touch(at.set, way);
        struct bx_client_snoop_result result =
            kind == BX_STORE ? hit_rfo(m, meta, self, line, at.slice)
                             : hit_read(m, meta, self, line, at.slice, &granted);
        completion = t + BX_CLIENT_LLC_HIT +
                     (result.dirty ? SNOOP_DIRTY
                      : result.any ? SNOOP_CLEAN
                                   : 0);
    } else {
        m->counts.lookup[at.slice][BX_CLIENT_READ][BX_LINE_I]++;
        way = bx_client_llc_make_way(m, at, line, t);
        completion = bx_client_read_memory(
            m, BX_IMC_IA, kind == BX_LOAD ? BX_ARB_DATA_READ : BX_ARB_OTHER_READ, line, t);
        bx_client_llc_put(at, way, bx_client_llc_meta(self, BX_LINE_E));
    }
    fill(m, agent->core, a, granted, way);
    return completion + RING_HOP * (at.slice > number ? at.slice - number : number - at.slice);
}

/* ---- turns ---- */

/* The time of an access that needs the uncore: a miss waits for the fill buffer that it will use.
 */
static inline uint64_t turn_of(const struct bx_client_agent *agent, uint64_t clock, int need)
{
    uint64_t buffer = agent->buffer_free[agent->next_buffer];
    return need == BX_CLIENT_STEP_MISS && buffer > clock ? buffer : clock;
}

/* Serves an access at t; `need` is what the core found, and still holds. Returns the clock
 * afterwards. */
static __attribute__((noinline)) uint64_t serve(struct bx_client *m, struct bx_client_agent *agent,
                                                bx_access a, uint64_t t, int need,
                                                bool takes_buffer)
{
    if (need == BX_CLIENT_STEP_SPILL)
        return t + (unsigned)bx_client_core_step_spill(m, agent->core, a);
    uint64_t completion = uncore_access(m, agent, a, t);
    if (takes_buffer) {
        agent->buffer_free[agent->next_buffer] = completion;
        agent->next_buffer =
            agent->next_buffer + 1 == BX_CLIENT_FILL_BUFFERS ? 0 : agent->next_buffer + 1;
    }
    if (completion > agent->completed)
        agent->completed = completion;
    return a & BX_ACCESS_DEPENDENT || bx_client_access_kind(a) >= BX_FETCH ? completion : t;
}

/* Serves the waiting access. It starts anew if a snoop has changed a copy since the core stopped.
 */
static void serve_waiting(struct bx_client *m, struct bx_client_agent *agent)
{
    bx_access a = *agent->feed->next++;
    bool takes_buffer = agent->need == BX_CLIENT_STEP_MISS;
    int need = agent->core->snooped ? bx_client_core_step(agent->core, a) : agent->need;

    bx_time_advance_to_event(&m->model.time, agent->turn);
    if (need >= 0)
        agent->clock = agent->turn + (unsigned)need;
    else
        agent->clock = serve(m, agent, a, agent->turn, need, takes_buffer);
    agent->phase = BX_CLIENT_READY;
    m->model.accesses++;
}

/* ---- running ahead ---- */

/* Index of an access in mru_tag: set | kind << 6. The set is in bits 21:16, the kind in bits 1:0;
 * the product puts the kind above the set as well. */
static inline unsigned mru_index_of(bx_access a)
{
    return ((uint32_t)a & 0x3f0003) * 0x400001u >> 16;
}

/* Skips the accesses from `next` on that hit the filter mru_tag: most accesses. Adds their cost,
 * and that of the first one that misses, to *clock. The clock is in sixteenths of a cycle here, as
 * an access has its cost in bits 15:4. */
static inline const bx_access *skip_hits(const uint32_t *mru_tag, const bx_access *next,
                                         const bx_access *end, uint64_t *clock)
{
    uint64_t sum = *clock;

    for (; next < end; next++) {
        bx_access a = *next;
        sum += a & 0xfff0;
        if (mru_tag[mru_index_of(a)] != (uint32_t)(a >> (16 + BX_L1_SET_BITS)))
            break;
    }
    *clock = sum;
    return next;
}

/* An access that is not private: it waits, or is served at once if its turn is before `limit`.
 * Returns the clock afterwards. */
static inline uint64_t take_turn(struct bx_client *m, struct bx_client_agent *agent, bx_access a,
                                 uint64_t clock, int need, uint64_t limit)
{
    uint64_t turn = turn_of(agent, clock, need);

    if (turn >= limit) {
        agent->phase = BX_CLIENT_WAITING;
        agent->need = (enum bx_client_step)need;
        agent->turn = turn;
        agent->core->snooped = false;
        return clock;
    }
    bx_time_advance_to_event(&m->model.time, turn);
    return serve(m, agent, a, turn, need, need == BX_CLIENT_STEP_MISS);
}

/* Accesses that a core executes between two checks of its clock against `until`. */
enum { RUN_ACCESSES = 4096 };

void bx_client_core_run(struct bx_client *m, struct bx_client_agent *agent, uint64_t limit,
                        uint64_t until)
{
    struct bx_client_core *core = agent->core;

    if (agent->phase == BX_CLIENT_WAITING)
        serve_waiting(m, agent);
    while (agent->clock < until && agent->phase == BX_CLIENT_READY &&
           bx_client_agent_has_next(agent)) {
        const bx_access *begin = agent->feed->next, *next = begin, *end = agent->feed->end;
        uint64_t clock = agent->clock << 4;
        if (end - next > RUN_ACCESSES)
            end = next + RUN_ACCESSES;
        while ((next = skip_hits(core->mru_tag, next, end, &clock)) < end) {
            int need = bx_client_core_step(core, *next);
            if (need >= 0) {
                clock += (uint64_t)need << 4;
            } else {
                clock = take_turn(m, agent, *next, clock >> 4, need, limit) << 4;
                if (agent->phase == BX_CLIENT_WAITING)
                    break;
            }
            next++;
        }
        agent->feed->next = next;
        agent->clock = clock >> 4;
        m->model.accesses += (uint64_t)(next - begin);
    }
}
