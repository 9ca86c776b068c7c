/* The latencies of operations of Valgrind's IR. */
#include "latency.h"

/* Source of all figures: LLVM's model of Skylake, llvm/lib/Target/X86/X86SchedSkylakeClient.td. The
 * comment of each line has the names in that file. */
enum {
    MULTIPLY = 3,            /* WriteIMul32Reg, WriteIMul64Reg */
    COUNT_BITS = 3,          /* WriteBSF, WriteLZCNT, WritePOPCNT */
    VECTOR_MULTIPLY = 5,     /* WriteVecIMulX */
    VECTOR_MULTIPLY_32 = 10, /* WritePMULLD */
    FP_ESTIMATE = 4,         /* WriteFRcpX, WriteFRsqrtX */
    FP_ROUND = 8,            /* WriteFRnd */
    FROM_INTEGER = 4,        /* WriteCvtI2SD */
    CONVERT = 3,             /* WriteCvtSD2I, WriteCvtSS2SD, WriteCvtSD2SS */
};

static bx_latency of_kind(bx_latency_kind kind)
{
    return (bx_latency){kind, 0, BX_DIVISIONS};
}

static bx_latency cycles(UInt n)
{
    return (bx_latency){BX_LATENCY_CYCLES, n, BX_DIVISIONS};
}

/* WriteFAdd, WriteFCmp: 4 cycles on Skylake, 3 on Sandy Bridge. */
static Bool is_fp_addition(IROp op)
{
    switch (op) {
    case Iop_AddF64:
    case Iop_SubF64:
    case Iop_AddF32:
    case Iop_SubF32:
    case Iop_AddF64r32:
    case Iop_SubF64r32:
    case Iop_Add32F0x4:
    case Iop_Sub32F0x4:
    case Iop_Add32Fx2:
    case Iop_Sub32Fx2:
    case Iop_Add32Fx4:
    case Iop_Sub32Fx4:
    case Iop_Add32Fx8:
    case Iop_Sub32Fx8:
    case Iop_Add64F0x2:
    case Iop_Sub64F0x2:
    case Iop_Add64Fx2:
    case Iop_Sub64Fx2:
    case Iop_Add64Fx4:
    case Iop_Sub64Fx4:
    case Iop_Max32F0x4:
    case Iop_Min32F0x4:
    case Iop_Max32Fx4:
    case Iop_Min32Fx4:
    case Iop_Max32Fx8:
    case Iop_Min32Fx8:
    case Iop_Max64F0x2:
    case Iop_Min64F0x2:
    case Iop_Max64Fx2:
    case Iop_Min64Fx2:
    case Iop_Max64Fx4:
    case Iop_Min64Fx4:
    case Iop_CmpEQ32F0x4:
    case Iop_CmpLT32F0x4:
    case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4:
    case Iop_CmpEQ32Fx4:
    case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4:
    case Iop_CmpUN32Fx4:
    case Iop_CmpEQ64F0x2:
    case Iop_CmpLT64F0x2:
    case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2:
    case Iop_CmpEQ64Fx2:
    case Iop_CmpLT64Fx2:
    case Iop_CmpLE64Fx2:
    case Iop_CmpUN64Fx2:
        return True;
    default:
        return False;
    }
}

/* WriteFMul, WriteFMA: 4 cycles on Skylake, 5 on Sandy Bridge. */
static Bool is_fp_multiplication(IROp op)
{
    switch (op) {
    case Iop_MulF64:
    case Iop_MulF32:
    case Iop_MulF64r32:
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF32:
    case Iop_MSubF32:
    case Iop_Mul32F0x4:
    case Iop_Mul32Fx2:
    case Iop_Mul32Fx4:
    case Iop_Mul32Fx8:
    case Iop_Mul64F0x2:
    case Iop_Mul64Fx2:
    case Iop_Mul64Fx4:
        return True;
    default:
        return False;
    }
}

/* BX_DIVISIONS: not a division. */
static enum bx_division division_of(IROp op)
{
    switch (op) {
    case Iop_DivModU64to32:
    case Iop_DivModS64to32:
    case Iop_DivModU32to32:
    case Iop_DivModS32to32:
        return BX_DIVIDE_32;
    case Iop_DivModU128to64:
    case Iop_DivModS128to64:
    case Iop_DivModU64to64:
    case Iop_DivModS64to64:
        return BX_DIVIDE_64;
    case Iop_DivF32:
    case Iop_DivF64r32:
    case Iop_Div32F0x4:
    case Iop_Div32Fx4:
    case Iop_Div32Fx8:
        return BX_DIVIDE_SINGLE;
    case Iop_DivF64:
    case Iop_Div64F0x2:
    case Iop_Div64Fx2:
    case Iop_Div64Fx4:
        return BX_DIVIDE_DOUBLE;
    case Iop_SqrtF32:
    case Iop_Sqrt32F0x4:
    case Iop_Sqrt32Fx4:
    case Iop_Sqrt32Fx8:
        return BX_ROOT_SINGLE;
    case Iop_SqrtF64:
    case Iop_Sqrt64F0x2:
    case Iop_Sqrt64Fx2:
    case Iop_Sqrt64Fx4:
        return BX_ROOT_DOUBLE;
    default:
        return BX_DIVISIONS;
    }
}

/* Cycles of floating-point operations other than additions, multiplications and divisions; 0: not
 * such an operation. */
static UInt of_other_fp(IROp op)
{
    switch (op) {
    case Iop_RecipEst32F0x4:
    case Iop_RecipEst32Fx4:
    case Iop_RecipEst32Fx8:
    case Iop_RSqrtEst32F0x4:
    case Iop_RSqrtEst32Fx4:
    case Iop_RSqrtEst32Fx8:
        return FP_ESTIMATE;
    case Iop_RoundF64toInt:
    case Iop_RoundF32toInt:
        return FP_ROUND;
    case Iop_I32StoF64:
    case Iop_I64StoF64:
    case Iop_I32StoF32:
    case Iop_I64StoF32:
    case Iop_I32StoF32x4:
    case Iop_I32StoF32x8:
        return FROM_INTEGER;
    case Iop_F64toI16S:
    case Iop_F64toI32S:
    case Iop_F64toI64S:
    case Iop_F32toI32S:
    case Iop_F32toI64S:
    case Iop_F32toF64:
    case Iop_F64toF32:
    case Iop_F32toI32Sx4:
    case Iop_F32toI32Sx8:
        return CONVERT;
    default:
        return 0;
    }
}

/* Cycles of integer operations that take more than one cycle; 0: not such an operation. */
static UInt of_slow_integer(IROp op)
{
    switch (op) {
    case Iop_Mul8:
    case Iop_Mul16:
    case Iop_Mul32:
    case Iop_Mul64:
    case Iop_MullS8:
    case Iop_MullS16:
    case Iop_MullS32:
    case Iop_MullS64:
    case Iop_MullU8:
    case Iop_MullU16:
    case Iop_MullU32:
    case Iop_MullU64:
        return MULTIPLY;
    case Iop_Clz64:
    case Iop_Clz32:
    case Iop_Ctz64:
    case Iop_Ctz32:
    case Iop_ClzNat64:
    case Iop_ClzNat32:
    case Iop_CtzNat64:
    case Iop_CtzNat32:
    case Iop_PopCount64:
    case Iop_PopCount32:
        return COUNT_BITS;
    case Iop_Mul16x4:
    case Iop_MulHi16Ux4:
    case Iop_MulHi16Sx4:
    case Iop_Mul16x8:
    case Iop_MulHi16Ux8:
    case Iop_MulHi16Sx8:
    case Iop_Mul16x16:
    case Iop_MulHi16Ux16:
    case Iop_MulHi16Sx16:
    case Iop_MullEven16Ux8:
    case Iop_MullEven16Sx8:
    case Iop_MullEven32Ux4:
    case Iop_MullEven32Sx4:
        return VECTOR_MULTIPLY;
    case Iop_Mul32x4:
    case Iop_Mul32x8:
        return VECTOR_MULTIPLY_32;
    default:
        return 0;
    }
}

/* Whether an operation only selects or joins parts. Zero-extension is free, because a 32-bit write
 * clears the rest of a register. */
static Bool is_part(IROp op)
{
    switch (op) {
    case Iop_8Uto16:
    case Iop_8Uto32:
    case Iop_8Uto64:
    case Iop_16Uto32:
    case Iop_16Uto64:
    case Iop_32Uto64:
    case Iop_64to8:
    case Iop_32to8:
    case Iop_64to16:
    case Iop_16to8:
    case Iop_16HIto8:
    case Iop_8HLto16:
    case Iop_32to16:
    case Iop_32HIto16:
    case Iop_16HLto32:
    case Iop_64to32:
    case Iop_64HIto32:
    case Iop_32HLto64:
    case Iop_128to64:
    case Iop_128HIto64:
    case Iop_64HLto128:
    case Iop_32to1:
    case Iop_64to1:
    case Iop_1Uto8:
    case Iop_1Uto32:
    case Iop_1Uto64:
    case Iop_ReinterpF64asI64:
    case Iop_ReinterpI64asF64:
    case Iop_ReinterpF32asI32:
    case Iop_ReinterpI32asF32:
    case Iop_V128to64:
    case Iop_V128HIto64:
    case Iop_64HLtoV128:
    case Iop_64UtoV128:
    case Iop_SetV128lo64:
    case Iop_ZeroHI64ofV128:
    case Iop_ZeroHI96ofV128:
    case Iop_32UtoV128:
    case Iop_V128to32:
    case Iop_SetV128lo32:
    case Iop_V256to64_0:
    case Iop_V256to64_1:
    case Iop_V256to64_2:
    case Iop_V256to64_3:
    case Iop_64x4toV256:
    case Iop_V256toV128_0:
    case Iop_V256toV128_1:
    case Iop_V128HLtoV256:
        return True;
    default:
        return False;
    }
}

/* Whether an operation is a comparison. If Valgrind knows which flag is needed, it compares the
 * operands that set the flags. */
static Bool is_comparison(IROp op)
{
    switch (op) {
    case Iop_CmpEQ8:
    case Iop_CmpEQ16:
    case Iop_CmpEQ32:
    case Iop_CmpEQ64:
    case Iop_CmpNE8:
    case Iop_CmpNE16:
    case Iop_CmpNE32:
    case Iop_CmpNE64:
    case Iop_CmpLT32S:
    case Iop_CmpLT64S:
    case Iop_CmpLE32S:
    case Iop_CmpLE64S:
    case Iop_CmpLT32U:
    case Iop_CmpLT64U:
    case Iop_CmpLE32U:
    case Iop_CmpLE64U:
        return True;
    default:
        return False;
    }
}

static bx_latency of_operation(IROp op)
{
    enum bx_division division = division_of(op);
    if (division != BX_DIVISIONS)
        return (bx_latency){BX_LATENCY_DIVISION, 0, division};
    UInt slow = of_slow_integer(op);
    slow = slow ? slow : of_other_fp(op);
    return slow                       ? cycles(slow)
           : is_fp_addition(op)       ? of_kind(BX_LATENCY_ADDITION)
           : is_fp_multiplication(op) ? of_kind(BX_LATENCY_MULTIPLICATION)
           : is_part(op)              ? of_kind(BX_LATENCY_NONE)
           : is_comparison(op)        ? of_kind(BX_LATENCY_COMPARISON)
                                      : of_kind(BX_LATENCY_SIMPLE);
}

bx_latency bx_latency_of(const IRExpr *e)
{
    switch (e->tag) {
    case Iex_Unop:
        return of_operation(e->Iex.Unop.op);
    case Iex_Binop:
        return of_operation(e->Iex.Binop.op);
    case Iex_Triop:
        return of_operation(e->Iex.Triop.details->op);
    case Iex_Qop:
        return of_operation(e->Iex.Qop.details->op);
    case Iex_ITE: /* a conditional move */
        return of_kind(BX_LATENCY_SIMPLE);
    case Iex_CCall: /* a condition, or the carry */
        return of_kind(BX_LATENCY_COMPARISON);
    default: /* moves: only register renaming */
        return of_kind(BX_LATENCY_NONE);
    }
}
