/* Implements rig.h. */
#include "../cmocked.h"

#include "rig.h"

#include <string.h>

struct rig rig_of(const char *model, bx_model_shape shape)
{
    bx_error e = {0};
    struct rig r = {
        .m = bx_model_new(model, &shape, &e), .packages = shape.packages, .cores = shape.cores};

    assert_non_null(r.m);
    r.s = bx_model_signals(r.m);
    return r;
}

static void free_workload(struct rig *r)
{
    bx_workload_free(r->workload);
    bx_frames_free(r->frames);
    r->workload = NULL;
    r->frames = NULL;
}

void rig_free(struct rig *r)
{
    bx_model_free(r->m);
    free_workload(r);
}

uint64_t rig_now(const struct rig *r)
{
    return r->s->now(r->s);
}

uint64_t rig_tally(const struct rig *r, const bx_selection *sel)
{
    uint64_t sum = 0;
    assert_true(r->s->tally(r->s, sel, &sum));
    return sum;
}

/* ---- accesses ---- */

static enum bx_feed_state no_more(bx_feed *feed)
{
    (void)feed;
    return BX_FEED_END;
}

void rig_feed(struct rig *r, unsigned agent, const bx_access *access, size_t n)
{
    r->of[agent].feed = (bx_feed){
        .next = access, .end = n ? access + n : access, .refill = no_more, .each_retires = true};
    bx_model_feed(r->m, agent, &r->of[agent].feed);
}

uint64_t rig_run(struct rig *r)
{
    uint64_t start = rig_now(r);
    assert_true(bx_model_run(r->m, BX_NEVER));
    return rig_now(r) - start;
}

uint64_t rig_play(struct rig *r, unsigned agent, const bx_access *access, size_t n)
{
    rig_feed(r, agent, access, n);
    uint64_t cycles = rig_run(r);
    bx_model_feed(r->m, agent, NULL);
    return cycles;
}

uint64_t rig_do(struct rig *r, unsigned agent, unsigned kind, uint64_t line, unsigned flags)
{
    r->of[agent].one = bx_access_make(line, kind, flags, 0);
    return rig_play(r, agent, &r->of[agent].one, 1);
}

/* ---- workloads ---- */

void rig_begin(struct rig *r, const char *spec)
{
    bx_error e = {0};
    unsigned cores = r->packages * r->cores;

    r->frames = bx_frames_new(1);
    assert_non_null(r->frames);
    bx_frames_set_line(r->frames, bx_model_line_shift(r->m));
    assert_int_equal(bx_workload_new(spec, strlen(spec), cores, r->frames, &r->workload, &e),
                     BX_OK);
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(r->m, agent, bx_workload_feed(r->workload, agent));
}

void rig_work(struct rig *r, const char *spec)
{
    rig_begin(r, spec);
    rig_run(r);
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(r->m, agent, NULL);
    free_workload(r);
}
