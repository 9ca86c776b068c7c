/* Adds up the parts of an instruction: prefixes, opcode, ModRM and what follows it, immediates. SDM
 * volume 2, chapter 2 and appendix A. */
#include "stage/preload/instruction_length.h"

#include <stdbool.h>

enum map { ONE, TWO, THREE_38, THREE_3A };

typedef struct walk {
    const uint8_t *code;
    size_t n, at;
    bool operand16, wide; /* prefix 66H; REX.W */
} walk;

static bool within(uint8_t op, uint8_t first, uint8_t last)
{
    return first <= op && op <= last;
}

/* ---- which opcodes have a ModRM byte ---- */

static bool modrm_one(uint8_t op)
{
    if (op < 0x40)
        return (op & 7) < 4;
    return op == 0x63 || op == 0x69 || op == 0x6b || within(op, 0x80, 0x8f) ||
           within(op, 0xc0, 0xc1) || within(op, 0xc6, 0xc7) || within(op, 0xd0, 0xd3) ||
           within(op, 0xd8, 0xdf) || within(op, 0xf6, 0xf7) || op >= 0xfe;
}

static bool modrm_two(uint8_t op)
{
    return !(within(op, 0x04, 0x0c) || op == 0x0e || within(op, 0x30, 0x37) || op == 0x77 ||
             within(op, 0x80, 0x8f) || within(op, 0xa0, 0xa2) || within(op, 0xa8, 0xaa) ||
             within(op, 0xc8, 0xcf));
}

/* ---- bytes of immediates ---- */

static size_t operand(const walk *w)
{
    return w->operand16 ? 2 : 4;
}

static size_t immediate_one(const walk *w, uint8_t op, uint8_t modrm)
{
    if (op < 0x40)
        return (op & 7) == 4 ? 1 : (op & 7) == 5 ? operand(w) : 0;
    if (within(op, 0xb8, 0xbf))
        return w->wide ? 8 : operand(w);
    if (within(op, 0xa0, 0xa3))
        return 8;
    if (op == 0xf6 || op == 0xf7) /* only TEST, of this opcode's group, has an immediate */
        return (modrm >> 3 & 7) > 1 ? 0 : op == 0xf6 ? 1 : operand(w);
    if (within(op, 0x70, 0x7f) || within(op, 0xb0, 0xb7) || within(op, 0xe0, 0xe7))
        return 1;
    switch (op) {
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xa9:
    case 0xc7:
        return operand(w);
    case 0xe8:
    case 0xe9:
        return 4;
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xcd:
    case 0xeb:
        return 1;
    case 0xc2:
    case 0xca:
        return 2;
    case 0xc8:
        return 3;
    default:
        return 0;
    }
}

static size_t immediate_two(uint8_t op)
{
    if (within(op, 0x80, 0x8f))
        return 4;
    return within(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
           within(op, 0xc4, 0xc6);
}

/* ---- the parts of an instruction ---- */

static bool take_byte(walk *w, uint8_t *byte)
{
    if (w->at >= w->n)
        return false;
    *byte = w->code[w->at++];
    return true;
}

static bool prefixes(walk *w, uint8_t *op)
{
    static const uint8_t known[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36,
                                    0x3e, 0x26, 0x64, 0x65, 0xf0};
    for (bool more = true; more;) {
        if (!take_byte(w, op))
            return false;
        more = false;
        for (size_t i = 0; i < sizeof known; i++)
            more |= *op == known[i];
        w->operand16 |= *op == 0x66;
    }
    if (!within(*op, 0x40, 0x4f))
        return true;
    w->wide = *op & 8;
    return take_byte(w, op);
}

/* Skips what follows a ModRM byte: SIB and displacement. */
static bool modrm_rest(walk *w, uint8_t modrm)
{
    uint8_t mod = modrm >> 6, rm = modrm & 7, base = rm;
    if (mod == 3)
        return true;
    if (rm == 4) {
        if (!take_byte(w, &base))
            return false;
        base &= 7;
    }
    w->at += mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
    return true;
}

/* The vector prefixes C5H, C4H and 62H: reads them and the opcode, and finds the opcode's map. */
static bool vector(walk *w, uint8_t prefix, uint8_t *op, enum map *map)
{
    uint8_t select = 1, rest;
    if (!take_byte(w, &select))
        return false;
    if (prefix == 0xc5)
        select = 1;
    for (int more = prefix == 0xc5 ? 0 : prefix == 0xc4 ? 1 : 2; more > 0; more--)
        if (!take_byte(w, &rest))
            return false;
    select &= prefix == 0x62 ? 7 : 0x1f;
    if (select < 1 || select > 3 || !take_byte(w, op))
        return false;
    *map = (enum map)select;
    return true;
}

static bool opcode(walk *w, uint8_t *op, enum map *map, bool *coded)
{
    *map = ONE;
    *coded = *op == 0xc5 || *op == 0xc4 || *op == 0x62;
    if (*coded)
        return vector(w, *op, op, map);
    if (*op != 0x0f)
        return true;
    *map = TWO;
    if (!take_byte(w, op))
        return false;
    if (*op != 0x38 && *op != 0x3a)
        return true;
    *map = *op == 0x38 ? THREE_38 : THREE_3A;
    return take_byte(w, op);
}

size_t bx_instruction_length(const uint8_t *code, size_t n)
{
    walk w = {.code = code, .n = n < 15 ? n : 15};
    uint8_t op, modrm = 0;
    enum map map;
    bool coded;
    if (!prefixes(&w, &op) || !opcode(&w, &op, &map, &coded))
        return 0;
    bool has = map == ONE ? modrm_one(op) : map == TWO ? coded ? op != 0x77 : modrm_two(op) : true;
    if (has && (!take_byte(&w, &modrm) || !modrm_rest(&w, modrm)))
        return 0;
    w.at += map == ONE        ? immediate_one(&w, op, modrm)
            : map == TWO      ? immediate_two(op)
            : map == THREE_3A ? 1
                              : 0;
    return w.at <= w.n ? w.at : 0;
}
