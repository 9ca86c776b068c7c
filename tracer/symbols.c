/* Follows sums of registers. */
#include "symbols.h"

#include "general_registers.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { NONE = -1 };

static bx_symbol *temporary; /* [room] */
static Int room;
static bx_symbol in_register[BX_REGISTERS];

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
    for (Int i = 0; i < BX_REGISTERS; i++) {
        in_register[i] = constant(0);
        in_register[i].base = i;
    }
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
    if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64 && bx_register_begins(e->Iex.Get.offset) &&
        bx_register_at(e->Iex.Get.offset) < BX_REGISTERS)
        return in_register[bx_register_at(e->Iex.Get.offset)];
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
        Int at = s->Ist.Put.offset; /* a part of a register may be written, too */
        if (bx_register_at(at) < BX_REGISTERS)
            in_register[bx_register_at(at)] =
                bx_register_begins(at) ? bx_symbol_of(s->Ist.Put.data) : unknown;
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
