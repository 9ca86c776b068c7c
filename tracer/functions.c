/* Follows functions that are regions, by the stack pointer: a function's return address is at the
 * stack pointer when it is entered, and right below it when it has returned. */
#include "functions.h"

#include "environment.h"
#include "notes.h"
#include "records.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#include <stddef.h>

enum { MOST = BX_TRACE_FUNCTIONS };
static const HChar region_prefix[] = "func:";
static const HChar *name[MOST];
static UInt functions;

/* A thread's stack pointer at the entry of each function that has not returned; 0: none. Of calls
 * inside each other, that of the outermost one. */
typedef Addr entries[MOST];
static entries *entered; /* [VG_N_THREADS] */
static Addr awaited =
    ~(Addr)0; /* the lowest stack pointer at which the running thread has left one */

Bool bx_functions_follow(const HChar *of)
{
    if (!entered)
        entered = VG_(calloc)("bx.functions", VG_N_THREADS, sizeof *entered);
    if (functions == MOST)
        return False;
    name[functions++] = VG_(strdup)("bx.functions", of);
    return True;
}

/* ---- what the program does ---- */

static void await(ThreadId tid)
{
    awaited = ~(Addr)0;
    for (UInt i = 0; i < functions; i++)
        if (entered[tid][i] && entered[tid][i] + sizeof(Addr) < awaited)
            awaited = entered[tid][i] + sizeof(Addr);
}

void bx_functions_run(ThreadId tid)
{
    if (functions)
        await(tid);
}

void bx_functions_start(ThreadId tid)
{
    if (functions)
        VG_(memset)(entered[tid], 0, sizeof *entered);
}

void bx_functions_fork(void)
{
    if (functions)
        VG_(memset)(entered, 0, VG_N_THREADS * sizeof *entered);
}

static void mark(ThreadId tid, UInt function, enum bx_trace_region what)
{
    static HChar text[BX_TRACE_PATH_WORDS * sizeof(ULong)];
    VG_(snprintf)(text, sizeof text, "%s%s", region_prefix, name[function]);
    bx_record_path(tid, BX_TRACE_REGION, what, text);
}

static Bool on_own_stack(ThreadId tid, Addr at)
{
    Addr last = VG_(thread_get_stack_max)(tid);
    return at <= last && last - at < VG_(thread_get_stack_size)(tid);
}

/* Ends the calls that have returned, when the stack pointer is at `sp`. longjmp() and exceptions
 * leave calls without a return: these are below it. What is below on another stack, such as that of
 * a signal handler or a coroutine, is not over. */
static void leave_calls(ThreadId tid, Addr sp)
{
    Bool own = on_own_stack(tid, sp);
    for (UInt i = 0; i < functions; i++) {
        Addr at = entered[tid][i];
        if (!at || (at + sizeof(Addr) != sp && !(own && at < sp && on_own_stack(tid, at))))
            continue;
        entered[tid][i] = 0;
        mark(tid, i, BX_TRACE_REGION_ENDS);
    }
    await(tid);
}

/* A jump to the entry, and a superblock that is begun again, belong to the same call. */
static void enter_function(UWord function, UWord sp)
{
    ThreadId tid = VG_(get_running_tid)();
    if (awaited <= sp)
        leave_calls(tid, sp);
    if (entered[tid][function])
        return;
    entered[tid][function] = sp;
    await(tid);
    mark(tid, (UInt)function, BX_TRACE_REGION_BEGINS);
}

static void leave_function(UWord sp)
{
    leave_calls(VG_(get_running_tid)(), sp);
}

/* ---- code that is added ---- */

static Bool function_begins(Addr address, const HChar **symbol)
{
#ifdef BX_DEBUG_INFO_HAS_EPOCHS
    return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, symbol);
#else
    return VG_(get_fnname_if_entry)(address, symbol);
#endif
}

/* Whether the symbol begins with the name. It may go on with arguments, those of a template, a
 * version or the compiler's suffix (".constprop.0"). A part that a compiler has moved away
 * (".cold") is no call. */
static Bool begins_with(const HChar *symbol, const HChar *wanted)
{
    SizeT n = VG_(strlen)(wanted);
    if (VG_(strncmp)(symbol, wanted, n) != 0)
        return False;
    const HChar *rest = symbol + n;
    return *rest == '\0' || *rest == '(' || *rest == '<' || *rest == '@' ||
           (*rest == '.' && VG_(strncmp)(rest, ".cold", 5) != 0);
}

/* Symbols of templates have their type in front: "long twice<long>(long)". */
static Bool is_name_of(const HChar *wanted, const HChar *symbol)
{
    if (begins_with(symbol, wanted))
        return True;
    for (const HChar *p = symbol; *p && *p != '('; p++)
        if (*p == ' ' && begins_with(p + 1, wanted))
            return True;
    return False;
}

/* Calls of Go change their thread and their stack, so that their returns are not seen. */
static Bool is_go(const HChar *symbol)
{
    return VG_(strcmp)(symbol, "runtime.rt0_go") == 0 ||
           VG_(strcmp)(symbol, "runtime.rt0_go.abi0") == 0;
}

/* The index of the function that begins there; MOST: none. */
static UInt function_at(Addr address)
{
    const HChar *symbol;
    if (!functions || !function_begins(address, &symbol))
        return MOST;
    if (is_go(symbol)) {
        bx_note(VG_INVALID_THREADID, BX_TRACE_NOTE_FUNCTION,
                "is written in Go, whose calls change their threads and stacks: its functions are "
                "not followed");
        functions = 0;
        return MOST;
    }
    for (UInt i = 0; i < functions; i++)
        if (is_name_of(name[i], symbol))
            return i;
    return MOST;
}

Bool bx_functions_begin_at(Addr address)
{
    return function_at(address) != MOST;
}

static IRExpr *stack_pointer(IRSB *out)
{
    IRTemp t = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out,
                  IRStmt_WrTmp(t, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64)));
    return IRExpr_RdTmp(t);
}

void bx_functions_enter(IRSB *out, Addr address)
{
    UInt function = function_at(address);
    if (function == MOST)
        return;
    addStmtToIRSB(out,
                  IRStmt_Dirty(unsafeIRDirty_0_N(
                      0, "enter_function", (void *)(HWord)enter_function,
                      mkIRExprVec_2(IRExpr_Const(IRConst_U64(function)), stack_pointer(out)))));
}

void bx_functions_leave(IRSB *out, const IRSB *in)
{
    if (!functions || in->jumpkind != Ijk_Ret)
        return;
    IRTemp lowest = newIRTemp(out->tyenv, Ity_I64), is = newIRTemp(out->tyenv, Ity_I1);
    IRExpr *at = IRExpr_Const(IRConst_U64((ULong)(HWord)&awaited)), *sp = stack_pointer(out);
    addStmtToIRSB(out, IRStmt_WrTmp(lowest, IRExpr_Load(Iend_LE, Ity_I64, at)));
    addStmtToIRSB(out, IRStmt_WrTmp(is, IRExpr_Binop(Iop_CmpLE64U, IRExpr_RdTmp(lowest), sp)));
    IRDirty *d =
        unsafeIRDirty_0_N(0, "leave_function", (void *)(HWord)leave_function, mkIRExprVec_1(sp));
    d->guard = IRExpr_RdTmp(is);
    addStmtToIRSB(out, IRStmt_Dirty(d));
}
