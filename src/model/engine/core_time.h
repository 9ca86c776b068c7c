/* The time of a core for instructions and for accesses that hit its first cache:
 * docs/explanation/model-core-time.md, "The time of a core". */
#ifndef BX_MODEL_ENGINE_CORE_TIME_H
#define BX_MODEL_ENGINE_CORE_TIME_H

#include "tracer/instruction_class.h"

#include <stdbool.h>
#include <stdint.h>

/* Branch predictors: model/part/branch_predictor.h. */
enum bx_predictor_kind {
    BX_PREDICTOR_NONE,
    BX_PREDICTOR_LOCAL,  /* of the P6 family */
    BX_PREDICTOR_TAGGED, /* an approximation of those from Nehalem on */
    BX_PREDICTORS,
};

/* Sizes of a predictor. Numbers of entries are powers of two. */
typedef struct bx_predictor_sizes {
    uint32_t kind;              /* enum bx_predictor_kind */
    uint32_t btb, btb_ways;     /* LOCAL: entries of the branch target buffer, and its ways */
    uint32_t btb_history;       /* LOCAL: outcomes of a branch that an entry knows */
    uint32_t base, table;       /* TAGGED: counters by address; entries of each tagged table */
    uint32_t history, indirect; /* TAGGED: taken branches that the last table knows; targets */
    uint32_t return_stack;
} bx_predictor_sizes;

/* Latencies are in cycles of the core. The catalogue limits these keys (`width`, `l1`, `fp_add`,
 * `fp_multiply`, `core_hz`, `locked`, `mispredict`, the ports and dividers), and so the cost of a
 * block of a trace: program/decode/draft.c. */
typedef struct bx_core_time {
    uint32_t width; /* instructions per cycle; 0: the plain rule, one uncore cycle each */
    uint32_t l1;    /* of a load that hits L1; 0: no latency */
    uint32_t fp_add, fp_multiply;
    /* Ports: operations that begin in a cycle; 0: any number. alu: all that compute or branch. */
    uint32_t load_ports, store_ports, alu_ports, fp_ports, fp_add_ports, fp_multiply_ports;
    uint32_t load_bytes, store_bytes; /* of a port in a cycle; 0: any number */
    /* By enum bx_division: cycles for which it has the divider, and until its result is there. */
    uint32_t divide[BX_DIVISIONS], divide_wait[BX_DIVISIONS];
    uint64_t core_hz, uncore_hz; /* 0: both have the same clock */
    uint32_t wc_buffers;         /* for non-temporal stores; 0: one */
    bool locks_bus;              /* a locked operation on two lines locks the bus */
    uint32_t locked;             /* of a locked operation; 0: as a load and a store */
    uint32_t mispredict;         /* until instructions come again after a misprediction */
    bx_predictor_sizes predictor;
} bx_core_time;

/* n / d exactly, or the nearest fraction with a denominator of at most 16 bits. */
typedef struct bx_ratio {
    uint32_t n, d;
} bx_ratio;

/* Whole ticks of a clock in so many cycles. */
static inline uint64_t bx_whole_ticks(bx_ratio clock, uint64_t cycles)
{
    if (clock.n == clock.d)
        return cycles;
    return cycles / clock.d * clock.n + cycles % clock.d * clock.n / clock.d;
}

/* `cycles` core cycles divided by `by`, in uncore cycles. */
bx_ratio bx_core_time_ratio(const bx_core_time *t, uint32_t cycles, uint32_t by);

/* `cycles` core cycles as uncore cycles, to the nearest. */
uint32_t bx_core_time_whole(const bx_core_time *t, uint32_t cycles);

/* Uncore cycles of one instruction, if the core begins `width` instructions per cycle. With the
 * plain rule it is 1. t NULL: the plain rule. */
bx_ratio bx_core_time_slot(const bx_core_time *t);

/* Adds r to the rest in *part, in units of 1/r.d, and returns the whole cycles. */
static inline uint32_t bx_ratio_take(bx_ratio r, uint32_t *part)
{
    uint64_t sum = (uint64_t)*part + r.n;
    *part = (uint32_t)(sum % r.d);
    return (uint32_t)(sum / r.d);
}

#endif
