/* Common parts of uncore accesses by cores, GT and IO: snoops, memory, ways for fills. Inline,
 * because every miss uses most of it. */
#ifndef BX_MODEL_MACHINE_CLIENT_UNCORE_H
#define BX_MODEL_MACHINE_CLIENT_UNCORE_H

#include "model/machine/client/machine.h"

#include "model/engine/attribution.h"
#include "model/part/directory.h"

/* What snoops the cores that may have a line. */
struct bx_client_snoop {
    struct bx_client *m;
    uint64_t line;
    unsigned slice;
    enum bx_snoop_source from;
};

static inline enum bx_snoop_response bx_client_snoop_core(void *of, unsigned core, bool invalidate)
{
    const struct bx_client_snoop *s = of;
    enum bx_snoop_response response = bx_turns_snoop(&s->m->model, core, s->line, invalidate);

    s->m->counts.xsnp[s->slice][s->from][response]++;
    return response;
}

/* directory.h. self: the core that requests the line, or BX_DIRECTORY_NOBODY. */
static inline enum bx_snoop_response bx_client_snoop(struct bx_client *m,
                                                     struct bx_client_llc_line at, unsigned self,
                                                     uint64_t line, enum bx_snoop_source from,
                                                     bool invalidate)
{
    struct bx_client_snoop of = {m, line, at.slice, from};

    return bx_directory_snoop(at.cache, at.way, self, invalidate, bx_client_snoop_core, &of);
}

/* An entry of the ARB, the queue between the uncore and memory: it lives until memory is done. */
static inline void bx_client_arb_enter(struct bx_client *m, enum bx_arb_kind kind, uint64_t t,
                                       uint64_t done)
{
    m->arb_entered++;
    m->counts.arb[kind]++;
    m->counts.occupancy[kind] += done - t;
    bx_gauge_put(&m->arb[kind], &m->model.memory, t, t, done);
}

/* Writes to memory. A partial write is merged with the agent's previous write, if that was a
 * partial one of the same line: a request without a transfer (334060-001 table 3-3). Returns the
 * time when it is done. */
static inline uint64_t bx_client_imc_write(struct bx_client *m, enum bx_imc_agent by, uint64_t line,
                                           bool partial, uint64_t t)
{
    bool merged = partial && m->partial_line[by] == line;

    m->partial_line[by] = partial ? line : BX_NO_LINE;
    if (!merged)
        return bx_imc_access(&m->imc, &m->counts, by, line, true, t);
    m->counts.imc[by]++;
    return t;
}

/* Writes a line of a core or of the LLC, or a part of it. Returns the time when that is done. */
static inline uint64_t bx_client_write_memory(struct bx_client *m, uint64_t line, bool partial,
                                              uint64_t t)
{
    uint64_t done = bx_client_imc_write(m, BX_IMC_IA, line, partial, t);
    bx_client_arb_enter(m, BX_ARB_WRITE, t, done);
    return done;
}

/* Reads a line from memory. Returns the time when it arrives. */
static inline uint64_t bx_client_read_memory(struct bx_client *m, enum bx_imc_agent by,
                                             enum bx_arb_kind kind, uint64_t line, uint64_t t)
{
    uint64_t done = bx_imc_access(&m->imc, &m->counts, by, line, false, t);
    bx_client_arb_enter(m, kind, t, done);
    return done;
}

/* The LLC writes a modified line to memory. */
static inline void bx_client_llc_write_back(struct bx_client *m, uint64_t line, uint64_t t)
{
    bx_note_eviction(&m->model, line);
    bx_client_write_memory(m, line, false, t);
    bx_note_evicted(&m->model);
}

/* Drops all copies of a line that the LLC has, for a store past the caches. Before a partial store
 * a modified line is written to memory, because the rest of the line is still needed. */
static inline void bx_client_drop(struct bx_client *m, struct bx_client_llc_line at, unsigned self,
                                  enum bx_snoop_source from, bx_access a, uint64_t t)
{
    uint64_t line = bx_access_line(a);

    bx_client_snoop(m, at, self, line, from, true);
    if (bx_cache_state(at.cache, at.way) == BX_LINE_M && a & BX_ACCESS_PARTIAL)
        bx_client_llc_write_back(m, line, t);
    bx_cache_drop(at.cache, at.way);
}

/* Sets at->way to the way for a fill: an empty way, or that of a victim, which is evicted. */
static inline void bx_client_llc_make_way(struct bx_client *m, struct bx_client_llc_line *at,
                                          uint64_t line, uint64_t t)
{
    at->way = bx_cache_choose(at->cache, line);
    enum bx_line_state state = bx_cache_state(at->cache, at->way);
    if (state == BX_LINE_I)
        return;
    uint64_t victim = bx_cache_line(at->cache, at->way, line);

    bx_client_snoop(m, *at, BX_DIRECTORY_NOBODY, victim, BX_SNOOP_EVICTION, true);
    if (bx_cache_state(at->cache, at->way) == BX_LINE_M)
        bx_client_llc_write_back(m, victim, t);
}

/* Puts a line in E into the way made for it. */
static inline void bx_client_llc_put(struct bx_client_llc_line at, uint64_t line, unsigned cores)
{
    bx_cache_put(at.cache, at.way, line, BX_LINE_E);
    *bx_cache_cores(at.cache, at.way) = (uint16_t)(cores);
}

#endif
