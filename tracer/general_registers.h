/* The general registers in Valgrind's state of the program, by the numbers of instructions. */
#ifndef BX_TRACER_GENERAL_REGISTERS_H
#define BX_TRACER_GENERAL_REGISTERS_H

#include "libvex_guest_amd64.h"
#include "pub_tool_basics.h"

enum { BX_REGISTERS = 16 };

static inline Int bx_register_offset(UInt number)
{
    return (Int)(offsetof(VexGuestAMD64State, guest_RAX) + number * sizeof(ULong));
}

/* The register that has this byte; BX_REGISTERS: none. */
static inline UInt bx_register_at(Int offset)
{
    UInt i = (UInt)(offset - bx_register_offset(0)) / sizeof(ULong);
    return i < BX_REGISTERS ? i : BX_REGISTERS;
}

/* Whether a register begins with this byte, which one has. */
static inline Bool bx_register_begins(Int offset)
{
    return (UInt)(offset - bx_register_offset(0)) % sizeof(ULong) == 0;
}

#endif
