/* What each machine model does behind model.h. Each completes struct bx_model in its own way; all
 * begin with the same head, on which seam.c implements the signal seam for every model. */
#ifndef BX_MODEL_OPS_H
#define BX_MODEL_OPS_H

#include "model/model.h"
#include "model/watch.h"

/* But for signal_of, the functions of model.h without their prefix. */
struct bx_model_ops {
    void (*free)(bx_model *m); /* m is not NULL */
    void (*feed)(bx_model *m, unsigned agent, bx_feed *feed);
    bool (*run)(bx_model *m, uint64_t until);
    void (*idle)(bx_model *m, uint64_t cycles);
    /* What a selection means; false: the model does not produce it. */
    bool (*signal_of)(const bx_model *m, const bx_selection *sel, struct bx_signal *signal);
};

/* The first member of every struct bx_model. */
struct bx_model_head {
    struct bx_model_ops ops; /* not a pointer: tables of functions are relocated at load time */
    bx_signals signals;
    struct bx_time time;
    uint64_t accesses; /* executed since power-on */
};

void bx_model_head_power_on(struct bx_model_head *head, const struct bx_model_ops *ops,
                            struct bx_source *source);

/* The models. NULL and *e on an impossible shape, or without memory. */
bx_model *bx_client_new(const bx_model_shape *shape, bx_error *e);
bx_model *bx_ivbep_new(const bx_model_shape *shape, bx_error *e);
bx_model *bx_nhmex_new(const bx_model_shape *shape, bx_error *e);
bx_model *bx_p6_new(const bx_model_shape *shape, bx_error *e);

bx_model_llc bx_client_llc(const bx_model_shape *shape);
bx_model_llc bx_ivbep_llc(const bx_model_shape *shape);
bx_model_llc bx_nhmex_llc(const bx_model_shape *shape);
bx_model_llc bx_p6_llc(const bx_model_shape *shape);

#endif
