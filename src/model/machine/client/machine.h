/* The state of the client machine, shared by the files of this folder. machine.c has turns and
 * power-on; core.c and device.c execute the agents' accesses. */
#ifndef BX_MODEL_MACHINE_CLIENT_MACHINE_H
#define BX_MODEL_MACHINE_CLIENT_MACHINE_H

#include "model/machine/client/imc.h"
#include "model/machine/client/llc.h"
#include "model/machine/client/private_caches.h"
#include "model/engine/turns.h"
#include "model/part/gauge.h"

enum bx_client_device { BX_CLIENT_GT, BX_CLIENT_IO, BX_CLIENT_DEVICES };
enum { BX_CLIENT_AGENTS = BX_CLIENT_CORES + BX_CLIENT_DEVICES };

#define BX_NO_LINE UINT64_MAX

static inline unsigned bx_client_access_kind(bx_access a)
{
    return (unsigned)a & 3;
}

/* Why a core's access is not private. */
enum bx_client_step {
    BX_CLIENT_STEP_MISS = -1, /* the line is absent, or a store finds it in S */
    /* an L2 hit whose L1D victim is dirty and not in L2, so the access may write back */
    BX_CLIENT_STEP_SPILL = -2,
    BX_CLIENT_STEP_IN_FLIGHT = -3, /* an L2 hit of a line that a prefetch has requested */
    BX_CLIENT_STEP_PREFETCH = -4,  /* a prefetch that requests its line */
    BX_CLIENT_STEP_LOCK = -5,      /* a locked operation begins; it needs no turn */
};

struct bx_client {
    struct bx_model model;
    unsigned cores;
    bool prefetch; /* accesses come with prefetches */
    struct bx_turns turns;
    struct bx_turns_agent agent[BX_CLIENT_AGENTS]; /* cores, then GT, IO */
    struct bx_client_core *core[BX_CLIENT_CORES];
    enum bx_client_step need[BX_CLIENT_CORES]; /* of a waiting core: why it waits */
    uint64_t partial_line[BX_CLIENT_DEVICES];  /* of the last memory write, if it was partial */
    struct bx_core_caches caches;
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

static inline const struct bx_client *bx_client_of_const(const bx_model *model)
{
    return (const struct bx_client *)(const void *)model;
}

/* The functions of struct bx_turns for a core. */
void bx_client_core_run_ahead(bx_model *model, struct bx_turns *turns, unsigned core,
                              uint64_t until);
void bx_client_core_serve(bx_model *model, struct bx_turns *turns, unsigned core);

/* Executes an access of GT or IO at t. Returns its completion. */
uint64_t bx_client_device_access(struct bx_client *m, enum bx_client_device device, bx_access a,
                                 uint64_t t);

/* What each box's events count: signals.c. */
extern const struct bx_box_signals *const bx_client_signals[];

#endif
