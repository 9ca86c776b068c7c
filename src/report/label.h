/* Names on the lines of a report: event, unit, port, and what is counted. */
#ifndef BX_REPORT_LABEL_H
#define BX_REPORT_LABEL_H

#include "base/arena.h"
#include "catalog/catalog.h"

/* The canonical string of an event, in the arena. NULL when out of memory. */
const char *bx_label_event(const struct bx_catalog *c, const bx_evsel *event, bx_arena *a);

/* What the selection counts: "lookups", or "cycles" with a threshold; "" if unknown. The text
 * belongs to the catalogue. */
const char *bx_label_count(const struct bx_catalog *c, const bx_evsel *event);

/* The name of a unit, "C-Box 2", in the arena. NULL when out of memory. */
const char *bx_label_unit(const struct bx_catalog *c, uint16_t pmu, unsigned unit, bx_arena *a);

/* The name of a port by its number in the package: "R-Box port 5". */
const char *bx_label_port(const struct bx_catalog *c, uint16_t pmu, int port, bx_arena *a);

#endif
