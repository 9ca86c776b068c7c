/* Implements core_counts.h. */
#include "core_counts.h"

#include "model/engine/access.h"

static bool is_load_of_instruction(struct oracle_asks asks)
{
    return asks.by == BX_LOAD && !asks.auxiliary;
}

void oracle_count_access(struct oracle_core_counts *c, struct oracle_asks asks)
{
    if (asks.auxiliary)
        return;
    c->instructions++;
    c->loads += asks.by == BX_LOAD;
    c->stores += asks.by == BX_STORE || asks.by == BX_NON_TEMPORAL;
}

void oracle_count_l1_hit(struct oracle_core_counts *c, struct oracle_asks asks)
{
    c->load_hits += is_load_of_instruction(asks);
}

void oracle_count_l2_hit(struct oracle_core_counts *c, struct oracle_asks asks)
{
    c->l2_hits[asks.by]++;
    c->from_l2 += is_load_of_instruction(asks);
}

void oracle_count_flight(struct oracle_core_counts *c, struct oracle_asks asks)
{
    c->flights[asks.by]++;
    if (!is_load_of_instruction(asks))
        return;
    c->from[ORACLE_FLIGHT]++;
    c->serving = ORACLE_BEYOND_L2;
}

void oracle_count_request(struct oracle_core_counts *c, struct oracle_asks asks,
                          enum oracle_source from, bool misses)
{
    c->requests[asks.by]++;
    c->misses[asks.by] += misses;
    if (asks.by == ORACLE_PREFETCH)
        return;
    c->serving = 1u << asks.by;
    if (asks.by == BX_LOAD && misses)
        c->serving |= ORACLE_LOADS_MISS;
    if (!is_load_of_instruction(asks))
        return;
    c->from[from]++;
    c->serving |= ORACLE_BEYOND_L2 | (misses ? ORACLE_BEYOND_LLC : 0);
}

void oracle_count_served(struct oracle_core_counts *c, uint64_t turn, uint64_t completion,
                         bool waits)
{
    oracle_mark(&c->cycles, c->serving | (waits ? ORACLE_IDLE : 0), turn, completion);
    for (unsigned i = 0; i < 4; i++)
        if (c->serving >> i & 1)
            c->outstanding[i] += completion - turn;
    c->serving = 0;
}
