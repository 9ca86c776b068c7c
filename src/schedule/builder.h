/* The schedule under construction: expand.c makes the assignments, components.c finds the connected
 * components, schedule.c fits each of them. */
#ifndef BX_SCHEDULE_BUILDER_H
#define BX_SCHEDULE_BUILDER_H

#include "base/error.h"
#include "schedule/internal.h"

/* members[i] belongs to assignments[i]. */
struct bx_schedule_builder {
    const bx_topology *t;
    const bx_evsel *events;
    size_t events_n;
    uint16_t *metric_group; /* by event: like bx_evsel.group, for a metric's events */
    size_t n;
    bx_assignment *assignments;
    bx_member *members; /* box: index of its first assignment; group: 1 + that of the group */
    bx_requirement *alternatives; /* for each event and port */
    uint16_t *component; /* of each assignment: the first assignment of its component, … */
    uint16_t *next;      /* … and the next one of the component; BX_NONE: it is the last */
    uint16_t *rank;      /* index of the assignment within its component */
    uint64_t *keys;      /* of each assignment: a key; assignments with equal keys are equal. Then:
                            components that are different problems */
    bx_member *scratch;  /* the members of one component */
    bx_member **subset;
    const bx_assignment **subset_assignments;
};

/* Makes the assignments, without counter or pass, and allocates all other arrays. */
int bx_expand_events(struct bx_schedule_builder *m, size_t events, bx_error *e);

/* Sets metric_group[]. false: out of memory. */
bool bx_find_metric_groups(struct bx_schedule_builder *m);

/* Gives each pinned member a counter and a place that it keeps in all passes. Each other member of
 * the box must still fit together with them. rank, next: the members of a box, linked. Fails if
 * something does not fit. */
int bx_pin(struct bx_schedule_builder *m, bx_error *e);

/* Finds the connected components: boxes with a common event group are fitted as one problem. Fails
 * if members of a group are incompatible. */
int bx_find_components(struct bx_schedule_builder *m, bx_error *e);

#endif
