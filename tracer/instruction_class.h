/* The class of an instruction for counters of the instruction mix: one class each, by its bytes
 * alone. The tracer writes it, and machine models count by it. Which event counts which classes:
 * docs/explanation/model-p6.md. */
#ifndef BX_TRACER_INSTRUCTION_CLASS_H
#define BX_TRACER_INSTRUCTION_CLASS_H

enum bx_instruction_class {
    BX_CLASS_OTHER,

    /* Branches. Calls, returns and jumps are always taken. */
    BX_CLASS_CONDITIONAL_BRANCH, /* Jcc, LOOPcc, JRCXZ */
    BX_CLASS_JUMP,               /* to an address in the instruction; IRET */
    BX_CLASS_INDIRECT_JUMP,      /* to an address in a register or in memory */
    BX_CLASS_CALL,
    BX_CLASS_INDIRECT_CALL,
    BX_CLASS_RETURN,

    BX_CLASS_MULTIPLY, /* integers, in general registers */
    BX_CLASS_DIVIDE,
    BX_CLASS_SEGMENT_LOAD, /* MOV to a segment register, POP, LFS … */

    /* x87. */
    BX_CLASS_X87,         /* loads, stores, control, and others that compute nothing */
    BX_CLASS_X87_COMPUTE, /* additions, comparisons, square roots, remainders, transcendentals */
    BX_CLASS_X87_MULTIPLY,
    BX_CLASS_X87_DIVIDE,

    /* On MMX registers. */
    BX_CLASS_MMX, /* none of the following: loads, moves, comparisons, shuffles */
    BX_CLASS_MMX_STORE,
    BX_CLASS_MMX_MULTIPLY,
    BX_CLASS_MMX_SHIFT,
    BX_CLASS_MMX_PACK,
    BX_CLASS_MMX_UNPACK,
    BX_CLASS_MMX_LOGICAL,
    BX_CLASS_MMX_ARITHMETIC,
    BX_CLASS_MMX_SATURATING, /* also saturating arithmetic */
    BX_CLASS_MMX_WEAK_STORE, /* weakly ordered: MOVNTQ, MASKMOVQ */
    BX_CLASS_EMMS,

    /* SSE and SSE2: packed and scalar, single and double precision. The second four classes
     * compute, as do those that convert or compare: below. */
    BX_CLASS_PS,
    BX_CLASS_PD,
    BX_CLASS_SS,
    BX_CLASS_SD,
    BX_CLASS_PS_COMPUTE,
    BX_CLASS_PD_COMPUTE,
    BX_CLASS_SS_COMPUTE,
    BX_CLASS_SD_COMPUTE,
    BX_CLASS_PS_WEAK_STORE, /* MOVNTPS */
    BX_CLASS_PD_WEAK_STORE, /* MOVNTPD */
    BX_CLASS_WEAK_STORE,    /* of integers: MOVNTI, MOVNTDQ, MASKMOVDQU */
    BX_CLASS_PREFETCH_NTA,
    BX_CLASS_PREFETCH_T1,
    BX_CLASS_PREFETCH_T2,

    /* SSE and SSE2: conversions and comparisons. */
    BX_CLASS_PS_CONVERT,
    BX_CLASS_PD_CONVERT,
    BX_CLASS_SS_CONVERT,
    BX_CLASS_SD_CONVERT,

    /* Floating point that came later: SSE3, SSE4.1, AVX, FMA. No processor of the P6 family has it.
     * Operations, of 128 bits and of 256; the others compute twice, as FMA and dot products do. */
    BX_CLASS_LATER_PS,
    BX_CLASS_LATER_PD,
    BX_CLASS_LATER_SS,
    BX_CLASS_LATER_SD,
    BX_CLASS_LATER_PS_256,
    BX_CLASS_LATER_PD_256,
    BX_CLASS_TWICE_PS,
    BX_CLASS_TWICE_PD,
    BX_CLASS_TWICE_SS,
    BX_CLASS_TWICE_SD,
    BX_CLASS_TWICE_PS_256,
    BX_CLASS_TWICE_PD_256,

    BX_CLASSES,
};

/* What divides, by the time that it takes: integers of up to 32 bits; of 64 bits, by the upper half
 * of the dividend: zeros, copies of the sign, or anything; floating point; square roots. */
enum bx_division {
    BX_DIVIDE_32,
    BX_DIVIDE_64,
    BX_DIVIDE_SIGNED,
    BX_DIVIDE_128,
    BX_DIVIDE_SINGLE,
    BX_DIVIDE_DOUBLE,
    BX_ROOT_SINGLE,
    BX_ROOT_DOUBLE,
    BX_DIVISIONS,
};

static inline int bx_class_is_branch(unsigned of)
{
    return of >= BX_CLASS_CONDITIONAL_BRANCH && of <= BX_CLASS_RETURN;
}

/* Where the branch goes is not in the instruction. */
static inline int bx_class_is_indirect(unsigned of)
{
    return of == BX_CLASS_INDIRECT_JUMP || of == BX_CLASS_INDIRECT_CALL || of == BX_CLASS_RETURN;
}

#endif
