/* All counts of the client machine. They count always, whatever events are selected. Signals are
 * sums of them. */
#ifndef BX_MODEL_MACHINE_CLIENT_COUNTS_H
#define BX_MODEL_MACHINE_CLIENT_COUNTS_H

#include "model/engine/kind.h"
#include "model/part/private_caches.h"

enum { BX_CLIENT_CORES = 4, BX_CLIENT_SLICES = 4 }; /* the most that a client machine has */

enum bx_client_lookup { BX_CLIENT_READ, BX_CLIENT_WRITE, BX_CLIENT_EXTSNP, BX_CLIENT_LOOKUPS };
enum bx_snoop_source { BX_SNOOP_EXTERNAL, BX_SNOOP_XCORE, BX_SNOOP_EVICTION, BX_SNOOP_SOURCES };
/* Kinds of ARB entries. Each entry has exactly one kind. */
enum bx_arb_kind { BX_ARB_DATA_READ, BX_ARB_OTHER_READ, BX_ARB_WRITE, BX_ARB_KINDS };
enum bx_imc_agent { BX_IMC_GT, BX_IMC_IA, BX_IMC_IO, BX_IMC_AGENTS };

/* Totals since power-on. */
struct bx_client_counts {
    uint64_t lookup[BX_CLIENT_SLICES][BX_CLIENT_LOOKUPS][BX_MESI_STATES];
    uint64_t xsnp[BX_CLIENT_SLICES][BX_SNOOP_SOURCES][BX_SNOOP_RESPONSES];
    uint64_t arb[BX_ARB_KINDS];       /* requests */
    uint64_t occupancy[BX_ARB_KINDS]; /* entries x cycles; a whole entry is added when it begins */
    uint64_t coh;
    uint64_t imc[BX_IMC_AGENTS]; /* requests */
    uint64_t data_reads, data_writes;
};

/* Returns the counts of a model. They belong to the model and change while it runs. */
const struct bx_client_counts *bx_client_counts_of(bx_model *m);

#endif
