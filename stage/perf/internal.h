/* The state of perf on stage, shared by answer.c (the system call perf_event_open()) and perf.c
 * (the files that are events). */
#ifndef BX_STAGE_PERF_INTERNAL_H
#define BX_STAGE_PERF_INTERNAL_H

#include "stage/perf/opener_thread.h"
#include "stage/perf/perf.h"
#include "stage/perf/validation.h"
#include "stage/work/launcher.h"

#include <sched.h>
#include <stdatomic.h>

struct bx_staged_perf {
    bx_stage_clock *clock;
    bx_staged_boxes boxes;
    bx_validation validation;
    bx_opener_thread *opener;
    bx_staged_event **events; /* all open events */
    size_t n, room;
    uint64_t next_id;
    uint64_t last_now;           /* ns, of the last call of now() */
    cpu_set_t host;              /* CPUs of the host that we may use */
    const bx_launcher *launcher; /* starts programs that are counted on a machine of their own;
                                    NULL: events of tasks are refused */
    /* What programs have asked for in vain; the opener's thread sets them. */
    atomic_bool asked_task, asked_samples, asked_cpus;
};

/* answer.c: the bx_open_preparer. Its context is a bx_staged_perf. */
enum bx_answer bx_staged_prepare(void *context, bx_open_job *job, int64_t *value);

/* perf.c: NULL: no open event has this id. */
bx_staged_event *bx_staged_by_id(const bx_staged_perf *p, uint64_t id);

#endif
