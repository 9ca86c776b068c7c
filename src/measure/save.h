/* A whole result as text. */
#ifndef BX_MEASURE_SAVE_H
#define BX_MEASURE_SAVE_H

#include "measure/result.h"
#include "report/format/format.h"

/* Appends the counts, unless intervals have shown them, the regions and the end. Nothing if nothing
 * was counted. */
void bx_result_write(const bx_result *r, bx_view *v, bx_buf *to);

#endif
