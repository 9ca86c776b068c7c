/* A table over time in one line for each column: how its value went. */
#ifndef BX_REPORT_FORMAT_SPARK_H
#define BX_REPORT_FORMAT_SPARK_H

#include "report/report.h"

/* The values of one column, one for each row. */
typedef struct bx_spark_column {
    char name[64];
    double *value; /* [n]; negative: it has none */
    size_t n, room;
} bx_spark_column;

typedef struct bx_spark {
    bx_spark_column *columns; /* [n] */
    size_t n;
    bool failed; /* out of memory */
} bx_spark;

/* Takes the row that bx_columns_format writes of the report. Rows have the same columns. */
void bx_spark_add(bx_spark *s, const bx_report *r, const bx_view *v);

/* Adds a line of at most `width` characters for each column, if there were several rows:
 * "#   cycles  ▁▂█▆  17 to 1,234". Each character stands for a row, or for the mean of several; its
 * height is from 0 to the largest value. utf8: the terminal has blocks; else: letters. */
void bx_spark_write(const bx_spark *s, size_t width, bool utf8, bx_buf *to);

void bx_spark_free(bx_spark *s);

#endif
