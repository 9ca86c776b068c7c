/* All counts of a C-Box of the Ivy Bridge-EP machine. They count always, whatever is selected. */
#ifndef BX_MODEL_MACHINE_IVBEP_COUNTS_H
#define BX_MODEL_MACHINE_IVBEP_COUNTS_H

#include "model/part/line_state.h"
#include "model/engine/kind.h"

enum {
    BX_IVBEP_PACKAGES = 2,
    BX_IVBEP_CORES = 15, /* the most cores of a package, and the most slices */
    BX_IVBEP_NODES = 2,
    BX_IVBEP_REQUESTERS = 16, /* cores of the package, and BX_IVBEP_NO_THREAD */
    BX_IVBEP_NO_THREAD = 15,  /* the request is of no thread */
    BX_IVBEP_BITS = 8,        /* counts for each bit of a unit mask */
};

enum bx_ivbep_lookup { BX_IVBEP_READ, BX_IVBEP_WRITE, BX_IVBEP_SNOOP, BX_IVBEP_LOOKUPS };

/* States of victims, in the order of the unit mask of LLC_VICTIMS. F counts as S, M' as M.
 * VICTIM_NONE is a fill that found an empty way. */
enum bx_ivbep_victim {
    BX_IVBEP_VICTIM_M,
    BX_IVBEP_VICTIM_E,
    BX_IVBEP_VICTIM_S,
    BX_IVBEP_VICTIM_NONE,
    BX_IVBEP_VICTIMS,
};

/* Transactions of the TOR. Those with an opcode come first. */
enum bx_ivbep_opcode {
    BX_IVBEP_RFO,
    BX_IVBEP_CRD,
    BX_IVBEP_DRD,
    BX_IVBEP_ITOM,
    BX_IVBEP_PF_RFO,
    BX_IVBEP_PF_CODE,
    BX_IVBEP_PF_DATA,
    BX_IVBEP_PCIWIL,
    BX_IVBEP_PCIWILF,
    BX_IVBEP_PCIPRD,
    BX_IVBEP_PCIITOM,
    BX_IVBEP_PCIRDCUR,
    BX_IVBEP_WBMTOI,
    BX_IVBEP_WBMTOE,
    BX_IVBEP_WCILF,
    BX_IVBEP_WCIL,
    BX_IVBEP_EVICTION,
    BX_IVBEP_PEER_SNOOP,
    BX_IVBEP_OPCODES,
};

enum bx_ivbep_ring { BX_IVBEP_AD, BX_IVBEP_AK, BX_IVBEP_BL, BX_IVBEP_IV, BX_IVBEP_RINGS };

/* Bits of the unit masks of RxR_INSERTS and RxR_OCCUPANCY. */
enum bx_ivbep_ingress {
    BX_IVBEP_IRQ,
    BX_IVBEP_IRQ_REJECTED,
    BX_IVBEP_IPQ,
    BX_IVBEP_VFIFO = 4,
};

/* Queues whose requests are retried; then the bits of their unit masks. */
enum bx_ivbep_retry_queue {
    BX_IVBEP_IPQ_RETRY,
    BX_IVBEP_IRQ_RETRY,
    BX_IVBEP_ISMQ_RETRY,
    BX_IVBEP_RETRY_QUEUES
};
enum bx_ivbep_retry_reason {
    BX_IVBEP_RETRY_ANY,
    BX_IVBEP_RETRY_FULL,
    BX_IVBEP_RETRY_CONFLICT,
    BX_IVBEP_RETRY_RTID,
    BX_IVBEP_RETRY_QPI,
    BX_IVBEP_RETRY_WB = 7,
};

/* Bits of the unit mask of MISC. */
enum bx_ivbep_misc {
    BX_IVBEP_RSPI_WAS_FSE,
    BX_IVBEP_WC_ALIASING,
    BX_IVBEP_STARTED,
    BX_IVBEP_RFO_HIT_S,
};

/* Totals since power-on. *_cycles: entries x cycles. A whole entry is added when it begins. */
struct bx_ivbep_counts {
    uint64_t lookup[BX_IVBEP_LOOKUPS][BX_LINE_STATES][BX_IVBEP_NODES][BX_IVBEP_REQUESTERS];
    uint64_t victim[BX_IVBEP_VICTIMS][BX_IVBEP_NODES][BX_IVBEP_REQUESTERS];
    uint64_t tor[BX_IVBEP_OPCODES][2][BX_IVBEP_NODES][BX_IVBEP_REQUESTERS]; /* [1]: only misses */
    uint64_t tor_cycles[BX_IVBEP_OPCODES][2][BX_IVBEP_NODES][BX_IVBEP_REQUESTERS];
    uint64_t ring[BX_IVBEP_RINGS][BX_IVBEP_BITS];
    uint64_t egress[BX_IVBEP_BITS]; /* TxR_INSERTS, by ring; [4 + ring]: sent by the core */
    uint64_t ingress[BX_IVBEP_BITS];
    uint64_t ingress_cycles[BX_IVBEP_BITS];
    uint64_t retry[BX_IVBEP_RETRY_QUEUES][BX_IVBEP_BITS];
    uint64_t misc[BX_IVBEP_BITS];
};

/* The counts of a slice. They belong to the model and change while it runs. */
const struct bx_ivbep_counts *bx_ivbep_counts(bx_model *m, unsigned package, unsigned slice);

#endif
