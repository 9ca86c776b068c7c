/* Comparisons as text, Markdown, JUnit's XML, JSON and CSV. Each function appends to *to and sets
 * its `failed` if memory runs out. */
#ifndef BX_COMPARE_FORMAT_FORMATS_H
#define BX_COMPARE_FORMAT_FORMATS_H

#include "base/buf.h"
#include "compare/condition.h"
#include "compare/trend.h"

typedef struct bx_compare_result {
    bx_comparison comparison;   /* of the first and the last run */
    bx_trend trend;             /* of all; more than two runs are shown as a table of it */
    const bx_verdict *verdicts; /* of the conditions, in their order */
    size_t verdicts_n;
    bool all;              /* text, CSV, trends: also the rows that have not changed */
    const char *separator; /* of CSV */
} bx_compare_result;

void bx_compare_text(const bx_compare_result *r, bx_buf *to);

/* A table for a pull request's comment. */
void bx_compare_markdown(const bx_compare_result *r, bx_buf *to);

/* A test case for each condition. */
void bx_compare_junit(const bx_compare_result *r, bx_buf *to);

/* One object a line: the values, then the conditions. */
void bx_compare_json(const bx_compare_result *r, bx_buf *to);

/* A row for each value, a column for each run. */
void bx_compare_csv(const bx_compare_result *r, bx_buf *to);

#endif
