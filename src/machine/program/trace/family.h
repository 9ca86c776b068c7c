/* What all processes of a traced program share, while their traces are read. */
#ifndef BX_MACHINE_PROGRAM_TRACE_FAMILY_H
#define BX_MACHINE_PROGRAM_TRACE_FAMILY_H

#include "machine/program/decode/address_space.h"
#include "machine/program/decode/decoder.h"
#include "machine/program/task/release.h"
#include "machine/program/task/task.h"

/* A child that has not said hello yet. If fork() failed it never does. */
typedef struct bx_trace_fork {
    struct bx_trace_fork *next;
    uint32_t parent;
    uint64_t time;
    bx_address_space *space;
    bx_point at; /* where the parent was */
} bx_trace_fork;

typedef struct bx_trace_family {
    bx_tasks *tasks;
    bx_physical_memory *memory;
    bx_releases *releases;
    struct bx_trace_member *first; /* of all that have not ended, the newest first */
    bx_trace_fork *forks;
    struct bx_tracefile_writer *copy;  /* gets all words, and no task has accesses; or NULL */
    bool kernel;                       /* its accesses are made, too */
    bool remarks;                      /* as the model wants them; it has one core then */
    const struct bx_tlb_geometry *tlb; /* of its cores; NULL: they have none */
    bx_core_time core;                 /* what instructions cost */
    bool prefetch;                     /* what prefetchers ask for is made, too */
    const char *malformed;             /* what is wrong with a trace; NULL: nothing so far */
    bool no_memory;                    /* or that is why */
    bx_trace_counts counts;            /* of those that have ended */
    char *untraced; /* programs that ran without a trace: "NAME (process N), …"; NULL: none */
} bx_trace_family;

/* false: no memory. */
bool bx_trace_family_begin(bx_trace_family *f, bx_tasks *tasks, struct bx_frames *frames);
void bx_trace_family_end(bx_trace_family *f);

/* Nothing more is read: no_memory is now also that of its parts. */
void bx_trace_family_close(bx_trace_family *f);

/* All return false, so that callers can. */
bool bx_trace_family_refuse(bx_trace_family *f, const char *why);
bool bx_trace_family_ran_out(bx_trace_family *f);

/* Takes the address space. */
bool bx_trace_family_fork(bx_trace_family *f, uint32_t parent, uint64_t time,
                          bx_address_space *space, bx_point at);

/* The child that process `parent` has forked at that time: space NULL if there is none. */
bx_trace_fork bx_trace_family_child(bx_trace_family *f, uint32_t parent, uint64_t time);

/* Adds to `untraced`. */
bool bx_trace_family_name_untraced(bx_trace_family *f, const char *path, uint32_t process);

#endif
