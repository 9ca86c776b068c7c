/* What a selection means: the table "Signals" of docs/model.md. */
#ifndef BX_MODEL_SIGNALS_H
#define BX_MODEL_SIGNALS_H

#include "model/arb.h"
#include "model/signal.h"

/* The client machine's counts as signals. */
struct bx_client_source {
    struct bx_source base;
    struct bx_arb *arb;
    const struct bx_client_counts *counts;
};

void bx_client_source_power_on(struct bx_client_source *source, struct bx_arb *arb,
                               const struct bx_client_counts *counts);

/* false: not modelled. The signal refers to `counts`. */
bool bx_signal_of(const bx_selection *sel, unsigned slices, const struct bx_client_counts *counts,
                  struct bx_signal *signal);

#endif
