/* A counter that stops all others when it overflows. It starts the wanted number of counts before
 * its overflow. The overflow requests an interrupt (PMI), and the request freezes the counters.
 * Only virtual machines are programmed this way: on a host, the kernel would get the interrupt. */
#ifndef BX_PLAN_OVERFLOW_H
#define BX_PLAN_OVERFLOW_H

#include "schedule/schedule.h"

typedef struct bx_overflow {
    uint16_t assignment; /* index in the schedule */
    bool again;          /* after an overflow it starts again */
    uint64_t counts;     /* counts until it overflows; 0: no counter should overflow */
} bx_overflow;

/* Checks that the event's counters request an interrupt when they overflow, and can start that
 * number of counts before it. BX_NO_FIT: there is no such counter; BX_BAD_INPUT: the number is
 * wrong. *e has no span. */
int bx_overflow_check(const struct bx_catalog *c, const bx_evsel *event, bx_error *e);
int bx_overflow_check_counts(const struct bx_catalog *c, const bx_evsel *event, uint64_t counts,
                             bx_error *e);

/* Sets to->assignment: the counter of events[event] will overflow. Errors have the span of an
 * event. BX_NO_FIT: the event has several counters. */
int bx_overflow_find(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                     size_t event, bx_overflow *to, bx_error *e);

/* Checks that all events fit in one pass, because all are read at one moment. BX_NO_FIT has the
 * span of an event. */
int bx_overflow_fits(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                     bx_error *e);

/* The value that the counter starts from. */
uint64_t bx_overflow_start(const struct bx_catalog *c, const bx_cat_counter *counter,
                           const bx_evsel *event, uint64_t counts);

/* The bits of a register that let the counter's overflow freeze all counters. They are the
 * counter's own enable, the freeze on a request, and the core that the request is sent to (core 0).
 */
uint64_t bx_overflow_bits(const bx_topology *t, const bx_cat_counter *counter, uint16_t reg);

/* Whether the event makes its counter count downwards. */
bool bx_counts_down(const struct bx_catalog *c, const bx_cat_counter *counter,
                    const bx_evsel *event);

#endif
