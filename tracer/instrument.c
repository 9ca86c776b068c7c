/* Adds code to each superblock, so that it records what it accesses. */
#include "instrument.h"

#include "allocations.h"
#include "clock.h"
#include "core_steering.h"
#include "dependence.h"
#include "functions.h"
#include "general_registers.h"
#include "numbers.h"
#include "opcode.h"
#include "ports.h"
#include "recurrence.h"
#include "ring.h"
#include "spinning.h"
#include "threads.h"
#include "trace_format.h"
#include "turn_lock.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"

/* A part of a superblock: one block of the trace. A superblock with very many accesses has several
 * parts. */
typedef struct part {
    IRSB *out;
    Addr address;      /* Valgrind's address of the translation */
    ULong translation; /* running number of the translation */
    UInt number;
    IRTemp at;  /* address of the part's first word */
    UInt words; /* words of the ring that are used so far */
    UInt exits;
    UInt instructions;
    bx_trace_ports ports;     /* what they need */
    enum bx_upper_half upper; /* what they leave in RDX for a division */
    UInt n;
    ULong description[2 + BX_TRACE_ENTRIES];
    IRExpr *loaded; /* the last entry is an unguarded load from this address, of … */
    UInt loaded_size;
    Int load;          /* entry of the present statement's load, or BX_NO_LOAD */
    Bool non_temporal; /* the present instruction's stores are non-temporal */
    Int temporaries;   /* number of temporaries of the superblock */
    UInt branch; /* index in `description` of a conditional branch whose exit has not come; 0: none
                  */
    Addr here;   /* address of the present instruction */
    Addr next;   /* address after it */
    UInt cycles; /* nominal cycles of the part that are already counted */
    Bool meets;  /* the present instruction is a locked operation that has not accessed memory */
    Bool looks;  /* threads share time, and the superblock only loads: if it is a loop, nothing
                    changes */
    Int ip;      /* offset of the guest's instruction pointer */
} part;

enum {
    FULL_WORDS = BX_TRACE_WORDS - 64, /* an instruction makes fewer than 64 accesses, … */
    FULL_EXITS = BX_TRACE_EXITS - 8,  /* … and fewer exits than 8 */
    FULL_INSTRUCTIONS = 200,
};

/* ---- statements ---- */

static IRExpr *word(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign(IRSB *out, IRType type, IRExpr *e)
{
    IRTemp t = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

static IRExpr *load(IRSB *out, HWord address)
{
    return assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, word(address)));
}

static IRExpr *behind(part *p, UInt words)
{
    return assign(p->out, Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(p->at), word(8 * words)));
}

static void store(part *p, UInt slot, IRExpr *value)
{
    IRExpr *to = slot ? behind(p, slot) : IRExpr_RdTmp(p->at);
    addStmtToIRSB(p->out, IRStmt_Store(Iend_LE, to, value));
}

/* ---- a part ---- */

/* A call of a function that may end the thread's turn. VEX needs to know what it changes. */
static void add_turn_helper(IRSB *out, IRDirty *turn, IRExpr *guard)
{
    if (guard)
        turn->guard = guard;
    turn->nFxState = 1;
    turn->fxState[0].fx = Ifx_Modify;
    turn->fxState[0].offset = offsetof(VexGuestAMD64State, host_EvC_COUNTER);
    turn->fxState[0].size = sizeof(UInt);
    turn->fxState[0].nRepeats = turn->fxState[0].repeatLen = 0;
    addStmtToIRSB(out, IRStmt_Dirty(turn));
}

static void begin_part(part *p)
{
    IRSB *out = p->out;
    IRExpr *late =
        assign(out, Ity_I1,
               IRExpr_Binop(Iop_CmpLE64U, load(out, bx_ring_limit()), load(out, bx_ring_cursor())));
    add_turn_helper(out,
                    unsafeIRDirty_0_N(0, "bx_threads_interrupt",
                                      (void *)(HWord)bx_threads_interrupt,
                                      mkIRExprVec_1(IRExpr_GSPTR())),
                    late);
    p->at = load(out, bx_ring_cursor())->Iex.RdTmp.tmp;
    p->number = bx_number_take(p->address, p->translation);
    p->words = 1;
    p->exits = p->instructions = p->n = p->cycles = 0;
    p->loaded = NULL;
    p->branch = 0;
    bx_dependence_begin(p->temporaries);
    bx_recurrence_begin(p->temporaries);
    p->ports = (bx_trace_ports){0};
    p->upper = BX_UPPER_HALF_ANY;
}

static void add_entry(part *p, ULong entry)
{
    tl_assert(p->n < BX_TRACE_ENTRIES);
    p->description[2 + p->n++] = entry;
    p->loaded = NULL;
}

static Bool from_load(bx_origin o)
{
    return o.load[0] != BX_NO_LOAD;
}

/* Adds flags to the entries of the loads that a value comes from. */
static void flag_loads(part *p, bx_origin o, ULong flags)
{
    for (UInt i = 0; i < 2; i++)
        if (o.load[i] != BX_NO_LOAD)
            p->description[2 + o.load[i]] |= flags;
}

/* The registers with values from loads of the block. Also flags the entries of those loads. */
static ULong registers_from_loads(part *p)
{
    ULong all = 0;
    for (UInt i = 0; i < BX_REGISTERS; i++) {
        bx_origin o = bx_dependence_of_register(i);
        flag_loads(p, o, 1ULL << (BX_TRACE_KEPT + i));
        all |= (ULong)from_load(o) << i;
    }
    return all;
}

/* The registers whose values come from those that they had when the block began. */
static ULong registers_that_pass(void)
{
    ULong all = 0;
    for (UInt i = 0; i < BX_REGISTERS; i++)
        all |= bx_dependence_of_register(i).registers & 1ULL << i;
    return all;
}

/* The flags for the origins of an access's address. */
static ULong dependence(part *p, const IRExpr *address)
{
    bx_origin o = bx_dependence_of(address);
    flag_loads(p, o, BX_TRACE_AWAITED);
    return (from_load(o) ? BX_TRACE_DEPENDS : 0) | (ULong)o.registers << BX_TRACE_REGISTERS;
}

/* The conditional branch had no exit, because Valgrind knows where it goes: it is always taken, or
 * never. */
static void settle_branch(part *p, Addr to)
{
    if (p->branch && to != p->next)
        p->description[p->branch] |= (ULong)BX_TRACE_TAKEN_ALWAYS << 48;
    p->branch = 0;
}

/* The flags of an exit to `to`, which may belong to a conditional branch. */
static ULong branch_flags(part *p, Addr to)
{
    ULong flags = !p->branch ? 0 : to == p->next ? BX_TRACE_PASSED_TAKEN : BX_TRACE_TAKEN;
    /* The last byte of all of them is the highest one of the distance. */
    if (flags && *(const UChar *)(p->next - 1) & 0x80)
        flags |= BX_TRACE_BACKWARD;
    p->branch = 0;
    return flags;
}

/* Adds the cycles since the exit before to the thread's clock. */
static void add_cycles(part *p)
{
    UInt cycles = bx_clock_cycles(p->instructions, bx_recurrence_now());
    HWord clock = (HWord)&bx_turn_lock_now;
    if (!bx_threads_share_time || cycles <= p->cycles)
        return;
    IRExpr *sum = assign(p->out, Ity_I64,
                         IRExpr_Binop(Iop_Add64, load(p->out, clock), word(cycles - p->cycles)));
    addStmtToIRSB(p->out, IRStmt_Store(Iend_LE, word(clock), sum));
    p->cycles = cycles;
}

/* Adds code that stores the block's word before the block may be left. */
static void add_exit(part *p, ULong flags)
{
    tl_assert(p->exits < BX_TRACE_EXITS);
    add_cycles(p);
    store(p, 0, word((ULong)p->number << BX_TRACE_EXIT_BITS | p->exits++));
    addStmtToIRSB(p->out, IRStmt_Store(Iend_LE, word(bx_ring_cursor()), behind(p, p->words)));
    bx_trace_recurrence r = bx_recurrence_now();
    add_entry(p, bx_trace_ports_entry(p->ports));
    if (bx_trace_divides_entry(p->ports, r))
        add_entry(p, bx_trace_divides_entry(p->ports, r));
    add_entry(p, bx_trace_entry(BX_TRACE_PASSES, 0, registers_that_pass()));
    add_entry(p, bx_trace_exit(r, registers_from_loads(p) | flags));
}

static void end(part *p)
{
    add_exit(p, 0);
    p->description[0] = bx_trace_control_word(BX_TRACE_BLOCK, p->n);
    p->description[1] = p->number;
    bx_ring_write(p->description, 2 + p->n);
}

static void add_instruction(part *p, Addr address, UInt size)
{
    settle_branch(p, address);
    if (p->words >= FULL_WORDS || p->exits >= FULL_EXITS || p->instructions >= FULL_INSTRUCTIONS) {
        end(p);
        begin_part(p);
    }
    if (p->meets && p->instructions) /* the block may be left before this instruction */
        add_exit(p, 0);
    p->instructions++;
    bx_recurrence_next_instruction(
        bx_ports_add(&p->ports, &p->upper, (const UChar *)address, size));
    p->non_temporal = bx_opcode_non_temporal((const UChar *)address, size);
    p->here = address;
    p->next = address + size;
    UInt class = bx_instruction_class_of((const UChar *)address, size);
    p->branch = class == BX_CLASS_CONDITIONAL_BRANCH ? 2 + p->n : 0;
    tl_assert(size <= BX_TRACE_INSTRUCTION_BYTES);
    add_entry(p, bx_trace_instruction(address, size, class));
}

/* Leaves the block before a locked operation if another thread comes first. */
static void add_meeting(part *p, IRExpr *address)
{
    IRTemp comes = newIRTemp(p->out->tyenv, Ity_I64);
    p->meets = False;
    add_turn_helper(p->out,
                    unsafeIRDirty_1_N(comes, 0, "bx_threads_meet", (void *)(HWord)bx_threads_meet,
                                      mkIRExprVec_2(IRExpr_GSPTR(), address)),
                    NULL);
    IRExpr *leaves =
        assign(p->out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(comes), word(0)));
    addStmtToIRSB(p->out, IRStmt_Exit(leaves, Ijk_Yield, IRConst_U64(p->here), p->ip));
}

static void add_access(part *p, enum bx_trace_entry_kind kind, IRExpr *address, Int size,
                       IRExpr *guard, ULong flags)
{
    tl_assert(size > 0 && size <= BX_TRACE_SIZE_MAX && p->words < BX_TRACE_WORDS);
    if (p->meets)
        add_meeting(p, address);
    IRExpr *value = address;
    if (guard) {
        value = assign(p->out, Ity_I64, IRExpr_ITE(guard, address, word(BX_TRACE_NO_ACCESS)));
        flags |= BX_TRACE_GUARDED;
    }
    store(p, p->words++, value);
    if (kind == BX_TRACE_STORE)
        bx_spinning_store(p->out, address);
    if (kind == BX_TRACE_STORE && !guard && p->loaded && p->loaded_size == (UInt)size &&
        eqIRAtom(p->loaded, address))
        flags |= BX_TRACE_MODIFY;
    if (kind == BX_TRACE_STORE && p->non_temporal)
        flags |= BX_TRACE_NON_TEMPORAL;
    if (kind == BX_TRACE_LOAD)
        p->load = (Int)p->n;
    add_entry(p, bx_trace_entry(kind, (UInt)size, flags | dependence(p, address)));
    if (kind == BX_TRACE_LOAD && !guard) {
        p->loaded = address;
        p->loaded_size = (UInt)size;
    }
}

/* An instruction that prefetches or flushes a line. */
static void add_steering(part *p, UInt what, IRExpr *address)
{
    tl_assert(p->words < BX_TRACE_WORDS);
    store(p, p->words++, address);
    add_entry(p, bx_trace_entry(BX_TRACE_STEER, what, dependence(p, address)));
}

/* ---- statements that access memory ---- */

static void add_load_guarded(part *p, const IRLoadG *l)
{
    IRType widened, loaded;
    typeOfIRLoadGOp(l->cvt, &widened, &loaded);
    add_access(p, BX_TRACE_LOAD, l->addr, sizeofIRType(loaded), l->guard, 0);
}

static void add_store_guarded(part *p, const IRStoreG *s)
{
    IRType type = typeOfIRExpr(p->out->tyenv, s->data);
    add_access(p, BX_TRACE_STORE, s->addr, sizeofIRType(type), s->guard, 0);
}

/* The guard of a helper function is ignored: README.md, "Rules". */
static void add_dirty(part *p, const IRDirty *d)
{
    if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
        add_access(p, BX_TRACE_LOAD, d->mAddr, d->mSize, NULL, 0);
    if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
        add_access(p, BX_TRACE_STORE, d->mAddr, d->mSize, NULL, 0);
}

/* Counts as a load and a store, whether the comparison succeeds or not. */
static void add_compare_and_swap(part *p, const IRCAS *c)
{
    Int size = sizeofIRType(typeOfIRExpr(p->out->tyenv, c->dataLo)) * (c->dataHi ? 2 : 1);
    add_access(p, BX_TRACE_LOAD, c->addr, size, NULL, BX_TRACE_LOCKED);
    add_access(p, BX_TRACE_STORE, c->addr, size, NULL, BX_TRACE_LOCKED);
}

static void add_linked(part *p, const IRStmt *s)
{
    const IRExpr *stored = s->Ist.LLSC.storedata;
    IRType type = stored ? typeOfIRExpr(p->out->tyenv, stored)
                         : typeOfIRTemp(p->out->tyenv, s->Ist.LLSC.result);
    add_access(p, stored ? BX_TRACE_STORE : BX_TRACE_LOAD, s->Ist.LLSC.addr, sizeofIRType(type),
               NULL, BX_TRACE_LOCKED);
}

/* ---- threads that wait for each other ---- */

static Bool stores_memory(const IRStmt *s)
{
    return s->tag == Ist_Store || s->tag == Ist_StoreG || s->tag == Ist_CAS || s->tag == Ist_LLSC ||
           s->tag == Ist_Dirty;
}

static Bool loads_memory(const IRStmt *s)
{
    return s->tag == Ist_LoadG || (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load);
}

static Bool only_loads(const IRSB *in)
{
    Bool loads = False;
    for (Int i = 0; i < in->stmts_used; i++) {
        if (stores_memory(in->stmts[i]))
            return False;
        loads = loads || loads_memory(in->stmts[i]);
    }
    return loads;
}

/* Whether the instruction that begins at statement i is a locked operation. */
static Bool is_locked(const IRSB *in, Int i)
{
    while (++i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        if (in->stmts[i]->tag == Ist_CAS || in->stmts[i]->tag == Ist_LLSC)
            return True;
    return False;
}

static Bool has_recurrence(void)
{
    return bx_recurrence_nominal(bx_recurrence_now()) != 0;
}

static void add_look_call(part *p, IRExpr *guard)
{
    add_turn_helper(p->out,
                    unsafeIRDirty_0_N(0, "bx_threads_look", (void *)(HWord)bx_threads_look,
                                      mkIRExprVec_1(IRExpr_GSPTR())),
                    guard);
}

/* An exit to `to`. A loop that stores nothing, and in which no register depends on its own former
 * value, ends only if another thread stores. */
static void add_look(part *p, Addr to, IRExpr *guard)
{
    if (to != p->address || !p->looks)
        bx_spinning_exit(p->out, p->here, to, guard);
    else if (!has_recurrence())
        add_look_call(p, guard);
}

static void add_statement(part *p, const IRStmt *s)
{
    switch (s->tag) {
    case Ist_IMark:
        if (s->Ist.IMark.len == 0) /* Valgrind does not know it: core_faults.c */
            settle_branch(p, s->Ist.IMark.addr);
        else
            add_instruction(p, s->Ist.IMark.addr, s->Ist.IMark.len);
        break;
    case Ist_WrTmp: {
        const IRExpr *e = s->Ist.WrTmp.data;
        if (e->tag == Iex_Load)
            add_access(p, BX_TRACE_LOAD, e->Iex.Load.addr, sizeofIRType(e->Iex.Load.ty), NULL, 0);
        break;
    }
    case Ist_Store:
        add_access(p, BX_TRACE_STORE, s->Ist.Store.addr,
                   sizeofIRType(typeOfIRExpr(p->out->tyenv, s->Ist.Store.data)), NULL, 0);
        break;
    case Ist_LoadG:
        add_load_guarded(p, s->Ist.LoadG.details);
        break;
    case Ist_StoreG:
        add_store_guarded(p, s->Ist.StoreG.details);
        break;
    case Ist_Dirty:
        bx_spinning_store(p->out, NULL);
        add_dirty(p, s->Ist.Dirty.details);
        break;
    case Ist_CAS:
        add_compare_and_swap(p, s->Ist.CAS.details);
        break;
    case Ist_LLSC:
        add_linked(p, s);
        break;
    case Ist_Exit:
        add_exit(p, branch_flags(p, (Addr)s->Ist.Exit.dst->Ico.U64));
        add_look(p, (Addr)s->Ist.Exit.dst->Ico.U64, s->Ist.Exit.guard);
        break;
    default:
        break;
    }
}

/* ---- a superblock ---- */

IRSB *bx_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word)
{
    static part p; /* static, because it is large for a stack; Valgrind translates one superblock at
                      a time */
    Int i = 0;
    (void)extents;
    (void)host;
    tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
    p.out = deepCopyIRSBExceptStmts(in);
    p.address = closure->nraddr;
    p.translation++;
    p.temporaries = in->tyenv->types_used;
    p.meets = False;
    p.looks = bx_threads_share_time && only_loads(in);
    p.ip = layout->offset_IP;
    /* Valgrind's own check of self-modifying code may come before the first instruction. */
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(p.out, in->stmts[i]);
    if (i == in->stmts_used || in->stmts[i]->Ist.IMark.len == 0) {
        for (; i < in->stmts_used; i++)
            addStmtToIRSB(p.out, in->stmts[i]);
        return p.out;
    }
    bx_functions_enter(p.out, closure->nraddr);
    bx_spinning_begin(bx_threads_share_time ? bx_threads_round : NULL);
    begin_part(&p);
    for (Int first = i; i < in->stmts_used; i++) {
        UInt what;
        IRExpr *address;
        p.load = BX_NO_LOAD;
        if (in->stmts[i]->tag == Ist_IMark)
            p.meets = bx_threads_share_time && is_locked(in, i);
        if (bx_core_steers(in->stmts[i], &what, &address)) {
            add_steering(&p, what, address);
            continue;
        }
        add_statement(&p, in->stmts[i]);
        bx_dependence_follow(in, in->stmts[i], p.load);
        bx_recurrence_follow(in, in->stmts[i]);
        addStmtToIRSB(p.out, in->stmts[i]);
        if (in->stmts[i]->tag == Ist_IMark)
            bx_allocations_enter(p.out, in, i, i == first);
    }
    if (in->next->tag == Iex_Const) {
        settle_branch(&p, (Addr)in->next->Iex.Const.con->Ico.U64);
        add_look(&p, (Addr)in->next->Iex.Const.con->Ico.U64, NULL);
    }
    if (in->jumpkind == Ijk_Yield && bx_threads_share_time)
        add_look_call(&p, NULL);
    end(&p);
    bx_allocations_leave(p.out, in, closure->nraddr);
    bx_functions_leave(p.out, in);
    return p.out;
}

void bx_instrument_discard(Addr address, VexGuestExtents extents)
{
    (void)extents;
    bx_number_free(address);
}
