/* What an open machine has. */
#ifndef BX_MEASURE_MACHINES_H
#define BX_MEASURE_MACHINES_H

#include "machine/machine.h"

/* BX_OK, or BX_NO_FIT with the event's span if the machine lacks its unit or package. */
int bx_machine_unit_exists(const bx_machine *m, const bx_evsel *event, bx_error *e);

#endif
