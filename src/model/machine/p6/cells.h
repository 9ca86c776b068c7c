/* All counts of the P6 machine. They count always, whatever is selected. Signals are sums of them.
 * A cell is a number of pulses of one cycle each, or a level that lasts for a span of cycles. */
#ifndef BX_MODEL_MACHINE_P6_CELLS_H
#define BX_MODEL_MACHINE_P6_CELLS_H

#include "model/engine/access.h"
#include "model/part/line_state.h"

enum bx_p6_cell_id {
    /* Pulses. */
    BX_P6_REFERENCES, /* loads and stores */
    BX_P6_DCU_IN,
    BX_P6_DCU_M_IN,
    BX_P6_DCU_M_OUT,
    BX_P6_FETCHES,
    BX_P6_FETCH_MISSES,
    BX_P6_ITLB_MISSES,
    BX_P6_L2_FETCH, /* requests by the state found; four cells each, ordered as bx_line_state */
    BX_P6_L2_LOAD = BX_P6_L2_FETCH + BX_MESI_STATES,
    BX_P6_L2_STORE = BX_P6_L2_LOAD + BX_MESI_STATES,
    BX_P6_L2_IN = BX_P6_L2_STORE + BX_MESI_STATES,
    BX_P6_L2_M_IN,
    BX_P6_L2_OUT,
    BX_P6_L2_M_OUT,
    BX_P6_L2_STROBES,
    BX_P6_BUS_READ, /* transactions of the processor, by kind */
    BX_P6_BUS_FETCH,
    BX_P6_BUS_RFO,
    BX_P6_BUS_INVALIDATE,
    BX_P6_BUS_WRITE_BACK,
    BX_P6_IO_READ, /* transactions of the I/O agent, by kind */
    BX_P6_IO_WRITE,
    BX_P6_IO_PARTIAL,
    BX_P6_DEVICE_READ, /* of a device's registers, by the processor: parts of lines; then lines */
    BX_P6_DEVICE_WRITE,
    BX_P6_DEVICE_LINE_READ,
    BX_P6_DEVICE_LINE_WRITE,
    BX_P6_PORT, /* IN and OUT */
    BX_P6_DEFERRED,
    BX_P6_DRDY_OWN, /* bus clocks in which the processor drives data */
    BX_P6_RECEIVED, /* bus clocks in which the processor receives data */
    BX_P6_HIT,      /* bus clocks in which the processor drives HIT#; then HITM# */
    BX_P6_HITM,
    BX_P6_LOAD_BLOCKS,
    BX_P6_TAKEN,
    BX_P6_MISALIGNED,
    BX_P6_TO_X87, /* x87 instructions that follow one on MMX registers; then the reverse */
    BX_P6_TO_MMX,
    BX_P6_BTB_MISSES, /* branches: what a predictor tells, as in enum bx_branch_count */
    BX_P6_RESTEERS,
    BX_P6_BOGUS,
    BX_P6_INTERRUPTS,
    /* Spans. */
    BX_P6_SPANS,
    BX_P6_CLOCK = BX_P6_SPANS, /* cycles in which the processor is not halted */
    BX_P6_INSTRUCTIONS,        /* one in each cycle that does not stall */
    BX_P6_UOPS,
    BX_P6_MISSES, /* outstanding misses of the DCU */
    BX_P6_FETCH_STALL,
    BX_P6_RESOURCE_STALL,
    BX_P6_DRAIN_STALL,
    BX_P6_DATA_STALL,   /* cycles of waiting for loaded data, or for the end of all work */
    BX_P6_L2_BUSY,      /* cycles with a transfer between processor and L2 */
    BX_P6_L2_BUSY_READ, /* cycles with a transfer from L2 */
    BX_P6_DRDY,         /* cycles in which an agent drives data on the front-side bus */
    BX_P6_SNOOP_STALL,
    BX_P6_BRANCH_STALL, /* cycles of waiting for instructions after a branch */
    BX_P6_LOCKED,       /* cycles in which LOCK# is asserted */
    BX_P6_DIVIDES,      /* cycles in which the divider is busy */
    BX_P6_DIVIDE_STALL, /* cycles of waiting for it */
    BX_P6_MASKED,       /* cycles in which a kernel handles an interrupt, and takes no other */
    BX_P6_PENDING,      /* those of them in which another one waits */
    BX_P6_REQUESTS,     /* outstanding reads of the processor on the front-side bus */
    BX_P6_CELLS,
    /* These are pulses: instructions by class (enum bx_instruction_class). */
    BX_P6_CLASSES = BX_P6_CELLS,
    /* Mispredicted branches by kind (enum bx_branch_count). */
    BX_P6_MISSES_OF = BX_P6_CLASSES + BX_CLASSES,
    BX_P6_ALL_CELLS = BX_P6_MISSES_OF + BX_BRANCH_MISSES,
};

/* Sets of instruction classes. */
#define BX_P6_SET(class) (UINT64_C(1) << BX_CLASS_##class)
#define BX_P6_X87_CLASSES                                                                          \
    (BX_P6_SET(X87) | BX_P6_SET(X87_COMPUTE) | BX_P6_SET(X87_MULTIPLY) | BX_P6_SET(X87_DIVIDE))
#define BX_P6_MMX_STORES (BX_P6_SET(MMX_STORE) | BX_P6_SET(MMX_WEAK_STORE))
#define BX_P6_MMX_CLASSES                                                                          \
    (BX_P6_SET(MMX) | BX_P6_MMX_STORES | BX_P6_SET(MMX_MULTIPLY) | BX_P6_SET(MMX_SHIFT) |          \
     BX_P6_SET(MMX_PACK) | BX_P6_SET(MMX_UNPACK) | BX_P6_SET(MMX_LOGICAL) |                        \
     BX_P6_SET(MMX_ARITHMETIC) | BX_P6_SET(MMX_SATURATING) | BX_P6_SET(EMMS))
#define BX_P6_DIVISIONS (BX_P6_SET(DIVIDE) | BX_P6_SET(X87_DIVIDE))
_Static_assert(BX_CLASSES <= 64, "a set of classes is a word");

/* The sum of level x cycles before `now` is base + level x now, modulo 2^64. A change of the level
 * by n at time t subtracts n x t from base. */
struct bx_p6_cell {
    uint64_t base, level;
};

/* Privilege levels. An event counts for the privilege level that the processor has at that time. */
enum bx_p6_mode { BX_P6_OS, BX_P6_USER, BX_P6_MODES };

struct bx_p6_cells {
    enum bx_p6_mode mode;
    struct bx_p6_cell *present; /* those of the mode */
    struct bx_p6_cell cell[BX_P6_MODES][BX_P6_ALL_CELLS];
};

static inline void bx_p6_count(struct bx_p6_cells *cells, unsigned id, uint64_t n)
{
    cells->present[id].base += n;
}

/* Changes a level by n from t on. */
static inline void bx_p6_step(struct bx_p6_cells *cells, unsigned id, uint64_t t, int n)
{
    struct bx_p6_cell *cell = &cells->present[id];
    cell->base -= (uint64_t)n * t;
    cell->level += (uint64_t)n;
}

static inline uint64_t bx_p6_sum(const struct bx_p6_cell *cell, uint64_t now)
{
    return cell->base + cell->level * now;
}

/* The processor changes its privilege level at t. Open spans continue at the new level. */
void bx_p6_enter_mode(struct bx_p6_cells *cells, enum bx_p6_mode mode, uint64_t t);

#endif
