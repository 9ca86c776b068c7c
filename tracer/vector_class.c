/* Which instructions of SSE3, SSE4.1, AVX and FMA are operations of floating point, as Intel's list
 * of FP_ARITH_INST_RETIRED has them (intel/perfmon, SKL, skylake_core.json): ADD, SUB, MUL, DIV,
 * MIN, MAX, SQRT, RCP, RSQRT; twice DPP and FM(N)ADD/SUB. */
#include "vector_class.h"

#include "instruction_class.h"

enum precision { PS, PD, SS, SD, PRECISIONS };

/* of: BX_CLASS_LATER_PS or BX_CLASS_TWICE_PS, which the others follow. */
static unsigned class_of(unsigned of, enum precision p, const bx_opcode_instruction *i)
{
    return of + p + (p <= PD && i->vex && i->wide_vector ? PRECISIONS : 0);
}

static enum precision by_prefix(const bx_opcode_instruction *i)
{
    static const enum precision of[BX_OPCODE_COLUMNS] = {
        [BX_OPCODE_PLAIN] = PS, [BX_OPCODE_66] = PD, [BX_OPCODE_F3] = SS, [BX_OPCODE_F2] = SD};
    return of[i->prefix];
}

/* Those of SSE and SSE2 with a VEX prefix; HADD, HSUB and ADDSUB with or without. */
static unsigned in_map_0f(const bx_opcode_instruction *i)
{
    switch (i->opcode) {
    case 0x52: /* RSQRT, RCP: of single precision */
    case 0x53:
        if (i->prefix == BX_OPCODE_66 || i->prefix == BX_OPCODE_F2)
            return BX_CLASS_OTHER;
        break;
    case 0x7c: /* HADD, HSUB; ADDSUB */
    case 0x7d:
    case 0xd0:
        if (i->prefix != BX_OPCODE_66 && i->prefix != BX_OPCODE_F2)
            return BX_CLASS_OTHER;
        return class_of(BX_CLASS_LATER_PS, i->prefix == BX_OPCODE_66 ? PD : PS, i);
    case 0x51: /* SQRT, ADD, MUL, SUB, MIN, DIV, MAX */
    case 0x58:
    case 0x59:
    case 0x5c:
    case 0x5d:
    case 0x5e:
    case 0x5f:
        break;
    default:
        return BX_CLASS_OTHER;
    }
    return i->vex ? class_of(BX_CLASS_LATER_PS, by_prefix(i), i) : BX_CLASS_OTHER;
}

/* 96 to 9F, A6 to AF, B6 to BF: from 9 on, odd ones are scalar. */
static unsigned multiplies_and_adds(const bx_opcode_instruction *i)
{
    unsigned row = i->opcode >> 4, column = i->opcode & 15;
    bool scalar = column > 8 && column & 1;
    if (!i->vex || i->prefix != BX_OPCODE_66 || row < 9 || row > 11 || column < 6)
        return BX_CLASS_OTHER;
    return class_of(BX_CLASS_TWICE_PS, scalar ? (i->wide ? SD : SS) : (i->wide ? PD : PS), i);
}

unsigned bx_vector_class(const bx_opcode_instruction *i)
{
    switch (i->map) {
    case BX_MAP_0F:
        return in_map_0f(i);
    case BX_MAP_0F38:
        return multiplies_and_adds(i);
    case BX_MAP_0F3A: /* DPPS, DPPD */
        return i->prefix == BX_OPCODE_66 && (i->opcode | 1) == 0x41
                   ? class_of(BX_CLASS_TWICE_PS, i->opcode & 1 ? PD : PS, i)
                   : BX_CLASS_OTHER;
    default:
        return BX_CLASS_OTHER;
    }
}
