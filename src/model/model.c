#include "model/ops.h"

#include "base/error.h"
#include "base/nearest.h"

#include <string.h>

#define MODELS(MODEL)                                                                              \
    MODEL("client", bx_client_new, bx_client_llc)                                                  \
    MODEL("ivbep", bx_ivbep_new, bx_ivbep_llc)                                                     \
    MODEL("nhmex", bx_nhmex_new, bx_nhmex_llc)                                                     \
    MODEL("p6", bx_p6_new, bx_p6_llc)

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
#define MAKE(its_name, make, llc)                                                                  \
    if (name && strcmp(name, its_name) == 0)                                                       \
        return make(shape, e);
    MODELS(MAKE)
#undef MAKE
    bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no machine model '%s'", name ? name : "");
    bx_nearest nearest = bx_nearest_to(bx_str_of(name ? name : ""));
#define OFFER(its_name, make, llc) bx_nearest_offer(&nearest, its_name);
    MODELS(OFFER)
#undef OFFER
    bx_nearest_hint(e, &nearest);
    return NULL;
}

bx_model_llc bx_model_llc_of(const char *name, const bx_model_shape *shape)
{
#define TELL(its_name, make, llc)                                                                  \
    if (strcmp(name, its_name) == 0)                                                               \
        return llc(shape);
    MODELS(TELL)
#undef TELL
    return (bx_model_llc){0};
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
