/* Follows the values of loads through temporaries and registers. */
#include "dependence.h"

#include "general_registers.h"
#include "operands.h"

#include "pub_tool_mallocfree.h"

static bx_origin *temporary; /* [room] */
static Int room;
static bx_origin in_register[BX_REGISTERS];

static const bx_origin nothing = {{BX_NO_LOAD, BX_NO_LOAD}, 0};

void bx_dependence_begin(Int temporaries)
{
    if (temporaries > room) {
        room = 2 * temporaries;
        temporary = VG_(realloc)("bx.origins", temporary, (SizeT)room * sizeof *temporary);
    }
    for (Int i = 0; i < temporaries; i++)
        temporary[i] = nothing;
    for (UInt i = 0; i < BX_REGISTERS; i++) {
        in_register[i] = nothing;
        in_register[i].registers = (UShort)(1 << i);
    }
}

/* ---- origins ---- */

static bx_origin with_load(bx_origin o, Int load)
{
    if (load > o.load[0]) {
        o.load[1] = o.load[0];
        o.load[0] = load;
    } else if (load > o.load[1] && load < o.load[0]) {
        o.load[1] = load;
    }
    return o;
}

static bx_origin both(bx_origin a, bx_origin b)
{
    a = with_load(with_load(a, b.load[0]), b.load[1]);
    a.registers |= b.registers;
    return a;
}

bx_origin bx_dependence_of(const IRExpr *atom)
{
    return atom->tag == Iex_RdTmp ? temporary[atom->Iex.RdTmp.tmp] : nothing;
}

bx_origin bx_dependence_of_register(UInt i)
{
    return in_register[i];
}

static bx_origin of_register(Int offset)
{
    UInt i = bx_register_at(offset);
    return i < BX_REGISTERS ? in_register[i] : nothing;
}

/* ---- expressions ---- */

/* A value has the origins of all its operands, also of its conditions. */
static bx_origin of_expression(const IRExpr *e)
{
    bx_origin o = e->tag == Iex_Get ? of_register(e->Iex.Get.offset) : nothing;
    const IRExpr *operand[BX_OPERANDS];
    UInt n = bx_operands(e, operand);
    for (UInt i = 0; i < n; i++)
        o = both(o, bx_dependence_of(operand[i]));
    return o;
}

/* ---- statements ---- */

/* A write to a part of a register keeps the origins of the rest. */
static void put_dependence(const IRSB *in, Int offset, const IRExpr *value)
{
    UInt i = bx_register_at(offset);
    if (i == BX_REGISTERS)
        return;
    bx_origin o = bx_dependence_of(value);
    Bool whole = sizeofIRType(typeOfIRExpr(in->tyenv, value)) == sizeof(ULong);
    in_register[i] = whole ? o : both(in_register[i], o);
}

static void set(IRTemp t, bx_origin o)
{
    if (t != IRTemp_INVALID)
        temporary[t] = o;
}

void bx_dependence_follow(const IRSB *in, const IRStmt *s, Int load)
{
    const bx_origin loaded = {{load, BX_NO_LOAD}, 0};
    switch (s->tag) {
    case Ist_Put:
        put_dependence(in, s->Ist.Put.offset, s->Ist.Put.data);
        break;
    case Ist_WrTmp:
        set(s->Ist.WrTmp.tmp, load == BX_NO_LOAD ? of_expression(s->Ist.WrTmp.data) : loaded);
        break;
    case Ist_LoadG: {
        const IRLoadG *l = s->Ist.LoadG.details;
        set(l->dst, both(loaded, both(bx_dependence_of(l->alt), bx_dependence_of(l->guard))));
        break;
    }
    case Ist_CAS:
        set(s->Ist.CAS.details->oldLo, loaded);
        set(s->Ist.CAS.details->oldHi, loaded);
        break;
    default:
        break;
    }
}
