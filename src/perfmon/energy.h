/* Energies: events of the kernel that perfmon's event files lack and its metrics name, in units of
 * the registers. The kernel counts them in 2^-32 J (Linux 6.12, arch/x86/events/rapl.c). */
#ifndef BX_PERFMON_ENERGY_H
#define BX_PERFMON_ENERGY_H

#include "base/str.h"

#include <stdint.h>

typedef struct bx_perfmon_energy {
    const char *name, *title; /* of the event */
    const char *terms;        /* of Linux's PMU `power` */
    uint32_t code;            /* in these */
    uint16_t kind;            /* enum bx_operand_kind: what formulas take of it */
} bx_perfmon_energy;

enum { BX_PERFMON_ENERGIES = 2 };

extern const bx_perfmon_energy bx_perfmon_energies[BX_PERFMON_ENERGIES];

/* The energy that the name of an operand means; NULL: none. */
const bx_perfmon_energy *bx_perfmon_energy_of(bx_str name);

#endif
