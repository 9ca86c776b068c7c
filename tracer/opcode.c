#include "opcode.h"

#include "trace_format.h"

/* The instruction format is that of the manual of the processors, 253666, chapter 2. */

/* Behind legacy prefixes and REX. */
static UInt skip_prefixes(const UChar *bytes, UInt size)
{
    UInt i = 0;
    while (i < size && (bytes[i] == 0x66 || bytes[i] == 0x67 || bytes[i] == 0xf2 ||
                        bytes[i] == 0xf3 || (bytes[i] >= 0x26 && (bytes[i] & 0xe7) == 0x26) ||
                        bytes[i] == 0x64 || bytes[i] == 0x65 || bytes[i] == 0xf0))
        i++;
    return i < size && (bytes[i] & 0xf0) == 0x40 ? i + 1 : i;
}

/* Opcodes of the two-byte map 0F. */
static Bool stores_non_temporally(UChar opcode, Bool vex)
{
    switch (opcode) {
    case 0x2b: /* MOVNTPS, MOVNTPD */
    case 0xe7: /* MOVNTQ, MOVNTDQ */
        return True;
    case 0xc3: /* MOVNTI; not of VEX */
        return !vex;
    default:
        return False;
    }
}

Bool bx_opcode_non_temporal(const UChar *bytes, UInt size)
{
    UInt i = skip_prefixes(bytes, size);
    if (i + 2 < size && bytes[i] == 0x0f)
        return stores_non_temporally(bytes[i + 1], False);
    if (i + 3 < size && bytes[i] == 0xc5) /* two-byte VEX: map 0F */
        return stores_non_temporally(bytes[i + 2], True);
    if (i + 4 < size && bytes[i] == 0xc4 && (bytes[i + 1] & 0x1f) == 1)
        return stores_non_temporally(bytes[i + 3], True);
    return False;
}

/* FF: by bits 5:3 of ModR/M near and far calls and jumps. */
static UInt indirect_branch(UChar modrm)
{
    UInt operation = modrm >> 3 & 7;
    return operation >= 2 && operation <= 5 ? BX_TRACE_JUMP : 0;
}

static UInt one_byte_branch(const UChar *bytes, UInt left)
{
    if ((bytes[0] & 0xf0) == 0x70 || (bytes[0] & 0xfc) == 0xe0) /* Jcc; LOOPcc, JRCXZ */
        return BX_TRACE_CONDITIONAL;
    switch (bytes[0]) {
    case 0xc2: /* RET */
    case 0xc3:
    case 0xca: /* RETF */
    case 0xcb:
    case 0xcf: /* IRET */
    case 0xe8: /* CALL */
    case 0xe9: /* JMP */
    case 0xeb:
        return BX_TRACE_JUMP;
    case 0xff:
        return left > 1 ? indirect_branch(bytes[1]) : 0;
    default:
        return 0;
    }
}

UInt bx_opcode_branch(const UChar *bytes, UInt size)
{
    UInt i = skip_prefixes(bytes, size);
    if (i + 1 < size && bytes[i] == 0x0f)
        return (bytes[i + 1] & 0xf0) == 0x80 ? BX_TRACE_CONDITIONAL : 0;
    return i < size ? one_byte_branch(bytes + i, size - i) : 0;
}
