/* Virtual PMUs and the machine model whose signals they count. */
#ifndef BX_MACHINE_BACKEND_VIRTUAL_H
#define BX_MACHINE_BACKEND_VIRTUAL_H

#include "machine/backend/backend.h"
#include "machine/program/process/mark.h"
#include "machine/program/process/surroundings.h"
#include "machine/program/task/core_list.h"
#include "model/core/tlb.h"
#include "model/engine/core_time.h"
#include "model/model.h"
#include "vpmu/vpmu.h"

typedef struct bx_virtual {
    bx_backend base;
    bx_model *model;
    struct bx_signal_share *share; /* the model's signals, for each bank of registers */
    bx_vpmu *vpmu;                 /* the first bank */
    struct bx_frames *frames;      /* page frames of the work, or NULL */
    struct bx_workload *workload;  /* built-in workload, or NULL */
    struct bx_tracer *tracer;      /* a traced program, or NULL */
    /* starts programs to be traced; NULL: this process starts them */
    const struct bx_spawner *spawner;
    bx_core_list threads;  /* the cores that threads of programs run on */
    bx_surroundings shown; /* the environment that programs see */
    bx_core_time core;     /* what instructions cost */
    bx_tlb_geometry tlbs;  /* of its cores, with tlb=on */
    bool kernel_accesses;  /* also make the accesses that a kernel makes for programs */
    bool huge_pages;       /* use huge pages for the anonymous memory of programs and workloads */
    /* called at a mark of a region of the program; NULL: marks are not reported */
    bx_mark_fn *at_mark;
    void *mark_context;
    bool (*interrupted)(void); /* ends the replay of a trace; NULL: nothing does */
    uint64_t claimed;          /* packages (mask) that a session writes to */
} bx_virtual;

/* A further bank of registers, for one session alone. On failure NULL and *e: out of memory. */
bx_vpmu *bx_virtual_bank_new(bx_virtual *v, bx_error *e);
void bx_virtual_bank_free(bx_virtual *v, bx_vpmu *bank); /* NULL is fine */

/* Whether the traced program has no new accesses at the moment. */
bool bx_virtual_waits(const bx_virtual *v);

/* Whether the model produces what this selection counts at a place (catalogue index; BX_NONE: the
 * event is in no slot). */
bool bx_virtual_produces(const bx_virtual *v, const bx_evsel *event, uint16_t place);

/* Appends what the model adds up for that, in words. false: the model does not produce it. */
bool bx_virtual_describe(const bx_virtual *v, const bx_evsel *event, uint16_t place, bx_buf *to);

/* Whether the model needs remarks to produce that: only some work has remarks, such as the trace of
 * a program. */
bool bx_virtual_needs_remarks(const bx_virtual *v, const bx_evsel *event, uint16_t place);

/* Whether lackey traces the loaded program: lackey's text has no remarks. */
bool bx_virtual_by_lackey(const bx_virtual *v);

#endif
