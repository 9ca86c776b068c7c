#include "model/client.h"

enum { LLC_HIT = 34, RING_HOP = 2, SNOOP_CLEAN = 25, SNOOP_DIRTY = 35 };

/* ---- snoops ---- */

/* How the cores that were snooped answered. */
struct answers {
    bool any, dirty;
};

/* Each core of a mask loses its copies. */
static struct answers snoop_lose(struct bx_model *m, unsigned cores, uint64_t line, unsigned slice,
                                 enum bx_snoop_from from)
{
    struct answers answers = {.any = cores != 0};

    for (; cores; cores &= cores - 1) {
        enum bx_response response = bx_core_lose(&m->core[bx_first_way(cores)], line);
        m->counts.xsnp[slice][from][response]++;
        answers.dirty |= response == BX_SNOOP_HITM;
    }
    return answers;
}

/* A reader found the line in *meta: the one other core that may have changed it is asked. Its bit
 * and the LLC's state are brought up to date. */
static struct answers snoop_share(struct bx_model *m, uint8_t *meta, unsigned reader, uint64_t line,
                                  unsigned slice, enum bx_snoop_from from)
{
    unsigned cores = bx_llc_cores(*meta), others = cores & ~reader, state = bx_llc_state(*meta);
    struct answers answers = {.any = false};

    if (state == BX_LINE_S || !others || others & (others - 1))
        return answers;
    enum bx_response response = bx_core_share(&m->core[bx_first_way(others)], line);
    m->counts.xsnp[slice][from][response]++;
    answers.any = true;
    if (response == BX_SNOOP_MISS)
        cores &= ~others;
    if (response == BX_SNOOP_HITM) {
        state = BX_LINE_M;
        answers.dirty = true;
    }
    *meta = bx_llc_meta(cores, state);
    return answers;
}

/* ---- memory ---- */

/* A dirty line of the LLC goes to memory. */
static void write_to_memory(struct bx_model *m, uint64_t line, uint64_t t)
{
    uint64_t done = bx_imc_write(&m->imc, &m->counts, BX_IMC_IA, line, t);
    bx_arb_enter(&m->arb, &m->counts, BX_CHANNELS + bx_imc_channel(line), BX_ARB_WRITE, t, done);
}

static uint64_t read_from_memory(struct bx_model *m, enum bx_imc_agent by, enum bx_arb_kind kind,
                                 uint64_t line, uint64_t t)
{
    uint64_t done = bx_imc_read(&m->imc, &m->counts, by, line, t);
    bx_arb_enter(&m->arb, &m->counts, bx_imc_channel(line), kind, t, done);
    return done;
}

/* Whether an agent's memory write is merged into the one before; either way it is the last now. */
static bool merges(struct bx_client_agent *agent, bx_access a)
{
    uint64_t line = bx_access_line(a);
    bool partial = a & BX_ACCESS_PARTIAL, merged = partial && agent->partial_line == line;

    agent->partial_line = partial ? line : BX_NO_LINE;
    return merged;
}

/* ---- the LLC ---- */

/* The way that the line is to be filled into: empty, or emptied now. */
static unsigned make_way(struct bx_model *m, struct bx_llc_place at, uint64_t line, uint64_t t)
{
    if (at.set->invalid)
        return bx_first_way(at.set->invalid);
    unsigned way = bx_qlru_victim(&at.set->ages);
    uint64_t victim = bx_llc_line(&m->llc, at, line, way);
    uint8_t meta = at.set->meta[way];
    bool dirty = bx_llc_state(meta) == BX_LINE_M;

    dirty |= snoop_lose(m, bx_llc_cores(meta), victim, at.slice, BX_EVICTION).dirty;
    if (dirty)
        write_to_memory(m, victim, t);
    return way;
}

static void write_back(struct bx_model *m, struct bx_spill spill)
{
    struct bx_llc_place at = bx_llc_place(&m->llc, spill.line);
    unsigned way =
        spill.llc_way != BX_LLC_WAY_UNKNOWN ? spill.llc_way : bx_first_way(bx_llc_find(at));
    uint8_t *meta = &at.set->meta[way];

    m->counts.lookup[at.slice][BX_WRITE][bx_llc_state(*meta)]++;
    *meta |= BX_LINE_M; /* the state of all ones */
}

static void write_back_all(struct bx_model *m, const struct bx_spills *spills)
{
    for (unsigned i = 0; i < spills->n; i++)
        write_back(m, spills->of[i]);
}

/* ---- cores ---- */

/* Rule 2 for RD and CODE. Returns what the core gets. */
static enum bx_line_state hit_read(struct bx_model *m, uint8_t *meta, unsigned reader,
                                   uint64_t line, unsigned slice, struct answers *answers)
{
    *answers = snoop_share(m, meta, reader, line, slice, BX_XCORE);
    unsigned cores = bx_llc_cores(*meta), state = bx_llc_state(*meta);
    bool shared = cores & ~reader || state == BX_LINE_S;

    if (shared && state == BX_LINE_E)
        state = BX_LINE_S;
    *meta = bx_llc_meta(cores | reader, state);
    return shared ? BX_LINE_S : BX_LINE_E;
}

/* Rule 2 for RFO. */
static enum bx_line_state hit_rfo(struct bx_model *m, uint8_t *meta, unsigned writer, uint64_t line,
                                  unsigned slice, struct answers *answers)
{
    *answers = snoop_lose(m, bx_llc_cores(*meta) & ~writer, line, slice, BX_XCORE);
    bool dirty = answers->dirty || bx_llc_state(*meta) == BX_LINE_M;

    *meta = bx_llc_meta(writer, dirty ? BX_LINE_M : BX_LINE_E);
    return BX_LINE_M;
}

static uint64_t ring(unsigned slice, unsigned c)
{
    return RING_HOP * (slice > c ? slice - c : c - slice);
}

uint64_t bx_uncore_core(struct bx_model *m, unsigned c, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a), completion;
    struct bx_llc_place at = bx_llc_place(&m->llc, line);
    unsigned found = bx_llc_find(at), way, core = 1u << c;
    bool store = bx_access_kind(a) == BX_STORE;
    enum bx_line_state granted;
    struct bx_spills spills = {.n = 0};

    if (found) {
        struct answers answers;
        way = bx_first_way(found);
        uint8_t *meta = &at.set->meta[way];
        m->counts.lookup[at.slice][BX_READ][bx_llc_state(*meta)]++;
        bx_llc_touch(at.set, way);
        granted = store ? hit_rfo(m, meta, core, line, at.slice, &answers)
                        : hit_read(m, meta, core, line, at.slice, &answers);
        unsigned snoop = answers.dirty ? SNOOP_DIRTY : answers.any ? SNOOP_CLEAN : 0;
        completion = t + LLC_HIT + snoop;
    } else {
        m->counts.lookup[at.slice][BX_READ][BX_LINE_I]++;
        way = make_way(m, at, line, t);
        completion = read_from_memory(
            m, BX_IMC_IA, bx_access_kind(a) == BX_LOAD ? BX_ARB_DATA_READ : BX_ARB_ALL, line, t);
        bx_llc_put(at, way, bx_llc_meta(core, BX_LINE_E));
        granted = store ? BX_LINE_M : BX_LINE_E;
    }
    bx_core_fill(&m->core[c], a, granted, way, &spills);
    write_back_all(m, &spills);
    return completion + ring(at.slice, c);
}

unsigned bx_uncore_l2_hit(struct bx_model *m, unsigned c, bx_access a)
{
    struct bx_spills spills = {.n = 0};
    unsigned cycles = bx_core_l2_hit(&m->core[c], a, &spills);

    write_back_all(m, &spills);
    return cycles;
}

/* ---- GT and IO ---- */

/* A load from outside hit: who has the line is asked, and shares it from now on. */
static void hit_external_load(struct bx_model *m, uint8_t *meta, uint64_t line, unsigned slice)
{
    snoop_share(m, meta, 0, line, slice, BX_EXTERNAL);
    if (bx_llc_cores(*meta) && bx_llc_state(*meta) == BX_LINE_E)
        *meta = bx_llc_meta(bx_llc_cores(*meta), BX_LINE_S);
}

static uint64_t gt_load(struct bx_model *m, struct bx_llc_place at, uint64_t line, uint64_t t)
{
    unsigned found = bx_llc_find(at);

    if (found) {
        unsigned way = bx_first_way(found);
        m->counts.lookup[at.slice][BX_READ][bx_llc_state(at.set->meta[way])]++;
        bx_llc_touch(at.set, way);
        hit_external_load(m, &at.set->meta[way], line, at.slice);
        return t + LLC_HIT;
    }
    m->counts.lookup[at.slice][BX_READ][BX_LINE_I]++;
    unsigned way = make_way(m, at, line, t);
    uint64_t done = read_from_memory(m, BX_IMC_GT, BX_ARB_ALL, line, t);
    bx_llc_put(at, way, bx_llc_meta(0, BX_LINE_E));
    return done;
}

static uint64_t gt_store(struct bx_model *m, struct bx_client_agent *gt, struct bx_llc_place at,
                         bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    unsigned found = bx_llc_find(at);

    if (found) {
        uint8_t *meta = &at.set->meta[bx_first_way(found)];
        m->counts.lookup[at.slice][BX_WRITE][bx_llc_state(*meta)]++;
        snoop_lose(m, bx_llc_cores(*meta), line, at.slice, BX_EXTERNAL);
        *meta = bx_llc_meta(0, BX_LINE_M);
        return t + LLC_HIT;
    }
    m->counts.lookup[at.slice][BX_WRITE][BX_LINE_I]++;
    if (merges(gt, a)) {
        m->counts.imc[BX_IMC_GT]++;
        bx_arb_merge(&m->arb, &m->counts);
        return t;
    }
    uint64_t done = bx_imc_write(&m->imc, &m->counts, BX_IMC_GT, line, t);
    bx_arb_enter(&m->arb, &m->counts, BX_CHANNELS + bx_imc_channel(line), BX_ARB_WRITE, t, done);
    return done;
}

uint64_t bx_uncore_gt(struct bx_model *m, struct bx_client_agent *gt, bx_access a, uint64_t t)
{
    struct bx_llc_place at = bx_llc_place(&m->llc, bx_access_line(a));

    if (bx_access_kind(a) == BX_STORE)
        return gt_store(m, gt, at, a, t);
    return gt_load(m, at, bx_access_line(a), t);
}

/* A store of IO to a line that the LLC has, in `way`: the line leaves. What a partial write does
 * not replace must be in memory first. */
static void io_store_hit(struct bx_model *m, struct bx_llc_place at, unsigned way, bx_access a,
                         uint64_t t)
{
    uint64_t line = bx_access_line(a);
    uint8_t meta = at.set->meta[way];
    bool dirty = bx_llc_state(meta) == BX_LINE_M;

    dirty |= snoop_lose(m, bx_llc_cores(meta), line, at.slice, BX_EXTERNAL).dirty;
    if (dirty && a & BX_ACCESS_PARTIAL)
        write_to_memory(m, line, t);
    bx_llc_drop(at.set, way);
}

uint64_t bx_uncore_io(struct bx_model *m, struct bx_client_agent *io, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);
    struct bx_llc_place at = bx_llc_place(&m->llc, line);
    unsigned found = bx_llc_find(at), way = found ? bx_first_way(found) : 0;
    unsigned state = found ? bx_llc_state(at.set->meta[way]) : BX_LINE_I;

    m->counts.coh++;
    m->counts.lookup[at.slice][BX_EXTSNP][state]++;
    if (bx_access_kind(a) == BX_STORE) {
        if (found)
            io_store_hit(m, at, way, a, t);
        if (!merges(io, a))
            return bx_imc_write(&m->imc, &m->counts, BX_IMC_IO, line, t);
        m->counts.imc[BX_IMC_IO]++;
        return t;
    }
    if (!found)
        return bx_imc_read(&m->imc, &m->counts, BX_IMC_IO, line, t);
    hit_external_load(m, &at.set->meta[way], line, at.slice);
    return t + LLC_HIT;
}
