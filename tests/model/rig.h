/* A machine model for tests: it executes single accesses, arrays of them, or built-in workloads. */
#ifndef BX_TESTS_MODEL_RIG_H
#define BX_TESTS_MODEL_RIG_H

#include "model/engine/workload.h"
#include "model/model.h"

struct rig_feed {
    bx_feed feed; /* first */
    bx_access one;
};

/* A rig must not be moved while accesses are fed. */
struct rig {
    bx_model *m;
    bx_signals *s;
    unsigned packages, cores;
    struct rig_feed of[BX_AGENTS];
    struct bx_frames *frames; /* of the workload */
    struct bx_workload *workload;
};

struct rig rig_of(const char *model, bx_model_shape shape);
void rig_free(struct rig *r);

uint64_t rig_now(const struct rig *r);
uint64_t rig_tally(const struct rig *r,
                   const bx_selection *sel); /* the model must produce the signal */

/* Gives an agent these accesses. */
void rig_feed(struct rig *r, unsigned agent, const bx_access *access, size_t n);

/* Runs until everything is done. Returns the cycles that this took. */
uint64_t rig_run(struct rig *r);

/* Executes accesses of one agent alone, or a single access, until everything that they began has
 * ended. */
uint64_t rig_play(struct rig *r, unsigned agent, const bx_access *access, size_t n);
uint64_t rig_do(struct rig *r, unsigned agent, unsigned kind, uint64_t line, unsigned flags);

/* Gives the agents a workload. rig_work() also runs it, and removes it. */
void rig_begin(struct rig *r, const char *spec);
void rig_work(struct rig *r, const char *spec);

#endif
