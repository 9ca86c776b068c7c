/* Events that programs on stage have opened, in groups, and the boxes that count them.
 *
 *   counter_schedule.c  which groups get counters
 *   group.c    groups, times and results of events
 *   box_registers.c     a box's registers */
#ifndef BX_STAGE_PERF_OPENED_EVENTS_H
#define BX_STAGE_PERF_OPENED_EVENTS_H

#include "plan/plan.h"
#include "stage/perf/attr.h"
#include "stage/perf/event_source.h"

struct bx_staged_box;

enum bx_staged_state { BX_STAGED_OFF, BX_STAGED_ON, BX_STAGED_ERROR };

/* Times are in ns of the machine's time. */
typedef struct bx_staged_event {
    bx_open_request request;
    uint64_t id;
    uint8_t state;     /* enum bx_staged_state */
    bool has_counter;  /* it has a counter now */
    bool counts;       /* … and no access has switched that off, or changed what it counts */
    bool selected;     /* leaders: the group has to get counters */
    bool never_counts; /* the machine does not count it: it never gets a counter */
    char *of_program;  /* the event's text, if it is of a program that is to be counted on a machine
                          of its own: it has no box and no counter here; NULL: it is not */
    struct bx_staged_event *leader; /* of its group; a leader points to itself */
    struct bx_staged_event *next;   /* next event of the group, of which the leader is the first */
    struct bx_staged_event *next_group; /* leaders: the next group of the box */
    struct bx_staged_box *box; /* of the whole group; NULL: all its events are the host's */
    const struct bx_perf_pmu *signalled; /* of a gathered machine, whose events have no box: signals
                                            drive the count (signalled.h); NULL: of a box */
    bool held;      /* … with threshold or edge detect: the condition held when it last counted */
    bool reached;   /* … a signal has reached it, */
    bool looked_at; /* … and it was read while it counted */
    bx_evsel event; /* if host is -1 */
    int host;       /* descriptor of the host kernel's event; -1: counted by a box */
    uint64_t count, enabled, running;
    uint64_t times_updated; /* when `enabled` and `running` were updated */
} bx_staged_event;

/* A counter in use. */
typedef struct bx_staged_counter {
    bx_staged_event *event;
    bx_address at;
    uint64_t last, mask; /* the last value read, in the bits of `mask` */
    uint8_t shift;       /* of the value in the register */
} bx_staged_counter;

/* Contents of a register without which an event is not counted. */
typedef struct bx_staged_need {
    bx_staged_event *event;
    bx_address at;
    uint64_t mask, value;
} bx_staged_need;

/* One unit of one package (or of one CPU), with its counters and the groups that need them. */
typedef struct bx_staged_box {
    const bx_event_source *source;
    unsigned package;        /* or CPU */
    bx_staged_event *groups; /* in the order in which they get counters */
    bx_evsel *events;        /* the events that are counted now */
    bx_schedule schedule;
    bx_plan plan;
    bx_staged_counter *counters; /* n, one a counted event */
    size_t n;
    bx_staged_need *needs; /* n_needs: what these counters need */
    size_t n_needs;
    bool waiting;         /* a group waits for counters: groups are multiplexed */
    uint64_t mux_start;   /* when the multiplexing interval began; 0: it begins at the next tick */
    uint64_t last_sample; /* when the tick last read the counters */
} bx_staged_box;

typedef struct bx_staged_boxes {
    const bx_topology *t;
    struct bx_bus *bus;
    size_t n;
    bx_staged_box *all;
} bx_staged_boxes;

/* Makes a box for each source and package (or CPU). false: out of memory. */
bool bx_staged_boxes_new(bx_staged_boxes *b, const bx_topology *t, const bx_event_sources *s,
                         struct bx_bus *bus);
void bx_staged_boxes_free(bx_staged_boxes *b);
bx_staged_box *bx_staged_box_of(const bx_staged_boxes *b, const bx_event_source *source,
                                unsigned cpu);

/* ---- counter_schedule.c: which groups get counters ---- */

/* To be called when the groups of a box have changed. New groups get free counters. As in Linux,
 * after an event was switched off or closed (`shrinks`), waiting groups get its counters only at
 * the end of the multiplexing interval. */
void bx_staged_box_reschedule(bx_staged_boxes *b, bx_staged_box *box, uint64_t now, bool shrinks);

/* Whether the counters of its box suffice for a group, without other groups. */
bool bx_staged_box_fits(const bx_staged_boxes *b, bx_staged_event *leader);

/* Ends multiplexing intervals, and reads each counter before it can wrap unseen. now: ns of the
 * machine's time. mux_clock: ns of the clock for multiplexing, which may be the wall clock. */
void bx_staged_boxes_tick(bx_staged_boxes *b, uint64_t now, uint64_t mux_clock);

/* ---- box_registers.c: registers ---- */

/* Reads the counters of the box and adds to the counts of their events. */
void bx_staged_read_counters(bx_staged_boxes *b, bx_staged_box *box);

/* Sets `counts` of all events that have a counter of the box. To be called before their times are
 * updated: a program on stage can write registers in between, as with the hardware. */
void bx_staged_check_counters(const bx_staged_boxes *b, const bx_staged_box *box);

/* Stops the counted events of a box and starts others: event i of the schedule is events[i], opened
 * as staged[i]. Takes over `events` and *schedule. 0, or an errno: then no event has a counter. */
int bx_staged_program(bx_staged_boxes *b, bx_staged_box *box, bx_evsel *events,
                      bx_staged_event *const *staged, bx_schedule *schedule);

/* ---- group.c: one event, or its group ---- */

/* Joins the group of a leader (NULL: a group of its own), or leaves the group. When a leader
 * leaves, each of the others gets a group of its own. */
void bx_staged_join(bx_staged_event *e, bx_staged_event *leader);
void bx_staged_leave(bx_staged_event *e);

/* The group has no event of a box any more: removes it from its box. */
void bx_staged_unbox(bx_staged_event *leader);

/* Updates the times of all events of its group. Only while an event counts is its time running. */
void bx_staged_update_times(bx_staged_event *of, uint64_t now);

/* Whether the event may count: the event and its leader are on. */
bool bx_staged_is_on(const bx_staged_event *e);

/* The event has got a counter, or has lost it. To be called after bx_staged_update_times(). */
void bx_staged_set_has_counter(bx_staged_event *e, bool has_counter);

uint64_t bx_staged_count(const bx_staged_event *e); /* after bx_staged_read_counters() */
void bx_staged_reset(bx_staged_event *e);

/* The result of read(): number of bytes, 0 for an event in the error state, or -errno. */
long bx_staged_read(const bx_staged_event *e, char *to, size_t room);

#endif
