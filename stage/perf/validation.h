/* Which events Linux would open, and with which errno it refuses the others. */
#ifndef BX_STAGE_PERF_VALIDATION_H
#define BX_STAGE_PERF_VALIDATION_H

#include "machine/machine.h"
#include "stage/perf/opened_events.h"

typedef struct bx_validation {
    const bx_machine *machine;
    const bx_event_sources *sources;
    const bx_staged_boxes *boxes;
} bx_validation;

/* Fills in an event of one of the machine's PMUs: box, event selection. 0 or an errno. */
int bx_validate_event(const bx_validation *v, bx_staged_event *e);

/* Whether it can be in the leader's group (NULL: lead one). Joins it then. 0 or an errno. */
int bx_validate_group(const bx_validation *v, bx_staged_event *e, bx_staged_event *leader);

/* The core's PMU: an event that all processors have by number (PERF_TYPE_HARDWARE), as its own.
 * ENOENT: it has none such. */
int bx_validate_generic(const bx_validation *v, bx_open_request *request);

#endif
