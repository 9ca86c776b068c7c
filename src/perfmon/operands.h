/* What the names in formulas of imported metrics stand for. */
#ifndef BX_PERFMON_OPERANDS_H
#define BX_PERFMON_OPERANDS_H

#include "perfmon/assembly.h"
#include "perfmon/metrics.h"

/* Adds operands to imported metrics. c: the catalogue of the same rows, with its index of names.
 * cpu: theirs. */
void bx_perfmon_add_operands(bx_assembly *a, const struct bx_catalog *c, int cpu,
                             const bx_perfmon_metrics *m);

#endif
