/* The threads of a traced program, as streams of accesses. One thread, the reader, fills the
 * streams batch by batch; the model's thread executes the batches on cores. */
#ifndef BX_MACHINE_PROGRAM_TASK_TASK_H
#define BX_MACHINE_PROGRAM_TASK_TASK_H

#include "machine/program/decode/memory_policy.h"
#include "machine/program/process/mark.h"
#include "machine/program/task/core_list.h"
#include "model/model.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bx_task bx_task;
typedef struct bx_tasks bx_tasks;
typedef struct bx_chunk bx_chunk;

/* A place in a task's stream: the accesses before it have numbers below `n`. A batch without
 * accesses counts as one access. task NULL: no place. */
typedef struct bx_point {
    bx_task *task;
    uint64_t n;
} bx_point;

/* A task waits for an answer. It executes RDPMC: the reader asks, the model answers. Or it asks
 * where pages are, which the reader knows. */
typedef struct bx_question {
    struct bx_question *next;
    uint64_t stream; /* who asks: the number of the stream among all of its family, … */
    uint64_t place;  /* … and where its tracer waits for the answer to question `number` */
    uint32_t number, counter; /* counter: ECX */
    bool faults;
    uint64_t value;
} bx_question;

/* Reads a counter as the program on that core does. false: it faults. */
typedef bool bx_counter_fn(void *context, unsigned core, uint32_t counter, uint64_t *value);

/* What the reader reports to the model. */
enum bx_update {
    BX_UPDATE_BATCH,
    BX_UPDATE_TASK, /* a new task */
    BX_UPDATE_CALL, /* a task enters a system call */
    BX_UPDATE_RETURN,
    BX_UPDATE_COMPLETE,
    BX_UPDATE_STEP, /* a step of the reader ends; has no task */
    BX_UPDATE_OVER, /* there are no more tasks; has no task */
};

/* A batch of accesses that a task executes in one go. Also any other update, which uses no member
 * after `update`. */
typedef struct bx_batch {
    struct bx_batch *next;
    bx_task *task;
    enum bx_update update;
    enum bx_mark_kind mark;
    char *marked; /* name of a region if the batch is a mark, which has no accesses; else NULL */
    bx_question *asks; /* the batch is a question, which has no accesses; else NULL */
    bx_chunk *chunk;   /* the chunk with its accesses; NULL: no accesses, the task only waits */
    const bx_access *from, *to;
    /* The retirements of the accesses, as in bx_feed. */
    const bx_retirement *retirement, *retirement_end;
    const bx_access *origin;
    uint32_t retired_n;
    uint64_t page_faults;
    const bx_who *who;       /* as in bx_feed */
    const bx_task *woken_by; /* whose call ended the wait of the batch in the kernel; NULL: none */
    uint64_t end;            /* bx_point.n after the batch */
    unsigned core;           /* the model's core that executes it */
    bool meets;              /* it waits for nothing but words that other threads wrote */
    size_t waits;
    bx_point after[]; /* [waits]: the batch waits for all of these */
} bx_batch;

struct bx_task {
    bx_task *next;     /* next task in the list of running tasks, or of ended ones; newest first */
    bx_task *neighbor; /* next task on the same core */
    bx_tasks *of;
    unsigned number; /* numbered from 1 in the order in which they begin */
    unsigned
        thread; /* the number of the first of those that are one thread: before and after exec() */

    /* Members that only the reader uses. */
    bx_chunk *open;          /* the chunk that is being filled */
    const bx_access *begin;  /* begin of the batch that is being filled */
    size_t first_retirement; /* first retirement of that batch, in the chunk */
    bx_point *after;         /* [waits]: what that batch waits for; there is room for waits_room */
    size_t waits, waits_room;
    bool other_waits;        /* some of these are no words, or a system call comes before */
    const bx_task *woken_by; /* as in that batch */
    uint64_t page_faults;    /* of that batch */
    uint64_t made;           /* bx_point.n after the task's accesses so far */
    unsigned place;          /* index in all->cores of its core */
    uint64_t allowed;        /* cores that it may have, as a mask; 0: all */
    bx_memory_policy policy; /* of its new pages */

    /* Members that both use, under the lock. */
    bx_batch *first, *last; /* batches that are made, and not yet being executed */
    uint64_t done;          /* bx_point.n after the executed accesses */
    size_t backlog;         /* number of accesses that are made, and not yet executed */
    bool in_call;           /* after its last batch, the task is in a system call */
    bool complete;          /* no more batches follow */
    bool marks;             /* it has marked regions */

    /* Members that only the model uses. */
    bx_batch *current;
    const bx_task *waker; /* who woke it, since its accesses before; NULL: nobody */
    int core;             /* -1: it has no core yet, or no longer */
    uint64_t began;       /* when its present turn on the core began */
    uint64_t entered;     /* when its present batch began */
    uint64_t reached;     /* when its last batch ended; 0: there was none */
};

/* What a kernel counts of its tasks. */
typedef struct bx_task_counts {
    uint64_t page_faults; /* of the batches that were begun */
    uint64_t switches;    /* a core began a thread other than the one that it had before */
    uint64_t migrations;  /* a task that had a core got another one */
    /* Uncore cycles in which batches were executed, or tasks waited for a word that another thread
     * wrote although their own clock came first: their sum, the longest wait, and the number of
     * waits. */
    uint64_t time, waited, longest_wait, waits;
} bx_task_counts;

/* All tasks of a program, and the means by which reader and model wait for each other. */
struct bx_tasks {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the model waits for it: a batch, a call or an end has come */
    int space;              /* an eventfd that the reader waits for */
    bx_task *first;         /* list of the tasks that are not over */
    bx_task *over;          /* list of ended tasks, kept because other tasks may wait for them */
    size_t backlog;         /* sum over all tasks; queued accesses are not included */
    bool reader_waits;      /* the reader waits for a smaller backlog, or for `hungry` */
    bool hungry;            /* the model waits for the reader */
    bool quiet;             /* no words come: all threads that are traced sleep */
    size_t asked;           /* questions that the model has not answered */
    bool no_more;           /* the reader makes no more batches */
    bool stop;              /* the reader should stop making batches */
    bx_chunk *unused;       /* chunks for later */
    size_t chunks;          /* number of chunks, also unused ones */
    bool no_memory;
    bx_core_list cores;            /* belongs to the reader: the cores for tasks, and … */
    unsigned users[BX_CORES_MOST]; /* … how many tasks that have not ended each one has */
    bool fixed;                    /* programs do not choose their cores */
    /* The reader fills it; the owner of a batch reads the rows that existed then. */
    bx_retired_table *retired;
    unsigned begun;             /* number of tasks so far */
    struct bx_witness *witness; /* notes who makes accesses; NULL: nobody asks */
    /* Belongs to the model. Called with the lock held, when everything before a mark has been
     * executed. NULL: marks are not reported. */
    bx_mark_fn *at_mark;
    bx_counter_fn *read_counter; /* answers questions in the same way; NULL: they all fault */
    void *context;
    bx_question *answered, **last_answered; /* for the reader */
    bx_task_counts counts;                  /* belongs to the model */

    /* A reader in steps queues everything until the model takes the next step. The model's input
     * then does not depend on how fast the reader is. */
    bool in_steps;
    bool (*interrupted)(void); /* ends the steps as soon as it is true; NULL: nothing does */
    bx_batch *updates, *last_update;
    size_t queued; /* number of accesses in the updates, and as many as their memory has room for */
};

enum {
    BX_CHUNK = 1 << 15,             /* accesses */
    BX_CHUNK_RETIREMENTS = 1 << 14, /* retirements */
    BX_TASK_RETIREMENTS = 1 << 12,  /* least room for retirements */
    BX_BACKLOG_MOST = 4 * BX_CHUNK, /* limit for the backlog of all tasks while the model has work,
                                       and for queued accesses */
    /* Of one task. More than that of all: it is reached only if the model needs words of others. */
    BX_TASK_BACKLOG_MOST = 2 * BX_BACKLOG_MOST,
};

/* cores: those that tasks run on; NULL: core 0. fixed: whatever cores a program asks for. false: no
 * memory, or no descriptor */
bool bx_tasks_begin(bx_tasks *t, const bx_core_list *cores, bool fixed);
void bx_tasks_end(bx_tasks *t);

/* ---- for the reader ---- */

/* Makes a task that begins after that point. It has the core with the fewest tasks that have not
 * ended, the first of several, among those that the task of that point may have, and that task's
 * policy. NULL: out of memory. */
bx_task *bx_task_new(bx_tasks *all, bx_point after);

/* From now on the task may have these cores (a mask); 0: all. If it has another one, it moves, as
 * bx_task_new() chooses. false: there is none of them, or tasks have fixed cores. */
bool bx_task_allow(bx_tasks *all, bx_task *t, uint64_t cores);
/* The core on which its next accesses are made, and that core's package. */
unsigned bx_task_core(const bx_tasks *all, const bx_task *t);
unsigned bx_task_package(const bx_tasks *all, const bx_task *t);

/* Gives the room of a complete task back. Records that follow the end of a thread belong to its
 * task, so it may have room again after bx_task_complete(). */
void bx_task_close(bx_tasks *all, bx_task *t);

/* Returns room for the next accesses: at least `least`, which is below BX_CHUNK. NULL: out of
 * memory. */
bx_access *bx_task_room(bx_tasks *all, bx_task *t, size_t least, size_t *room);
void bx_task_add(bx_task *t, size_t n);     /* n accesses were written to the room */
void bx_task_fault(bx_task *t, uint64_t n); /* those accesses make n page faults */

/* Returns room for the retirements of these accesses. */
bx_retire_to bx_task_retire_to(const bx_task *t);
void bx_task_retire(bx_task *t,
                    const bx_retirement *end); /* retirements were written up to `end` */

/* Ends the batch and hands it over to the model, unless it is empty. */
void bx_task_hand_over(bx_tasks *all, bx_task *t);

/* The point after all that the task has so far, also after all that it waits for. Hands over. */
bx_point bx_task_point(bx_tasks *all, bx_task *t);

/* All later accesses of the task wait for that point, too. Until then it may sleep in a system
 * call, and the other task wakes it; the second one: it waits for a word that was written there. */
void bx_task_wait(bx_tasks *all, bx_task *t, bx_point after);
void bx_task_wait_for_word(bx_tasks *all, bx_task *t, bx_point after);

/* The task enters a system call, or returns from it. Hands over. */
void bx_task_call(bx_tasks *all, bx_task *t, bool enters);
void bx_task_complete(bx_tasks *all, bx_task *t);

/* Ends a step. over: it is the last one. */
void bx_tasks_end_step(bx_tasks *all, bool over);
/* The task marks a region here. Copies the name. Hands over. */
void bx_task_mark(bx_tasks *all, bx_task *t, enum bx_mark_kind kind, const char *name);

/* The task asks here. Hands over. The second function returns questions that were answered since
 * the last call, the oldest first; all->space rings for them. The caller frees each with free(). */
void bx_task_ask(bx_tasks *all, bx_task *t, bx_question what);
bx_question *bx_tasks_answered(bx_tasks *all);

/* The reader itself knows the answer. */
void bx_tasks_answer(bx_tasks *all, bx_question answered);

/* Whether the reader should go on; false: it waits for all->space. */
bool bx_tasks_want_more(bx_tasks *all);

/* The number of accesses that were made and not yet executed. A task with BX_TASK_BACKLOG_MOST or
 * more has enough. */
size_t bx_task_backlog(bx_tasks *all, const bx_task *t);
bool bx_tasks_stopped(bx_tasks *all);
void bx_tasks_set_over(bx_tasks *all);
/* Nothing more comes for now: the model does not wait for it. The next update ends that. */
void bx_tasks_set_quiet(bx_tasks *all);
void bx_tasks_wait_for_space(bx_tasks *all);

/* ---- for the model, which holds the lock ---- */

enum bx_task_state {
    BX_TASK_BLOCKED, /* it has no batch, or its batch waits for another task */
    BX_TASK_AWAITS,  /* its batch waits for accesses of batches that are being executed */
    BX_TASK_READY,   /* its batch can be executed */
};
enum bx_task_state bx_task_state_of(bx_task *t);

/* For a task that waits: the first point that it waits for. A point that is reached is set to 0.
 * Also the access at that point, in the batch that the other task executes. */
bx_point *bx_task_awaited(const bx_task *t);
const bx_access *bx_point_access(const bx_point *p);

/* The task will have no more batches. */
bool bx_task_is_over(const bx_task *t);
void bx_tasks_retire(bx_tasks *all); /* moves tasks that are over out of all->first */

/* Waits for the next step of a reader in steps, and takes it. */
void bx_tasks_take_step(bx_tasks *all);

const bx_batch *bx_task_take(bx_task *t);       /* takes the batch of a task that is ready */
void bx_task_finish(bx_tasks *all, bx_task *t); /* ends the batch that was taken last */
void bx_tasks_wake_reader(bx_tasks *all);
void bx_tasks_stop(bx_tasks *all); /* takes the lock itself */

#endif
