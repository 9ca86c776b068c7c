/* Compiled with Valgrind's headers, which tests do not have. Source of the figures: LLVM's model of
 * Skylake, llvm/lib/Target/X86/X86SchedSkylakeClient.td, by the names beside them. */
#include "tests/tracer/latencies.h"

#include "tracer/latency.h"

/* In place of cycles, which depend on the machine. */
#define OF_KIND(division) (1000 + (division))

#define OPERATIONS                                                                                 \
    X(Iop_Mul64, 3)      /* WriteIMul64Reg */                                                      \
    X(Iop_Mul32, 3)      /* WriteIMul32Reg */                                                      \
    X(Iop_Clz64, 3)      /* WriteLZCNT */                                                          \
    X(Iop_CtzNat32, 3)   /* WriteBSF */                                                            \
    X(Iop_PopCount64, 3) /* WritePOPCNT */                                                         \
    X(Iop_DivModU64to32, OF_KIND(BX_DIVIDE_32))                                                    \
    X(Iop_DivModU128to64, OF_KIND(BX_DIVIDE_64))                                                   \
    X(Iop_Mul16x8, 5)  /* WriteVecIMulX */                                                         \
    X(Iop_Mul32x4, 10) /* WritePMULLD */                                                           \
    X(Iop_Div32F0x4, OF_KIND(BX_DIVIDE_SINGLE))                                                    \
    X(Iop_Div32Fx4, OF_KIND(BX_DIVIDE_SINGLE))                                                     \
    X(Iop_Div64F0x2, OF_KIND(BX_DIVIDE_DOUBLE))                                                    \
    X(Iop_Div64Fx2, OF_KIND(BX_DIVIDE_DOUBLE))                                                     \
    X(Iop_Div64Fx4, OF_KIND(BX_DIVIDE_DOUBLE))                                                     \
    X(Iop_Sqrt32F0x4, OF_KIND(BX_ROOT_SINGLE))                                                     \
    X(Iop_Sqrt32Fx4, OF_KIND(BX_ROOT_SINGLE))                                                      \
    X(Iop_Sqrt64F0x2, OF_KIND(BX_ROOT_DOUBLE))                                                     \
    X(Iop_Sqrt64Fx2, OF_KIND(BX_ROOT_DOUBLE))                                                      \
    X(Iop_RecipEst32Fx4, 4)  /* WriteFRcpX */                                                      \
    X(Iop_RSqrtEst32F0x4, 4) /* WriteFRsqrt */                                                     \
    X(Iop_RoundF64toInt, 8)  /* WriteFRnd */                                                       \
    X(Iop_I64StoF64, 4)      /* WriteCvtI2SD */                                                    \
    X(Iop_I32StoF32, 4)      /* WriteCvtI2SS */                                                    \
    X(Iop_F64toI64S, 3)      /* WriteCvtSD2I */                                                    \
    X(Iop_F32toF64, 3)       /* WriteCvtSS2SD */                                                   \
    X(Iop_F64toF32, 3)       /* WriteCvtSD2SS */

int latencies_of(unsigned i, latencies_row *row)
{
#define X(operation, cycles) operation,
    static const IROp operations[] = {OPERATIONS};
#undef X
#define X(operation, cycles) {#operation, 0, cycles},
    static const latencies_row rows[] = {OPERATIONS};
#undef X
    if (i >= sizeof rows / sizeof *rows)
        return 0;
    IRExpr e = {.tag = Iex_Unop, .Iex.Unop = {.op = operations[i]}};
    bx_latency latency = bx_latency_of(&e);
    *row = rows[i];
    row->is = latency.kind == BX_LATENCY_CYCLES     ? latency.cycles
              : latency.kind == BX_LATENCY_DIVISION ? OF_KIND(latency.division)
                                                    : 0;
    return 1;
}
