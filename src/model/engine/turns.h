/* The order of accesses in the server machines. Cores run ahead through their private accesses. All
 * other accesses are served in the order of their time, then of the agents' numbers. */
#ifndef BX_MODEL_ENGINE_TURNS_H
#define BX_MODEL_ENGINE_TURNS_H

#include "model/engine/kind.h"

enum { BX_TURNS_AGENT_BUFFERS = 32 }; /* most requests of an agent in flight */

enum bx_turns_agent_phase { BX_TURNS_AGENT_IDLE, BX_TURNS_AGENT_READY, BX_TURNS_AGENT_WAITING };

struct bx_turns_agent {
    bx_feed *feed;
    enum bx_turns_agent_phase phase;
    bool core;          /* it has private accesses; fetches and dependent accesses wait */
    uint64_t clock;     /* may be ahead of the machine's time */
    uint64_t turn;      /* when waiting: the time of the access */
    uint64_t completed; /* the latest completion of its accesses */
    uint64_t buffer_free[BX_TURNS_AGENT_BUFFERS]; /* used in turn */
    unsigned buffers, next_buffer;
};

struct bx_turns {
    struct bx_turns_agent *agent;
    unsigned n;
    /* Executes an access if it is private to that agent. Returns its cycles, or -1. */
    int (*try_private)(bx_model *m, unsigned agent, bx_access a);
    /* Executes any other access, at t. Returns its completion. */
    uint64_t (*serve)(bx_model *m, unsigned agent, bx_access a, uint64_t t);
};

/* What bx_model_feed(), bx_model_run() and bx_model_idle() do; m: of the same machine. */
void bx_turns_feed(bx_model *m, struct bx_turns *turns, unsigned agent, bx_feed *feed);
bool bx_turns_run(bx_model *m, struct bx_turns *turns, uint64_t until);
void bx_turns_idle(bx_model *m, struct bx_turns *turns, uint64_t cycles);

#endif
