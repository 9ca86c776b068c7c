/* Follows the longest chains of operations through registers. */
#include "recurrence.h"

#include "general_registers.h"
#include "latency.h"
#include "operands.h"
#include "symbols.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Places of values: the general registers, YMM0 to YMM15, then words in memory that the block loads
 * or stores. RSP is not followed: processors add its changes by pushes, pops, calls and returns
 * before the execution units. (Agner Fog, microarchitecture.pdf, "stack engine".) */
enum {
    GENERAL = BX_REGISTERS,
    VECTORS = 16,
    REGISTERS = GENERAL + VECTORS,
    NO_REGISTER = REGISTERS,
    WORDS = 16,
    PLACES = REGISTERS + WORDS,
    RSP = 4
};

/* A chain: its length in cycles plus 1, its loads, and its additions and multiplications of
 * floating point, of 16 bits each; and eight fields of 8 bits, its divisions by kind. In the
 * length, each load, addition and multiplication counts as NOMINAL cycles, and divisions as
 * nominal_division. That is about right for all processors, so the longest chain is the largest
 * number. 0: there is none. A block has at most 200 instructions: no field overflows. */
__extension__ typedef unsigned __int128 chain;
/* FORWARD: a load gets its value from the store before it: Agner Fog, instruction_tables.pdf, "ADD
 * SUB m,r/i" has 6 cycles for Nehalem to Skylake (Skylake 5 to 6), of which the addition takes one.
 */
enum { NOMINAL = 4, FORWARD = 5 };
#define CYCLE           ((chain)1 << 112)
#define LOAD            (NOMINAL * CYCLE + ((chain)1 << 96))
#define ADDITION        (NOMINAL * CYCLE + ((chain)1 << 80))
#define MULTIPLICATION  (NOMINAL * CYCLE + ((chain)1 << 64))
#define DIVISIONS(kind) (8 * (kind))

/* Of Skylake: LLVM, X86SchedSkylakeClient.td: WriteFDivX, WriteFDiv64X, WriteFSqrtX, WriteFSqrt64X.
 * Of integers: github.com/InstLatx64/InstLatx64, GenuineIntel00506E3_Skylake_InstLatX64.txt. */
static const UChar nominal_division[BX_DIVISIONS] = {
    [BX_DIVIDE_32] = 26,   [BX_DIVIDE_64] = 38,     [BX_DIVIDE_SIGNED] = 44,
    [BX_DIVIDE_128] = 91,  [BX_DIVIDE_SINGLE] = 11, [BX_DIVIDE_DOUBLE] = 14,
    [BX_ROOT_SINGLE] = 12, [BX_ROOT_DOUBLE] = 18};

typedef struct value {
    ULong reached;      /* bit mask of places from which a chain leads here */
    UInt instruction;   /* the instruction whose operation it is; 0: none */
    chain from[PLACES]; /* the chains from those places */
} value;

static value *temporary; /* [room] */
static Int room;
static value in_register[REGISTERS];
static UInt instruction;
static enum bx_division integer_division; /* which one the instruction is */

/* A word in memory. Two words are one if they have the same address by the same registers: other
 * stores are taken not to overlap. */
typedef struct memory_word {
    bx_symbol address;
    Int bytes;
    Bool stored;
    value holds;
} memory_word;

static memory_word word[WORDS];
static UInt words;

void bx_recurrence_begin(Int temporaries)
{
    if (temporaries > room) {
        room = 2 * temporaries;
        temporary = VG_(realloc)("bx.chains", temporary, (SizeT)room * sizeof *temporary);
    }
    for (Int i = 0; i < temporaries; i++)
        temporary[i].reached = 0;
    bx_symbols_begin(temporaries);
    words = 0;
    for (UInt i = 0; i < REGISTERS; i++) {
        in_register[i].reached = i == RSP ? 0 : 1ULL << i;
        in_register[i].instruction = 0;
        in_register[i].from[i] = CYCLE;
    }
    instruction = 1;
}

void bx_recurrence_next_instruction(enum bx_division division)
{
    instruction++;
    integer_division = division;
}

/* ---- values ---- */

static void copy(value *to, const value *from)
{
    to->reached = from->reached;
    to->instruction = from->instruction;
    for (ULong left = from->reached; left; left &= left - 1)
        to->from[__builtin_ctzll(left)] = from->from[__builtin_ctzll(left)];
}

/* Makes each chain of *to the longer one of itself and the chain of *from followed by `more`. */
static void join(value *to, const value *from, chain more)
{
    for (ULong left = from->reached; left; left &= left - 1) {
        UInt i = (UInt)__builtin_ctzll(left);
        chain length = from->from[i] + more;
        if (!(to->reached >> i & 1) || to->from[i] < length)
            to->from[i] = length;
    }
    to->reached |= from->reached;
}

/* ---- memory ---- */

/* The word of these bytes; NULL: its address is not known, or there are too many. */
static memory_word *word_at(const IRExpr *address, Int bytes)
{
    bx_symbol at = bx_symbol_of(address);
    if (!at.known)
        return NULL;
    for (UInt i = 0; i < words; i++)
        if (word[i].bytes == bytes && bx_symbols_equal(word[i].address, at))
            return &word[i];
    if (words == WORDS)
        return NULL;
    memory_word *w = &word[words];
    *w = (memory_word){.address = at, .bytes = bytes};
    w->holds.reached = 1ULL << (REGISTERS + words);
    w->holds.from[REGISTERS + words] = CYCLE;
    words++;
    return w;
}

static void load_word(value *to, const IRExpr *address, Int bytes)
{
    const memory_word *w = word_at(address, bytes);
    if (w)
        join(to, &w->holds, FORWARD * CYCLE);
}

/* The chain from a word that the next round loads first to what this round stores there. 0: there
 * is none. */
static chain chain_of_word(const memory_word *w)
{
    bx_symbol then = w->address;
    if (!w->stored || !bx_symbol_in_next_round(&then))
        return 0;
    for (UInt i = 0; i < words; i++)
        if (w->holds.reached >> (REGISTERS + i) & 1 && word[i].bytes == w->bytes &&
            bx_symbols_equal(word[i].address, then))
            return w->holds.from[REGISTERS + i];
    return 0;
}

static Bool is_of_this_instruction(const value *v)
{
    return v->instruction == instruction;
}

/* The value of a temporary; NULL: a constant. */
static const value *of_atom(const IRExpr *atom)
{
    return atom->tag == Iex_RdTmp ? &temporary[atom->Iex.RdTmp.tmp] : NULL;
}

static UInt register_at(Int offset)
{
    UInt general = bx_register_at(offset);
    UInt vector = ((UInt)offset - offsetof(VexGuestAMD64State, guest_YMM0)) / sizeof(U256);
    return general < GENERAL ? general : vector < VECTORS ? GENERAL + vector : NO_REGISTER;
}

/* ---- expressions ---- */

static chain length_of_division(enum bx_division kind)
{
    if (kind <= BX_DIVIDE_128 && integer_division != BX_DIVISIONS)
        kind = integer_division;
    return nominal_division[kind] * CYCLE + ((chain)1 << DIVISIONS(kind));
}

static chain length_of(bx_latency l)
{
    switch (l.kind) {
    case BX_LATENCY_NONE:
        return 0;
    case BX_LATENCY_ADDITION:
        return ADDITION;
    case BX_LATENCY_MULTIPLICATION:
        return MULTIPLICATION;
    case BX_LATENCY_DIVISION:
        return length_of_division(l.division);
    case BX_LATENCY_CYCLES:
        return l.cycles * CYCLE;
    default:
        return CYCLE;
    }
}

static void add_operand(value *to, const value *from, bx_latency l)
{
    Bool again = l.kind == BX_LATENCY_SIMPLE && is_of_this_instruction(from);
    join(to, from, again ? 0 : length_of(l));
    if (l.kind == BX_LATENCY_NONE && is_of_this_instruction(from))
        to->instruction = instruction;
}

/* The load's latency includes the computation of its address. */
static void add_load(value *to, const IRExpr *address)
{
    const value *v = of_atom(address);
    if (v)
        join(to, v, is_of_this_instruction(v) ? LOAD - CYCLE : LOAD);
}

static void evaluate(value *to, const IRExpr *e)
{
    const IRExpr *operand[BX_OPERANDS];
    bx_latency l = bx_latency_of(e);
    UInt n = bx_operands(e, operand);
    to->reached = 0;
    to->instruction = l.kind == BX_LATENCY_SIMPLE || l.kind == BX_LATENCY_CYCLES ||
                              l.kind == BX_LATENCY_ADDITION ||
                              l.kind == BX_LATENCY_MULTIPLICATION || l.kind == BX_LATENCY_DIVISION
                          ? instruction
                          : 0;
    for (UInt i = 0; i < n; i++)
        if (of_atom(operand[i]))
            add_operand(to, of_atom(operand[i]), l);
    if (e->tag == Iex_Load) {
        add_load(to, e->Iex.Load.addr);
        load_word(to, e->Iex.Load.addr, sizeofIRType(e->Iex.Load.ty));
    }
    if (e->tag == Iex_Get && register_at(e->Iex.Get.offset) != NO_REGISTER)
        copy(to, &in_register[register_at(e->Iex.Get.offset)]);
}

/* ---- statements ---- */

static Bool is_whole(UInt i, Int offset, Int bytes)
{
    Int in_vector = (offset - (Int)offsetof(VexGuestAMD64State, guest_YMM0)) % (Int)sizeof(U256);
    return i < GENERAL ? bx_register_begins(offset) && bytes == sizeof(ULong)
                       : in_vector == 0 && bytes >= (Int)sizeof(U128);
}

/* A write to a part of a register keeps the chains of the rest. The upper half of a YMM register
 * shares the chains of the lower half. */
static void put_recurrence(const IRSB *in, Int offset, const IRExpr *atom)
{
    UInt i = register_at(offset);
    if (i == NO_REGISTER || i == RSP)
        return;
    value *to = &in_register[i];
    const value *v = of_atom(atom);
    if (is_whole(i, offset, sizeofIRType(typeOfIRExpr(in->tyenv, atom))))
        to->reached = 0;
    if (v)
        join(to, v, 0);
}

static void load_guarded(const IRLoadG *l)
{
    value *to = &temporary[l->dst];
    to->reached = to->instruction = 0;
    add_load(to, l->addr);
    if (of_atom(l->alt))
        join(to, of_atom(l->alt), CYCLE);
    if (of_atom(l->guard))
        join(to, of_atom(l->guard), CYCLE);
}

static void compare_and_swap(const IRCAS *c)
{
    temporary[c->oldLo].reached = temporary[c->oldLo].instruction = 0;
    add_load(&temporary[c->oldLo], c->addr);
    if (c->oldHi != IRTemp_INVALID)
        copy(&temporary[c->oldHi], &temporary[c->oldLo]);
}

static void store_word(const IRSB *in, const IRExpr *address, const IRExpr *data)
{
    memory_word *w = word_at(address, sizeofIRType(typeOfIRExpr(in->tyenv, data)));
    if (!w)
        return;
    w->stored = True;
    w->holds.reached = 0;
    if (of_atom(data))
        copy(&w->holds, of_atom(data));
}

void bx_recurrence_follow(const IRSB *in, const IRStmt *s)
{
    bx_symbols_follow(s);
    switch (s->tag) {
    case Ist_Put:
        put_recurrence(in, s->Ist.Put.offset, s->Ist.Put.data);
        break;
    case Ist_WrTmp:
        evaluate(&temporary[s->Ist.WrTmp.tmp], s->Ist.WrTmp.data);
        break;
    case Ist_Store:
        store_word(in, s->Ist.Store.addr, s->Ist.Store.data);
        break;
    case Ist_LoadG:
        load_guarded(s->Ist.LoadG.details);
        break;
    case Ist_CAS:
        compare_and_swap(s->Ist.CAS.details);
        break;
    default:
        break;
    }
}

/* ---- the result ---- */

bx_trace_recurrence bx_recurrence_now(void)
{
    chain longest = CYCLE;
    for (UInt i = 0; i < REGISTERS; i++)
        if (in_register[i].reached >> i & 1 && in_register[i].from[i] > longest)
            longest = in_register[i].from[i];
    for (UInt i = 0; i < words; i++)
        if (chain_of_word(&word[i]) > longest)
            longest = chain_of_word(&word[i]);
    bx_trace_recurrence r = {.loads = longest >> 96 & 0xffff,
                             .additions = longest >> 80 & 0xffff,
                             .multiplications = longest >> 64 & 0xffff};
    r.cycles = (UInt)(longest >> 112) - 1 - NOMINAL * (r.loads + r.additions + r.multiplications);
    for (UInt k = 0; k < BX_DIVISIONS; k++) {
        UInt n = longest >> DIVISIONS(k) & 0xff;
        r.divisions[k] = bx_trace_at_most(n, BX_TRACE_DIVISIONS_MOST); /* others are nominal */
        r.cycles -= r.divisions[k] * nominal_division[k];
    }
    return r;
}

UInt bx_recurrence_nominal(bx_trace_recurrence r)
{
    UInt all = r.cycles + NOMINAL * (r.loads + r.additions + r.multiplications);
    for (UInt k = 0; k < BX_DIVISIONS; k++)
        all += r.divisions[k] * nominal_division[k];
    return all;
}
