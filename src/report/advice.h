/* One sentence about what the counts of a run say, and where to look next. */
#ifndef BX_REPORT_ADVICE_H
#define BX_REPORT_ADVICE_H

#include "report/report.h"

/* Writes the advice of the first rule that holds, on one line of at most 75 characters. false: none
 * holds. */
bool bx_advice(const bx_report *r, bx_buf *to);

#endif
