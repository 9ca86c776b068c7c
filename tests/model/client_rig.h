/* The client's model for tests, and sums of its counts. */
#ifndef BX_TESTS_MODEL_CLIENT_RIG_H
#define BX_TESTS_MODEL_CLIENT_RIG_H

#include "rig.h"

#include "model/machine/client/boxes.h"
#include "model/machine/client/counts.h"

static inline struct rig rig_new(unsigned cores, unsigned slices, uint64_t llc_bytes)
{
    return rig_of(
        "client",
        (bx_model_shape){.packages = 1, .cores = cores, .slices = slices, .llc_bytes = llc_bytes});
}

static inline const struct bx_client_counts *rig_counts(const struct rig *r)
{
    return bx_client_counts_of(r->m);
}

/* Executes one access to its completion. */
static inline uint64_t rig_wait(struct rig *r, unsigned agent, unsigned kind, uint64_t line,
                                unsigned flags)
{
    return rig_do(r, agent, kind, line, flags | BX_ACCESS_DEPENDENT);
}

static inline uint64_t rig_load(struct rig *r, unsigned core, uint64_t line)
{
    return rig_wait(r, core, BX_LOAD, line, 0);
}

static inline uint64_t rig_store(struct rig *r, unsigned core, uint64_t line)
{
    return rig_wait(r, core, BX_STORE, line, 0);
}

/* Sums over the slices. */
static inline uint64_t rig_lookups(const struct rig *r, enum bx_client_lookup request,
                                   enum bx_line_state state)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < BX_CLIENT_SLICES; s++)
        sum += rig_counts(r)->lookup[s][request][state];
    return sum;
}

static inline uint64_t rig_snoops(const struct rig *r, enum bx_snoop_source from,
                                  enum bx_snoop_response response)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < BX_CLIENT_SLICES; s++)
        sum += rig_counts(r)->xsnp[s][from][response];
    return sum;
}

#endif
