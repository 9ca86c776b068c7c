/* What each machine model does behind model.h: a bx_model begins with a pointer to these, and each
 * model completes struct bx_model in its own way. */
#ifndef BX_MODEL_OPS_H
#define BX_MODEL_OPS_H

#include "model/model.h"

/* The functions of model.h without their prefix. */
struct bx_model_ops {
    void (*free)(bx_model *m); /* m is not NULL */
    bx_signals *(*signals)(bx_model *m);
    void (*feed)(bx_model *m, unsigned agent, bx_feed *feed);
    bool (*run)(bx_model *m, uint64_t until);
    void (*idle)(bx_model *m, uint64_t cycles);
    uint64_t (*accesses)(const bx_model *m);
    bool (*produces)(const bx_model *m, const bx_selection *sel);
};

/* The models. NULL and *e on an impossible shape, or without memory. */
bx_model *bx_client_new(const bx_model_shape *shape, bx_error *e);
bx_model *bx_ivbep_new(const bx_model_shape *shape, bx_error *e);
bx_model *bx_p6_new(const bx_model_shape *shape, bx_error *e);

#endif
