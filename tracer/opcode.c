/* Decodes the bytes of an instruction, as far as its class needs. */
#include "opcode.h"

#include "opcode_parts.h"
#include "trace_format.h"
#include "vector_class.h"

/* The instruction format is that of the processors' manual, 253666, chapter 2. The opcode maps and
 * the escape opcodes of the x87 are those of 334569, appendix A. */

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
           (byte >= 0x26 && (byte & 0xe7) == 0x26) || byte == 0x64 || byte == 0x65 || byte == 0xf0;
}

/* F2 and F3 take precedence over 66; of F2 and F3, the last one counts. */
bx_opcode_parts bx_opcode_divide(const uint8_t *bytes, size_t size)
{
    bx_opcode_parts p = {.column = BX_OPCODE_PLAIN};
    size_t i = 0;
    for (; i < size && is_prefix(bytes[i]); i++) {
        if (bytes[i] == 0xf2 || bytes[i] == 0xf3)
            p.column = bytes[i] == 0xf2 ? BX_OPCODE_F2 : BX_OPCODE_F3;
        else if (bytes[i] == 0x66 && p.column == BX_OPCODE_PLAIN)
            p.column = BX_OPCODE_66;
    }
    if (i < size && (bytes[i] & 0xf0) == 0x40)
        p.rex = bytes[i++];
    p.left = size - i;
    p.opcode = i < size ? bytes + i : NULL;
    return p;
}

/* The bytes of a VEX prefix after its first, C4 or C5. Returns their number. */
static size_t read_vex(const uint8_t *at, bool three, bx_opcode_instruction *i)
{
    uint8_t last = three ? at[1] : at[0];
    static const uint8_t prefixes[4] = {BX_OPCODE_PLAIN, BX_OPCODE_66, BX_OPCODE_F3, BX_OPCODE_F2};
    i->map = three ? (enum bx_opcode_map)(at[0] & 3) : BX_MAP_0F;
    i->prefix = (enum bx_opcode_column)prefixes[last & 3];
    i->wide_vector = last >> 2 & 1;
    i->wide = three && last >> 7;
    i->vex = true;
    return three ? 2 : 1;
}

bool bx_opcode_read(const uint8_t *bytes, size_t size, bx_opcode_instruction *i)
{
    enum { MOST = 5 }; /* of VEX, opcode and ModR/M */
    uint8_t padded[MOST] = {0};
    bx_opcode_parts p = bx_opcode_divide(bytes, size);
    size_t at = 0;
    for (size_t n = 0; n < p.left && n < MOST; n++)
        padded[n] = p.opcode[n];
    *i = (bx_opcode_instruction){.map = BX_MAP_ONE_BYTE,
                                 .prefix = p.column,
                                 .wide = p.rex >> 3 & 1,
                                 .extended = (p.rex & 5) != 0};
    if (padded[0] == 0xc4 || padded[0] == 0xc5) {
        at = 1 + read_vex(padded + 1, padded[0] == 0xc4, i);
    } else if (padded[0] == 0x0f) {
        i->map = padded[1] == 0x38 ? BX_MAP_0F38 : padded[1] == 0x3a ? BX_MAP_0F3A : BX_MAP_0F;
        at = i->map == BX_MAP_0F ? 1 : 2;
    }
    i->opcode = padded[at];
    i->modrm = padded[at + 1];
    return at < p.left;
}

/* ---- non-temporal stores ---- */

/* Whether an opcode of the two-byte map 0F stores past the caches. */
static bool stores_non_temporally(uint8_t opcode, bool vex)
{
    switch (opcode) {
    case 0x2b: /* MOVNTPS, MOVNTPD */
    case 0xe7: /* MOVNTQ, MOVNTDQ */
        return true;
    case 0xc3: /* MOVNTI; has no VEX form */
        return !vex;
    default:
        return false;
    }
}

bool bx_opcode_non_temporal(const uint8_t *bytes, size_t size)
{
    bx_opcode_parts p = bx_opcode_divide(bytes, size);
    if (p.left > 2 && p.opcode[0] == 0x0f)
        return stores_non_temporally(p.opcode[1], false);
    if (p.left > 3 && p.opcode[0] == 0xc5) /* two-byte VEX: map 0F */
        return stores_non_temporally(p.opcode[2], true);
    if (p.left > 4 && p.opcode[0] == 0xc4 && (p.opcode[1] & 0x1f) == 1)
        return stores_non_temporally(p.opcode[3], true);
    return false;
}

/* ---- opcodes of one byte ---- */

/* F6, F7 */
static const uint8_t unary[8] = {
    [4] = BX_CLASS_MULTIPLY, [5] = BX_CLASS_MULTIPLY, [6] = BX_CLASS_DIVIDE, [7] = BX_CLASS_DIVIDE};
/* FF: near and far calls and jumps */
static const uint8_t indirect[8] = {[2] = BX_CLASS_INDIRECT_CALL,
                                    [3] = BX_CLASS_INDIRECT_CALL,
                                    [4] = BX_CLASS_INDIRECT_JUMP,
                                    [5] = BX_CLASS_INDIRECT_JUMP};
/* D8, DA, DC, DE; DE with a register includes FCOMPP */
static const uint8_t arithmetic[8] = {
    BX_CLASS_X87_COMPUTE, BX_CLASS_X87_MULTIPLY, BX_CLASS_X87_COMPUTE, BX_CLASS_X87_COMPUTE,
    BX_CLASS_X87_COMPUTE, BX_CLASS_X87_COMPUTE,  BX_CLASS_X87_DIVIDE,  BX_CLASS_X87_DIVIDE,
};

/* D9 with E0 to FF. Those that compute: FTST, F2XM1, FYL2X, FPTAN, FPATAN, FPREM1, FPREM, FYL2XP1,
 * FSQRT, FSINCOS, FSIN, FCOS. */
static unsigned without_operand(uint8_t modrm)
{
    const uint32_t compute = 1u << 4 | 0x2fu << 16 | 0xfu << 24 | 3u << 30;
    return compute >> (modrm - 0xe0) & 1 ? BX_CLASS_X87_COMPUTE : BX_CLASS_X87;
}

/* Whether an operation of DA, DB, DD or DF on registers compares: FUCOMPP; FUCOMI, FCOMI; FUCOM,
 * FUCOMP; FUCOMIP, FCOMIP. */
static unsigned compares(uint8_t escape, uint8_t modrm)
{
    static const uint8_t operations[8] = {[2] = 1 << 5, [3] = 3 << 5, [5] = 3 << 4, [7] = 3 << 5};
    return operations[escape & 7] >> bx_modrm_operation(modrm) & 1 ? BX_CLASS_X87_COMPUTE
                                                                   : BX_CLASS_X87;
}

static unsigned x87(uint8_t escape, uint8_t modrm)
{
    bool on_registers = bx_modrm_is_register(modrm);
    if (escape == 0xd9)
        return modrm >= 0xe0 ? without_operand(modrm) : BX_CLASS_X87;
    if (escape == 0xd8 || escape == 0xdc || escape == 0xde || (escape == 0xda && !on_registers))
        return arithmetic[bx_modrm_operation(modrm)];
    return on_registers ? compares(escape, modrm) : BX_CLASS_X87;
}

static unsigned class_by_modrm(uint8_t opcode, uint8_t modrm)
{
    if ((opcode & 0xf8) == 0xd8)
        return x87(opcode, modrm);
    if (opcode == 0xff)
        return indirect[bx_modrm_operation(modrm)];
    return (opcode & 0xfe) == 0xf6 ? unary[bx_modrm_operation(modrm)] : BX_CLASS_OTHER;
}

static unsigned class_of_one_byte(const bx_opcode_parts *p)
{
    uint8_t opcode = p->opcode[0];
    if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0) /* Jcc; LOOPcc, JRCXZ */
        return BX_CLASS_CONDITIONAL_BRANCH;
    switch (opcode) {
    case 0x69: /* IMUL */
    case 0x6b:
        return BX_CLASS_MULTIPLY;
    case 0x8e: /* MOV */
        return BX_CLASS_SEGMENT_LOAD;
    case 0xc2: /* RET */
    case 0xc3:
    case 0xca: /* RETF */
    case 0xcb:
        return BX_CLASS_RETURN;
    case 0xcf: /* IRET */
    case 0xe9: /* JMP */
    case 0xeb:
        return BX_CLASS_JUMP;
    case 0xe8:
        return BX_CLASS_CALL;
    default:
        return p->left > 1 ? class_by_modrm(opcode, p->opcode[1]) : BX_CLASS_OTHER;
    }
}

/* ---- the map 0F ---- */

/* Opcodes first … last: the class by mandatory prefix. */
typedef struct row {
    uint8_t first, last;
    uint8_t class[BX_OPCODE_COLUMNS];
} row;

#define MMX(kind)                                                                                  \
    {                                                                                              \
        BX_CLASS_MMX##kind                                                                         \
    }
#define ALL(first, end)                                                                            \
    {                                                                                              \
        first##PS##end, first##PD##end, first##SS##end, first##SD##end                             \
    }
#define MOVE    ALL(BX_CLASS_, )
#define COMPUTE ALL(BX_CLASS_, _COMPUTE)
#define CONVERT ALL(BX_CLASS_, _CONVERT)
#define PACKED                                                                                     \
    {                                                                                              \
        BX_CLASS_PS, BX_CLASS_PD                                                                   \
    }
#define ANY(kind)                                                                                  \
    {                                                                                              \
        BX_CLASS_##kind, BX_CLASS_##kind, BX_CLASS_##kind, BX_CLASS_##kind                         \
    }

/* In the order of opcodes. These are the instructions up to SSE2, as in all P6 processors that have
 * them. A conversion has the precision of its floating-point operand; a conversion between both
 * precisions counts as double. */
static const row rows[] = {
    {0x10, 0x11, MOVE},    /* MOVUPS … */
    {0x12, 0x17, PACKED},  /* MOVLPS, UNPCKLPS, UNPCKHPS, MOVHPS */
    {0x28, 0x29, PACKED},  /* MOVAPS */
    {0x2a, 0x2a, CONVERT}, /* CVTPI2PS … */
    {0x2b, 0x2b, {BX_CLASS_PS_WEAK_STORE, BX_CLASS_PD_WEAK_STORE}},
    {0x2c, 0x2d, CONVERT},                                       /* CVTTPS2PI, CVTPS2PI … */
    {0x2e, 0x2f, {BX_CLASS_SS_CONVERT, BX_CLASS_SD_CONVERT}},    /* UCOMISS, COMISS */
    {0x50, 0x50, PACKED},                                        /* MOVMSKPS */
    {0x51, 0x51, COMPUTE},                                       /* SQRTPS … */
    {0x52, 0x53, {BX_CLASS_PS_COMPUTE, 0, BX_CLASS_SS_COMPUTE}}, /* RSQRTPS, RCPPS */
    {0x54, 0x57, PACKED},                                        /* ANDPS, ANDNPS, ORPS, XORPS */
    {0x58, 0x59, COMPUTE},                                       /* ADDPS …, MULPS … */
    /* CVTPS2PD, CVTPD2PS, CVTSS2SD, CVTSD2SS */
    {0x5a,
     0x5a,
     {BX_CLASS_PD_CONVERT, BX_CLASS_PD_CONVERT, BX_CLASS_SD_CONVERT, BX_CLASS_SD_CONVERT}},
    /* CVTDQ2PS, CVTPS2DQ, CVTTPS2DQ */
    {0x5b, 0x5b, {BX_CLASS_PS_CONVERT, BX_CLASS_PS_CONVERT, BX_CLASS_PS_CONVERT}},
    {0x5c, 0x5f, COMPUTE},      /* SUBPS …, MINPS …, DIVPS …, MAXPS … */
    {0x60, 0x62, MMX(_UNPACK)}, /* PUNPCKLBW, -WD, -DQ */
    {0x63, 0x63, MMX(_PACK)},   /* PACKSSWB */
    {0x64, 0x66, MMX()},        /* PCMPGTB, -W, -D */
    {0x67, 0x67, MMX(_PACK)},   /* PACKUSWB */
    {0x68, 0x6a, MMX(_UNPACK)}, /* PUNPCKHBW, -WD, -DQ */
    {0x6b, 0x6b, MMX(_PACK)},   /* PACKSSDW */
    {0x6e, 0x70, MMX()},        /* MOVD, MOVQ, PSHUFW */
    {0x71, 0x73, MMX(_SHIFT)},  /* by a number in the instruction */
    {0x74, 0x76, MMX()},        /* PCMPEQB, -W, -D */
    {0x77, 0x77, {BX_CLASS_EMMS}},
    {0x7e, 0x7f, MMX(_STORE)}, /* MOVD, MOVQ; to a register: below */
    {0x80, 0x8f, ANY(CONDITIONAL_BRANCH)},
    {0xa1, 0xa1, ANY(SEGMENT_LOAD)},                  /* POP FS */
    {0xa9, 0xa9, ANY(SEGMENT_LOAD)},                  /* POP GS */
    {0xaf, 0xaf, ANY(MULTIPLY)},                      /* IMUL */
    {0xb2, 0xb2, ANY(SEGMENT_LOAD)},                  /* LSS */
    {0xb4, 0xb5, ANY(SEGMENT_LOAD)},                  /* LFS, LGS */
    {0xc2, 0xc2, CONVERT},                            /* CMPPS … */
    {0xc3, 0xc3, {BX_CLASS_WEAK_STORE}},              /* MOVNTI */
    {0xc4, 0xc5, MMX()},                              /* PINSRW, PEXTRW */
    {0xc6, 0xc6, PACKED},                             /* SHUFPS */
    {0xd1, 0xd3, MMX(_SHIFT)},                        /* PSRLW, -D, -Q */
    {0xd4, 0xd4, MMX(_ARITHMETIC)},                   /* PADDQ */
    {0xd5, 0xd5, MMX(_MULTIPLY)},                     /* PMULLW */
    {0xd6, 0xd6, {0, 0, BX_CLASS_MMX, BX_CLASS_MMX}}, /* MOVQ2DQ, MOVDQ2Q */
    {0xd7, 0xd7, MMX()},                              /* PMOVMSKB */
    {0xd8, 0xd9, MMX(_SATURATING)},                   /* PSUBUSB, -W */
    {0xda, 0xda, MMX(_ARITHMETIC)},                   /* PMINUB */
    {0xdb, 0xdb, MMX(_LOGICAL)},                      /* PAND */
    {0xdc, 0xdd, MMX(_SATURATING)},                   /* PADDUSB, -W */
    {0xde, 0xde, MMX(_ARITHMETIC)},                   /* PMAXUB */
    {0xdf, 0xdf, MMX(_LOGICAL)},                      /* PANDN */
    {0xe0, 0xe0, MMX(_ARITHMETIC)},                   /* PAVGB */
    {0xe1, 0xe2, MMX(_SHIFT)},                        /* PSRAW, -D */
    {0xe3, 0xe3, MMX(_ARITHMETIC)},                   /* PAVGW */
    {0xe4, 0xe5, MMX(_MULTIPLY)},                     /* PMULHUW, PMULHW */
    /* CVTTPD2DQ, CVTDQ2PD, CVTPD2DQ */
    {0xe6, 0xe6, {0, BX_CLASS_PD_CONVERT, BX_CLASS_PD_CONVERT, BX_CLASS_PD_CONVERT}},
    {0xe7, 0xe7, {BX_CLASS_MMX_WEAK_STORE, BX_CLASS_WEAK_STORE}}, /* MOVNTQ, MOVNTDQ */
    {0xe8, 0xe9, MMX(_SATURATING)},                               /* PSUBSB, -W */
    {0xea, 0xea, MMX(_ARITHMETIC)},                               /* PMINSW */
    {0xeb, 0xeb, MMX(_LOGICAL)},                                  /* POR */
    {0xec, 0xed, MMX(_SATURATING)},                               /* PADDSB, -W */
    {0xee, 0xee, MMX(_ARITHMETIC)},                               /* PMAXSW */
    {0xef, 0xef, MMX(_LOGICAL)},                                  /* PXOR */
    {0xf1, 0xf3, MMX(_SHIFT)},                                    /* PSLLW, -D, -Q */
    {0xf4, 0xf5, MMX(_MULTIPLY)},                                 /* PMULUDQ, PMADDWD */
    {0xf6, 0xf6, MMX(_ARITHMETIC)},                               /* PSADBW */
    {0xf7, 0xf7, {BX_CLASS_MMX_WEAK_STORE, BX_CLASS_WEAK_STORE}}, /* MASKMOVQ, MASKMOVDQU */
    {0xf8, 0xfe, MMX(_ARITHMETIC)},                               /* PSUBB … -Q, PADDB, -W, -D */
};

static unsigned class_in_rows(uint8_t opcode, unsigned column)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows && rows[i].first <= opcode; i++)
        if (opcode <= rows[i].last)
            return rows[i].class[column];
    return BX_CLASS_OTHER;
}

/* 18: PREFETCHNTA, -T0, -T1, -T2 */
static const uint8_t prefetches[8] = {
    BX_CLASS_PREFETCH_NTA,
    [2] = BX_CLASS_PREFETCH_T1,
    [3] = BX_CLASS_PREFETCH_T2,
};

static unsigned class_of_two_bytes(const bx_opcode_parts *p)
{
    uint8_t opcode = p->opcode[1], modrm = p->left > 2 ? p->opcode[2] : 0;
    unsigned class = class_in_rows(opcode, p->column);
    if (opcode == 0x18 && !bx_modrm_is_register(modrm))
        return prefetches[bx_modrm_operation(modrm)];
    return class == BX_CLASS_MMX_STORE && bx_modrm_is_register(modrm) ? BX_CLASS_MMX : class;
}

enum bx_instruction_class bx_instruction_class_of(const uint8_t *bytes, size_t size)
{
    bx_opcode_parts p = bx_opcode_divide(bytes, size);
    bx_opcode_instruction i;
    if (!p.opcode)
        return BX_CLASS_OTHER;
    unsigned later = bx_opcode_read(bytes, size, &i) ? bx_vector_class(&i) : BX_CLASS_OTHER;
    if (later || i.vex)
        return later;
    return p.left > 1 && p.opcode[0] == 0x0f ? class_of_two_bytes(&p) : class_of_one_byte(&p);
}

/* ---- instructions that steer caches ---- */

static int64_t signed_at(const uint8_t *at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return bytes == 1 ? (int8_t)value : (int32_t)value;
}

/* Reads ModR/M, SIB and displacement (253666, 2.1.3 and 2.2.1). rex: the prefix, or 0. false: the
 * operand is a register, or the bytes end. */
static bool read_operand(const uint8_t *at, size_t left, unsigned rex, bx_memory_operand *m)
{
    if (left == 0 || bx_modrm_is_register(*at))
        return false;
    unsigned mode = *at >> 6, rm = *at & 7, sib = left > 1 ? at[1] : 0;
    size_t bytes = mode == 1 ? 1 : mode == 2 ? 4 : 0, read = rm == 4 ? 2 : 1;
    m->base = (int)((rm == 4 ? sib & 7 : rm) | (rex & 1) << 3);
    m->index = rm == 4 ? (int)((sib >> 3 & 7) | (rex & 2) << 2) : -1;
    m->shift = sib >> 6;
    if (m->index == 4) /* no index */
        m->index = -1;
    if (mode == 0 && (m->base & 7) == 5) { /* no base */
        m->relative = rm == 5;
        m->base = -1;
        bytes = 4;
    }
    if (left < read + bytes)
        return false;
    m->displacement = signed_at(at + read, bytes);
    m->length = (unsigned)(read + bytes);
    return true;
}

static int steering_of(const bx_opcode_parts *p)
{
    static const signed char prefetches_to[8] = {BX_TRACE_PREFETCH_NTA,
                                                 BX_TRACE_PREFETCH_T0,
                                                 BX_TRACE_PREFETCH_T1,
                                                 BX_TRACE_PREFETCH_T2,
                                                 -1,
                                                 -1,
                                                 -1,
                                                 -1};
    unsigned operation = bx_modrm_operation(p->opcode[2]);
    if (p->opcode[1] == 0x18)
        return prefetches_to[operation];
    if (p->opcode[1] == 0x0d)
        return operation == 1 ? BX_TRACE_PREFETCH_W : operation == 0 ? BX_TRACE_PREFETCH_T0 : -1;
    if (p->opcode[1] != 0xae || (p->column != BX_OPCODE_PLAIN && p->column != BX_OPCODE_66))
        return -1;
    return operation == 7                                ? BX_TRACE_FLUSHES
           : operation == 6 && p->column == BX_OPCODE_66 ? BX_TRACE_WRITES_BACK
                                                         : -1;
}

int bx_opcode_steers(const uint8_t *bytes, size_t size, bx_memory_operand *m)
{
    bx_opcode_parts p = bx_opcode_divide(bytes, size);
    if (p.left < 3 || p.opcode[0] != 0x0f)
        return -1;
    *m = (bx_memory_operand){.base = -1};
    for (const uint8_t *prefix = bytes; prefix < p.opcode; prefix++) {
        m->narrow |= *prefix == 0x67;
        if (*prefix == 0x64 || *prefix == 0x65)
            m->segment = *prefix == 0x64 ? BX_SEGMENT_FS : BX_SEGMENT_GS;
    }
    int what = steering_of(&p);
    if (what < 0 || !read_operand(p.opcode + 2, p.left - 2, p.rex, m))
        return -1;
    m->opcode = (unsigned)(p.opcode + 1 - bytes);
    m->length += m->opcode + 1;
    return what;
}

/* ---- string instructions ---- */

unsigned bx_opcode_repeated_store(const uint8_t *bytes, size_t size)
{
    bx_opcode_parts p = bx_opcode_divide(bytes, size);
    bool is_word = false;
    if (p.column != BX_OPCODE_F3 || !p.opcode ||
        ((*p.opcode & 0xfe) != 0xa4 && (*p.opcode & 0xfe) != 0xaa))
        return 0;
    for (const uint8_t *prefix = bytes; prefix < p.opcode; prefix++) {
        if (*prefix == 0x67)
            return 0;
        is_word |= *prefix == 0x66;
    }
    if (!(*p.opcode & 1))
        return 1;
    return p.rex & 8 ? 8 : is_word ? 2 : 4;
}
