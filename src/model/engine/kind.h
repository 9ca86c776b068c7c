/* The common part of all machine models: the first member of their state, and the functions behind
 * model.h. signal_seam.c implements the signal seam for all of them. */
#ifndef BX_MODEL_ENGINE_KIND_H
#define BX_MODEL_ENGINE_KIND_H

#include "model/engine/access.h"
#include "model/engine/shape.h"
#include "model/engine/watch.h"

#include <boxscore/boxscore.h>

typedef struct bx_model bx_model;
struct bx_turns;
struct bx_tlb_geometry;

/* One kind of machine model. All but name, new, llc, signal_of, interrupt and set_prefetchers are
 * the functions of model.h without their prefix. */
struct bx_model_kind {
    const char *name;                  /* as in the catalogue: "client" */
    bool remarks;                      /* feeds of programs must have remarks */
    const struct bx_tlb_geometry *tlb; /* of its cores; NULL: none */
    /* NULL and *e if the shape is impossible or memory runs out. */
    bx_model *(*new)(const bx_model_shape *shape, bx_error *e);
    bx_model_llc (*llc)(const bx_model_shape *shape);
    void (*free)(bx_model *m); /* m is not NULL */
    void (*feed)(bx_model *m, unsigned agent, bx_feed *feed);
    bool (*run)(bx_model *m, uint64_t until);
    void (*idle)(bx_model *m, uint64_t cycles);
    void (*wake)(bx_model *m, unsigned agent);
    /* NULL: the model has only one core. */
    void (*wait_for)(bx_model *m, unsigned agent, unsigned other, const bx_access *position);
    uint64_t (*clock)(const bx_model *m, unsigned agent);
    /* Resolves a selection; false: the model does not produce it. */
    bool (*signal_of)(const bx_model *m, const bx_selection *sel, struct bx_signal *signal);
    /* bx_signals.interrupt; NULL: the model takes no notice of interrupts. */
    void (*interrupt)(bx_model *m, unsigned package, unsigned cores);
    /* bx_signals.set_prefetchers; NULL: its cores have none. */
    void (*set_prefetchers)(bx_model *m, unsigned core, unsigned off);
};

/* The first member of each model's own state. */
struct bx_model {
    const struct bx_model_kind *kind;
    bx_signals signals;
    struct bx_time time;
    struct bx_turns *turns;            /* of a model that uses engine/turns.c */
    const struct bx_tlb_geometry *tlb; /* of its cores; NULL: none */
    uint64_t accesses;                 /* executed since power-on */
    /* Memory ran out: times and counts are wrong from then on. */
    bool out_of_memory;
};

/* Sets up the common state of a model; source: how its counts are read. */
void bx_model_power_on(bx_model *m, const struct bx_model_kind *kind,
                       struct bx_signal_source *source);

#endif
