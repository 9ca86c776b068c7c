/* The agents of a server machine, as engine/turns.h orders them: first the cores, then a device. */
#ifndef BX_MODEL_SERVER_AGENTS_H
#define BX_MODEL_SERVER_AGENTS_H

#include "model/engine/turns.h"
#include "model/server/private_caches.h"

struct bx_server_agents {
    struct bx_turns turns; /* must be first */
    struct bx_turns_agent agent[BX_AGENTS];
    struct bx_server_caches *caches[BX_AGENTS]; /* of a core; NULL: a device */
    /* Executes at t an access that is not private, or requests a prefetch. Returns the
     * completion. */
    uint64_t (*access)(bx_model *m, unsigned agent, bx_access a, uint64_t t);
};

/* Adds the next agent. buffers: its most requests in flight; times: NULL for a device. */
void bx_server_add_agent(struct bx_server_agents *agents, struct bx_server_caches *caches,
                         const bx_model_times *times, unsigned buffers);
/* Called after all agents have been added. The last agent is the device. */
void bx_server_agents_power_on(bx_model *m, struct bx_server_agents *agents,
                               uint64_t (*access)(bx_model *m, unsigned agent, bx_access a,
                                                  uint64_t t));

void bx_server_agents_free(struct bx_server_agents *agents);

/* bx_model_kind.set_prefetchers */
void bx_server_set_prefetchers(bx_model *m, unsigned core, unsigned off);

/* The access being served snoops a core. The core's copies of the line become S or, with
 * `invalidate`, I. */
enum bx_server_core_response bx_server_snoop(bx_model *m, struct bx_server_agents *agents,
                                             unsigned core, uint64_t line, bool invalidate);

#endif
