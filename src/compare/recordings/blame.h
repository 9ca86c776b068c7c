/* Which line did what a condition complains of. */
#ifndef BX_COMPARE_RECORDINGS_BLAME_H
#define BX_COMPARE_RECORDINGS_BLAME_H

#include "base/buf.h"
#include "compare/condition.h"
#include "compare/recordings/causes.h"

/* Appends the line with most of the change, for each event of the condition: "DRAM_DATA_READS +40
 * of +48 by copy, copy.c:12: to[i] = from[i];". Nothing if the recordings do not tell, or nothing
 * has changed. metrics: of the new recording. */
void bx_causes_blame(const bx_causes *c, const bx_profile_metrics *metrics,
                     const bx_verdict *verdict, bx_buf *to);

/* Sorts rows by an event of the condition, if the recordings tell who caused one. */
bool bx_causes_sort_for(bx_causes *c, const bx_profile_metrics *metrics, const bx_verdict *verdict);

#endif
