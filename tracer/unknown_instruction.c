/* Kinds of instructions that Valgrind does not know, from their bytes: Intel's manual 325383,
 * volume 2, appendix A. */
#include "unknown_instruction.h"

enum { MOST = 15 }; /* bytes of an instruction */

#define NO_AVX512                                                                                  \
    "compile it for -march=x86-64-v3; of libraries that choose by themselves, limit them "         \
    "(GLIBC_TUNABLES, OPENSSL_ia32cap, OPENBLAS_CORETYPE=Haswell, MKL_ENABLE_INSTRUCTIONS=AVX2)"
#define CHOOSES                                                                                    \
    "CPUID does not announce it: compile the program without -march=native, or let it ask CPUID"
#define HOST "--features host, if this processor has it"

static const bx_unknown_instruction avx512 = {"AVX-512", NO_AVX512}, other = {"", CHOOSES};

typedef struct opcode { /* the parts before the operands */
    bool p66, f2, f3, lock, vex;
    unsigned map; /* 0: one byte; 1: 0F; 2: 0F 38; 3: 0F 3A */
    uint8_t code, modrm;
} opcode;

static uint8_t byte_at(const uint8_t *bytes, size_t n, size_t i)
{
    return i < n ? bytes[i] : 0;
}

static size_t read_prefixes(const uint8_t *b, size_t n, opcode *o)
{
    size_t i = 0;
    for (; i < n && i < MOST; i++)
        if (b[i] == 0x66)
            o->p66 = true;
        else if (b[i] == 0xf2)
            o->f2 = true;
        else if (b[i] == 0xf3)
            o->f3 = true;
        else if (b[i] == 0xf0)
            o->lock = true;
        else if (b[i] != 0x2e && b[i] != 0x36 && b[i] != 0x3e && b[i] != 0x26 && b[i] != 0x64 &&
                 b[i] != 0x65 && b[i] != 0x67)
            break;
    if (i < n && (b[i] & 0xf0) == 0x40) /* REX */
        i++;
    return i;
}

static void read_vex(const uint8_t *b, size_t n, size_t i, opcode *o)
{
    bool three = b[i] == 0xc4;
    uint8_t last = byte_at(b, n, i + (three ? 2 : 1));
    o->vex = true;
    o->map = three ? byte_at(b, n, i + 1) & 0x1f : 1;
    o->p66 = (last & 3) == 1;
    o->f3 = (last & 3) == 2;
    o->f2 = (last & 3) == 3;
    o->code = byte_at(b, n, i + (three ? 3 : 2));
    o->modrm = byte_at(b, n, i + (three ? 4 : 3));
}

static void read_legacy(const uint8_t *b, size_t n, size_t i, opcode *o)
{
    if (byte_at(b, n, i) == 0x0f) {
        uint8_t second = byte_at(b, n, ++i);
        o->map = second == 0x38 ? 2 : second == 0x3a ? 3 : 1;
        i += o->map > 1;
    }
    o->code = byte_at(b, n, i);
    o->modrm = byte_at(b, n, i + 1);
}

/* UD0, UD1 and UD2, by which compilers end a program that must not go on; and single bytes that
 * have no meaning in 64-bit code. */
static bool is_undefined(const opcode *o)
{
    if (o->vex)
        return false;
    return o->map == 1 ? o->code == 0x0b || o->code == 0xb9 || o->code == 0xff
                       : o->map == 0 && o->code < 0x40 && (o->code & 7) >= 6; /* PUSH ES …, DAA … */
}

typedef struct row {
    unsigned map;
    uint8_t first, last; /* opcodes */
    uint8_t groups;      /* bit 0 to 7: the values of modrm's bits 5:3 */
    int prefix;          /* 0x66, 0xf2, 0xf3; 0: none; -1: any */
    int vex;             /* -1: any */
    bx_unknown_instruction kind;
} row;

static const row rows[] = {
    {1, 0xc7, 0xc7, 1 << 6, -1, 0, {"RDRAND", HOST}},
    {1, 0xc7, 0xc7, 1 << 7, 0xf3, 0, {"RDPID", CHOOSES}},
    {1, 0xc7, 0xc7, 1 << 7, -1, 0, {"RDSEED", HOST}},
    {1, 0xc7, 0xc7, 0x38, -1, 0, {"XSAVEC or XSAVES", CHOOSES}},
    {1, 0xae, 0xae, 0x0f, 0xf3, 0, {"RDFSBASE or WRFSBASE", CHOOSES}},
    {1, 0xae, 0xae, 1 << 6, 0x66, 0, {"CLWB", CHOOSES}},
    {1, 0xae, 0xae, 1 << 7, 0x66, 0, {"CLFLUSHOPT", CHOOSES}},
    {1, 0xae, 0xae, 1 << 6, -1, 0, {"XSAVEOPT or UMWAIT", CHOOSES}},
    {1, 0x01, 0x01, 0xff, -1, 0, {"RDTSCP, XTEST or another one of 0F 01", HOST}},
    {2,
     0xc8,
     0xcd,
     0xff,
     0,
     0,
     {"SHA", "OPENSSL_ia32cap=:~0x20000000, or compile it without -msha"}},
    {3,
     0xcc,
     0xcc,
     0xff,
     0,
     0,
     {"SHA", "OPENSSL_ia32cap=:~0x20000000, or compile it without -msha"}},
    {2, 0xcf, 0xcf, 0xff, 0x66, -1, {"GFNI", CHOOSES}},
    {3, 0xce, 0xcf, 0xff, 0x66, -1, {"GFNI", CHOOSES}},
    {2, 0xdb, 0xdf, 0xff, 0x66, 1, {"VAES", CHOOSES}},
    {3, 0x44, 0x44, 0xff, 0x66, 1, {"VPCLMULQDQ", CHOOSES}},
    {2, 0x50, 0x53, 0xff, -1, 1, {"AVX-VNNI", CHOOSES}},
    {2, 0xf6, 0xf6, 0xff, -1, 0, {"ADX", HOST}},
    {2, 0xf0, 0xf1, 0xff, -1, 0, {"MOVBE", HOST}},
    {2, 0xf8, 0xf9, 0xff, -1, 0, {"MOVDIRI or MOVDIR64B", CHOOSES}},
};

static bool fits(const row *r, const opcode *o)
{
    int prefix = o->f3 ? 0xf3 : o->f2 ? 0xf2 : o->p66 ? 0x66 : 0;
    return r->map == o->map && o->code >= r->first && o->code <= r->last &&
           r->groups >> (o->modrm >> 3 & 7) & 1 && (r->prefix < 0 || r->prefix == prefix) &&
           (r->vex < 0 || r->vex == o->vex);
}

bool bx_unknown_instruction_kind(const uint8_t *bytes, size_t n, bx_unknown_instruction *kind)
{
    opcode o = {0};
    size_t i = read_prefixes(bytes, n, &o);
    uint8_t first = byte_at(bytes, n, i);
    *kind = first == 0x62 ? avx512 : other;
    if (first == 0x62 || i >= n)
        return i < n;
    if (first == 0xc4 || first == 0xc5)
        read_vex(bytes, n, i, &o);
    else
        read_legacy(bytes, n, i, &o);
    if (is_undefined(&o))
        return false;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (fits(&rows[r], &o)) {
            *kind = rows[r].kind;
            return true;
        }
    if (o.vex)
        *kind = (bx_unknown_instruction){"a VEX instruction", CHOOSES "; or " HOST};
    return true;
}

/* LOCK makes it undefined; other prefixes make no difference. */
size_t bx_rdpmc_size(const uint8_t *bytes, size_t n)
{
    opcode o = {0};
    size_t i = read_prefixes(bytes, n, &o);
    bool is = i + 2 <= n && i + 2 <= MOST && bytes[i] == 0x0f && bytes[i + 1] == 0x33 && !o.lock;
    return is ? i + 2 : 0;
}
