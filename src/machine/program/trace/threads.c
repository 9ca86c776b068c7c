/* The threads of one traced process. */
#include "machine/program/trace/threads.h"

#include "machine/program/decode/witness.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, FIRST = 1 }; /* FIRST: first thread's number until a record names it */

bx_trace_thread *bx_trace_threads_running(const bx_trace_threads *t)
{
    return &t->at[t->running];
}

/* Makes room for a thread of that number. */
static bool make_room_for_thread(bx_trace_threads *t, size_t number)
{
    if (number < t->n)
        return true;
    if (number >= MOST)
        return bx_trace_family_refuse(t->family, "a thread with a number that none can have");
    size_t n = number + 16;
    bx_trace_thread *more = realloc(t->at, n * sizeof *more);
    if (!more)
        return bx_trace_family_ran_out(t->family);
    memset(more + t->n, 0, (n - t->n) * sizeof *more);
    t->at = more;
    t->n = n;
    return true;
}

static bool add_task(bx_trace_threads *t, bx_task *task)
{
    bx_trace_writer *all = bx_grow(t->all, t->began, &t->all_room, sizeof *all, 16);
    if (!all)
        return false;
    t->all = all;
    t->all[t->began++] = (bx_trace_writer){.task = task};
    return true;
}

static void close_ended(const bx_trace_threads *t, const bx_trace_thread *its)
{
    if (its->task && its->ended)
        bx_task_close(t->family->tasks, its->task);
}

static bool begin_thread(bx_trace_threads *t, size_t number, bx_point after)
{
    bx_trace_family *f = t->family;
    if (!make_room_for_thread(t, number))
        return false;
    bx_trace_thread *its = &t->at[number];
    close_ended(t, its);
    free(its->seen);
    *its = (bx_trace_thread){.task = bx_task_new(f->tasks, after), .writer = (unsigned)t->began};
    if (!its->task || !add_task(t, its->task))
        return bx_trace_family_ran_out(f);
    if (f->tasks->witness)
        bx_witness_add_thread(f->tasks->witness, (bx_witness_thread){its->task->number, t->process,
                                                                     (uint32_t)number, t->program});
    t->alive++;
    if (t->alive > 1 && !f->remarks && !t->writers && !(t->writers = bx_word_writers_new()))
        return bx_trace_family_ran_out(f);
    return true;
}

bool bx_trace_threads_begin(bx_trace_threads *t, bx_trace_family *family, bx_decoder *decoder,
                            uint32_t process, bx_point after)
{
    *t = (bx_trace_threads){
        .family = family, .decoder = decoder, .process = process, .running = FIRST, .fresh = true};
    return begin_thread(t, FIRST, after);
}

void bx_trace_threads_free(bx_trace_threads *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->at[i].seen);
    bx_word_writers_free(t->writers);
    free(t->all);
    free(t->at);
}

static bool exists(const bx_trace_threads *t, uint64_t number)
{
    return number < t->n && t->at[number].task;
}

bx_task *bx_trace_threads_task(const bx_trace_threads *t, uint64_t number)
{
    return exists(t, number) && !t->at[number].ended ? t->at[number].task : NULL;
}

static bool rename_first(bx_trace_threads *t, size_t number)
{
    if (!make_room_for_thread(t, number))
        return false;
    if (number != t->running) {
        t->at[number] = t->at[t->running];
        t->at[t->running] = (bx_trace_thread){.task = NULL};
        t->running = number;
    }
    t->fresh = false;
    return true;
}

bool bx_trace_threads_run(bx_trace_threads *t, size_t number)
{
    if (t->fresh)
        return rename_first(t, number);
    if (!exists(t, number) && !begin_thread(t, number, (bx_point){NULL, 0}))
        return false;
    if (number != t->running) {
        bx_trace_thread *before = bx_trace_threads_running(t);
        bx_task_hand_over(t->family->tasks, before->task);
        close_ended(t, before);
        before->decoder = bx_decoder_switch(t->decoder, t->at[number].decoder);
        t->running = number;
    }
    return true;
}

bool bx_trace_threads_start(bx_trace_threads *t, size_t number, uint64_t creator)
{
    bx_point after = exists(t, creator) ? t->at[creator].at_clone : (bx_point){NULL, 0};
    bx_trace_threads_stop(t, number, 0); /* an earlier thread with the same number */
    return begin_thread(t, number, after);
}

/* The only thread that is left waits for no word any more, if it has waited for all that the others
 * have done. */
static void forget_writers(bx_trace_threads *t, const bx_trace_thread *left)
{
    for (size_t i = 0; i < t->began; i++)
        if (t->all[i].end && i != left->writer &&
            (i >= left->seen_n || left->seen[i] < t->all[i].end))
            return;
    bx_word_writers_free(t->writers);
    t->writers = NULL;
}

void bx_trace_threads_stop(bx_trace_threads *t, size_t number, uint64_t clears)
{
    bx_tasks *tasks = t->family->tasks;
    size_t room;
    if (!exists(t, number) || t->at[number].ended)
        return;
    bx_trace_thread *its = &t->at[number];
    its->ended = true;
    if (bx_trace_threads_run(t, number)) {
        bx_access *to = bx_task_room(tasks, its->task, BX_WC_BUFFERS_MOST, &room);
        if (to) {
            bx_decoder_retire_to(t->decoder, bx_task_retire_to(its->task));
            bx_task_add(its->task, bx_decoder_end(t->decoder, to));
        }
        bx_decoder_thread ended = bx_decoder_switch(t->decoder, (bx_decoder_thread){0});
        bx_decoder_thread_end(t->decoder, &ended);
    }
    t->all[its->writer].end = its->task->made;
    if (clears && t->writers && its->task->made)
        bx_decoder_write_word(t->decoder, t->writers, clears,
                              bx_written_make(its->writer, its->task->made));
    bx_task_complete(tasks, its->task);
    t->alive--;
}

void bx_trace_threads_stop_all(bx_trace_threads *t)
{
    for (size_t i = 0; i < t->n; i++)
        bx_trace_threads_stop(t, i, 0);
    for (size_t i = 0; i < t->n; i++)
        close_ended(t, &t->at[i]);
}

void bx_trace_threads_pause(bx_trace_threads *t, bool stopped)
{
    for (size_t i = 0; i < t->n; i++) {
        bx_trace_thread *its = &t->at[i];
        if (!exists(t, i) || its->ended || (stopped ? its->task->in_call : !its->stopped))
            continue;
        its->stopped = stopped;
        bx_task_call(t->family->tasks, its->task, stopped);
    }
}

uint32_t bx_trace_threads_fullest(const bx_trace_threads *t, bool *wanted)
{
    size_t fullest = 0, most = BX_TASK_BACKLOG_MOST;
    *wanted = false;
    for (size_t i = 0; i < t->n; i++) {
        if (!exists(t, i) || t->at[i].ended)
            continue;
        size_t backlog = bx_task_backlog(t->family->tasks, t->at[i].task);
        if (backlog < BX_TASK_BACKLOG_MOST) {
            *wanted |= !t->at[i].task->in_call;
        } else if (backlog >= most) {
            fullest = i;
            most = backlog;
        }
    }
    return (uint32_t)fullest;
}

/* ---- what it waits for ---- */

/* Whether the running thread has already waited for that. From now on it counts as waited for. */
static bool has_seen(bx_trace_threads *t, bx_written w)
{
    bx_trace_thread *its = bx_trace_threads_running(t);
    unsigned by = bx_written_thread(w);
    if (by >= its->seen_n) {
        size_t n = by + 16;
        uint64_t *more = realloc(its->seen, n * sizeof *more);
        if (!more)
            return !bx_trace_family_ran_out(t->family);
        memset(more + its->seen_n, 0, (n - its->seen_n) * sizeof *more);
        its->seen = more;
        its->seen_n = n;
    }
    bool before = its->seen[by] >= bx_written_access(w);
    if (!before)
        its->seen[by] = bx_written_access(w);
    return before;
}

static void wait_for_load(bx_access *a)
{
    if (bx_access_kind_of(*a) == BX_LOAD)
        *a |= BX_ACCESS_DEPENDENT;
}

/* A wait for the end of a thread is not one for a word, although the kernel writes one then. */
static void wait_for_writer(bx_trace_threads *t, bx_task *task, bx_written until)
{
    const bx_trace_writer *by = &t->all[bx_written_thread(until)];
    bx_point after = {by->task, bx_written_access(until)};
    if (by->end && after.n >= by->end)
        bx_task_wait(t->family->tasks, task, after);
    else
        bx_task_wait_for_word(t->family->tasks, task, after);
}

void bx_trace_threads_add(bx_trace_threads *t, bx_access *made, size_t n)
{
    size_t cuts, added = 0;
    const bx_cut *cut = bx_decoder_cuts(t->decoder, &cuts);
    bx_task *task = bx_trace_threads_running(t)->task;
    for (size_t i = 0; i < cuts; i++) {
        if (has_seen(t, cut[i].until))
            continue;
        bx_task_add(task, cut[i].at - added);
        added = cut[i].at;
        wait_for_writer(t, task, cut[i].until);
        wait_for_load(&made[cut[i].access]);
    }
    bx_task_add(task, n - added);
    if (cuts && t->alive == 1)
        forget_writers(t, bx_trace_threads_running(t));
}
