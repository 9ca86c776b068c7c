/* One process of a traced program: its ring, read and decoded into tasks, one for each thread. */
#ifndef BX_MACHINE_PROGRAM_TRACE_PROCESS_H
#define BX_MACHINE_PROGRAM_TRACE_PROCESS_H

#include "machine/program/address_space.h"
#include "machine/program/decoder.h"
#include "machine/program/release.h"
#include "machine/program/task.h"
#include "tracer/trace_format.h"

#include <sys/types.h>

typedef struct bx_trace_process bx_trace_process;

/* What all processes of a program share. */
typedef struct bx_trace_family {
    bx_tasks *tasks;
    bx_physical_memory *memory;
    bx_releases *releases;
    bx_trace_process *first;     /* of all that have not ended, the newest first */
    struct bx_trace_fork *forks; /* whose children have not said hello */
    bool kernel;                 /* its accesses are made, too */
    bool remarks;                /* as the model wants them; it has one core then */
    const char *malformed;       /* what is wrong with a trace; NULL: nothing so far */
    bool no_memory;              /* or that is why */
    bx_trace_counts counts;      /* of those that have ended */
    char *untraced; /* programs that ran without a trace: "NAME (PID), …"; NULL: none */
} bx_trace_family;

/* Children that were to come will not. */
void bx_trace_family_forget(bx_trace_family *family);

/* A process has said hello. It takes the descriptors. pid: in our namespace. NULL: see
 * family->malformed. */
bx_trace_process **bx_trace_process_next(bx_trace_process *p); /* the link to it */
bx_trace_process *bx_trace_process_new(bx_trace_family *family, const bx_trace_message *hello,
                                       pid_t pid, const int fd[BX_TRACE_FDS]);
void bx_trace_process_free(bx_trace_process *p); /* no longer among the family; kills it */

/* Decodes what is there, up to some thousand words. false: there is nothing now, or it waits for
 * another process. */
bool bx_trace_process_read(bx_trace_process *p);

/* Another one waits for its end, so that it must not be freed. */
bool bx_trace_process_is_followed(const bx_trace_process *p);

/* To be called when it has not read anything: ends the process if its trace is complete. */
bool bx_trace_process_is_done(bx_trace_process *p);

int bx_trace_process_end(const bx_trace_process *p); /* a descriptor, readable once it has ended */
bool bx_trace_process_ask_for_bell(bx_trace_process *p, bool ask); /* as bx_ring_ask_for_bell() */

/* Adds to family->untraced. */
bool bx_trace_process_name_untraced(bx_trace_process *p, const char *path);

bool bx_trace_process_has_ended(const bx_trace_process *p); /* its ring may have more to read */
void bx_trace_process_let_go(bx_trace_process *p);          /* it runs on unread */

#endif
