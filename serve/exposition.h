/* What a server says about its series, in the formats of Prometheus. */
#ifndef BX_SERVE_EXPOSITION_H
#define BX_SERVE_EXPOSITION_H

#include "live/series.h"

/* Prometheus's text format 0.0.4, and OpenMetrics 1.0. */
#define BX_PROMETHEUS_TYPE  "text/plain; version=0.0.4; charset=utf-8"
#define BX_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

void bx_exposition_prometheus(const bx_series *s, bx_buf *to);
void bx_exposition_openmetrics(const bx_series *s, bx_buf *to);

/* A count in the family's base unit: of ns, in seconds. */
void bx_exposition_total(bx_buf *to, const bx_series_family *f, uint64_t total);

#endif
