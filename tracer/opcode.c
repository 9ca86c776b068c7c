#include "opcode.h"

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
