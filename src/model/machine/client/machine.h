/* The state of the client machine, shared by the files of this folder. core.c and device.c execute
 * the agents' accesses that need the uncore. */
#ifndef BX_MODEL_MACHINE_CLIENT_MACHINE_H
#define BX_MODEL_MACHINE_CLIENT_MACHINE_H

#include "model/machine/client/imc.h"
#include "model/machine/client/llc.h"
#include "model/engine/turns.h"
#include "model/part/gauge.h"

enum bx_client_device { BX_CLIENT_GT, BX_CLIENT_IO, BX_CLIENT_DEVICES };

#define BX_NO_LINE UINT64_MAX

struct bx_client {
    struct bx_model model;
    unsigned cores;
    struct bx_turns turns;                /* cores, then GT, IO */
    uint64_t partial_line[BX_IMC_AGENTS]; /* of the last memory write, if it was partial */
    bx_model_times times;
    struct bx_client_llc llc;
    struct bx_gauge arb[BX_ARB_KINDS]; /* entries of the ARB */
    uint64_t arb_entered;              /* since power-on */
    struct bx_imc imc;
    struct bx_client_counts counts;
};

/* The client machine whose first member is this model. */
static inline struct bx_client *bx_client_of(bx_model *model)
{
    return (struct bx_client *)(void *)model;
}

/* The functions of struct bx_uncore: core.c, device.c. */
uint64_t bx_client_request(bx_model *model, unsigned core, bx_access a, uint64_t t,
                           struct bx_grant *grant);
uint64_t bx_client_non_temporal_store(bx_model *model, unsigned core, bx_access a, uint64_t t);
uint64_t bx_client_prefetch_llc(bx_model *model, unsigned core, bx_access a, uint64_t t,
                                enum bx_core_count *from);
void bx_client_write_back(bx_model *model, unsigned core, const struct bx_private_victim *victim,
                          uint64_t t);
uint64_t bx_client_device_access(bx_model *model, unsigned agent, bx_access a, uint64_t t);

/* What each box's events count: signals.c. */
extern const struct bx_box_signals *const bx_client_signals[];

#endif
