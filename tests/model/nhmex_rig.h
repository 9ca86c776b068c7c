/* The Xeon 7500 model on the bench: accesses one at a time, workloads, and its signals. */
#ifndef BX_TESTS_MODEL_NHMEX_RIG_H
#define BX_TESTS_MODEL_NHMEX_RIG_H

#include "model/frames.h"
#include "model/model.h"
#include "model/workload.h"

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

/* llc_bytes: of a package; 0: the preset of 3 MiB a slice. */
static inline struct rig rig_new(unsigned packages, unsigned cores, uint64_t llc_bytes)
{
    bx_model_shape shape = {.packages = packages, .cores = cores, .llc_bytes = llc_bytes};
    bx_error e = {0};
    struct rig r = {.m = bx_model_new("nhmex", &shape, &e), .packages = packages, .cores = cores};

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

static inline uint64_t rig_read(struct rig *r, const bx_selection *sel)
{
    uint64_t sum = 0;
    assert_true(r->s->tally(r->s, sel, &sum));
    return sum;
}

/* A signal of one unit; of an R-Box: unit is the port of the package. */
static inline uint64_t rig_unit(struct rig *r, unsigned box, unsigned package, unsigned unit,
                                unsigned code, uint32_t umask)
{
    bx_selection sel = {.box = (uint16_t)box,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)unit,
                        .code = (uint16_t)code,
                        .umask = umask};

    if (box == BX_NHMEX_R) {
        sel.unit = (uint16_t)(unit / 4);
        sel.port = (uint16_t)(unit % 4);
    }
    return rig_read(r, &sel);
}

/* Of a B-Box's counter. */
static inline uint64_t rig_b(struct rig *r, unsigned package, unsigned unit, unsigned counter,
                             unsigned code)
{
    bx_selection sel = {.box = BX_NHMEX_B,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)unit,
                        .counter = (uint16_t)counter,
                        .code = (uint16_t)code};
    return rig_read(r, &sel);
}

static inline unsigned rig_units(const struct rig *r, unsigned box)
{
    return box == BX_NHMEX_C ? r->cores : box == BX_NHMEX_R ? 8 : 2;
}

static inline uint64_t rig_package(struct rig *r, unsigned box, unsigned package, unsigned code,
                                   uint32_t umask)
{
    uint64_t sum = 0;
    for (unsigned unit = 0; unit < rig_units(r, box); unit++)
        sum += rig_unit(r, box, package, unit, code, umask);
    return sum;
}

static inline uint64_t rig_all(struct rig *r, unsigned box, unsigned code, uint32_t umask)
{
    uint64_t sum = 0;
    for (unsigned package = 0; package < r->packages; package++)
        sum += rig_package(r, box, package, code, umask);
    return sum;
}

static inline uint64_t rig_all_b(struct rig *r, unsigned counter, unsigned code)
{
    uint64_t sum = 0;
    for (unsigned package = 0; package < r->packages; package++)
        for (unsigned unit = 0; unit < 2; unit++)
            sum += rig_b(r, package, unit, counter, code);
    return sum;
}

#endif
