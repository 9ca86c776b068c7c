/* All counts of the P6 machine, counted always, whatever is selected. Signals are sums of them.
 * A cell is a number of pulses, each one cycle long, or a level that holds for a span of cycles. */
#ifndef BX_MODEL_P6_CELLS_H
#define BX_MODEL_P6_CELLS_H

#include "model/engine/access.h"
#include "model/engine/mesi.h"

enum bx_p6_cell_id {
    /* Pulses. */
    BX_P6_REFERENCES, /* loads and stores */
    BX_P6_DCU_IN,
    BX_P6_DCU_M_IN,
    BX_P6_DCU_M_OUT,
    BX_P6_FETCHES,
    BX_P6_FETCH_MISSES,
    BX_P6_ITLB_MISSES,
    BX_P6_L2_FETCH, /* requests by the state that they find: four cells each, by bx_line_state */
    BX_P6_L2_LOAD = BX_P6_L2_FETCH + BX_LINE_STATES,
    BX_P6_L2_STORE = BX_P6_L2_LOAD + BX_LINE_STATES,
    BX_P6_L2_IN = BX_P6_L2_STORE + BX_LINE_STATES,
    BX_P6_L2_M_IN,
    BX_P6_L2_OUT,
    BX_P6_L2_M_OUT,
    BX_P6_L2_STROBES,
    BX_P6_BUS_READ, /* transactions of the processor, by kind */
    BX_P6_BUS_FETCH,
    BX_P6_BUS_RFO,
    BX_P6_BUS_INVALIDATE,
    BX_P6_BUS_WRITE_BACK,
    BX_P6_IO_READ, /* and of the I/O agent */
    BX_P6_IO_WRITE,
    BX_P6_IO_PARTIAL,
    BX_P6_DEFERRED,
    BX_P6_DRDY_OWN, /* bus clocks in which the processor drives data */
    BX_P6_RECEIVED, /* and in which it gets them */
    BX_P6_HIT,      /* bus clocks in which it drives HIT#, and HITM# */
    BX_P6_HITM,
    BX_P6_LOAD_BLOCKS,
    BX_P6_TAKEN,
    BX_P6_MISALIGNED,
    BX_P6_TO_X87, /* the first x87 instruction after one on MMX registers */
    BX_P6_TO_MMX,
    /* Spans. */
    BX_P6_SPANS,
    BX_P6_CLOCK = BX_P6_SPANS, /* the processor is not halted */
    BX_P6_INSTRUCTIONS,        /* one retires in each cycle that does not stall */
    BX_P6_UOPS,
    BX_P6_MISSES, /* outstanding misses of the DCU */
    BX_P6_FETCH_STALL,
    BX_P6_RESOURCE_STALL,
    BX_P6_DRAIN_STALL,
    BX_P6_DATA_STALL,   /* waits for what was loaded, and for the end of all work */
    BX_P6_L2_BUSY,      /* the bus between processor and L2 carries something */
    BX_P6_L2_BUSY_READ, /* something from the L2 */
    BX_P6_DRDY,         /* an agent drives data on the front-side bus */
    BX_P6_SNOOP_STALL,
    BX_P6_REQUESTS, /* outstanding reads of the processor on the front-side bus */
    BX_P6_CELLS,
    /* Pulses, too: instructions by class (enum bx_instruction_class). */
    BX_P6_CLASSES = BX_P6_CELLS,
    BX_P6_ALL_CELLS = BX_P6_CLASSES + BX_CLASSES,
};

/* Sets of classes. */
#define BX_P6_SET(class) (UINT64_C(1) << BX_CLASS_##class)
#define BX_P6_X87_CLASSES                                                                          \
    (BX_P6_SET(X87) | BX_P6_SET(X87_COMPUTE) | BX_P6_SET(X87_MULTIPLY) | BX_P6_SET(X87_DIVIDE))
#define BX_P6_MMX_STORES (BX_P6_SET(MMX_STORE) | BX_P6_SET(MMX_WEAK_STORE))
#define BX_P6_MMX_CLASSES                                                                          \
    (BX_P6_SET(MMX) | BX_P6_MMX_STORES | BX_P6_SET(MMX_MULTIPLY) | BX_P6_SET(MMX_SHIFT) |          \
     BX_P6_SET(MMX_PACK) | BX_P6_SET(MMX_UNPACK) | BX_P6_SET(MMX_LOGICAL) |                        \
     BX_P6_SET(MMX_ARITHMETIC) | BX_P6_SET(MMX_SATURATING) | BX_P6_SET(EMMS))
_Static_assert(BX_CLASSES <= 64, "a set of classes is a word");

/* The sum of level x cycles up to `now` is base + level x now, modulo 2^64: a level that changes by
 * n at t takes n x t from the base. */
struct bx_p6_cell {
    uint64_t base, level;
};

/* Of each privilege level: everything counts at the level of the processor at that time. */
enum bx_p6_mode { BX_P6_OS, BX_P6_USER, BX_P6_MODES };

struct bx_p6_cells {
    enum bx_p6_mode mode;
    struct bx_p6_cell cell[BX_P6_MODES][BX_P6_ALL_CELLS];
};

static inline void bx_p6_count(struct bx_p6_cells *cells, unsigned id, uint64_t n)
{
    cells->cell[cells->mode][id].base += n;
}

/* From t on the level is higher by n, or lower. */
static inline void bx_p6_step(struct bx_p6_cells *cells, unsigned id, uint64_t t, int n)
{
    struct bx_p6_cell *cell = &cells->cell[cells->mode][id];
    cell->base -= (uint64_t)n * t;
    cell->level += (uint64_t)n;
}

static inline uint64_t bx_p6_sum(const struct bx_p6_cell *cell, uint64_t now)
{
    return cell->base + cell->level * now;
}

/* From t on the processor is at that privilege level; open spans continue there. */
void bx_p6_enter_mode(struct bx_p6_cells *cells, enum bx_p6_mode mode, uint64_t t);

#endif
