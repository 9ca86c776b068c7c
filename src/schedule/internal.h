/* The parts of bx_schedule_make(): check.c refuses what this machine cannot count, requirement.c
 * tells what events want of shared registers, conflict.c why some do not go together. */
#ifndef BX_SCHEDULE_INTERNAL_H
#define BX_SCHEDULE_INTERNAL_H

#include "schedule/schedule.h"
#include "schedule/compatible.h"

enum { BX_PLACES = 8 }; /* most equal places of a port */

/* The counters (mask) that the event may sit on: one that it names is kept to. */
uint32_t bx_seat_counters(const bx_topology *t, const bx_evsel *event);

/* Whether the event can be counted on this machine at all. */
int bx_seat_check(const bx_topology *t, const bx_evsel *event, bx_error *e);

/* The counter that an event has to have; NULL: it is free to choose. */
const bx_cat_counter *bx_seat_fixed(const bx_topology *t, const bx_evsel *event);

/* What the event wants of shared registers on a port of the unit (0 where there are none): one
 * choice for each place, of which *first is the first's catalogue index, or BX_NONE. Room for
 * BX_PLACES. */
unsigned bx_seat_choices(const bx_topology *t, const bx_evsel *event, unsigned port,
                         bx_choice *choices, uint16_t *first);

/* The port of the unit, 0 … */
unsigned bx_seat_local_port(const struct bx_catalog *c, const bx_seat *seat);

bool bx_same_box(const bx_topology *t, const bx_evsel *events, const bx_seat *a, const bx_seat *b);

/* Tells why members cannot be together; seats[i] is members[i]'s. */
int bx_seat_refuse(const bx_topology *t, const bx_evsel *events, bx_member *const *members,
                   const bx_seat *const *seats, size_t n, bx_error *e);

#endif
