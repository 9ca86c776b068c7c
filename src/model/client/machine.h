/* The state of the client machine, for the files of this folder: machine.c (turns and power-on),
 * core.c and device.c (what the agents do). */
#ifndef BX_MODEL_CLIENT_MACHINE_H
#define BX_MODEL_CLIENT_MACHINE_H

#include "model/client/arb.h"
#include "model/client/imc.h"
#include "model/client/llc.h"
#include "model/engine/kind.h"
#include "model/client/private_caches.h"
#include "model/client/signals.h"

enum { BX_CLIENT_FILL_BUFFERS = 10, BX_CLIENT_AGENTS = BX_CLIENT_CORES + 2 };

#define BX_NO_LINE UINT64_MAX

static inline unsigned bx_client_access_kind(bx_access a)
{
    return (unsigned)a & 3;
}

/* Why a core's access is not private. */
enum bx_client_step {
    BX_CLIENT_STEP_MISS = -1, /* absent, or a store to a line in S */
    /* An L2 hit whose L1D victim is dirty and not in L2: it may write back. */
    BX_CLIENT_STEP_SPILL = -2,
};

enum bx_client_phase {
    BX_CLIENT_IDLE,    /* no feed, or it has ended */
    BX_CLIENT_READY,   /* to run ahead */
    BX_CLIENT_WAITING, /* its next access waits for its turn at the uncore */
};

struct bx_client_agent {
    bx_feed *feed;
    struct bx_client_core *core; /* NULL: GT or IO */
    unsigned number;             /* index in bx_client.agent */
    enum bx_client_phase phase;
    enum bx_client_step need; /* of a waiting core: what it found */
    uint64_t clock;           /* in cycles; may be ahead of the machine's time */
    uint64_t turn;            /* when waiting: the time of the access */
    uint64_t completed;       /* the latest completion of its accesses */
    uint64_t buffer_free[BX_CLIENT_FILL_BUFFERS];
    unsigned next_buffer;
    uint64_t partial_line; /* GT, IO: the line of the last memory write if that was partial */
};

struct bx_client {
    struct bx_model model;
    unsigned cores;
    struct bx_client_agent agent[BX_CLIENT_AGENTS]; /* cores, GT, IO: in the order of their turns */
    struct bx_client_core *core[BX_CLIENT_CORES];
    struct bx_client_llc llc;
    struct bx_arb arb;
    struct bx_imc imc;
    struct bx_client_counts counts;
    struct bx_client_source source;
};

/* The machine that a model is the first member of. */
static inline struct bx_client *bx_client_of(bx_model *model)
{
    return (struct bx_client *)(void *)model;
}

static inline const struct bx_client *bx_client_of_const(const bx_model *model)
{
    return (const struct bx_client *)(const void *)model;
}

/* false: the feed has ended; the agent is idle from now on. */
static inline bool bx_client_agent_has_next(struct bx_client_agent *agent)
{
    if (agent->feed->next != agent->feed->end || agent->feed->refill(agent->feed))
        return true;
    agent->phase = BX_CLIENT_IDLE;
    return false;
}

/* Runs a core through private accesses, and through its turns before `limit`. If it waits, its turn
 * must be one of these. When its clock has reached `until` it may stop before its next turn, still
 * ready. */
void bx_client_core_run(struct bx_client *m, struct bx_client_agent *agent, uint64_t limit,
                        uint64_t until);

/* Accesses of the other agents at t. They return the completion. */
uint64_t bx_client_gt_access(struct bx_client *m, struct bx_client_agent *gt, bx_access a,
                             uint64_t t);
uint64_t bx_client_io_access(struct bx_client *m, struct bx_client_agent *io, bx_access a,
                             uint64_t t);

#endif
