/* Requests of a core to the uncore, and its prefetches. */
#include "model/machine/ivbep/machine.h"

enum { PAGE_LINES = 64 };

static const uint8_t prefetch_opcode[] = {
    [BX_LOAD] = BX_IVBEP_PF_DATA, [BX_STORE] = BX_IVBEP_PF_RFO, [BX_FETCH] = BX_IVBEP_PF_CODE};

/* Requests the line of a prefetch. */
static uint64_t prefetch_line(struct bx_ivbep *m, unsigned package, unsigned number,
                              enum bx_ivbep_opcode opcode, uint64_t line, uint64_t t,
                              enum bx_line_state *granted)
{
    struct bx_ivbep_grant grant;
    uint64_t done = bx_ivbep_request(m, package, number, opcode, line, t, &grant);

    bx_server_count_prefetch(&m->core[package][number].privates, grant.from);
    *granted = grant.state;
    return done;
}

/* The plain rule, without prefetchers. When a core requests two consecutive lines of a page, the
 * next line is prefetched into the LLC. */
static void prefetch_next(struct bx_ivbep *m, unsigned package, unsigned number, unsigned kind,
                          uint64_t line, uint64_t t)
{
    struct bx_ivbep_core *core = &m->core[package][number];
    uint64_t last = core->last_line[kind], next = line + 1;

    enum bx_line_state none;

    core->last_line[kind] = line;
    if (line == last + 1 && next % PAGE_LINES)
        prefetch_line(m, package, number, prefetch_opcode[kind], next, t, &none);
}

static const uint8_t request_opcode[] = {
    [BX_LOAD] = BX_IVBEP_DRD, [BX_STORE] = BX_IVBEP_RFO, [BX_FETCH] = BX_IVBEP_CRD};

static void write_back(struct bx_ivbep *m, unsigned package, unsigned number,
                       const struct bx_server_l2_victim *victim, uint64_t t)
{
    if (victim->dirty)
        bx_ivbep_write_back(m, package, number, victim->in_l1d ? BX_IVBEP_WBMTOE : BX_IVBEP_WBMTOI,
                            victim->line, t);
}

/* Requests the line of a prefetcher. While most of the super queue is busy, the streamer's
 * prefetches fill only the LLC. */
static uint64_t request_prefetch(struct bx_ivbep *m, unsigned package, unsigned number, bx_access a,
                                 uint64_t t)
{
    struct bx_server_caches *privates = &m->core[package][number].privates;
    unsigned kind = bx_server_access_kind(bx_access_prefetched(a));
    uint64_t line = bx_access_line(a);
    enum bx_line_state granted;

    if (bx_access_prefetcher(a) == BX_PREFETCHER_STREAMER &&
        bx_super_queue_is_busy(&privates->super_queue, t))
        return prefetch_line(m, package, number, prefetch_opcode[kind], line, t, &granted);
    uint64_t done = prefetch_line(m, package, number, request_opcode[kind], line, t, &granted);
    struct bx_server_l2_victim victim = bx_server_caches_prefetch(privates, a, granted, t, done);
    write_back(m, package, number, &victim, t);
    return done;
}

uint64_t bx_ivbep_core_access(struct bx_ivbep *m, unsigned package, unsigned number, bx_access a,
                              uint64_t t)
{
    struct bx_server_caches *privates = &m->core[package][number].privates;
    struct bx_ivbep_grant grant;
    unsigned kind = bx_server_access_kind(a);
    uint64_t line = bx_access_line(a);

    if (a & BX_ACCESS_PREFETCH)
        return request_prefetch(m, package, number, a, t);
    if (kind == BX_NON_TEMPORAL)
        return bx_ivbep_non_temporal_store(m, package, number, a, t);
    uint64_t done = bx_ivbep_request(m, package, number, request_opcode[kind], line, t, &grant);
    bx_server_count_request(privates, a, grant.from);
    struct bx_server_l2_victim victim = bx_server_caches_fill(privates, a, grant.state);
    write_back(m, package, number, &victim, t);
    if (!m->prefetchers)
        prefetch_next(m, package, number, kind, line, t);
    return done;
}
