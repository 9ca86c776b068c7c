/* Which events can be opened, and the errno with which Linux refuses the others. */
#ifndef BX_STAGE_PERF_VALIDATION_H
#define BX_STAGE_PERF_VALIDATION_H

#include "machine/machine.h"
#include "stage/perf/opened_events.h"

typedef struct bx_validation {
    const bx_machine *machine;
    const bx_event_sources *sources;
    const bx_staged_boxes *boxes;
} bx_validation;

/* Checks e->request for an event of one of the machine's PMUs, and fills in box and event
 * selection. 0 or an errno. */
int bx_validate_event(const bx_validation *v, bx_staged_event *e);

/* The same for an event of a program that is counted on a machine of its own: fills in the text.
 * EOPNOTSUPP: neither the machine's cores nor its model of a kernel have such an event. */
int bx_validate_of_program(const bx_validation *v, bx_staged_event *e);

/* Adds the event to the group of a leader (NULL: a group of its own) if the group can still be
 * counted at once. 0 or an errno. */
int bx_validate_group(const bx_validation *v, bx_staged_event *e, bx_staged_event *leader);

/* Turns a generic hardware event (PERF_TYPE_HARDWARE) into one of the core's PMU. ENOENT: the core
 * has no such event. of_program: as in bx_validate_of_program(). */
int bx_validate_generic(const bx_validation *v, bx_open_request *request, bool of_program);

#endif
