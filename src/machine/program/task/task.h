/* The threads of a traced program, as streams of accesses. One thread, the reader, fills them batch
 * by batch; the model's thread executes them on cores. */
#ifndef BX_MACHINE_PROGRAM_TASK_TASK_H
#define BX_MACHINE_PROGRAM_TASK_TASK_H

#include "machine/program/process/mark.h"
#include "model/model.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bx_task bx_task;
typedef struct bx_tasks bx_tasks;
typedef struct bx_chunk bx_chunk;

/* A place in a task's stream: its accesses before that are numbered below `n`. A batch without
 * accesses counts as one. task NULL: none. */
typedef struct bx_point {
    bx_task *task;
    uint64_t n;
} bx_point;

/* What the reader does to a task. */
enum bx_update {
    BX_UPDATE_BATCH,
    BX_UPDATE_TASK, /* it is there */
    BX_UPDATE_CALL, /* it enters a system call */
    BX_UPDATE_RETURN,
    BX_UPDATE_COMPLETE,
    BX_UPDATE_STEP, /* of no task: a step of the reader ends */
    BX_UPDATE_OVER, /* of none: there are no more */
};

/* What a task executes in one go; or another update, which has nothing behind `update`. */
typedef struct bx_batch {
    struct bx_batch *next;
    bx_task *task;
    enum bx_update update;
    enum bx_mark_kind mark;
    char *marked;    /* the region of that name, in place of accesses; NULL: it is no mark */
    bx_chunk *chunk; /* that has its accesses; NULL: there are none, it only waits */
    const bx_access *from, *to;
    /* What retires with them: of bx_feed. */
    const bx_retirement *retirement, *retirement_end;
    const bx_access *origin;
    uint32_t retired_n;
    uint64_t end; /* bx_point.n behind it */
    size_t waits;
    bx_point after[]; /* [waits]: not before all of these */
} bx_batch;

struct bx_task {
    bx_task *next;     /* of all that are not over, or of all that are; the newest first */
    bx_task *neighbor; /* on the same core */
    bx_tasks *of;
    unsigned number; /* from 1, as they begin */

    /* The reader's. */
    bx_chunk *open;          /* being filled */
    const bx_access *begin;  /* of the batch that is being filled */
    size_t first_retirement; /* of that batch, in the chunk */
    bx_point *after;         /* [waits] of it, in room for waits_room */
    size_t waits, waits_room;
    uint64_t made; /* bx_point.n behind what it has so far */

    /* Shared; under the lock. */
    bx_batch *first, *last; /* made, and not yet being executed */
    uint64_t done;          /* bx_point.n behind what has been executed */
    size_t backlog;         /* accesses made, and not yet executed */
    bool in_call;           /* behind its last batch: it sits in a system call */
    bool complete;          /* no more batches come */
    bool marks;             /* it has marked regions */

    /* The model's. */
    bx_batch *current;
    int core;           /* -1: none so far, or no more */
    uint64_t began;     /* its turn on the core */
    uint64_t call_seen; /* ns: since when it was found in a system call; 0: it was not */
};

/* All of them, and how reader and model wait for each other. */
struct bx_tasks {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* batches, calls, ends: the model waits for it */
    int space;              /* an eventfd: the reader waits for it */
    bx_task *first;         /* of those that are not over */
    bx_task *over;          /* kept, because others may have waited for them */
    size_t backlog;         /* of all; without what is queued */
    bool reader_waits;      /* for backlog to become less, or for the model to be hungry */
    bool hungry;            /* the model waits */
    bool no_more;           /* the reader makes no more */
    bool stop;              /* it is to make no more */
    bx_chunk *unused;       /* chunks for later */
    bool no_memory;
    bx_retired_table *retired; /* the reader's; who has a batch reads what it had then */
    unsigned begun;            /* tasks so far */
    /* The model's: called with the lock, when all that comes before a mark has been executed. NULL:
     * nobody is interested. */
    bx_mark_fn *at_mark;
    void *context;

    /* Of a reader in steps, all that it makes is queued until the model takes the next step: so
     * what the model sees does not depend on how far the reader has come. */
    bool in_steps;
    bx_batch *updates, *last_update;
    size_t queued; /* accesses in them */
};

enum {
    BX_CHUNK = 1 << 15,             /* accesses */
    BX_CHUNK_RETIREMENTS = 1 << 14, /* and what retires with them */
    BX_TASK_RETIREMENTS = 1 << 12,  /* room for those that there is at least */
    BX_BACKLOG_MOST = 4 * BX_CHUNK, /* of all tasks while the model has work; of one task; queued */
};

bool bx_tasks_begin(bx_tasks *t); /* false: no memory, or no descriptor */
void bx_tasks_end(bx_tasks *t);

/* ---- for the reader ---- */

/* A task that begins after that. NULL: out of memory. */
bx_task *bx_task_new(bx_tasks *all, bx_point after);

/* Where the next accesses go: room for at least `least`, below BX_CHUNK. NULL: out of memory. */
bx_access *bx_task_room(bx_tasks *all, bx_task *t, size_t least, size_t *room);
void bx_task_add(bx_task *t, size_t n); /* so many were written there */

/* Where what retires with these accesses goes. */
bx_retire_to bx_task_retire_to(const bx_task *t);
void bx_task_retire(bx_task *t, const bx_retirement *end); /* it was written up to there */

/* Ends the batch, if there is any in it, and hands it over. */
void bx_task_hand_over(bx_tasks *all, bx_task *t);

/* The end of what it has made so far, what it waits for included. Hands over. */
bx_point bx_task_point(bx_tasks *all, bx_task *t);

/* What follows begins after that, too. */
void bx_task_wait(bx_tasks *all, bx_task *t, bx_point after);

/* It enters a system call, or has returned from it. Hands over. */
void bx_task_call(bx_tasks *all, bx_task *t, bool enters);
void bx_task_complete(bx_tasks *all, bx_task *t);

/* Ends a step; over: the last one. */
void bx_tasks_end_step(bx_tasks *all, bool over);
/* It marks a region here: copies the name. Hands over. */
void bx_task_mark(bx_tasks *all, bx_task *t, enum bx_mark_kind kind, const char *name);

/* Whether the reader should go on; false: it waits for all->space. */
bool bx_tasks_want_more(bx_tasks *all);

/* Accesses made, and not yet executed. From BX_BACKLOG_MOST on the task has enough. */
size_t bx_task_backlog(bx_tasks *all, const bx_task *t);
bool bx_tasks_stopped(bx_tasks *all);
void bx_tasks_set_over(bx_tasks *all);
void bx_tasks_wait_for_space(bx_tasks *all);

/* ---- for the model: with the lock ---- */

enum bx_task_state {
    BX_TASK_BLOCKED, /* it has no batch, or that waits for another task */
    BX_TASK_AWAITS,  /* its batch waits for accesses of batches that are being executed */
    BX_TASK_READY,   /* its batch can be executed */
};
enum bx_task_state bx_task_state_of(bx_task *t);

/* Of a task that awaits: what it waits for first, to be set to 0 once that has happened; and that
 * access, in the batch that its task executes. */
bx_point *bx_task_awaited(const bx_task *t);
const bx_access *bx_point_access(const bx_point *p);

/* Nothing more will come of it. */
bool bx_task_is_over(const bx_task *t);
void bx_tasks_retire(bx_tasks *all); /* those that are over are no longer among all->first */

/* The next step of a reader in steps; waits for it. */
void bx_tasks_take_step(bx_tasks *all);

const bx_batch *bx_task_take(bx_task *t);       /* of a task that is ready */
void bx_task_finish(bx_tasks *all, bx_task *t); /* the one taken last */
void bx_tasks_wake_reader(bx_tasks *all);
void bx_tasks_stop(bx_tasks *all); /* takes the lock itself */

#endif
