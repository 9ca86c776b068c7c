/* Parses the name of a unit of a machine, such as `skl_unc_cbo2` or `skl_unc_arb@0`. */
#ifndef BX_MACHINE_DIALOGUE_UNIT_NAME_H
#define BX_MACHINE_DIALOGUE_UNIT_NAME_H

#include "machine/dialogue/words.h"
#include "seam/signal.h"
#include "topology/topology.h"

/* Sets box, unit and package of *what. The number may be left out if the PMU has one unit, and `@0`
 * for package 0. word is a part of s. BX_BAD_INPUT with a hint: the nearest name, or all names. */
int bx_unit_find(const bx_topology *t, const bx_words *s, bx_str word, bx_selection *what,
                 bx_error *e);

/* The name of a PMU; box: its index among those of the CPU model. */
bx_str bx_unit_pmu_name(const bx_topology *t, unsigned box);

#endif
