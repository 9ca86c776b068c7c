/* Finds registers by the names that documents give them. */
#ifndef BX_REGISTER_REGISTER_NAME_H
#define BX_REGISTER_REGISTER_NAME_H

#include "base/nearest.h"
#include "register/register.h"

/* How a name calls a unit's register. */
enum bx_register_call {
    BX_CALLS_NOT,
    BX_CALLS_KIND, /* and others of its kind: without the unit, or without a number, as titles of
                      tables have it: S_MSR_MATCH, C_MSR_PMON_CTR{5-0}, S_CSR_PMON_CTL */
    BX_CALLS_ONE,  /* it alone */
};
enum bx_register_call bx_register_called(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                         bx_str name);

/* The register of a CPU model that has the name. A name of a kind: the first of the kind, and how
 * many there are. Offers the names of all registers to `near`. */
typedef struct bx_named_register {
    uint16_t reg, unit;
    unsigned n; /* 0: none has the name */
} bx_named_register;
bx_named_register bx_register_named(const struct bx_catalog *c, unsigned cpu, bx_str name,
                                    bx_nearest *near);

#endif
