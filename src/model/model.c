#include "model/ops.h"

#include "base/error.h"
#include "base/nearest.h"

#include <string.h>

static const struct bx_model_maker {
    char name[8];
    bx_model *(*make)(const bx_model_shape *shape, bx_error *e);
} makers[] = {
    {"client", bx_client_new},
    {"ivbep", bx_ivbep_new},
    {"p6", bx_p6_new},
};

enum { MAKERS = sizeof makers / sizeof *makers };

static const struct bx_model_ops *ops_of(const bx_model *m)
{
    return *(const struct bx_model_ops *const *)(const void *)m;
}

bx_model *bx_model_new(const char *name, const bx_model_shape *shape, bx_error *e)
{
    for (unsigned i = 0; name && i < MAKERS; i++)
        if (strcmp(name, makers[i].name) == 0)
            return makers[i].make(shape, e);
    bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no machine model '%s'", name ? name : "");
    bx_nearest nearest = bx_nearest_to(bx_str_of(name ? name : ""));
    for (unsigned i = 0; i < MAKERS; i++)
        bx_nearest_offer(&nearest, makers[i].name);
    bx_nearest_hint(e, &nearest);
    return NULL;
}

void bx_model_free(bx_model *m)
{
    if (m)
        ops_of(m)->free(m);
}

bx_signals *bx_model_signals(bx_model *m)
{
    return ops_of(m)->signals(m);
}

void bx_model_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    ops_of(m)->feed(m, agent, feed);
}

bool bx_model_run(bx_model *m, uint64_t until)
{
    return ops_of(m)->run(m, until);
}

void bx_model_idle(bx_model *m, uint64_t cycles)
{
    ops_of(m)->idle(m, cycles);
}

uint64_t bx_model_accesses(const bx_model *m)
{
    return ops_of(m)->accesses(m);
}

bool bx_model_produces(const bx_model *m, const bx_selection *sel)
{
    return ops_of(m)->produces(m, sel);
}
