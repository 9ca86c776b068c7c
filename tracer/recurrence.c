/* Follows the longest chains of operations through registers. */
#include "recurrence.h"

#include "latency.h"
#include "operands.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Registers: the general ones, then YMM0 to YMM15. RSP is not followed: processors add its changes
 * by pushes, pops, calls and returns before the execution units. (Agner Fog, microarchitecture.pdf,
 * "stack engine".) */
enum {
    GENERAL = 16,
    VECTORS = 16,
    REGISTERS = GENERAL + VECTORS,
    NO_REGISTER = REGISTERS,
    RSP = 4
};

/* A chain, as four fields of 16 bits: its length in cycles plus 1, and its loads, additions and
 * multiplications of floating point. In the length, each of the last three counts as NOMINAL
 * cycles. That is about right for all processors, so the longest chain is the largest number. 0:
 * there is none. A block has at most 200 instructions: no field overflows. */
typedef ULong chain;
enum { NOMINAL = 4 };
#define CYCLE          ((chain)1 << 48)
#define LOAD           (NOMINAL * CYCLE + ((chain)1 << 32))
#define ADDITION       (NOMINAL * CYCLE + ((chain)1 << 16))
#define MULTIPLICATION (NOMINAL * CYCLE + 1)

typedef struct value {
    UInt reached;          /* bit mask of registers from which a chain leads here */
    UInt instruction;      /* the instruction whose operation it is; 0: none */
    chain from[REGISTERS]; /* the chains from those registers */
} value;

static value *temporary; /* [room] */
static Int room;
static value in_register[REGISTERS];
static UInt instruction;

void bx_recurrence_begin(Int temporaries)
{
    if (temporaries > room) {
        room = 2 * temporaries;
        temporary = VG_(realloc)("bx.chains", temporary, (SizeT)room * sizeof *temporary);
    }
    for (Int i = 0; i < temporaries; i++)
        temporary[i].reached = 0;
    for (UInt i = 0; i < REGISTERS; i++) {
        in_register[i].reached = i == RSP ? 0 : 1U << i;
        in_register[i].instruction = 0;
        in_register[i].from[i] = CYCLE;
    }
    instruction = 1;
}

void bx_recurrence_next_instruction(void)
{
    instruction++;
}

/* ---- values ---- */

static void copy(value *to, const value *from)
{
    to->reached = from->reached;
    to->instruction = from->instruction;
    for (UInt left = from->reached; left; left &= left - 1)
        to->from[__builtin_ctz(left)] = from->from[__builtin_ctz(left)];
}

/* Makes each chain of *to the longer one of itself and the chain of *from followed by `more`. */
static void join(value *to, const value *from, chain more)
{
    for (UInt left = from->reached; left; left &= left - 1) {
        UInt i = (UInt)__builtin_ctz(left);
        chain length = from->from[i] + more;
        if (!(to->reached >> i & 1) || to->from[i] < length)
            to->from[i] = length;
    }
    to->reached |= from->reached;
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
    UInt general = ((UInt)offset - offsetof(VexGuestAMD64State, guest_RAX)) / sizeof(ULong);
    UInt vector = ((UInt)offset - offsetof(VexGuestAMD64State, guest_YMM0)) / sizeof(U256);
    return general < GENERAL ? general : vector < VECTORS ? GENERAL + vector : NO_REGISTER;
}

/* ---- expressions ---- */

static chain length_of(bx_latency l)
{
    switch (l.kind) {
    case BX_LATENCY_NONE:
        return 0;
    case BX_LATENCY_ADDITION:
        return ADDITION;
    case BX_LATENCY_MULTIPLICATION:
        return MULTIPLICATION;
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
                              l.kind == BX_LATENCY_ADDITION || l.kind == BX_LATENCY_MULTIPLICATION
                          ? instruction
                          : 0;
    for (UInt i = 0; i < n; i++)
        if (of_atom(operand[i]))
            add_operand(to, of_atom(operand[i]), l);
    if (e->tag == Iex_Load)
        add_load(to, e->Iex.Load.addr);
    if (e->tag == Iex_Get && register_at(e->Iex.Get.offset) != NO_REGISTER)
        copy(to, &in_register[register_at(e->Iex.Get.offset)]);
}

/* ---- statements ---- */

static Bool is_whole(UInt i, Int offset, Int bytes)
{
    Int in_general = (offset - (Int)offsetof(VexGuestAMD64State, guest_RAX)) % (Int)sizeof(ULong);
    Int in_vector = (offset - (Int)offsetof(VexGuestAMD64State, guest_YMM0)) % (Int)sizeof(U256);
    return i < GENERAL ? in_general == 0 && bytes == sizeof(ULong)
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

void bx_recurrence_follow(const IRSB *in, const IRStmt *s)
{
    switch (s->tag) {
    case Ist_Put:
        put_recurrence(in, s->Ist.Put.offset, s->Ist.Put.data);
        break;
    case Ist_WrTmp:
        evaluate(&temporary[s->Ist.WrTmp.tmp], s->Ist.WrTmp.data);
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
    UInt loads = longest >> 32 & 0xffff, additions = longest >> 16 & 0xffff;
    UInt multiplications = longest & 0xffff;
    return (bx_trace_recurrence){
        .cycles = (UInt)(longest >> 48) - 1 - NOMINAL * (loads + additions + multiplications),
        .loads = loads,
        .additions = additions,
        .multiplications = multiplications,
    };
}
