/* The state of perf on stage, shared by answer.c (the system call perf_event_open()) and perf.c
 * (the files that are events). */
#ifndef BX_STAGE_PERF_INTERNAL_H
#define BX_STAGE_PERF_INTERNAL_H

#include "host/perf/kernel_pmus.h"
#include "stage/perf/opener_thread.h"
#include "stage/perf/perf.h"
#include "stage/perf/signalled.h"
#include "stage/perf/validation.h"
#include "stage/work/launcher.h"

#include <sched.h>
#include <stdatomic.h>

/* An event of a signal, as parsed. */
typedef struct bx_parsed_signal {
    const char *text;
    bx_perf_event event;
    bool all_units;
} bx_parsed_signal;

struct bx_staged_perf {
    bx_stage_clock *clock;
    bx_staged_boxes boxes;
    bx_validation validation;
    const bx_signalled *signalled; /* a gathered machine, in place of boxes; NULL: none */
    bx_parsed_signal *parsed;      /* of that machine: parsed_n events that signals have named */
    size_t parsed_n, parsed_room;
    uint64_t counted_until;     /* … cycles */
    uint64_t unsignalled;       /* … its events that were read and that no signal had reached, */
    char first_unsignalled[96]; /* and the first of these */
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

/* perf.c: lets cycles pass on a gathered machine, with this signal. */
void bx_staged_pass(bx_staged_perf *p, const bx_signal *signal, uint64_t cycles);

#endif
