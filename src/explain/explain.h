/* What a program does with performance counters, found out from its register accesses: each that
 * matters decoded by the catalogue, and warnings where it breaks a rule that the catalogue has. */
#ifndef BX_EXPLAIN_EXPLAIN_H
#define BX_EXPLAIN_EXPLAIN_H

#include "reglog/reglog.h"

typedef struct bx_explain bx_explain;

/* all: also accesses to what no PMU of the catalogue has, and reads that tell nothing new. */
bx_explain *bx_explain_new(const bx_topology *t, bool all, bx_error *e);
void bx_explain_free(bx_explain *x); /* NULL is fine */

/* Appends what is to be reported of the access, each on a line of its own. */
void bx_explain_access(bx_explain *x, const bx_reglog_access *a, bx_buf *to);

/* The same of how things are left, and how many accesses and warnings there were. */
void bx_explain_end(bx_explain *x, bx_buf *to);

#endif
