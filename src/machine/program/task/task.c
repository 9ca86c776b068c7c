/* The queues of batches between the reader of a trace and the model. */
#include "machine/program/task/task.h"

#include "base/grow.h"
#include "machine/program/task/update.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct bx_chunk {
    bx_chunk *next;
    unsigned users; /* batches that are not yet executed, plus 1 while the task fills the chunk */
    size_t used, retirements;
    bx_access access[BX_CHUNK];
    bx_retirement retirement[BX_CHUNK_RETIREMENTS];
    bx_who who[]; /* [BX_CHUNK], or none */
};

bool bx_tasks_begin(bx_tasks *t, const bx_core_list *cores, bool fixed)
{
    *t = (bx_tasks){.space = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                    .retired = bx_retired_table_new(),
                    .cores = cores ? *cores : (bx_core_list){.n = 1},
                    .fixed = fixed};
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, &clock);
    pthread_condattr_destroy(&clock);
    t->last_answered = &t->answered;
    return t->space >= 0 && t->retired;
}

static void free_questions(bx_question *first)
{
    for (bx_question *q = first, *next; q; q = next) {
        next = q->next;
        free(q);
    }
}

static void free_task(bx_task *t)
{
    for (bx_batch *b = t->current ? t->current : t->first, *next; b; b = next) {
        next = b == t->current ? t->first : b->next;
        if (b->chunk && --b->chunk->users == 0)
            free(b->chunk);
        free(b->marked);
        free_questions(b->asks);
        free(b);
    }
    if (t->open && --t->open->users == 0)
        free(t->open);
    free(t->after);
    free(t);
}

static void free_tasks(bx_task *first)
{
    for (bx_task *t = first, *next; t; t = next) {
        next = t->next;
        free_task(t);
    }
}

void bx_tasks_end(bx_tasks *t)
{
    while (t->updates)
        bx_tasks_take_update(t);
    free_tasks(t->first);
    free_tasks(t->over);
    for (bx_chunk *c = t->unused, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free_questions(t->answered);
    bx_retired_table_free(t->retired);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    if (t->space >= 0)
        close(t->space);
}

/* ---- for the reader ---- */

static void add_wait(bx_tasks *all, bx_task *t, bx_point after)
{
    for (size_t i = 0; i < t->waits; i++)
        if (t->after[i].task == after.task) {
            if (t->after[i].n < after.n)
                t->after[i].n = after.n;
            return;
        }
    bx_point *points = bx_grow(t->after, t->waits, &t->waits_room, sizeof *points, 2);
    if (!points) {
        all->no_memory = true;
        return;
    }
    t->after = points;
    t->after[t->waits++] = after;
}

/* ---- which core ---- */

static bool may_have(const bx_tasks *all, uint64_t cores, unsigned place)
{
    return !cores || cores >> all->cores.core[place] & 1;
}

/* The place with the fewest tasks; the first of several. all->cores.n: no place is allowed. */
static unsigned emptiest(const bx_tasks *all, uint64_t cores)
{
    unsigned best = all->cores.n;
    for (unsigned i = 0; i < all->cores.n; i++)
        if (may_have(all, cores, i) && (best == all->cores.n || all->users[i] < all->users[best]))
            best = i;
    return best;
}

static void take_place(bx_tasks *all, bx_task *t, unsigned place)
{
    t->place = place;
    all->users[place]++;
}

unsigned bx_task_core(const bx_tasks *all, const bx_task *t)
{
    return all->cores.core[t->place];
}

unsigned bx_task_package(const bx_tasks *all, const bx_task *t)
{
    return all->cores.of_package ? bx_task_core(all, t) / all->cores.of_package : 0;
}

/* ---- tasks ---- */

bx_task *bx_task_new(bx_tasks *all, bx_point after)
{
    bx_task *t = calloc(1, sizeof *t);
    pthread_mutex_lock(&all->lock);
    if (t) {
        t->core = -1;
        t->of = all;
        t->number = t->thread = ++all->begun;
        t->allowed = after.task ? after.task->allowed : 0;
        t->policy = after.task ? after.task->policy : (bx_memory_policy){0};
        take_place(all, t, emptiest(all, t->allowed));
        bx_tasks_update(all, t, BX_UPDATE_TASK, NULL);
        if (after.task)
            add_wait(all, t, after);
        t->other_waits = true;
        t->woken_by = after.task;
    }
    all->no_memory |= !t;
    pthread_mutex_unlock(&all->lock);
    return t;
}

/* The caller holds the lock. */
static void leave_chunk(bx_tasks *all, bx_chunk *c)
{
    if (--c->users)
        return;
    c->next = all->unused;
    all->unused = c;
}

/* The caller holds the lock. */
static bx_chunk *new_chunk(bx_tasks *all)
{
    bx_chunk *c = all->unused;
    if (c)
        all->unused = c->next;
    else if ((c = malloc(sizeof *c + (all->witness ? BX_CHUNK * sizeof *c->who : 0))))
        all->chunks++;
    all->no_memory |= !c;
    if (c) {
        c->users = 1;
        c->used = c->retirements = 0;
    }
    return c;
}

/* The number of retirements of the accesses so far. Later retirements belong to accesses that are
 * not added yet. */
static size_t retired_by(const bx_chunk *c)
{
    size_t end = c->retirements;
    while (end && c->retirement[end - 1].before > c->used)
        end--;
    return end;
}

/* The caller holds the lock. A batch can be empty: it then only waits, or is a mark. Returns NULL
 * if no batch was made. */
static bx_batch *push(bx_tasks *all, bx_task *t, bool also_empty)
{
    const bx_access *to = t->open ? t->open->access + t->open->used : NULL;
    bool empty = t->begin == to;
    size_t waits = t->waits * sizeof *t->after;
    bx_batch *b = empty && !also_empty ? NULL : malloc(sizeof *b + waits);
    if (!b) {
        all->no_memory |= !empty || also_empty;
        return NULL;
    }
    t->made += empty;
    *b = (bx_batch){.chunk = empty ? NULL : t->open,
                    .from = t->begin,
                    .to = to,
                    .retired_n = bx_retired_table_n(all->retired),
                    .page_faults = t->page_faults,
                    .end = t->made,
                    .core = bx_task_core(all, t),
                    .meets = t->waits && !t->other_waits,
                    .woken_by = t->woken_by,
                    .waits = t->waits};
    if (waits)
        memcpy(b->after, t->after, waits);
    if (!empty) {
        size_t retired = retired_by(t->open);
        b->retirement = t->open->retirement + t->first_retirement;
        b->retirement_end = t->open->retirement + retired;
        b->origin = t->open->access;
        b->who = all->witness ? t->open->who : NULL;
        t->first_retirement = retired;
        t->open->users++;
    }
    t->begin = to;
    t->waits = 0;
    t->other_waits = false;
    t->woken_by = NULL;
    t->page_faults = 0;
    bx_tasks_update(all, t, BX_UPDATE_BATCH, b);
    return b;
}

/* The caller holds the lock. Makes a batch without accesses, for `what`, which has memory of its
 * own. Returns NULL, and frees it, if there is no memory. */
static bx_batch *push_alone(bx_tasks *all, bx_task *t, void *what)
{
    push(all, t, false);
    bx_batch *b = what ? push(all, t, true) : NULL;
    all->no_memory |= !b;
    if (!b)
        free(what);
    return b;
}

/* The caller holds the lock. */
static void push_mark(bx_tasks *all, bx_task *t, enum bx_mark_kind kind, const char *name)
{
    char *copy = strdup(name);
    bx_batch *b = push_alone(all, t, copy);
    t->marks = true;
    if (!b)
        return;
    b->mark = kind;
    b->marked = copy;
}

void bx_task_ask(bx_tasks *all, bx_task *t, bx_question what)
{
    bx_question *q = malloc(sizeof *q);
    if (q)
        *q = what;
    pthread_mutex_lock(&all->lock);
    bx_batch *b = push_alone(all, t, q);
    if (b)
        b->asks = q;
    all->asked += b && q;
    pthread_mutex_unlock(&all->lock);
}

static void add_answer(bx_tasks *all, bx_question *q)
{
    *all->last_answered = q;
    all->last_answered = &q->next;
}

void bx_tasks_answer(bx_tasks *all, bx_question answered)
{
    bx_question *q = malloc(sizeof *q);
    pthread_mutex_lock(&all->lock);
    all->no_memory |= !q;
    if (q) {
        *q = answered;
        add_answer(all, q);
    }
    pthread_mutex_unlock(&all->lock);
}

bx_question *bx_tasks_answered(bx_tasks *all)
{
    pthread_mutex_lock(&all->lock);
    bx_question *first = all->answered;
    all->answered = NULL;
    all->last_answered = &all->answered;
    pthread_mutex_unlock(&all->lock);
    return first;
}

void bx_task_hand_over(bx_tasks *all, bx_task *t)
{
    pthread_mutex_lock(&all->lock);
    push(all, t, false);
    pthread_mutex_unlock(&all->lock);
}

/* Retirements after the last access of a chunk go with the next access, in the next chunk. */
static void carry_over(bx_tasks *all, bx_task *t, const bx_chunk *from)
{
    bx_chunk *to = t->open;
    if (!to)
        return;
    size_t made = bx_retired_table_merge(all->retired, from->retirement + t->first_retirement,
                                         from->retirements - t->first_retirement, to->retirement);
    all->no_memory |= made == SIZE_MAX;
    to->retirements = made == SIZE_MAX ? 0 : made;
}

static void change_chunk(bx_tasks *all, bx_task *t)
{
    bx_chunk *before = t->open;
    pthread_mutex_lock(&all->lock);
    push(all, t, false);
    t->open = new_chunk(all);
    if (before) {
        carry_over(all, t, before);
        leave_chunk(all, before);
    }
    t->first_retirement = 0;
    t->begin = t->open ? t->open->access : NULL;
    pthread_mutex_unlock(&all->lock);
}

static bool has_room(const bx_chunk *c, size_t least)
{
    return BX_CHUNK - c->used >= least &&
           BX_CHUNK_RETIREMENTS - c->retirements >= BX_TASK_RETIREMENTS;
}

bx_access *bx_task_room(bx_tasks *all, bx_task *t, size_t least, size_t *room)
{
    if (!t->open || !has_room(t->open, least))
        change_chunk(all, t);
    *room = t->open ? BX_CHUNK - t->open->used : 0;
    return t->open ? t->open->access + t->open->used : NULL;
}

bx_retire_to bx_task_retire_to(const bx_task *t)
{
    bx_chunk *c = t->open;
    return (bx_retire_to){.begin = c->retirement + t->first_retirement,
                          .next = c->retirement + c->retirements,
                          .end = c->retirement + BX_CHUNK_RETIREMENTS,
                          .origin = c->access,
                          .who = t->of->witness ? c->who : NULL};
}

void bx_task_retire(bx_task *t, const bx_retirement *end)
{
    t->open->retirements = (size_t)(end - t->open->retirement);
}

void bx_task_add(bx_task *t, size_t n)
{
    t->open->used += n;
    t->made += n;
}

void bx_task_fault(bx_task *t, uint64_t n)
{
    t->page_faults += n;
}

bx_point bx_task_point(bx_tasks *all, bx_task *t)
{
    pthread_mutex_lock(&all->lock);
    push(all, t, t->waits);
    pthread_mutex_unlock(&all->lock);
    return (bx_point){t, t->made};
}

static void wait_for(bx_tasks *all, bx_task *t, bx_point after, bool word)
{
    if (!after.task || after.task == t)
        return;
    pthread_mutex_lock(&all->lock);
    push(all, t, false);
    add_wait(all, t, after);
    t->other_waits |= !word;
    if (!word)
        t->woken_by = after.task;
    pthread_mutex_unlock(&all->lock);
}

void bx_task_wait(bx_tasks *all, bx_task *t, bx_point after)
{
    wait_for(all, t, after, false);
}

void bx_task_wait_for_word(bx_tasks *all, bx_task *t, bx_point after)
{
    wait_for(all, t, after, true);
}

void bx_task_call(bx_tasks *all, bx_task *t, bool enters)
{
    pthread_mutex_lock(&all->lock);
    push(all, t, false);
    t->other_waits = true;
    bx_tasks_update(all, t, enters ? BX_UPDATE_CALL : BX_UPDATE_RETURN, NULL);
    pthread_mutex_unlock(&all->lock);
}

bool bx_task_allow(bx_tasks *all, bx_task *t, uint64_t cores)
{
    unsigned place = emptiest(all, cores);
    if (all->fixed || place == all->cores.n)
        return false;
    t->allowed = cores;
    if (may_have(all, cores, t->place))
        return true;
    bx_task_hand_over(all, t);
    all->users[t->place]--;
    take_place(all, t, place);
    return true;
}

/* The caller holds the lock. */
static void give_room_back(bx_tasks *all, bx_task *t)
{
    if (t->open)
        leave_chunk(all, t->open);
    t->open = NULL;
    t->begin = NULL;
    t->first_retirement = 0;
}

void bx_task_complete(bx_tasks *all, bx_task *t)
{
    all->users[t->place]--;
    pthread_mutex_lock(&all->lock);
    push(all, t, false);
    if (t->marks)
        push_mark(all, t, BX_MARK_THREAD_ENDS, "");
    give_room_back(all, t);
    bx_tasks_update(all, t, BX_UPDATE_COMPLETE, NULL);
    pthread_mutex_unlock(&all->lock);
}

void bx_task_close(bx_tasks *all, bx_task *t)
{
    pthread_mutex_lock(&all->lock);
    give_room_back(all, t);
    pthread_mutex_unlock(&all->lock);
}

void bx_task_mark(bx_tasks *all, bx_task *t, enum bx_mark_kind kind, const char *name)
{
    pthread_mutex_lock(&all->lock);
    push_mark(all, t, kind, name);
    pthread_mutex_unlock(&all->lock);
}

bool bx_tasks_want_more(bx_tasks *all)
{
    pthread_mutex_lock(&all->lock);
    size_t made = all->in_steps ? all->queued : all->backlog;
    bool more = all->hungry || made < BX_BACKLOG_MOST || all->stop;
    all->reader_waits = !more;
    pthread_mutex_unlock(&all->lock);
    return more;
}

size_t bx_task_backlog(bx_tasks *all, const bx_task *t)
{
    pthread_mutex_lock(&all->lock);
    size_t n = t->backlog;
    pthread_mutex_unlock(&all->lock);
    return n;
}

bool bx_tasks_stopped(bx_tasks *all)
{
    pthread_mutex_lock(&all->lock);
    bool stop = all->stop || all->no_memory;
    pthread_mutex_unlock(&all->lock);
    return stop;
}

/* ---- for the model ---- */

static bool is_past(bx_point p)
{
    return p.task->done >= p.n;
}

/* Whether the batch that is being executed contains the point. */
static bool is_present(bx_point p)
{
    return p.task->current && p.task->current->end >= p.n;
}

static void take_first(bx_task *t)
{
    t->current = t->first;
    t->first = t->first->next;
    if (t->current->woken_by)
        t->waker = t->current->woken_by;
}

static void forget_current(bx_task *t)
{
    t->done = t->current->end;
    free(t->current->marked);
    free_questions(t->current->asks);
    free(t->current);
    t->current = NULL;
}

static enum bx_task_state state_of(const bx_batch *b)
{
    enum bx_task_state state = BX_TASK_READY;
    for (size_t i = 0; i < b->waits; i++) {
        if (is_past(b->after[i]))
            continue;
        if (!is_present(b->after[i]))
            return BX_TASK_BLOCKED;
        state = BX_TASK_AWAITS;
    }
    return state;
}

static void tell_mark(const bx_task *t, const bx_batch *b)
{
    const bx_mark mark = {b->mark, t->number, t->core, b->marked};
    if (b->marked && t->of->at_mark)
        t->of->at_mark(t->of->context, &mark);
}

static void answer(const bx_task *t, bx_batch *b)
{
    bx_tasks *all = t->of;
    bx_question *q = b->asks;
    if (!q)
        return;
    b->asks = NULL;
    all->asked--;
    q->faults = !all->read_counter ||
                !all->read_counter(all->context, (unsigned)t->core, q->counter, &q->value);
    add_answer(all, q);
    bx_tasks_ring(all);
}

/* A task that asks needs a core first. */
enum bx_task_state bx_task_state_of(bx_task *t)
{
    while (t->first && !t->current) {
        enum bx_task_state state = state_of(t->first);
        if (t->first->chunk || state != BX_TASK_READY || (t->first->asks && t->core < 0))
            return state;
        take_first(t);
        tell_mark(t, t->current);
        answer(t, t->current);
        forget_current(t);
    }
    return BX_TASK_BLOCKED;
}

bx_point *bx_task_awaited(const bx_task *t)
{
    bx_point *p = t->first->after;
    while (is_past(*p))
        p++;
    return p;
}

const bx_access *bx_point_access(const bx_point *p)
{
    const bx_batch *in = p->task->current;
    return in->to - 1 - (in->end - p->n);
}

bool bx_task_is_over(const bx_task *t)
{
    return t->complete && !t->first && !t->current;
}

void bx_tasks_retire(bx_tasks *all)
{
    for (bx_task **link = &all->first, *t; (t = *link);) {
        if (bx_task_is_over(t)) {
            *link = t->next;
            t->next = all->over;
            all->over = t;
        } else {
            link = &t->next;
        }
    }
}

const bx_batch *bx_task_take(bx_task *t)
{
    take_first(t);
    return t->current;
}

void bx_task_finish(bx_tasks *all, bx_task *t)
{
    size_t n = (size_t)(t->current->to - t->current->from);
    bool full = t->backlog > BX_TASK_BACKLOG_MOST / 2;
    t->backlog -= n;
    all->backlog -= n;
    leave_chunk(all, t->current->chunk);
    forget_current(t);
    if ((full && t->backlog <= BX_TASK_BACKLOG_MOST / 2) ||
        (all->reader_waits && all->backlog <= BX_BACKLOG_MOST / 2))
        bx_tasks_wake_reader(all);
}
