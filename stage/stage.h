/* The stage: a virtual machine that other programs reach through files, as they reach real
 * hardware, while its time advances.
 *
 *   files/    the machine's files, served through FUSE
 *   calls/    system calls that the stage answers instead of the kernel
 *   perf/     perf_event_open() on the machine's PMUs
 *   preload/  the library that answers CPUID in dynamic programs
 *   process/  namespaces, and processes that clean up
 *   work/     the machine's time, and the work that runs on it */
#ifndef BX_STAGE_STAGE_H
#define BX_STAGE_STAGE_H

#include "stage/files/bus_observer.h"

typedef struct bx_stage_options {
    bool gathered;        /* the machine is a gathered one: see bx_stage_open() */
    const char *folder;   /* where the files appear; NULL: in place of the host's, see below */
    const char *workload; /* runs in the background; NULL: none */
    const char *follow;   /* instead of a workload, the command line of a program; NULL: none */
    /* The machine's string, if programs that perf starts are counted, each on a new machine of that
     * kind; NULL: they are not. */
    const char *counts_programs;
    uint64_t hz;   /* virtual cycles a second; 0: time stands still */
    bool hz_given; /* false: the machine's own clock rate replaces `hz` */
    /* Called at each register access through the files; may be NULL. */
    bx_access_observer on_access;
    void *context; /* for on_access */
} bx_stage_options;

typedef struct bx_stage bx_stage;

/* Opens a stage on a virtual machine, which must outlive it. A gathered machine, that is a host
 * below a folder, has no model and no registers on stage: programs see its PMUs through perf alone,
 * and signals drive their counts. It takes no folder and no work. Without a folder this process
 * moves into a new mount namespace, in which the files replace the host's, and stays there.
 * BX_NO_ACCESS: the command was built without FUSE, or the folder cannot be used. Errors of the
 * workload or of the program to follow are returned, too. */
int bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e);
void bx_stage_close(bx_stage *s); /* the files vanish; NULL is fine */

/* Why the background work was given up; NULL: it was not. Valid as long as the stage. */
const bx_error *bx_stage_trouble(const bx_stage *s);

/* Whether a program has asked perf for an event of a CPU; for one of a task that is not counted;
 * for samples of an event of the machine. */
bool bx_stage_was_asked_cpus(const bx_stage *s);
bool bx_stage_was_asked_task(const bx_stage *s);
bool bx_stage_was_asked_samples(const bx_stage *s);

/* Of a gathered machine: how many events were read that no signal had reached. *first: one of
 * them. */
uint64_t bx_stage_unsignalled(const bx_stage *s, const char **first);

/* Serves while the program runs. *status: its exit status as a shell reports it. With argv NULL it
 * serves until SIGINT, SIGTERM or SIGHUP arrives, which is no error. Processes that the program
 * leaves behind are killed when it ends, and also when we are killed. Without a folder there must
 * be a program. */
int bx_stage_run(bx_stage *s, char *const argv[], int *status, bx_error *e);

#endif
