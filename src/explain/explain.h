/* Explains what a program does with performance counters: decodes its register accesses by the
 * catalogue, and warns where one breaks a rule that the catalogue has. */
#ifndef BX_EXPLAIN_EXPLAIN_H
#define BX_EXPLAIN_EXPLAIN_H

#include "reglog/reglog.h"

typedef struct bx_explain bx_explain;

/* all: also reports accesses to registers that belong to no PMU, and reads that show nothing new.
 * On failure NULL, and *e: out of memory. */
bx_explain *bx_explain_new(const bx_topology *t, bool all, bx_error *e);
void bx_explain_free(bx_explain *x); /* NULL is fine */

/* Appends the report of one access: any number of lines. */
void bx_explain_access(bx_explain *x, const bx_reglog_access *a, bx_buf *to);

/* Appends warnings about the final state, and the numbers of accesses and warnings. */
void bx_explain_end(bx_explain *x, bx_buf *to);

#endif
