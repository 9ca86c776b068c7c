/* The name that the text of an event gives to its row in a report. */
#ifndef BX_EVENT_ROW_NAME_H
#define BX_EVENT_ROW_NAME_H

#include "catalog/catalog.h"

#include <boxscore/boxscore.h>

/* perf's word as it was typed ("cycles:u", "r412e"), or the value of its term `name`. Empty: the
 * row has the event's canonical string. text: what was read as the event. */
bx_str bx_event_row_name(const struct bx_catalog *c, const bx_evsel *event, bx_str text);

#endif
