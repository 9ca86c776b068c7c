/* When reads wait at a memory channel, added up as clocks of the memory and as cycles. */
#ifndef BX_MODEL_IVBEP_WAITING_H
#define BX_MODEL_IVBEP_WAITING_H

#include "model/engine/dram.h"
#include "model/engine/kind.h"

struct bx_ivbep_wait {
    bx_dram_time begin, end;
};

/* Stretches in which a read waits: those that have not ended, and perhaps some that have, in order
 * and apart. Those that were dropped are in the sums. */
struct bx_ivbep_waiting {
    uint64_t clocks, cycles;
    struct bx_ivbep_wait *stretch;
    unsigned n, room;
};

void bx_ivbep_waiting_free(struct bx_ivbep_waiting *w);

/* A read waits, from the present on or later. Without memory for it m->out_of_memory says so. */
void bx_ivbep_waiting_put(struct bx_ivbep_waiting *w, struct bx_model *m,
                          const struct bx_dram *dram, struct bx_ivbep_wait wait);

/* Clocks of the memory that have begun while a read waited, or cycles, before the cycle `now`; and
 * whether one does that begins in it. */
uint64_t bx_ivbep_waited(const struct bx_ivbep_waiting *w, const struct bx_dram *dram,
                         bool in_cycles, uint64_t now);
bool bx_ivbep_waits(const struct bx_ivbep_waiting *w, const struct bx_dram *dram, bool in_cycles,
                    uint64_t now);

#endif
