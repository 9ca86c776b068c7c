#include "model/ops.h"

#include "base/error.h"
#include "base/nearest.h"

#include <string.h>

#define MODELS(MODEL)                                                                              \
    MODEL("client", bx_client_new)                                                                 \
    MODEL("ivbep", bx_ivbep_new)                                                                   \
    MODEL("nhmex", bx_nhmex_new)                                                                   \
    MODEL("p6", bx_p6_new)

static struct bx_model_head *head_of(bx_model *m)
{
    return (struct bx_model_head *)(void *)m;
}

static const struct bx_model_head *const_head_of(const bx_model *m)
{
    return (const struct bx_model_head *)(const void *)m;
}

bx_model *bx_model_new(const char *name, const bx_model_shape *shape, bx_error *e)
{
#define MAKE(its_name, make)                                                                       \
    if (name && strcmp(name, its_name) == 0)                                                       \
        return make(shape, e);
    MODELS(MAKE)
#undef MAKE
    bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no machine model '%s'", name ? name : "");
    bx_nearest nearest = bx_nearest_to(bx_str_of(name ? name : ""));
#define OFFER(its_name, make) bx_nearest_offer(&nearest, its_name);
    MODELS(OFFER)
#undef OFFER
    bx_nearest_hint(e, &nearest);
    return NULL;
}

void bx_model_free(bx_model *m)
{
    if (m)
        head_of(m)->ops.free(m);
}

bx_signals *bx_model_signals(bx_model *m)
{
    return &head_of(m)->signals;
}

void bx_model_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    head_of(m)->ops.feed(m, agent, feed);
}

bool bx_model_run(bx_model *m, uint64_t until)
{
    return head_of(m)->ops.run(m, until);
}

void bx_model_idle(bx_model *m, uint64_t cycles)
{
    head_of(m)->ops.idle(m, cycles);
}

uint64_t bx_model_accesses(const bx_model *m)
{
    return const_head_of(m)->accesses;
}

bool bx_model_produces(const bx_model *m, const bx_selection *sel)
{
    bx_selection anywhere = *sel;
    struct bx_signal signal;

    anywhere.package = 0;
    anywhere.unit = 0;
    return const_head_of(m)->ops.signal_of(m, &anywhere, &signal);
}
