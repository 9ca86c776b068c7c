/* How many cycles of a core operations of Valgrind's IR take until their results can be used. */
#ifndef BX_TRACER_LATENCY_H
#define BX_TRACER_LATENCY_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

typedef enum bx_latency_kind {
    BX_LATENCY_NONE,           /* it only names a part of a value, or puts parts together */
    BX_LATENCY_SIMPLE,         /* 1 cycle, with all other such operations of its instruction */
    BX_LATENCY_COMPARISON,     /* 1 cycle, for the instruction before that has set the flags */
    BX_LATENCY_ADDITION,       /* of floating point: parts differ */
    BX_LATENCY_MULTIPLICATION, /* likewise */
    BX_LATENCY_CYCLES,         /* so many */
} bx_latency_kind;

typedef struct bx_latency {
    bx_latency_kind kind;
    UInt cycles;
} bx_latency;

bx_latency bx_latency_of(const IRExpr *e);

#endif
