/* Implements energy.h. The units are those of Intel's formulas: 61 and 15.6 microjoules, for the
 * 1/2^14 J and 1/2^16 J of the registers (SDM, volume 3B, "RAPL Interfaces"). */
#include "perfmon/energy.h"

#include "catalog/rows.h"

const bx_perfmon_energy bx_perfmon_energies[BX_PERFMON_ENERGIES] = {
    {"ENERGY_PKG", "energy of the package", "event=0x02", 2, BX_OPERAND_ENERGY_14},
    {"ENERGY_RAM", "energy of the package's memory", "event=0x03", 3, BX_OPERAND_ENERGY_16},
};

const bx_perfmon_energy *bx_perfmon_energy_of(bx_str name)
{
    static const struct {
        const char *name;
        unsigned energy;
    } names[] = {
        {"FREERUN_PKG_ENERGY_STATUS", 0},
        {"UNC_PKG_ENERGY_STATUS", 0},
        {"FREERUN_DRAM_ENERGY_STATUS", 1},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bx_str_eq_fold(name, bx_str_of(names[i].name)))
            return &bx_perfmon_energies[names[i].energy];
    return NULL;
}
