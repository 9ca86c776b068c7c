/* What a core does: private accesses on its own, and uncore accesses at its turns. */
#include "model/uncore.h"

enum { L2_CYCLES = 2, L2_CYCLES_DEPENDENT = 8, RING_HOP = 2, SNOOP_CLEAN = 25, SNOOP_DIRTY = 35 };

/* ---- private accesses ---- */

/* Index of an access's key: set | kind << 6. The set is in bits 21:16, the kind in bits 1:0; the
 * product puts the kind above the set as well. */
static inline unsigned key_of(bx_access a)
{
    return ((uint32_t)a & 0x3f0003) * 0x400001u >> 16;
}

/* An L2 hit: docs/model.md, "A core's accesses" 2. Returns the cycles that it takes. */
static inline unsigned l2_hit(struct bx_core *c, bx_access a, struct bx_spills *spills)
{
    uint64_t line = bx_access_line(a);
    struct bx_l2_set *set = bx_l2_set(c, line);
    unsigned way = bx_first_way(bx_l2_match(set, line)), kind = bx_access_kind(a);

    set->plru = bx_plru4_touch(set->plru, way);
    if (kind >= BX_FETCH) {
        bx_l1i_fill(c, line);
    } else {
        unsigned state = set->state[way];
        set->state[way] = (uint8_t)(state - (state == BX_LINE_M)); /* M becomes E */
        bx_l1d_fill(c, line, kind == BX_STORE ? BX_LINE_M : state, spills);
    }
    return a & BX_ACCESS_DEPENDENT ? L2_CYCLES_DEPENDENT : L2_CYCLES;
}

/* Whether a fill into L1D would drive out a dirty line that L2 does not have. */
static inline bool l1d_fill_spills(struct bx_core *c, uint64_t line)
{
    const struct bx_l1_set *set = &c->l1d[bx_l1_index(line)];
    unsigned way = bx_plru8_victim(set->plru);

    if (set->invalid || set->state[way] != BX_LINE_M)
        return false;
    uint64_t victim = (uint64_t)set->tag[way] << BX_L1_SET_BITS | bx_l1_index(line);
    return !bx_l2_match(bx_l2_set(c, victim), victim);
}

/* An access that L1 does not have. */
static inline int step_l2(struct bx_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    const struct bx_l2_set *set = bx_l2_set(c, line);
    unsigned found = bx_l2_match(set, line), kind = bx_access_kind(a);
    struct bx_spills none = {.n = 0};

    if (!found)
        return BX_STEP_MISS;
    if (kind == BX_STORE && set->state[bx_first_way(found)] == BX_LINE_S)
        return BX_STEP_MISS;
    if (kind < BX_FETCH && l1d_fill_spills(c, line))
        return BX_STEP_SPILL;
    return (int)l2_hit(c, a, &none);
}

static inline int step_fetch(struct bx_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    unsigned index = bx_l1_index(line);
    struct bx_l1_set *set = &c->l1i[index];
    unsigned found = bx_match8(set->tag, bx_l1_tag(line));

    if (!found)
        return step_l2(c, a);
    set->plru = bx_plru8_touch(set->plru, bx_first_way(found));
    c->key[bx_key_at(BX_FETCH, index)] = bx_l1_tag(line);
    return 0;
}

/* Does an access if it is private. Returns the cycles that it takes, or an enum bx_step. Not
 * inline, so that the hot loop keeps its registers. */
static __attribute__((noinline)) int step(struct bx_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    unsigned index = bx_l1_index(line), kind = bx_access_kind(a);
    struct bx_l1_set *set = &c->l1d[index];

    if (kind >= BX_FETCH)
        return step_fetch(c, a);
    unsigned found = bx_match8(set->tag, bx_l1_tag(line));
    if (!found)
        return step_l2(c, a);
    unsigned way = bx_first_way(found), state = set->state[way];
    if (state == BX_LINE_S && kind == BX_STORE)
        return BX_STEP_MISS;
    state = kind == BX_STORE ? BX_LINE_M : state;
    set->state[way] = (uint8_t)state;
    set->plru = bx_plru8_touch(set->plru, way);
    bx_set_data_keys(c, index, bx_l1_tag(line), state);
    return 0;
}

/* ---- uncore accesses: rules 1 to 4 of docs/model.md ---- */

static void write_back(struct bx_model *m, const struct bx_spills *spills)
{
    for (unsigned i = 0; i < spills->n; i++) {
        struct bx_spill spill = spills->of[i];
        struct bx_llc_place at = bx_llc_place(&m->llc, spill.line);
        bool known = spill.llc_way != BX_LLC_WAY_UNKNOWN;
        uint8_t *meta = &at.set->meta[known ? spill.llc_way : bx_first_way(bx_llc_find(at))];
        m->counts.lookup[at.slice][BX_WRITE][bx_llc_state(*meta)]++;
        *meta = bx_llc_meta(bx_llc_cores(*meta), BX_LINE_M);
    }
}

/* Rule 2 for RD and CODE. Returns what the core gets. */
static enum bx_line_state hit_read(struct bx_model *m, uint8_t *meta, unsigned reader,
                                   uint64_t line, unsigned slice, struct bx_answers *answers)
{
    *answers = bx_snoop_share(m, meta, reader, line, slice, BX_XCORE);
    unsigned cores = bx_llc_cores(*meta), state = bx_llc_state(*meta);
    bool shared = cores & ~reader || state == BX_LINE_S;

    if (shared && state == BX_LINE_E)
        state = BX_LINE_S;
    *meta = bx_llc_meta(cores | reader, state);
    return shared ? BX_LINE_S : BX_LINE_E;
}

/* Rule 2 for RFO. */
static enum bx_line_state hit_rfo(struct bx_model *m, uint8_t *meta, unsigned writer, uint64_t line,
                                  unsigned slice, struct bx_answers *answers)
{
    *answers = bx_snoop_lose(m, bx_llc_cores(*meta) & ~writer, line, slice, BX_XCORE);
    bool dirty = answers->dirty || bx_llc_state(*meta) == BX_LINE_M;

    *meta = bx_llc_meta(writer, dirty ? BX_LINE_M : BX_LINE_E);
    return BX_LINE_M;
}

/* A store's copies: kept where they are, with a new state, else filled. */
static inline void fill_store(struct bx_core *c, uint64_t line, unsigned llc_way,
                              struct bx_spills *spills)
{
    unsigned index = bx_l1_index(line);
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    unsigned in_l2 = bx_l2_match(l2, line);
    struct bx_l1_set *l1d = &c->l1d[index];
    unsigned in_l1d = bx_match8(l1d->tag, bx_l1_tag(line));

    if (in_l2) {
        unsigned way = bx_first_way(in_l2);
        l2->state[way] = BX_LINE_E;
        l2->plru = bx_plru4_touch(l2->plru, way);
    } else {
        bx_l2_fill(c, line, BX_LINE_E, llc_way, spills);
    }
    if (in_l1d) {
        bx_l1_put(l1d, bx_first_way(in_l1d), bx_l1_tag(line), BX_LINE_M);
        bx_set_data_keys(c, index, bx_l1_tag(line), BX_LINE_M);
    } else {
        bx_l1d_fill(c, line, BX_LINE_M, spills);
    }
}

/* Rule 4. A load that missed has no copy in L1D or L2, a fetch none in L1I or L2. */
static inline void fill(struct bx_core *c, bx_access a, unsigned state, unsigned llc_way,
                        struct bx_spills *spills)
{
    uint64_t line = bx_access_line(a);

    if (bx_access_kind(a) == BX_STORE) {
        fill_store(c, line, llc_way, spills);
        return;
    }
    bx_l2_fill(c, line, state, llc_way, spills);
    if (bx_access_kind(a) == BX_LOAD)
        bx_l1d_fill(c, line, state, spills);
    else
        bx_l1i_fill(c, line);
}

/* An access that the private caches cannot serve, at t. Returns its completion. */
static inline uint64_t uncore_access(struct bx_model *m, unsigned c, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a), completion;
    struct bx_llc_place at = bx_llc_place(&m->llc, line);
    unsigned found = bx_llc_find(at), way, self = 1u << c, kind = bx_access_kind(a);
    enum bx_line_state granted;
    struct bx_spills spills = {.n = 0};

    if (found) {
        struct bx_answers answers;
        way = bx_first_way(found);
        uint8_t *meta = &at.set->meta[way];
        m->counts.lookup[at.slice][BX_READ][bx_llc_state(*meta)]++;
        bx_llc_touch(at.set, way);
        granted = kind == BX_STORE ? hit_rfo(m, meta, self, line, at.slice, &answers)
                                   : hit_read(m, meta, self, line, at.slice, &answers);
        completion = t + BX_LLC_HIT + (answers.dirty ? SNOOP_DIRTY : answers.any ? SNOOP_CLEAN : 0);
    } else {
        m->counts.lookup[at.slice][BX_READ][BX_LINE_I]++;
        way = bx_llc_make_way(m, at, line, t);
        completion = bx_read_from_memory(m, BX_IMC_IA,
                                         kind == BX_LOAD ? BX_ARB_DATA_READ : BX_ARB_ALL, line, t);
        bx_llc_put(at, way, bx_llc_meta(self, BX_LINE_E));
        granted = kind == BX_STORE ? BX_LINE_M : BX_LINE_E;
    }
    fill(&m->core[c], a, granted, way, &spills);
    if (spills.n)
        write_back(m, &spills);
    return completion + RING_HOP * (at.slice > c ? at.slice - c : c - at.slice);
}

/* ---- turns ---- */

/* The time of an access that needs the uncore: a miss waits for the fill buffer that it will use.
 */
static inline uint64_t turn_of(const struct bx_client_agent *agent, uint64_t clock, int need)
{
    uint64_t buffer = agent->buffer_free[agent->next_buffer];
    return need == BX_STEP_MISS && buffer > clock ? buffer : clock;
}

/* What the core found when it stopped still holds: done at t. Returns the clock afterwards. */
static inline uint64_t serve(struct bx_model *m, unsigned c, bx_access a, uint64_t t, int need,
                             bool takes_buffer)
{
    struct bx_client_agent *agent = &m->agent[c];

    if (need == BX_STEP_SPILL) {
        struct bx_spills spills = {.n = 0};
        unsigned cycles = l2_hit(&m->core[c], a, &spills);
        write_back(m, &spills);
        return t + cycles;
    }
    uint64_t completion = uncore_access(m, c, a, t);
    if (takes_buffer) {
        agent->buffer_free[agent->next_buffer] = completion;
        agent->next_buffer = agent->next_buffer + 1 == BX_FILL_BUFFERS ? 0 : agent->next_buffer + 1;
    }
    if (completion > agent->completed)
        agent->completed = completion;
    return a & BX_ACCESS_DEPENDENT || bx_access_kind(a) >= BX_FETCH ? completion : t;
}

/* The access that has waited: done from the beginning if a snoop has changed something since. */
static void serve_waiting(struct bx_model *m, unsigned c)
{
    struct bx_client_agent *agent = &m->agent[c];
    bx_access a = *agent->feed->next++;
    bool takes_buffer = agent->need == BX_STEP_MISS;
    int need = agent->core->snooped ? step(agent->core, a) : agent->need;

    bx_time_reach(&m->time, agent->turn);
    if (need >= 0)
        agent->clock = agent->turn + (unsigned)need;
    else
        agent->clock = serve(m, c, a, agent->turn, need, takes_buffer);
    agent->phase = BX_READY;
    m->accesses++;
}

/* The hits of the key filter from `next` on: the way of most accesses. Adds their cost and that of
 * the access which ends them to *clock, in sixteenths of a cycle: an access has its cost in bits
 * 15:4. */
static inline const bx_access *skip_hits(const uint32_t *key, const bx_access *next,
                                         const bx_access *end, uint64_t *clock)
{
    uint64_t sum = *clock;

    for (; next < end; next++) {
        bx_access a = *next;
        sum += a & 0xfff0;
        if (key[key_of(a)] != (uint32_t)(a >> (16 + BX_L1_SET_BITS)))
            break;
    }
    *clock = sum;
    return next;
}

/* An access that is not private: it waits, or is served at once if its turn is before `limit`.
 * Returns the clock afterwards. */
static __attribute__((noinline)) uint64_t take_turn(struct bx_model *m, unsigned c, bx_access a,
                                                    uint64_t clock, int need, uint64_t limit)
{
    struct bx_client_agent *agent = &m->agent[c];
    uint64_t turn = turn_of(agent, clock, need);

    if (turn >= limit) {
        agent->phase = BX_WAITING;
        agent->need = (enum bx_step)need;
        agent->turn = turn;
        agent->core->snooped = false;
        return clock;
    }
    bx_time_reach(&m->time, turn);
    return serve(m, c, a, turn, need, need == BX_STEP_MISS);
}

/* How much a core executes before it looks whether its clock has reached `until`. */
enum { RUN_ACCESSES = 4096 };

void bx_core_run(struct bx_model *m, unsigned c, uint64_t limit, uint64_t until)
{
    struct bx_client_agent *agent = &m->agent[c];
    struct bx_core *core = &m->core[c];

    if (agent->phase == BX_WAITING)
        serve_waiting(m, c);
    while (agent->clock < until && agent->phase == BX_READY && bx_agent_has_next(agent)) {
        const bx_access *begin = agent->feed->next, *next = begin, *end = agent->feed->end;
        uint64_t clock = agent->clock << 4;
        if (end - next > RUN_ACCESSES)
            end = next + RUN_ACCESSES;
        while ((next = skip_hits(core->key, next, end, &clock)) < end) {
            int need = step(core, *next);
            if (need >= 0) {
                clock += (uint64_t)need << 4;
            } else {
                clock = take_turn(m, c, *next, clock >> 4, need, limit) << 4;
                if (agent->phase == BX_WAITING)
                    break;
            }
            next++;
        }
        agent->feed->next = next;
        agent->clock = clock >> 4;
        m->accesses += (uint64_t)(next - begin);
    }
}
