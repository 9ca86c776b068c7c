/* The latencies of operations of Valgrind's IR: core cycles until their results can be used. */
#ifndef BX_TRACER_LATENCY_H
#define BX_TRACER_LATENCY_H

#include "instruction_class.h"

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

typedef enum bx_latency_kind {
    BX_LATENCY_NONE,           /* it only selects a part of a value, or joins parts */
    BX_LATENCY_SIMPLE,         /* 1 cycle together with all such operations of its instruction */
    BX_LATENCY_COMPARISON,     /* 1 cycle, for the earlier instruction that has set the flags */
    BX_LATENCY_ADDITION,       /* of floating point; the cycles depend on the processor */
    BX_LATENCY_MULTIPLICATION, /* the same */
    BX_LATENCY_DIVISION,       /* the same, by bx_latency.division */
    BX_LATENCY_CYCLES,         /* the number of cycles in bx_latency */
} bx_latency_kind;

typedef struct bx_latency {
    bx_latency_kind kind;
    UInt cycles;
    enum bx_division division; /* of integers of 64 bits: BX_DIVIDE_64, whatever the instruction */
} bx_latency;

bx_latency bx_latency_of(const IRExpr *e);

#endif
