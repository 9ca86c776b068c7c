/* What a server says as JSON: docs/reference/serve.md. */
#ifndef BX_SERVE_API_H
#define BX_SERVE_API_H

#include "live/series.h"

/* Totals; the values of the intervals that are kept; packages and units. One object each. */
void bx_api_values(const bx_series *s, bx_buf *to);
void bx_api_intervals(const bx_series *s, bx_buf *to);
void bx_api_machine(const bx_series *s, bx_buf *to);

#endif
