/* A counter that stops all others when it overflows. It starts so many counts below its width, its
 * overflow requests an interrupt (PMI), and the request freezes the counters. Only virtual machines
 * are programmed so: an interrupt of a host would come to its kernel. */
#ifndef BX_PLAN_OVERFLOW_H
#define BX_PLAN_OVERFLOW_H

#include "schedule/schedule.h"

typedef struct bx_overflow {
    uint16_t assignment; /* index in the schedule */
    bool again;          /* after an overflow it starts once more */
    uint64_t counts;     /* until it overflows; 0: no counter is to overflow */
} bx_overflow;

/* Whether the event's counters request an interrupt when they overflow, and can start so many
 * counts before that. BX_NO_FIT: there is no such counter; BX_BAD_INPUT: it is a wrong number. *e
 * has no span. */
int bx_overflow_check(const struct bx_catalog *c, const bx_evsel *event, bx_error *e);
int bx_overflow_check_counts(const struct bx_catalog *c, const bx_evsel *event, uint64_t counts,
                             bx_error *e);

/* The counter of events[event] is to overflow: sets to->assignment. Errors have the span of an
 * event. BX_NO_FIT: the event has several counters. */
int bx_overflow_find(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                     size_t event, bx_overflow *to, bx_error *e);

/* BX_NO_FIT, with an event's span: not all events fit at once, which the counts of one moment need.
 */
int bx_overflow_fits(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                     bx_error *e);

/* Where the counter starts. */
uint64_t bx_overflow_start(const struct bx_catalog *c, const bx_cat_counter *counter,
                           const bx_evsel *event, uint64_t counts);

/* The bits of a register that let the counter's overflow freeze all counters: its own enable, the
 * freeze on a request, and where the request is sent, core 0. */
uint64_t bx_overflow_bits(const bx_topology *t, const bx_cat_counter *counter, uint16_t reg);

/* Whether the event has its counter count downwards. */
bool bx_counts_down(const struct bx_catalog *c, const bx_cat_counter *counter,
                    const bx_evsel *event);

#endif
