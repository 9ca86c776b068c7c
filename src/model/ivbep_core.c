/* What a core does: private accesses, and what it asks of the uncore. */
#include "model/ivbep.h"

enum { L2_CYCLES = 2, L2_CYCLES_DEPENDENT = 8, LINE_BITS = 37, PAGE_LINES = 64 };

static uint64_t line_of(bx_access a)
{
    return a >> 16 & ((UINT64_C(1) << LINE_BITS) - 1);
}

static unsigned kind_of(bx_access a)
{
    unsigned kind = (unsigned)a & 3;
    return kind < BX_FETCH ? kind : BX_FETCH;
}

/* ---- asked by others ---- */

static bool drop(struct bx_ivbep_way *way, bool lose)
{
    bool dirty = way && way->state == BX_MESIF_M;

    if (way)
        way->state = lose ? BX_MESIF_I : BX_MESIF_S;
    return dirty;
}

bool bx_ivbep_core_has(const struct bx_ivbep_core *core, uint64_t line)
{
    return bx_ivbep_cache_find(&core->l1d, line) || bx_ivbep_cache_find(&core->l1i, line) ||
           bx_ivbep_cache_find(&core->l2, line);
}

enum bx_ivbep_answer bx_ivbep_core_snoop(struct bx_ivbep_core *core, uint64_t line, bool lose)
{
    if (!bx_ivbep_core_has(core, line))
        return BX_IVBEP_MISS;
    bool dirty = drop(bx_ivbep_cache_find(&core->l1d, line), lose);
    dirty |= drop(bx_ivbep_cache_find(&core->l2, line), lose);
    drop(bx_ivbep_cache_find(&core->l1i, line), lose);
    return dirty ? BX_IVBEP_DIRTY : BX_IVBEP_CLEAN;
}

/* ---- private accesses ---- */

/* A modified line in L1D is in L2 as well, so that its victim finds it there. */
static void l1d_fill(struct bx_ivbep_core *core, uint64_t line, enum bx_mesif state)
{
    struct bx_ivbep_way *room = bx_ivbep_cache_room(&core->l1d, line);

    if (room->state == BX_MESIF_M)
        bx_ivbep_cache_find(&core->l2, room->line)->state = BX_MESIF_M;
    bx_ivbep_cache_put(&core->l1d, room, line, state, 0);
}

static int l2_cycles(bx_access a)
{
    return a & BX_ACCESS_DEPENDENT ? L2_CYCLES_DEPENDENT : L2_CYCLES;
}

static int fetch(struct bx_ivbep_core *core, bx_access a)
{
    uint64_t line = line_of(a);
    struct bx_ivbep_way *way = bx_ivbep_cache_find(&core->l1i, line);

    if (way) {
        bx_ivbep_cache_touch(&core->l1i, way);
        return 0;
    }
    way = bx_ivbep_cache_find(&core->l2, line);
    if (!way)
        return -1;
    bx_ivbep_cache_touch(&core->l2, way);
    bx_ivbep_cache_put(&core->l1i, bx_ivbep_cache_room(&core->l1i, line), line, BX_MESIF_S, 0);
    return l2_cycles(a);
}

int bx_ivbep_core_private(struct bx_ivbep_core *core, bx_access a)
{
    uint64_t line = line_of(a);
    bool store = kind_of(a) == BX_STORE;

    if (kind_of(a) == BX_FETCH)
        return fetch(core, a);
    struct bx_ivbep_way *l1 = bx_ivbep_cache_find(&core->l1d, line);
    if (l1 && (!store || l1->state == BX_MESIF_M)) {
        bx_ivbep_cache_touch(&core->l1d, l1);
        return 0;
    }
    struct bx_ivbep_way *l2 = bx_ivbep_cache_find(&core->l2, line);
    if (!l2 || (store && l2->state == BX_MESIF_S) || (l1 && l1->state == BX_MESIF_S))
        return -1;
    if (l1) { /* a store to a line in E */
        bx_ivbep_cache_touch(&core->l1d, l1);
        l1->state = BX_MESIF_M;
        return 0;
    }
    bx_ivbep_cache_touch(&core->l2, l2);
    enum bx_mesif clean = l2->state == BX_MESIF_S ? BX_MESIF_S : BX_MESIF_E;
    l1d_fill(core, line, store ? BX_MESIF_M : clean);
    return l2_cycles(a);
}

/* ---- fills ---- */

/* The victim of L2 is written back if it is modified. L1D keeps it, clean, if it has it. */
static void l2_fill(struct bx_model *m, const struct bx_ivbep_agent *agent, uint64_t line,
                    enum bx_mesif state, uint64_t t)
{
    struct bx_ivbep_core *core = agent->core;
    struct bx_ivbep_way *room = bx_ivbep_cache_room(&core->l2, line);
    struct bx_ivbep_way *l1 =
        room->state != BX_MESIF_I ? bx_ivbep_cache_find(&core->l1d, room->line) : NULL;
    bool dirty = room->state == BX_MESIF_M || (l1 && l1->state == BX_MESIF_M);
    uint64_t victim = room->line;

    if (l1 && l1->state == BX_MESIF_M)
        l1->state = BX_MESIF_E;
    bx_ivbep_cache_put(&core->l2, room, line, state, 0);
    if (dirty)
        bx_ivbep_write_back(m, agent->package, agent->number,
                            l1 ? BX_IVBEP_WBMTOE : BX_IVBEP_WBMTOI, victim, t);
}

static void fill(struct bx_model *m, const struct bx_ivbep_agent *agent, bx_access a,
                 enum bx_mesif granted, uint64_t t)
{
    struct bx_ivbep_core *core = agent->core;
    uint64_t line = line_of(a);
    struct bx_ivbep_way *l2 = bx_ivbep_cache_find(&core->l2, line);
    struct bx_ivbep_way *l1 = bx_ivbep_cache_find(&core->l1d, line);

    if (l2)
        bx_ivbep_cache_put(&core->l2, l2, line, granted == BX_MESIF_M ? BX_MESIF_E : granted, 0);
    else
        l2_fill(m, agent, line, granted == BX_MESIF_M ? BX_MESIF_E : granted, t);
    if (kind_of(a) == BX_FETCH)
        bx_ivbep_cache_put(&core->l1i, bx_ivbep_cache_room(&core->l1i, line), line, BX_MESIF_S, 0);
    else if (l1)
        bx_ivbep_cache_put(&core->l1d, l1, line, granted, 0);
    else
        l1d_fill(core, line, granted);
}

/* ---- the uncore ---- */

/* A core that asks for one line after another of a page has the next one fetched into the LLC. */
static void prefetch(struct bx_model *m, const struct bx_ivbep_agent *agent, unsigned kind,
                     uint64_t line, uint64_t t)
{
    static const uint8_t opcode[] = {
        [BX_LOAD] = BX_IVBEP_PF_DATA, [BX_STORE] = BX_IVBEP_PF_RFO, [BX_FETCH] = BX_IVBEP_PF_CODE};
    uint64_t last = agent->core->last_line[kind], next = line + 1;

    agent->core->last_line[kind] = line;
    if (line == last + 1 && next % PAGE_LINES)
        bx_ivbep_request(m, agent->package, agent->number, opcode[kind], next, t, NULL);
}

uint64_t bx_ivbep_core_access(struct bx_model *m, struct bx_ivbep_agent *agent, bx_access a,
                              uint64_t t)
{
    static const uint8_t opcode[] = {
        [BX_LOAD] = BX_IVBEP_DRD, [BX_STORE] = BX_IVBEP_RFO, [BX_FETCH] = BX_IVBEP_CRD};
    enum bx_mesif granted;
    unsigned kind = kind_of(a);
    uint64_t line = line_of(a);
    uint64_t done =
        bx_ivbep_request(m, agent->package, agent->number, opcode[kind], line, t, &granted);

    fill(m, agent, a, granted, t);
    prefetch(m, agent, kind, line, t);
    return done;
}
