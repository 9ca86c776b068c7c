/* A machine model on the bench: accesses one at a time, or feeds from arrays. */
#ifndef BX_TESTS_MODEL_RIG_H
#define BX_TESTS_MODEL_RIG_H

#include "model/client/boxes.h"
#include "model/client/counts.h"
#include "model/model.h"

struct rig_feed {
    bx_feed feed; /* first */
    bx_access one;
};

struct rig {
    bx_model *m;
    bx_signals *s;
    struct rig_feed of[BX_AGENTS];
};

static inline bool rig_no_more(bx_feed *feed)
{
    (void)feed;
    return false;
}

static inline struct rig rig_new(unsigned cores, unsigned slices, uint64_t llc_bytes)
{
    bx_model_shape shape = {
        .packages = 1, .cores = cores, .slices = slices, .llc_bytes = llc_bytes};
    bx_error e = {0};
    struct rig r = {.m = bx_model_new("client", &shape, &e)};

    assert_non_null(r.m);
    r.s = bx_model_signals(r.m);
    return r;
}

static inline void rig_free(struct rig *r)
{
    bx_model_free(r->m);
}

static inline const struct bx_client_counts *rig_counts(const struct rig *r)
{
    return bx_client_counts_of(r->m);
}

static inline uint64_t rig_now(const struct rig *r)
{
    return r->s->now(r->s);
}

/* The feed is in the rig, which must not move while it is used. */
static inline void rig_feed(struct rig *r, unsigned agent, const bx_access *access, size_t n)
{
    r->of[agent].feed = (bx_feed){access, access + n, rig_no_more};
    bx_model_feed(r->m, agent, &r->of[agent].feed);
}

/* One access alone, to its completion. Returns the cycles that it took. */
static inline uint64_t rig_do(struct rig *r, unsigned agent, unsigned kind, uint64_t line,
                              unsigned flags)
{
    uint64_t before = rig_now(r);

    r->of[agent].one = bx_access_make(line, kind, flags | BX_ACCESS_DEPENDENT, 0);
    rig_feed(r, agent, &r->of[agent].one, 1);
    assert_true(bx_model_run(r->m, BX_NEVER));
    bx_model_feed(r->m, agent, NULL);
    return rig_now(r) - before;
}

static inline uint64_t rig_load(struct rig *r, unsigned core, uint64_t line)
{
    return rig_do(r, core, BX_LOAD, line, 0);
}

static inline uint64_t rig_store(struct rig *r, unsigned core, uint64_t line)
{
    return rig_do(r, core, BX_STORE, line, 0);
}

/* Sums over the slices. */
static inline uint64_t rig_lookups(const struct rig *r, enum bx_client_lookup request,
                                   enum bx_line_state state)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < BX_CLIENT_SLICES; s++)
        sum += rig_counts(r)->lookup[s][request][state];
    return sum;
}

static inline uint64_t rig_snoops(const struct rig *r, enum bx_snoop_source from,
                                  enum bx_snoop_response response)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < BX_CLIENT_SLICES; s++)
        sum += rig_counts(r)->xsnp[s][from][response];
    return sum;
}

#endif
