/* Lists the operands of an expression of Valgrind's IR. */
#include "operands.h"

static UInt some(const IRExpr **to, const IRExpr *a, const IRExpr *b, const IRExpr *c)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
    return 3;
}

static UInt arguments(IRExpr *const *argument, const IRExpr *to[BX_OPERANDS])
{
    UInt n = 0;
    for (; argument[n] && n < BX_OPERANDS; n++)
        to[n] = argument[n];
    return n;
}

UInt bx_operands(const IRExpr *e, const IRExpr *to[BX_OPERANDS])
{
    switch (e->tag) {
    case Iex_RdTmp:
        to[0] = e;
        return 1;
    case Iex_Unop:
        to[0] = e->Iex.Unop.arg;
        return 1;
    case Iex_Binop:
        to[0] = e->Iex.Binop.arg1;
        to[1] = e->Iex.Binop.arg2;
        return 2;
    case Iex_Triop: {
        const IRTriop *t = e->Iex.Triop.details;
        return some(to, t->arg1, t->arg2, t->arg3);
    }
    case Iex_Qop: {
        const IRQop *q = e->Iex.Qop.details;
        to[3] = q->arg4;
        return some(to, q->arg1, q->arg2, q->arg3) + 1;
    }
    case Iex_ITE:
        return some(to, e->Iex.ITE.cond, e->Iex.ITE.iftrue, e->Iex.ITE.iffalse);
    case Iex_CCall:
        return arguments(e->Iex.CCall.args, to);
    default:
        return 0;
    }
}
