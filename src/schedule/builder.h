/* A schedule in the making: expand.c makes the assignments, components.c finds out which have to do
 * with each other, schedule.c fits them. */
#ifndef BX_SCHEDULE_BUILDER_H
#define BX_SCHEDULE_BUILDER_H

#include "base/error.h"
#include "schedule/internal.h"

/* members[i] belongs to assignments[i]. */
struct bx_schedule_builder {
    const bx_topology *t;
    const bx_evsel *events;
    size_t n;
    bx_assignment *assignments;
    bx_member
        *members; /* their box is the first assignment of the same box, their group 1 + such */
    bx_requirement *alternatives; /* of each event and port */
    uint16_t *
        component; /* of each assignment: the first assignment that it has anything to do with, … */
    uint16_t *next;     /* … and the next one of that component; BX_NONE */
    uint16_t *rank;     /* how many of the component stand before it */
    bx_member *scratch; /* the members of one component */
    bx_member **subset;
    const bx_assignment **subset_assignments;
};

/* Makes the assignments, with neither counter nor pass, and room for all the rest. */
int bx_expand_events(struct bx_schedule_builder *m, size_t events, bx_error *e);

/* Boxes that share a group have to be fitted at once. */
void bx_find_components(struct bx_schedule_builder *m);

/* Refuses a group whose members are incompatible. */
int bx_check_groups(struct bx_schedule_builder *m, bx_error *e);

#endif
