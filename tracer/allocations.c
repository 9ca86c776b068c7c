/* Follows the program's allocators. */
#include "allocations.h"

#include "records.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#include <stddef.h>

/* Which arguments a function has. */
enum form { MALLOC, CALLOC, REALLOC, FREE, MEMALIGN, POSIX_MEMALIGN, FORMS };
static const HChar *const forms[FORMS] = {"malloc", "calloc",   "realloc",
                                          "free",   "memalign", "posix_memalign"};

typedef struct allocator {
    const HChar *symbol; /* as Valgrind shows it: demangled */
    enum form form;
} allocator;

static const allocator usual[] = {
    {"malloc", MALLOC},
    {"__libc_malloc", MALLOC},
    {"valloc", MALLOC},
    {"pvalloc", MALLOC},
    {"calloc", CALLOC},
    {"__libc_calloc", CALLOC},
    {"realloc", REALLOC},
    {"__libc_realloc", REALLOC},
    {"memalign", MEMALIGN},
    {"__libc_memalign", MEMALIGN},
    {"aligned_alloc", MEMALIGN},
    {"posix_memalign", POSIX_MEMALIGN},
    {"free", FREE},
    {"cfree", FREE},
    {"__libc_free", FREE},
    {"operator new(unsigned long)", MALLOC},
    {"operator new[](unsigned long)", MALLOC},
    {"operator new(unsigned long, std::nothrow_t const&)", MALLOC},
    {"operator new[](unsigned long, std::nothrow_t const&)", MALLOC},
    {"operator new(unsigned long, std::align_val_t)", MALLOC},
    {"operator new[](unsigned long, std::align_val_t)", MALLOC},
    {"operator delete(void*)", FREE},
    {"operator delete[](void*)", FREE},
    {"operator delete(void*, unsigned long)", FREE},
    {"operator delete[](void*, unsigned long)", FREE},
    {"operator delete(void*, std::align_val_t)", FREE},
    {"operator delete[](void*, std::align_val_t)", FREE},
    {"operator delete(void*, unsigned long, std::align_val_t)", FREE},
    {"operator delete[](void*, unsigned long, std::align_val_t)", FREE},
    /* allocators in front of malloc */
    {"PyObject_Malloc", MALLOC},
    {"PyMem_Malloc", MALLOC},
    {"_PyObject_Malloc", MALLOC},
    {"PyObject_Calloc", CALLOC},
    {"PyMem_Calloc", CALLOC},
    {"_PyObject_Calloc", CALLOC},
    {"PyObject_Realloc", REALLOC},
    {"PyMem_Realloc", REALLOC},
    {"_PyObject_Realloc", REALLOC},
    {"PyObject_Free", FREE},
    {"PyMem_Free", FREE},
    {"_PyObject_Free", FREE},
    {"je_malloc", MALLOC},
    {"je_calloc", CALLOC},
    {"je_realloc", REALLOC},
    {"je_free", FREE},
    {"tc_malloc", MALLOC},
    {"tc_calloc", CALLOC},
    {"tc_realloc", REALLOC},
    {"tc_free", FREE},
    {"mi_malloc", MALLOC},
    {"mi_calloc", CALLOC},
    {"mi_realloc", REALLOC},
    {"mi_free", FREE},
};

enum { OWN_MOST = 64, OBJECTS_MOST = 64 };
static Bool follows;
static allocator own[OWN_MOST]; /* the user's */
static UInt own_n;
static const DebugInfo *object[OBJECTS_MOST]; /* they have allocators */
static UInt objects;

/* A call that has not returned; of calls inside each other, the outermost one. */
typedef struct pending_call {
    Addr sp; /* where its return address is; 0: none */
    enum form form;
    UWord argument[3];
} pending_call;

static pending_call *pending; /* [VG_N_THREADS] */
static ULong awaited;         /* RSP after the return of the running thread's call */

Bool bx_allocations_follow(const HChar *text)
{
    if (!pending)
        pending = VG_(calloc)("bx.allocations", VG_N_THREADS, sizeof *pending);
    follows = True;
    const HChar *equals = VG_(strrchr)(text, '=');
    if (!*text)
        return True;
    if (!equals || own_n == OWN_MOST)
        return False;
    for (UInt i = 0; i < FORMS; i++) {
        if (VG_(strcmp)(equals + 1, forms[i]) != 0)
            continue;
        HChar *symbol = VG_(strdup)("bx.allocations", text);
        symbol[equals - text] = '\0';
        own[own_n++] = (allocator){symbol, i};
        return True;
    }
    return False;
}

/* ---- what the program does ---- */

void bx_allocations_run(ThreadId tid)
{
    if (follows)
        awaited = pending[tid].sp ? pending[tid].sp + sizeof(Addr) : 0;
}

/* An allocator that calls another one, or itself, has been entered already. Calls that longjmp()
 * has left are below the stack pointer. */
static void enter(UWord form, UWord sp, UWord first, UWord second, UWord third)
{
    pending_call *p = &pending[VG_(get_running_tid)()];
    if (p->sp > sp)
        return;
    *p = (pending_call){sp, form, {first, second, third}};
    awaited = sp + sizeof(Addr);
}

static void record_allocation(ThreadId tid, Addr at, ULong bytes)
{
    if (at)
        BX_RECORD(tid, BX_TRACE_ALLOCATE, 0, at, bytes);
}

static void record_free(ThreadId tid, Addr at)
{
    if (at)
        BX_RECORD(tid, BX_TRACE_FREE, 0, at);
}

static void leave(UWord result)
{
    ThreadId tid = VG_(get_running_tid)();
    pending_call p = pending[tid];
    pending[tid].sp = awaited = 0;
    if (!p.sp)
        return;
    switch (p.form) {
    case MALLOC:
        record_allocation(tid, result, p.argument[0]);
        break;
    case CALLOC:
        record_allocation(tid, result, p.argument[0] * p.argument[1]);
        break;
    case MEMALIGN:
        record_allocation(tid, result, p.argument[1]);
        break;
    case POSIX_MEMALIGN:
        if (result == 0)
            record_allocation(tid, *(const Addr *)p.argument[0], p.argument[2]);
        break;
    case REALLOC:
        if (result || !p.argument[1])
            record_free(tid, p.argument[0]);
        record_allocation(tid, result, p.argument[1]);
        break;
    default:
        record_free(tid, p.argument[0]);
    }
}

/* ---- code that is added ---- */

static Bool begins_function(Addr address, const HChar **name)
{
#ifdef BX_DEBUG_INFO_HAS_EPOCHS
    return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, name);
#else
    return VG_(get_fnname_if_entry)(address, name);
#endif
}

static const DebugInfo *object_with(Addr address)
{
#ifdef BX_DEBUG_INFO_HAS_EPOCHS
    return VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
#else
    return VG_(find_DebugInfo)(address);
#endif
}

static const allocator *find_in(const allocator *all, UInt n, const HChar *name)
{
    for (UInt i = 0; i < n; i++)
        if (VG_(strcmp)(all[i].symbol, name) == 0)
            return &all[i];
    return NULL;
}

static const allocator *allocator_at(Addr address, Bool only_own)
{
    const HChar *name;
    if (!follows || !begins_function(address, &name))
        return NULL;
    const allocator *a = find_in(own, own_n, name);
    return a || only_own ? a : find_in(usual, sizeof usual / sizeof *usual, name);
}

Bool bx_allocations_begin_at(Addr address)
{
    return own_n && allocator_at(address, True);
}

static void note_object(Addr address)
{
    const DebugInfo *of = object_with(address);
    for (UInt i = 0; i < objects; i++)
        if (object[i] == of)
            return;
    if (objects < OBJECTS_MOST)
        object[objects++] = of;
}

static Bool is_in_allocators(Addr address)
{
    const DebugInfo *of = objects ? object_with(address) : NULL;
    for (UInt i = 0; i < objects; i++)
        if (object[i] == of)
            return True;
    return False;
}

static IRExpr *get_register(IRSB *out, Int offset)
{
    IRTemp t = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out, IRStmt_WrTmp(t, IRExpr_Get(offset, Ity_I64)));
    return IRExpr_RdTmp(t);
}

/* Whether VEX may have left out that a register gets its value before statement i: it does if the
 * superblock writes the register again before it may be left. */
static Bool may_be_stale(const IRSB *in, Int i, Int offset)
{
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_Exit; i++)
        if (in->stmts[i]->tag == Ist_Put && in->stmts[i]->Ist.Put.offset == offset)
            return True;
    return False;
}

void bx_allocations_enter(IRSB *out, const IRSB *in, Int i, Bool first)
{
    static const Int offset[] = {
        offsetof(VexGuestAMD64State, guest_RSP), offsetof(VexGuestAMD64State, guest_RDI),
        offsetof(VexGuestAMD64State, guest_RSI), offsetof(VexGuestAMD64State, guest_RDX)};
    static const UInt used[FORMS] = {[MALLOC] = 2, [CALLOC] = 3,   [REALLOC] = 3,
                                     [FREE] = 2,   [MEMALIGN] = 3, [POSIX_MEMALIGN] = 4};
    const allocator *a = allocator_at(in->stmts[i]->Ist.IMark.addr, False);
    IRExpr *value[4];
    if (!a)
        return;
    note_object(in->stmts[i]->Ist.IMark.addr);
    for (UInt r = 0; r < 4; r++) {
        if (!first && r && r < used[a->form] && may_be_stale(in, i, offset[r]))
            return; /* this call is not followed */
        value[r] = get_register(out, offset[r]);
    }
    addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                           0, "enter", (void *)(HWord)enter,
                           mkIRExprVec_5(IRExpr_Const(IRConst_U64(a->form)), value[0], value[1],
                                         value[2], value[3]))));
}

void bx_allocations_leave(IRSB *out, const IRSB *in, Addr address)
{
    if (in->jumpkind != Ijk_Ret || !is_in_allocators(address))
        return;
    IRTemp sp = newIRTemp(out->tyenv, Ity_I64), is = newIRTemp(out->tyenv, Ity_I1);
    IRExpr *at = IRExpr_Const(IRConst_U64((ULong)(HWord)&awaited));
    addStmtToIRSB(out, IRStmt_WrTmp(sp, IRExpr_Load(Iend_LE, Ity_I64, at)));
    addStmtToIRSB(
        out,
        IRStmt_WrTmp(is, IRExpr_Binop(Iop_CmpEQ64, IRExpr_RdTmp(sp),
                                      get_register(out, offsetof(VexGuestAMD64State, guest_RSP)))));
    IRDirty *d = unsafeIRDirty_0_N(
        0, "leave", (void *)(HWord)leave,
        mkIRExprVec_1(get_register(out, offsetof(VexGuestAMD64State, guest_RAX))));
    d->guard = IRExpr_RdTmp(is);
    addStmtToIRSB(out, IRStmt_Dirty(d));
}
