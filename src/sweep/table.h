/* The results of a sweep as text and as CSV. */
#ifndef BX_SWEEP_TABLE_H
#define BX_SWEEP_TABLE_H

#include "base/buf.h"
#include "sweep/results.h"

/* A row for each point, its settings first. What does not fit into `width` columns follows in
 * another table. */
void bx_sweep_text(const bx_sweep_results *r, unsigned width, bx_buf *to);

/* A row for each point, with all values. */
void bx_sweep_csv(const bx_sweep_results *r, const char *separator, bx_buf *to);

#endif
