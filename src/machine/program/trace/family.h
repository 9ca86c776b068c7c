/* Data that all processes of a traced program share while their traces are read. */
#ifndef BX_MACHINE_PROGRAM_TRACE_FAMILY_H
#define BX_MACHINE_PROGRAM_TRACE_FAMILY_H

#include "machine/program/decode/address_space.h"
#include "machine/program/decode/decoder.h"
#include "machine/program/task/release.h"
#include "machine/program/task/task.h"
#include "machine/program/trace/ledger.h"
#include "machine/program/trace/names.h"
#include "machine/program/trace/notes.h"

/* A child whose HELLO has not come yet. If fork() failed, it never comes. */
typedef struct bx_trace_fork {
    struct bx_trace_fork *next;
    uint64_t number; /* of all forks, from 1 */
    uint32_t parent;
    uint64_t time;
    bx_address_space *space;
    bx_point at; /* the parent's point at the fork */
    bx_decoder_noted noted;
    uint32_t program; /* as in bx_trace_threads */
} bx_trace_fork;

typedef struct bx_trace_family {
    bx_tasks *tasks;
    bx_physical_memory *memory;
    bx_releases *releases;
    struct bx_trace_member *first; /* list of the members that have not ended, the newest first */
    bx_trace_fork *forks;
    struct bx_tracefile_writer *copy; /* gets all words, and tasks then get no accesses; or NULL */
    bool live; /* the processes run: what they wrote before a hello can be read when it is heard */
    bool kernel;                       /* also make the accesses of the kernel */
    bool remarks;                      /* make remarks, for a model with one core */
    const struct bx_tlb_geometry *tlb; /* TLBs of the model's cores; NULL: they have none */
    bx_core_time core;                 /* what instructions cost */
    bool prefetch;                     /* also make the accesses of prefetchers */
    const char *malformed;             /* the error in a trace; NULL: none so far */
    bool changed;                      /* that error: a program has changed its own trace */
    bool no_memory;                    /* memory ran out: the reason why `malformed` is set */
    bx_trace_counts counts;            /* counts of the members that have ended */
    bx_trace_ledger ledger;            /* of a live family: its processes */
    bx_trace_notes notes;              /* facts that belong beside the counts */
    bx_trace_names untraced;           /* programs that ran without a trace */
    bx_trace_names left;               /* processes that still ran when the program ended */
    uint64_t forked;                   /* number of forks so far */
    uint64_t streams;                  /* number of streams so far */
    uint64_t without_memory;           /* bx_ended_without_memory() when a live family began */
} bx_trace_family;

/* false: no memory. */
bool bx_trace_family_begin(bx_trace_family *f, bx_tasks *tasks, struct bx_frames *frames);
void bx_trace_family_end(bx_trace_family *f);

/* Ends reading. Also sets no_memory if one of the family's parts had no memory. */
void bx_trace_family_close(bx_trace_family *f);

/* These record an error. They always return false, so that callers can return their result. */
bool bx_trace_family_refuse(bx_trace_family *f, const char *why);
bool bx_trace_family_ran_out(bx_trace_family *f);

/* Records a fork, `of` without its number. Takes ownership of the address space and what is noted.
 */
bool bx_trace_family_fork(bx_trace_family *f, bx_trace_fork of);

/* The child that process `parent` forked at that time, in a fork with a number above `after`; its
 * `space` is NULL if there is none. If the parent has another number in its own namespace, the time
 * alone, in nanoseconds, tells the fork. */
bx_trace_fork bx_trace_family_child(bx_trace_family *f, uint32_t parent, uint64_t time,
                                    uint64_t after);

/* Add a process to one of the lists of names, or a note (bx_trace_notes_add). */
bool bx_trace_family_name(bx_trace_family *f, bx_trace_names *in, const char *name,
                          uint32_t process);
/* Note that a process is not counted to its end, or another fact, in the family's file, too. */
void bx_trace_family_cut(bx_trace_family *f, uint32_t process, const char *text);
void bx_trace_family_tell(bx_trace_family *f, uint32_t process, const char *text);
bool bx_trace_family_note(bx_trace_family *f, uint32_t kind, uint32_t process, const char *text);

#endif
