/* Events that are added to a CPU of the built-in catalogue. */
#ifndef BX_PERFMON_EXTEND_H
#define BX_PERFMON_EXTEND_H

#include "perfmon/perfmon.h"
#include "perfmon/pmus.h"

/* Whether the CPU's built-in catalogue has the event, which is then counted; if it has other bits
 * there, a line says so. The built-in event stays. */
bool bx_perfmon_knows(const bx_perfmon_cpu *cpu, const bx_str *name, const bx_perfmon_unit *unit,
                      const char *terms, bx_perfmon_counts *counts, bx_buf *lines);

/* Moves the CPU's metrics to the end of their table, so that others can follow. *span: where they
 * are. */
void bx_perfmon_move_metrics(bx_assembly *a, uint16_t cpu, bx_span *span);

/* Adds PMUs to a CPU of the assembly, which began as a copy of the built-in catalogue. metrics: its
 * own and those that were added. */
void bx_perfmon_extend(bx_assembly *a, uint16_t cpu, const bx_perfmon_pmus *pmus, bx_span metrics,
                       bx_cat_text source);

#endif
