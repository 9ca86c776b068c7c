/* A server machine's model on the bench: accesses one at a time, and workloads. */
#ifndef BX_TESTS_MODEL_SERVER_RIG_H
#define BX_TESTS_MODEL_SERVER_RIG_H

#include "model/engine/frames.h"
#include "model/model.h"
#include "model/engine/workload.h"

#include <string.h>

struct rig {
    bx_model *m;
    bx_signals *s;
    unsigned packages, cores;
};

struct rig_feed {
    bx_feed feed; /* first */
    bx_access one;
};

static inline bool rig_no_more(bx_feed *feed)
{
    (void)feed;
    return false;
}

/* model: its name; llc_bytes: of a package; 0: the default. */
static inline struct rig rig_of(const char *model, unsigned packages, unsigned cores,
                                uint64_t llc_bytes)
{
    bx_model_shape shape = {.packages = packages, .cores = cores, .llc_bytes = llc_bytes};
    bx_error e = {0};
    struct rig r = {.m = bx_model_new(model, &shape, &e), .packages = packages, .cores = cores};

    assert_non_null(r.m);
    r.s = bx_model_signals(r.m);
    return r;
}

static inline void rig_free(struct rig *r)
{
    bx_model_free(r->m);
}

/* One access alone, until all that it began has ended. Returns the cycles that this took. */
static inline uint64_t rig_do(struct rig *r, unsigned agent, unsigned kind, unsigned flags,
                              uint64_t line)
{
    struct rig_feed f = {.one = bx_access_make(line, kind, flags, 0)};
    uint64_t start = r->s->now(r->s);

    f.feed = (bx_feed){&f.one, &f.one + 1, rig_no_more};
    bx_model_feed(r->m, agent, &f.feed);
    assert_true(bx_model_run(r->m, BX_NEVER));
    bx_model_feed(r->m, agent, NULL);
    return r->s->now(r->s) - start;
}

static inline void rig_work(struct rig *r, const char *spec)
{
    struct bx_frames *frames = bx_frames_new(1);
    struct bx_workload *w = NULL;
    bx_error e = {0};

    assert_int_equal(bx_workload_new(spec, strlen(spec), r->packages * r->cores, frames, &w, &e),
                     BX_OK);
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(r->m, agent, bx_workload_feed(w, agent));
    assert_true(bx_model_run(r->m, BX_NEVER));
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(r->m, agent, NULL);
    bx_workload_free(w);
    bx_frames_free(frames);
}

#endif
