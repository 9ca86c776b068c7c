/* Follows sums of registers. */
#include "symbols.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { GENERAL = 16, NONE = -1 };

static bx_symbol *temporary; /* [room] */
static Int room;
static bx_symbol in_register[GENERAL];

static const bx_symbol unknown = {.known = False};

static bx_symbol constant(Long offset)
{
    return (bx_symbol){.known = True, .base = NONE, .index = NONE, .offset = offset};
}

void bx_symbols_begin(Int temporaries)
{
    if (temporaries > room) {
        room = 2 * temporaries;
        temporary = VG_(realloc)("bx.symbols", temporary, (SizeT)room * sizeof *temporary);
    }
    for (Int i = 0; i < temporaries; i++)
        temporary[i] = unknown;
    for (Int i = 0; i < GENERAL; i++) {
        in_register[i] = constant(0);
        in_register[i].base = i;
    }
}

static UInt general_at(Int offset)
{
    UInt distance = (UInt)offset - offsetof(VexGuestAMD64State, guest_RAX);
    return distance % sizeof(ULong) == 0 ? distance / sizeof(ULong) : GENERAL;
}

bx_symbol bx_symbol_of(const IRExpr *atom)
{
    if (atom->tag == Iex_RdTmp)
        return temporary[atom->Iex.RdTmp.tmp];
    return atom->tag == Iex_Const && atom->Iex.Const.con->tag == Ico_U64
               ? constant((Long)atom->Iex.Const.con->Ico.U64)
               : unknown;
}

Bool bx_symbols_equal(bx_symbol a, bx_symbol b)
{
    return a.known && b.known && a.base == b.base && a.index == b.index && a.shift == b.shift &&
           a.offset == b.offset;
}

/* ---- sums ---- */

static Bool is_constant(bx_symbol s)
{
    return s.base == NONE && s.index == NONE;
}

/* Of two registers, the one with the lower number is the base, if neither is shifted. */
static bx_symbol sum(bx_symbol a, bx_symbol b)
{
    if (!a.known || !b.known)
        return unknown;
    if (is_constant(b) || is_constant(a)) {
        bx_symbol s = is_constant(b) ? a : b;
        s.offset = a.offset + b.offset;
        return s;
    }
    if (a.index != NONE && b.index == NONE)
        return sum(b, a);
    if (a.index != NONE || (b.index != NONE && b.base != NONE))
        return unknown;
    if (b.index != NONE)
        return (bx_symbol){True, a.base, b.index, b.shift, a.offset + b.offset};
    Int low = a.base < b.base ? a.base : b.base, high = a.base < b.base ? b.base : a.base;
    return (bx_symbol){True, low, high, 0, a.offset + b.offset};
}

static bx_symbol shifted(bx_symbol s, const IRExpr *by)
{
    if (!s.known || by->tag != Iex_Const || by->Iex.Const.con->tag != Ico_U8 || s.index != NONE ||
        by->Iex.Const.con->Ico.U8 > 3)
        return unknown;
    UInt shift = by->Iex.Const.con->Ico.U8;
    return (bx_symbol){True, NONE, s.base, s.base == NONE ? 0 : shift, s.offset << shift};
}

static bx_symbol evaluate_symbol(const IRExpr *e)
{
    if (e->tag == Iex_RdTmp || e->tag == Iex_Const)
        return bx_symbol_of(e);
    if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64 && general_at(e->Iex.Get.offset) < GENERAL)
        return in_register[general_at(e->Iex.Get.offset)];
    if (e->tag != Iex_Binop)
        return unknown;
    bx_symbol a = bx_symbol_of(e->Iex.Binop.arg1), b = bx_symbol_of(e->Iex.Binop.arg2);
    if (e->Iex.Binop.op == Iop_Shl64)
        return shifted(a, e->Iex.Binop.arg2);
    if (e->Iex.Binop.op == Iop_Sub64 && b.known && is_constant(b)) {
        b.offset = -b.offset;
        return sum(a, b);
    }
    return e->Iex.Binop.op == Iop_Add64 ? sum(a, b) : unknown;
}

void bx_symbols_follow(const IRStmt *s)
{
    if (s->tag == Ist_WrTmp) {
        temporary[s->Ist.WrTmp.tmp] = evaluate_symbol(s->Ist.WrTmp.data);
    } else if (s->tag == Ist_Put) {
        UInt distance = (UInt)s->Ist.Put.offset - offsetof(VexGuestAMD64State, guest_RAX);
        UInt to = distance / sizeof(ULong); /* a part of a register may be written, too */
        if (to < GENERAL)
            in_register[to] = distance % sizeof(ULong) ? unknown : bx_symbol_of(s->Ist.Put.data);
    }
}

/* ---- rounds ---- */

/* How far a register has moved since the begin of the block. */
static Bool has_moved(Int number, Long *by)
{
    const bx_symbol *now = number == NONE ? NULL : &in_register[number];
    *by = now ? now->offset : 0;
    return !now || (now->known && now->base == number && now->index == NONE);
}

Bool bx_symbol_in_next_round(bx_symbol *s)
{
    Long base, index;
    if (!has_moved(s->base, &base) || !has_moved(s->index, &index))
        return False;
    s->offset -= base + (index << s->shift);
    return True;
}
