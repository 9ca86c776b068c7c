/* Numbers of a machine that formulas of metrics use. */
#ifndef BX_MEASURE_NUMBERS_H
#define BX_MEASURE_NUMBERS_H

#include "machine/machine.h"
#include "report/report.h"

bx_machine_numbers bx_numbers_of(const bx_machine *m);

#endif
