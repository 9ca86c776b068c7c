/* Events that programs on stage have opened, in groups, and the boxes whose counters count them. */
#ifndef BX_STAGE_PERF_OPENED_EVENTS_H
#define BX_STAGE_PERF_OPENED_EVENTS_H

#include "plan/plan.h"
#include "stage/perf/event_source.h"
#include "stage/perf/attr.h"

struct bx_staged_box;

enum bx_staged_state { BX_STAGED_OFF, BX_STAGED_ON, BX_STAGED_ERROR };

typedef struct bx_staged_event {
    bx_open_request request;
    uint64_t id;
    uint8_t state;                  /* enum bx_staged_state */
    bool counts;                    /* it has its counter now */
    bool selected;                  /* leaders: the group is to have its counters */
    struct bx_staged_event *leader; /* itself, where it leads */
    struct bx_staged_event *next;   /* of the same group; the leader is the first */
    struct bx_staged_event *after;  /* leaders: the next group of the box */
    struct bx_staged_box *box;      /* of the whole group; NULL: it has events of the host only */
    bx_evsel event;                 /* of a box */
    int host; /* the host kernel's event that it stands for; -1: it is of a box */
    uint64_t count, enabled, running;
    uint64_t since; /* when the times were brought up to date */
} bx_staged_event;

/* A counter that is in use. */
typedef struct bx_staged_counter {
    bx_staged_event *event;
    bx_address at;
    uint64_t last, mask;
    uint8_t shift;
} bx_staged_counter;

/* The counters of one unit of a package, and the groups that need them. */
typedef struct bx_staged_box {
    const bx_event_source *source;
    unsigned package;
    bx_staged_event *groups; /* in the order in which they get counters */
    bx_evsel *events;        /* those that have one now, … */
    bx_schedule schedule;
    bx_plan plan;
    bx_staged_counter *counters; /* … and these */
    size_t n;
    bool waiting;         /* a group has to wait for its turn */
    uint64_t mux_start;   /* when the present one began; 0: it begins with the next tick */
    uint64_t last_sample; /* when the counters were read last */
} bx_staged_box;

typedef struct bx_staged_boxes {
    const bx_topology *t;
    struct bx_bus *bus;
    size_t n;
    bx_staged_box *all;
    uint8_t *open; /* per package: boxes that have events on counters */
} bx_staged_boxes;

/* One for each source and package (or CPU). */
bool bx_staged_boxes_new(bx_staged_boxes *b, const bx_topology *t, const bx_event_sources *s,
                         struct bx_bus *bus);
void bx_staged_boxes_free(bx_staged_boxes *b);
bx_staged_box *bx_staged_box_of(const bx_staged_boxes *b, const bx_event_source *source,
                                unsigned cpu);

/* ---- box.c: who gets counters ---- */

/* Something about the box's groups has changed. Groups that are new get counters if there are any;
 * but as in Linux nobody inherits at once the counters of one that was switched off (`shrinks`). */
void bx_staged_box_reschedule(bx_staged_boxes *b, bx_staged_box *box, uint64_t now, bool shrinks);

/* Whether a group could have counters if it were alone. */
bool bx_staged_box_fits(const bx_staged_boxes *b, bx_staged_event *leader);

/* Time has passed: turns end, by a clock that may be another one than that which events are timed
 * by, and no counter goes unread for long. */
void bx_staged_boxes_tick(bx_staged_boxes *b, uint64_t now, uint64_t mux_clock);

/* ---- program.c: registers ---- */

/* Reads the counters of the box into their events. */
void bx_staged_collect(bx_staged_boxes *b, bx_staged_box *box);

/* Takes the counters from the events that have them and gives them to others: as many as there are
 * assignments in the schedule, which is taken over with `events`. 0 or an errno: none has a counter
 * then.
 */
int bx_staged_program(bx_staged_boxes *b, bx_staged_box *box, bx_evsel *events,
                      bx_staged_event *const *staged, bx_schedule *schedule);

/* ---- group.c: one event, or its group ---- */

/* Enters the group of a leader, or leads one itself (NULL); leaves it, which lets the others lead
 * groups of their own if it led them. */
void bx_staged_join(bx_staged_event *e, bx_staged_event *leader);
void bx_staged_leave(bx_staged_event *e);

/* Its group has no event of a box any more. */
void bx_staged_unbox(bx_staged_event *leader);

/* Brings the times of all of its group up to date. */
void bx_staged_account(bx_staged_event *of, uint64_t now);

/* Whether it may count: it and its leader are on. */
bool bx_staged_is_on(const bx_staged_event *e);

/* It has got its counter, or lost it; times must be up to date. */
void bx_staged_set_counts(bx_staged_event *e, bool counts);

uint64_t bx_staged_count(const bx_staged_event *e); /* after bx_staged_collect() */
void bx_staged_reset(bx_staged_event *e);

/* What read() gives: bytes, 0 at the end of an event that could not be counted, or -errno. */
long bx_staged_result(const bx_staged_event *e, char *to, size_t room);

#endif
