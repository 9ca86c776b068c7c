/* What a selection counts: the table "Signals" of docs/explanation/model-client.md. */
#ifndef BX_MODEL_CLIENT_SIGNALS_H
#define BX_MODEL_CLIENT_SIGNALS_H

#include "model/client/arb.h"
#include "model/engine/resolved_signal.h"

/* The client machine's counts as signals. */
struct bx_client_source {
    struct bx_signal_source base;
    struct bx_arb *arb;
    const struct bx_client_counts *counts;
};

void bx_client_source_power_on(struct bx_client_source *source, struct bx_arb *arb,
                               const struct bx_client_counts *counts);

/* false: not modelled. The signal points to counts of the source. */
bool bx_client_signal_of(const struct bx_client_source *source, unsigned slices,
                         const bx_selection *sel, struct bx_signal *signal);

#endif
