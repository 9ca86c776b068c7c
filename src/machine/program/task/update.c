/* How the reader of a trace and the model tell each other what has changed: the reader at once or
 * in steps, the model by a bell. */
#include "machine/program/task/update.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void changed(bx_tasks *all)
{
    pthread_cond_broadcast(&all->changed);
}

static void append_batch(bx_tasks *all, bx_task *t, bx_batch *b)
{
    *(t->first ? &t->last->next : &t->first) = b;
    t->last = b;
    t->backlog += (size_t)(b->to - b->from);
    all->backlog += (size_t)(b->to - b->from);
}

/* The caller holds the lock. b: of BX_UPDATE_BATCH, or NULL. */
static void apply(bx_tasks *all, bx_task *t, enum bx_update update, bx_batch *b)
{
    if (update == BX_UPDATE_BATCH) {
        append_batch(all, t, b);
    } else if (update == BX_UPDATE_TASK) {
        t->next = all->first;
        all->first = t;
    } else if (update == BX_UPDATE_CALL || update == BX_UPDATE_RETURN) {
        t->in_call = update == BX_UPDATE_CALL;
    } else if (update == BX_UPDATE_COMPLETE) {
        t->complete = true;
    }
}

/* What an update in the queue counts for: its accesses, and its own memory as so many of them. */
static size_t weight_of(const bx_batch *b)
{
    return sizeof *b / sizeof(bx_access) +
           (b->update == BX_UPDATE_BATCH ? (size_t)(b->to - b->from) : 0);
}

static void queue_update(bx_tasks *all, bx_batch *b)
{
    b->next = NULL;
    *(all->updates ? &all->last_update->next : &all->updates) = b;
    all->last_update = b;
    all->queued += weight_of(b);
}

void bx_tasks_update(bx_tasks *all, bx_task *t, enum bx_update update, bx_batch *b)
{
    if (!all->in_steps) {
        all->quiet = false;
        apply(all, t, update, b);
        changed(all);
        return;
    }
    if (!b)
        b = calloc(1, sizeof *b);
    all->no_memory |= !b;
    if (!b)
        return;
    b->task = t;
    b->update = update;
    queue_update(all, b);
}

void bx_tasks_take_update(bx_tasks *all)
{
    bx_batch *b = all->updates;
    all->updates = b->next;
    b->next = NULL;
    all->queued -= weight_of(b);
    bool batch = b->update == BX_UPDATE_BATCH;
    apply(all, b->task, b->update, b);
    if (!batch)
        free(b);
}

void bx_tasks_end_step(bx_tasks *all, bool over)
{
    pthread_mutex_lock(&all->lock);
    bx_tasks_update(all, NULL, over ? BX_UPDATE_OVER : BX_UPDATE_STEP, NULL);
    if (over || all->queued >= BX_CHUNK) /* seldom, to save time */
        changed(all);
    pthread_mutex_unlock(&all->lock);
}

/* The caller holds the lock. */
static void set_over(bx_tasks *all)
{
    for (bx_task *t = all->first; t; t = t->next)
        t->complete = true;
    all->no_more = true;
    changed(all);
}

void bx_tasks_set_over(bx_tasks *all)
{
    pthread_mutex_lock(&all->lock);
    set_over(all);
    pthread_mutex_unlock(&all->lock);
}

void bx_tasks_set_quiet(bx_tasks *all)
{
    pthread_mutex_lock(&all->lock);
    all->quiet = true;
    changed(all);
    pthread_mutex_unlock(&all->lock);
}

/* ---- the bell of the reader ---- */

void bx_tasks_ring(const bx_tasks *all)
{
    const uint64_t one = 1;
    (void)!write(all->space, &one, sizeof one);
}

void bx_tasks_wake_reader(bx_tasks *all)
{
    all->reader_waits = false;
    bx_tasks_ring(all);
}

void bx_tasks_wait_for_space(bx_tasks *all)
{
    uint64_t rung;
    struct pollfd space = {all->space, POLLIN, 0};
    poll(&space, 1, -1);
    (void)!read(all->space, &rung, sizeof rung);
}

void bx_tasks_stop(bx_tasks *all)
{
    pthread_mutex_lock(&all->lock);
    all->stop = true;
    bx_tasks_wake_reader(all);
    pthread_mutex_unlock(&all->lock);
}

/* ---- the steps ---- */

/* Takes one update. Returns whether it ended a step. */
static bool take_one_update(bx_tasks *all)
{
    bool ends = all->updates->update == BX_UPDATE_STEP,
         over = all->updates->update == BX_UPDATE_OVER;
    bx_tasks_take_update(all);
    if (over)
        set_over(all);
    return ends || over;
}

/* A signal does not end pthread_cond_wait(), so an interruption is looked for several times a
 * second. */
static void wait_for_update(bx_tasks *all)
{
    enum { NAP = 50000000, SECOND = 1000000000 }; /* ns */
    struct timespec until;
    if (!all->interrupted) {
        pthread_cond_wait(&all->changed, &all->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += NAP;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    pthread_cond_timedwait(&all->changed, &all->lock, &until);
}

/* Ends the reader's work. Tasks are then over, with what was taken of them. */
static void end_if_interrupted(bx_tasks *all)
{
    if (all->no_more || !all->interrupted || !all->interrupted())
        return;
    all->stop = true;
    bx_tasks_wake_reader(all);
    set_over(all);
}

void bx_tasks_take_step(bx_tasks *all)
{
    bool ended = false;
    while (!all->no_more && !ended) {
        end_if_interrupted(all);
        if (all->updates && !all->no_more)
            ended = take_one_update(all);
        else if (!all->no_more)
            wait_for_update(all);
    }
    if (all->reader_waits && all->queued <= BX_BACKLOG_MOST / 2)
        bx_tasks_wake_reader(all);
}
