/* Reads from an instruction's bytes which ports it needs. Valgrind's IR would not do: it leaves out
 * operations whose results nobody uses. */
#include "ports.h"

#include "opcode_parts.h"

/* The opcodes are those of 253666, appendix A. */

/* ---- moves ---- */

static bool is_in(const uint8_t *list, size_t n, uint8_t opcode)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == opcode)
            return true;
    return false;
}
#define IN(list, opcode) is_in(list, sizeof(list), opcode)

/* MOV, MOVSXD; of vectors MOVUPS, MOVLPS, MOVHPS, MOVAPS, MOVD, MOVDQA; MOVZX, MOVSX. */
static bool is_load(const bx_opcode_instruction *i)
{
    static const uint8_t one[] = {0x8a, 0x8b, 0x63},
                         two[] = {0x10, 0x12, 0x16, 0x28, 0x6e, 0x6f, 0xb6, 0xb7, 0xbe, 0xbf};
    if (bx_modrm_is_register(i->modrm))
        return false;
    return i->map == BX_MAP_ONE_BYTE ? IN(one, i->opcode)
           : i->map == BX_MAP_0F
               ? IN(two, i->opcode) || (i->opcode == 0x7e && i->prefix == BX_OPCODE_F3)
               : false;
}

/* It only stores, or moves between registers, which takes no port (register renaming): MOV, PUSH,
 * POP, NOP; of vectors the same, and non-temporal stores. */
static bool is_store_or_move(const bx_opcode_instruction *i)
{
    static const uint8_t one[] = {0x88, 0x89, 0x8a, 0x8b, 0x8f, 0x90,
                                  0x68, 0x6a, 0xa0, 0xa1, 0xa2, 0xa3},
                         any[] = {0x10, 0x11, 0x28, 0x29, 0x2b, 0x6f, 0x7f, 0xe7, 0x0d, 0x18, 0x1f},
                         to_memory[] = {0x13, 0x17, 0x7e, 0xc3, 0xd6};
    if (i->map == BX_MAP_ONE_BYTE)
        return IN(one, i->opcode) || (i->opcode & 0xf0) == 0x50 ||
               ((i->opcode & 0xfe) == 0xc6 && !bx_modrm_is_register(i->modrm));
    return i->map == BX_MAP_0F &&
           (IN(any, i->opcode) || (IN(to_memory, i->opcode) && !bx_modrm_is_register(i->modrm)));
}

/* ---- what computes ---- */

static bool is_unary(const bx_opcode_instruction *i)
{
    return i->map == BX_MAP_ONE_BYTE && (i->opcode & 0xfe) == 0xf6;
}

/* DIV, IDIV. */
static bool divides_integers(const bx_opcode_instruction *i)
{
    return is_unary(i) && bx_modrm_operation(i->modrm) >= 6;
}

/* MUL, IMUL with one operand, which write the upper half of their result to RDX. */
static bool multiplies_wide(const bx_opcode_instruction *i)
{
    return is_unary(i) && (bx_modrm_operation(i->modrm) | 1) == 5;
}

/* What the instruction leaves in RDX, if it is there for a division: XOR EDX,EDX; SUB EDX,EDX; MOV
 * EDX,0; CQO. A remainder or the upper half of a product is anything. */
static enum bx_upper_half upper_half_after(const bx_opcode_instruction *i,
                                           enum bx_upper_half before, uint32_t immediate)
{
    enum { EDX_EDX = 0xd2, MOV_EDX = 0xba, CQO = 0x99 };
    if (divides_integers(i) || multiplies_wide(i))
        return BX_UPPER_HALF_ANY;
    if (i->map != BX_MAP_ONE_BYTE || i->prefix != BX_OPCODE_PLAIN || i->extended)
        return before;
    bool same = (i->opcode & 0xfd) == 0x31 || (i->opcode & 0xfd) == 0x29; /* XOR, SUB */
    if ((same && i->modrm == EDX_EDX) || (i->opcode == MOV_EDX && immediate == 0))
        return BX_UPPER_HALF_ZERO;
    return i->opcode == CQO && i->wide ? BX_UPPER_HALF_SIGN : before;
}

static enum bx_division division_of(const bx_opcode_instruction *i, enum bx_upper_half upper)
{
    enum { IDIV = 7 };
    if (!i->wide)
        return BX_DIVIDE_32;
    if (bx_modrm_operation(i->modrm) == IDIV)
        return upper != BX_UPPER_HALF_ANY ? BX_DIVIDE_SIGNED : BX_DIVIDE_128;
    return upper == BX_UPPER_HALF_ZERO ? BX_DIVIDE_64 : BX_DIVIDE_128;
}

static void add_integer(const bx_opcode_instruction *i, bx_trace_ports *p)
{
    p->integer_multiplications +=
        multiplies_wide(i) ||
        (i->map == BX_MAP_ONE_BYTE && (i->opcode == 0x69 || i->opcode == 0x6b)) ||
        (i->map == BX_MAP_0F && i->opcode == 0xaf) ||
        (i->map == BX_MAP_0F38 && i->opcode == 0xf6 && i->prefix == BX_OPCODE_F2); /* MULX */
}

/* ADD, SUB, MIN, MAX, CMP, UCOMIS, COMIS; MUL and the fused ones; DIV and SQRT. 32 bytes go through
 * the divider in two halves. */
static void add_floating_point(const bx_opcode_instruction *i, bx_trace_ports *p)
{
    static const uint8_t additions[] = {0x58, 0x5c, 0x5d, 0x5f, 0xc2, 0x2e, 0x2f};
    if (i->map == BX_MAP_0F38 && i->opcode >= 0x96 && i->opcode < 0xc0 && (i->opcode & 0xf) >= 6)
        p->multiplications++;
    if (i->map != BX_MAP_0F)
        return;
    p->additions += IN(additions, i->opcode);
    p->multiplications += i->opcode == 0x59;
    if (i->opcode == 0x5e || i->opcode == 0x51) {
        bool is_double = i->prefix == BX_OPCODE_66 || i->prefix == BX_OPCODE_F2;
        p->divisions[i->opcode == 0x51 ? BX_ROOT_SINGLE + is_double
                                       : BX_DIVIDE_SINGLE + is_double] += i->wide_vector ? 2 : 1;
    }
}

/* The last four bytes. */
static uint32_t last_bytes(const uint8_t *bytes, size_t size)
{
    uint32_t last = 0;
    for (size_t i = 0; i < size && i < sizeof last; i++)
        last = last << 8 | bytes[size - 1 - i];
    return last;
}

enum bx_division bx_ports_add(bx_trace_ports *to, enum bx_upper_half *upper, const uint8_t *bytes,
                              size_t size)
{
    bx_opcode_instruction i;
    if (!bx_opcode_read(bytes, size, &i))
        return BX_DIVISIONS;
    enum bx_division division = divides_integers(&i) ? division_of(&i, *upper) : BX_DIVISIONS;
    if (division != BX_DIVISIONS)
        to->divisions[division]++;
    *upper = upper_half_after(&i, *upper, last_bytes(bytes, size));
    bool loads = is_load(&i);
    to->loads += loads;
    to->operations += !loads && !is_store_or_move(&i);
    add_integer(&i, to);
    add_floating_point(&i, to);
    return division;
}
