/* Adds to Valgrind's translation of an instruction that steers caches where it points to. Valgrind
 * itself drops the addresses of prefetches, and flushes change only its translations. Also tells
 * which lines string instructions overwrite as a whole. */
#include "core_steering.h"

#include "general_registers.h"
#include "opcode.h"
#include "trace_format.h"

#include "pub_tool_libcbase.h"

/* As in guest_generic_bb_to_IR.h of Valgrind 3.16 to 3.24. */
typedef struct translated {
    UInt bytes;
    Int next, hint, jump;
} translated;

extern translated __real_disInstr_AMD64(IRSB *to, const UChar *code, Long at, Addr address,
                                        Int architecture, const void *about, const void *abi,
                                        Int order, Bool tells);
extern translated __wrap_disInstr_AMD64(IRSB *to, const UChar *code, Long at, Addr address,
                                        Int architecture, const void *about, const void *abi,
                                        Int order, Bool tells);

/* Never called: its calls are left out of translations. */
static void marker(ULong address, ULong what)
{
    (void)address;
    (void)what;
}

Bool bx_core_steers(const IRStmt *s, UInt *what, IRExpr **address)
{
    if (s->tag != Ist_Dirty || s->Ist.Dirty.details->cee->addr != (void *)(HWord)marker)
        return False;
    *address = s->Ist.Dirty.details->args[0];
    *what = (UInt)s->Ist.Dirty.details->args[1]->Iex.Const.con->Ico.U64;
    return True;
}

static IRExpr *fixed_number(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign_type(IRSB *to, IRType type, IRExpr *e)
{
    IRTemp t = newIRTemp(to->tyenv, type);
    addStmtToIRSB(to, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

static IRExpr *assign(IRSB *to, IRExpr *e)
{
    return assign_type(to, Ity_I64, e);
}

static void mark(IRSB *to, IRExpr *address, UInt what)
{
    addStmtToIRSB(to, IRStmt_Dirty(unsafeIRDirty_0_N(0, "steers", (void *)(HWord)marker,
                                                     mkIRExprVec_2(address, fixed_number(what)))));
}

static IRExpr *register_now(IRSB *to, UInt reg)
{
    return assign(to, IRExpr_Get(bx_register_offset(reg), Ity_I64));
}

static IRExpr *sum(IRSB *to, IRExpr *a, IRExpr *b)
{
    return assign(to, IRExpr_Binop(Iop_Add64, a, b));
}

static IRExpr *address_of(IRSB *to, const bx_memory_operand *m, Addr next)
{
    IRExpr *e = fixed_number((ULong)m->displacement + (m->relative ? next : 0));
    if (m->segment)
        e = sum(to, e,
                assign(to, IRExpr_Get(m->segment == BX_SEGMENT_FS
                                          ? offsetof(VexGuestAMD64State, guest_FS_CONST)
                                          : offsetof(VexGuestAMD64State, guest_GS_CONST),
                                      Ity_I64)));
    if (m->base >= 0)
        e = sum(to, e, register_now(to, (UInt)m->base));
    if (m->index >= 0)
        e = sum(to, e,
                assign(to, IRExpr_Binop(Iop_Shl64, register_now(to, (UInt)m->index),
                                        IRExpr_Const(IRConst_U8((UChar)m->shift)))));
    if (m->narrow)
        e = assign(to, IRExpr_Binop(Iop_And64, e, fixed_number(0xffffffff)));
    return e;
}

/* Valgrind before 3.20 knows neither CLFLUSHOPT nor CLWB. It gets a NOP of the same length, which
 * has the same operand (253667, NOP, 0F 1F /0). */
static Bool is_unknown(const UChar *code, Int what)
{
    return what == BX_TRACE_WRITES_BACK ||
           (what == BX_TRACE_FLUSHES && (*code == 0x66 || code[1] == 0x66));
}

static void make_nop(UChar nop[16], const UChar *code, const bx_memory_operand *m)
{
    VG_(memcpy)(nop, code, m->length);
    nop[m->opcode] = 0x1f;
    nop[m->opcode + 1] &= 0xc7;
}

/* ---- string instructions ---- */

enum { RCX = 1, RDI = 7, LINE = 64 };

static IRExpr *holds(IRSB *to, IROp compares, IRExpr *a, IRExpr *b)
{
    return assign(to,
                  IRExpr_Unop(Iop_1Sto64, assign_type(to, Ity_I1, IRExpr_Binop(compares, a, b))));
}

/* A round of REP STOS or REP MOVS, from low addresses to high ones. It begins a line that the
 * rounds from now on overwrite if it is at the line's begin, and enough of them are left. */
static void mark_overwritten(IRSB *to, UInt bytes)
{
    IRExpr *at = register_now(to, RDI);
    IRExpr *flag = assign(to, IRExpr_Get(offsetof(VexGuestAMD64State, guest_DFLAG), Ity_I64));
    IRExpr *in_line = assign(to, IRExpr_Binop(Iop_And64, at, fixed_number(LINE - 1)));
    IRExpr *begins = holds(to, Iop_CmpEQ64, in_line, fixed_number(0));
    IRExpr *up = holds(to, Iop_CmpEQ64, flag, fixed_number(1));
    IRExpr *enough = holds(to, Iop_CmpLE64U, fixed_number(LINE / bytes), register_now(to, RCX));
    IRExpr *whole = assign(
        to, IRExpr_Binop(Iop_And64, begins, assign(to, IRExpr_Binop(Iop_And64, up, enough))));
    IRExpr *not_whole = assign(to, IRExpr_Unop(Iop_Not64, whole));
    mark(to, assign(to, IRExpr_Binop(Iop_Or64, at, not_whole)), BX_TRACE_OVERWRITES);
}

translated __wrap_disInstr_AMD64(IRSB *to, const UChar *code, Long at, Addr address,
                                 Int architecture, const void *about, const void *abi, Int order,
                                 Bool tells)
{
    UChar nop[16];
    UInt stored = bx_opcode_repeated_store(code + at, 15);
    if (stored)
        mark_overwritten(to, stored);
    bx_memory_operand m;
    const UChar *from = code;
    Long where = at;
    Int what = bx_opcode_steers(code + at, 15, &m);
    if (what >= 0 && m.length <= 15 && is_unknown(code + at, what)) {
        make_nop(nop, code + at, &m);
        from = nop;
        where = 0;
    }
    translated is =
        __real_disInstr_AMD64(to, from, where, address, architecture, about, abi, order, tells);
    if (what < 0 || is.bytes != m.length)
        return is;
    IRStmt *last = to->stmts[to->stmts_used - 1]; /* the translator wants it to stay the last one */
    Bool puts_next = last->tag == Ist_Put;
    to->stmts_used -= puts_next;
    mark(to, address_of(to, &m, address + is.bytes), (UInt)what);
    if (puts_next)
        addStmtToIRSB(to, last);
    return is;
}
