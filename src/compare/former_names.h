/* Metrics of saved runs and of conditions by their present names. */
#ifndef BX_COMPARE_FORMER_NAMES_H
#define BX_COMPARE_FORMER_NAMES_H

#include "compare/condition.h"

/* Gives metrics that had another name when the run was saved the name that the catalogue has now.
 * The names' meaning is that of the run's CPU, which its events tell. Returns the CPU, or -1: the
 * catalogue does not know it, and no name is changed. */
int bx_saved_use_present_names(const bx_catalog *c, bx_saved *run);

/* The same for what a condition names, on that CPU. */
void bx_condition_use_present_name(const bx_catalog *c, int cpu, bx_condition *condition);

#endif
