/* What a server says about its series, in the formats of Prometheus and as JSON. */
#ifndef BX_SERVE_EXPOSITION_H
#define BX_SERVE_EXPOSITION_H

#include "live/series.h"

/* Prometheus's text format 0.0.4, and OpenMetrics 1.0. */
#define BX_PROMETHEUS_TYPE  "text/plain; version=0.0.4; charset=utf-8"
#define BX_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

void bx_exposition_prometheus(const bx_series *s, bx_buf *to);
void bx_exposition_openmetrics(const bx_series *s, bx_buf *to);

/* One object: machine, clock, events with their series. */
void bx_exposition_json(const bx_series *s, bx_buf *to);

#endif
