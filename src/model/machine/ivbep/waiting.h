/* When reads wait at a memory channel, counted in clocks of the memory and in uncore cycles. */
#ifndef BX_MODEL_MACHINE_IVBEP_WAITING_H
#define BX_MODEL_MACHINE_IVBEP_WAITING_H

#include "model/part/dram.h"
#include "model/engine/kind.h"

struct bx_ivbep_wait {
    bx_dram_time begin, end;
};

/* Stretches in which at least one read waits, in order and without overlap. Some of them may have
 * ended. Those that were dropped are in the sums `clocks` and `cycles`. */
struct bx_ivbep_waiting {
    uint64_t clocks, cycles;
    struct bx_ivbep_wait *stretch;
    unsigned n, room;
};

void bx_ivbep_waiting_free(struct bx_ivbep_waiting *w);

/* Adds a wait of a read. It begins at the present time or later. If memory runs out,
 * m->out_of_memory is set. */
void bx_ivbep_waiting_put(struct bx_ivbep_waiting *w, struct bx_model *m,
                          const struct bx_dram *dram, struct bx_ivbep_wait wait);

/* bx_ivbep_waited: memory clocks, or cycles, before the cycle `now` that began while a read waited.
 * bx_ivbep_waits: whether such a clock or cycle begins in the cycle `now`. */
uint64_t bx_ivbep_waited(const struct bx_ivbep_waiting *w, const struct bx_dram *dram,
                         bool in_cycles, uint64_t now);
bool bx_ivbep_waits(const struct bx_ivbep_waiting *w, const struct bx_dram *dram, bool in_cycles,
                    uint64_t now);

#endif
