/* A schedule in the making: expand.c makes the seats, components.c finds out which have to do with
 * each other, schedule.c fits them. */
#ifndef BX_SCHEDULE_BUILDER_H
#define BX_SCHEDULE_BUILDER_H

#include "base/error.h"
#include "schedule/internal.h"

/* members[i] belongs to seats[i]. */
struct bx_maker {
    const bx_topology *t;
    const bx_evsel *events;
    size_t n;
    bx_seat *seats;
    bx_member *members; /* their box is the first seat of the same box, their bundle 1 + such */
    bx_choice *choices; /* of each event and port */
    uint16_t *cluster;  /* of each seat: the first seat that it has anything to do with, … */
    uint16_t *next;     /* … and the next one of that cluster; BX_NONE */
    uint16_t *at;       /* how many of the cluster stand before it */
    bx_member *some;    /* the members of one cluster */
    bx_member **asked;
    const bx_seat **asking;
};

/* Makes the seats, with neither counter nor pass, and room for all the rest. */
int bx_make_seats(struct bx_maker *m, size_t events, bx_error *e);

/* Boxes that share a bundle have to find their passes together. */
void bx_find_clusters(struct bx_maker *m);

/* Refuses a bundle whose members cannot go together. */
int bx_check_bundles(struct bx_maker *m, bx_error *e);

static inline int bx_schedule_no_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

#endif
