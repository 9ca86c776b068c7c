/* Lists of events, also with another reader for events that are not in the catalogue. */
#ifndef BX_EVENT_PARSE_LIST_H
#define BX_EVENT_PARSE_LIST_H

#include "event/event.h"

/* Reads one event of a list. Spans of its errors count from the start of `part`. */
typedef int bx_event_reader(void *context, bx_str part, bx_evsel *event, bx_error *e);

/* bx_events_parse() with another reader for the text between commas. The reader is called twice for
 * each event: once to check the whole list, once to store. */
int bx_events_read(bx_event_reader *read, void *context, const char *text, bx_evsel *events,
                   size_t room, size_t *n, bx_error *e);

/* The most events that a list can have: one more than it has commas, and the units of its ranges.
 */
size_t bx_events_most(const char *text);

#endif
