/* A virtual machine on stage: other programs reach its registers through files, as they do on real
 * hardware, while its time advances. */
#ifndef BX_STAGE_STAGE_H
#define BX_STAGE_STAGE_H

#include "stage/files/bus_observer.h"

typedef struct bx_stage_options {
    const char
        *folder; /* where the files appear; NULL: where the host's own are, for the program */
    const char *workload; /* that runs in the background; NULL: none */
    const char *follow;   /* in its place: the command of a program, as a shell has it */
    uint64_t hz;          /* virtual cycles a second; 0: time stands still */
    bool hz_given;        /* pace holds; else that of the machine */
    bx_access_observer
        on_access; /* called at each register access through the files; NULL: nobody is */
    void *context; /* its own */
} bx_stage_options;

typedef struct bx_stage bx_stage;

/* Without a folder this process moves into a file system view of its own, once and for all.
 * BX_NO_ACCESS where this command was built without FUSE, or the folder cannot be had. The machine
 * must be a virtual one and outlive the stage. */
int bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e);
void bx_stage_close(bx_stage *s); /* the files vanish; NULL is fine */

/* Why the work in the background was given up, if it was; else NULL. */
const bx_error *bx_stage_trouble(const bx_stage *s);

/* Serves while the program runs, whose exit status is given as a shell gives it; without one (argv
 * NULL) until SIGINT, SIGTERM or SIGHUP comes, which is no error. What the program leaves
 * running is ended with it, or when we are killed. Without a folder there must be a program. */
int bx_stage_run(bx_stage *s, char *const argv[], int *status, bx_error *e);

#endif
