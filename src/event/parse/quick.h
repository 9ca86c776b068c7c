/* The usual event string, read in one go. */
#ifndef BX_EVENT_PARSE_QUICK_H
#define BX_EVENT_PARSE_QUICK_H

#include "event/event.h"

/* Reads "pmu[unit]::EVENT[:UMASK…][:modifier[=value]…]" where there is nothing to refuse and
 * nothing unusual: names that are the catalogue's own, short decimal numbers, nothing given twice.
 * false: the general reader has to look at it, and *event is untouched. true: *event is exactly
 * what the general reader would say. */
bool bx_event_quick(const struct bx_catalog *c, const char *text, size_t len, bx_evsel *event);

/* The general reader alone; otherwise as bx_event_parse(), which begins with the quick one. */
int bx_event_read_any(const struct bx_catalog *c, int cpu, bx_str text, bx_evsel *event,
                      bx_error *e);

#endif
