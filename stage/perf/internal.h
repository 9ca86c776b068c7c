/* What perf on stage consists of: answer.c takes calls, perf.c is the file of an event. */
#ifndef BX_STAGE_PERF_INTERNAL_H
#define BX_STAGE_PERF_INTERNAL_H

#include "stage/perf/perf.h"
#include "stage/perf/validation.h"
#include "stage/perf/opener_thread.h"

#include <sched.h>

struct bx_staged_perf {
    bx_stage_clock *clock;
    bx_staged_boxes boxes;
    bx_validation validation;
    bx_opener_thread *opener;
    bx_staged_event **events; /* all that are open */
    size_t n, room;
    uint64_t next_id, last_now;
    cpu_set_t host; /* CPUs of the host that we may use */
};

#endif
