/* Finds loops that only another thread can end. */
#include "spinning.h"

#include "general_registers.h"
#include "symbols.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { RSP = 4, RBP = 5, NO_REGISTER = -1 };

/* Where Valgrind has what a loop can change: general registers and flags, and those of vectors and
 * floating point. Valgrind's own offsetof() is no constant for C. */
enum {
    GENERAL = __builtin_offsetof(VexGuestAMD64State, guest_RAX),
    GENERAL_SIZE = __builtin_offsetof(VexGuestAMD64State, guest_RIP) - GENERAL,
    VECTORS = __builtin_offsetof(VexGuestAMD64State, guest_YMM0),
    VECTORS_SIZE = __builtin_offsetof(VexGuestAMD64State, guest_FPROUND) - VECTORS,
};

/* Locals at most so far from RSP or RBP are compared. Those below RSP by more are no longer used
 * (System V ABI, "The Stack Frame"). */
enum { RED_ZONE = 128, FRAME = 1024 };

/* Exits that went back since the thread stored for others, or since it began to run, plus STORED.
 * The function at_round is called when that is a power of 2: loops that come to an end by
 * themselves pay little. It is called again at the next exit for the first time, and after it has
 * found that nothing has changed. */
enum { STORED = 12, FIRST = 16, NEXT = 31 };
static ULong rounds;
/* Whether it has stored to its frame since the last of these calls, by RSP, and by RBP. */
static ULong stored_by_rsp, stored_by_rbp;

/* ---- while a superblock is translated ---- */

/* The superblock has code for that already, or needs none. */
static Bool resets, stores_by_rsp, stores_by_rbp;

static void (*call_at_round)(void *state, ULong to);

void bx_spinning_begin(void (*at_round)(void *state, ULong to))
{
    call_at_round = at_round;
    resets = !at_round;
    stores_by_rsp = stores_by_rbp = False;
}

static IRExpr *number(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static void store_number(IRSB *out, ULong *variable, IRExpr *value)
{
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, number((HWord)variable), value));
}

static IRExpr *temporary_of(IRSB *out, IRType type, IRExpr *e)
{
    IRTemp t = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

/* The register from which the address is that of a local; NO_REGISTER: it may be anything. */
static Int register_of_local(const IRExpr *address)
{
    bx_symbol s = address ? bx_symbol_of(address) : (bx_symbol){.known = False};
    Bool local = s.known && s.index < 0 && (s.base == RSP || s.base == RBP) && s.offset > -FRAME &&
                 s.offset < FRAME;
    return local ? s.base : NO_REGISTER;
}

static void store_once(IRSB *out, Bool *done, ULong *variable, ULong value)
{
    if (!*done)
        store_number(out, variable, number(value));
    *done = True;
}

void bx_spinning_store(IRSB *out, const IRExpr *address)
{
    if (resets)
        return;
    Int by = register_of_local(address);
    if (by == RSP)
        store_once(out, &stores_by_rsp, &stored_by_rsp, 1);
    else if (by == RBP)
        store_once(out, &stores_by_rbp, &stored_by_rbp, 1);
    else
        store_once(out, &resets, &rounds, STORED);
}

static void add_effect(IRDirty *call, IREffect what, UShort offset, UShort size)
{
    call->fxState[call->nFxState].fx = what;
    call->fxState[call->nFxState].offset = offset;
    call->fxState[call->nFxState].size = size;
    call->fxState[call->nFxState].nRepeats = call->fxState[call->nFxState].repeatLen = 0;
    call->nFxState++;
}

void bx_spinning_exit(IRSB *out, Addr here, Addr to, IRExpr *guard)
{
    if (resets || to > here)
        return;
    IRExpr *one = guard ? temporary_of(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard)) : number(1);
    IRExpr *before =
        temporary_of(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, number((HWord)&rounds)));
    IRExpr *now = temporary_of(out, Ity_I64, IRExpr_Binop(Iop_Add64, before, one));
    store_number(out, &rounds, now);
    IRExpr *less = temporary_of(out, Ity_I64, IRExpr_Binop(Iop_Sub64, now, number(1)));
    IRExpr *bits = temporary_of(out, Ity_I64, IRExpr_Binop(Iop_And64, now, less));
    if (guard)
        bits = temporary_of(out, Ity_I64, IRExpr_ITE(guard, bits, number(1)));
    IRDirty *call = unsafeIRDirty_0_N(0, "at_round", (void *)(HWord)call_at_round,
                                      mkIRExprVec_2(IRExpr_GSPTR(), number(to)));
    call->guard = temporary_of(out, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, bits, number(0)));
    add_effect(call, Ifx_Modify, offsetof(VexGuestAMD64State, host_EvC_COUNTER), sizeof(UInt));
    add_effect(call, Ifx_Read, GENERAL, GENERAL_SIZE);
    add_effect(call, Ifx_Read, VECTORS, VECTORS_SIZE);
    addStmtToIRSB(out, IRStmt_Dirty(call));
}

/* ---- while a thread runs ---- */

struct bx_spinning {
    Addr to;
    UChar general[GENERAL_SIZE], vectors[VECTORS_SIZE];
    Addr from; /* of the stack */
    SizeT n;   /* 0: nothing is known of it */
    UChar stack[RED_ZONE + FRAME];
};

void bx_spinning_free(bx_spinning *s)
{
    VG_(free)(s);
}

/* The bytes of the stack that may be the thread's locals. */
static SizeT locals_of(const VexGuestAMD64State *state, Addr *from)
{
    *from = state->guest_RSP - RED_ZONE;
    const NSegment *stack = VG_(am_find_nsegment)(*from);
    Addr to = *from + RED_ZONE + FRAME;
    if (!stack || !stack->hasR)
        return 0;
    return (to <= stack->end ? to : stack->end + 1) - *from;
}

static void remember(bx_spinning *s, const VexGuestAMD64State *state, Addr to)
{
    s->to = to;
    VG_(memcpy)(s->general, (const UChar *)state + GENERAL, GENERAL_SIZE);
    VG_(memcpy)(s->vectors, (const UChar *)state + VECTORS, VECTORS_SIZE);
    s->n = locals_of(state, &s->from);
    VG_(memcpy)(s->stack, (const void *)s->from, s->n);
}

static Bool has_same_locals(const bx_spinning *s, const VexGuestAMD64State *state)
{
    Addr from;
    SizeT n = locals_of(state, &from);
    Bool all = n && (!stored_by_rbp || state->guest_RBP - from <= n);
    return all && n == s->n && from == s->from && VG_(memcmp)(s->stack, (const void *)from, n) == 0;
}

static Bool is_remembered(const bx_spinning *s, const VexGuestAMD64State *state, Addr to)
{
    return s->to == to &&
           VG_(memcmp)(s->general, (const UChar *)state + GENERAL, GENERAL_SIZE) == 0 &&
           VG_(memcmp)(s->vectors, (const UChar *)state + VECTORS, VECTORS_SIZE) == 0 &&
           ((!stored_by_rsp && !stored_by_rbp) || has_same_locals(s, state));
}

Bool bx_spinning_is_same(bx_spinning **s, const void *state, Addr to)
{
    if (!*s)
        *s = VG_(calloc)("bx.spinning", 1, sizeof **s);
    Bool same = rounds > FIRST && is_remembered(*s, state, to);
    if (!same)
        remember(*s, state, to);
    if (same || rounds == FIRST)
        rounds = NEXT;
    stored_by_rsp = stored_by_rbp = 0;
    return same;
}

void bx_spinning_go_on(Bool looked)
{
    rounds = looked ? NEXT : STORED;
    stored_by_rsp = stored_by_rbp = 0;
}
