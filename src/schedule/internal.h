/* The parts of bx_schedule_make(): check.c refuses events that this machine cannot count,
 * requirement.c determines what events require of shared registers, conflict.c explains why events
 * are incompatible. */
#ifndef BX_SCHEDULE_INTERNAL_H
#define BX_SCHEDULE_INTERNAL_H

#include "schedule/schedule.h"
#include "schedule/compatible.h"

enum { BX_PLACES = 8 }; /* most equal places of a port */

/* The counters (mask) that may count the event; if the event names one, only that. */
uint32_t bx_allowed_counters(const bx_topology *t, const bx_evsel *event);

/* Whether the event can be counted on this machine at all. */
int bx_check_countable(const bx_topology *t, const bx_evsel *event, bx_error *e);

/* The only counter that can count the event; NULL: there is a choice. */
const bx_cat_counter *bx_fixed_counter_of(const bx_topology *t, const bx_evsel *event);

/* The event's requirements of shared registers on a port of the unit (0 without ports): one
 * alternative for each place. *first is the catalogue index of the first place, or BX_NONE. Room
 * for BX_PLACES. */
unsigned bx_requirements_of(const bx_topology *t, const bx_evsel *event, unsigned port,
                            bx_requirement *alternatives, uint16_t *first);

/* The port within the unit, from 0. */
unsigned bx_assignment_local_port(const struct bx_catalog *c, const bx_assignment *assignment);

/* A key that is equal for assignments of one box: a unit's programmable counters, or one fixed
 * counter. */
uint64_t bx_box_key(const bx_topology *t, const bx_evsel *events, const bx_assignment *assignment);

/* Sets *e to the reason why members are incompatible; assignments[i] is that of members[i]. */
int bx_explain_conflict(const bx_topology *t, const bx_evsel *events, bx_member *const *members,
                        const bx_assignment *const *assignments, size_t n, bx_error *e);

#endif
