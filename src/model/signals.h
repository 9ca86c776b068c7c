/* What a selection means: the table "Signals" of docs/model.md. */
#ifndef BX_MODEL_SIGNALS_H
#define BX_MODEL_SIGNALS_H

#include "model/counts.h"

enum { BX_SIGNAL_CELLS = BX_REQUESTS * BX_LINE_STATES }; /* most that one selection adds up */

enum bx_signal_kind {
    BX_SIGNAL_PULSES,    /* the sum of some counts: each event is one cycle long */
    BX_SIGNAL_OCCUPANCY, /* living ARB entries */
    BX_SIGNAL_CLOCK,     /* 1 in every cycle */
};

struct bx_signal {
    enum bx_signal_kind kind;
    unsigned entries; /* of OCCUPANCY: a mask over enum bx_arb_kind */
    unsigned cells;   /* of PULSES: the counts that it adds up */
    const uint64_t *cell[BX_SIGNAL_CELLS];
};

/* false: not modelled. The signal refers to `counts`. */
bool bx_signal_of(const bx_selection *sel, unsigned slices, const struct bx_client_counts *counts,
                  struct bx_signal *signal);

/* The sum of a signal of pulses. */
static inline uint64_t bx_signal_sum(const struct bx_signal *signal)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < signal->cells; i++)
        sum += *signal->cell[i];
    return sum;
}

#endif
