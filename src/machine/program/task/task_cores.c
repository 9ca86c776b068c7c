/* Schedules the tasks of a traced program on the model's cores. */
#include "machine/program/task/task_cores.h"

#include <stdlib.h>

/* Uncore cycles of a task's turn if several share a core: 25 to 50 µs. A kernel's time slices are
 * 100 times longer. But traced programs are short: with such slices, tasks that share a core would
 * run one after another. */
enum { SLICE = 100000 };

typedef struct core {
    bx_feed feed; /* must be first: a pointer to a feed is one to its core */
    bx_task_cores *of;
    unsigned number;
    bx_task *tasks; /* its tasks, in the order of their turns */
    bx_task *running;
    unsigned before;   /* the thread that ran last (bx_task.thread); 0: none */
    bool parked;       /* parked until we wake it */
    bool sleeps;       /* it has had nothing to do since its last batch */
    bx_point *awaited; /* a point of another task that it waits for, or NULL; … */
    bx_task *awaiting; /* … of the batch of this task … */
    uint64_t batch;    /* … that ends there, unless that batch has gone meanwhile */
} core;

struct bx_task_cores {
    bx_tasks *tasks;
    bx_model *model;
    bool blocks, silent;
    unsigned n;
    core core[BX_CORES_MOST];
};

static enum bx_feed_state refill(bx_feed *feed);

bx_task_cores *bx_task_cores_new(bx_tasks *tasks, bx_model *model, const bx_core_list *cores,
                                 bool blocks)
{
    bx_task_cores *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->tasks = tasks;
    c->model = model;
    c->blocks = blocks;
    c->silent = true;
    c->n = model ? cores->n : 1;
    for (unsigned i = 0; i < c->n; i++) {
        c->core[i].of = c;
        c->core[i].number = model ? cores->core[i] : 0;
        c->core[i].feed.refill = refill;
        c->core[i].feed.retired = tasks->retired;
        c->core[i].sleeps = true;
    }
    return c;
}

void bx_task_cores_free(bx_task_cores *c)
{
    free(c);
}

bx_feed *bx_task_cores_feed(bx_task_cores *c, unsigned number)
{
    for (unsigned i = 0; i < c->n; i++)
        if (c->core[i].number == number)
            return &c->core[i].feed;
    return NULL;
}

bool bx_task_cores_were_silent(const bx_task_cores *c)
{
    return c->silent;
}

/* ---- which core ---- */

static core *core_with(bx_task_cores *c, unsigned number)
{
    unsigned i = 0;
    while (i + 1 < c->n && c->core[i].number != number)
        i++;
    return &c->core[i];
}

static void append(core *c, bx_task *t)
{
    bx_task **link = &c->tasks;
    while (*link)
        link = &(*link)->neighbor;
    t->neighbor = NULL;
    t->core = (int)c->number;
    *link = t;
}

static void take_out(core *c, const bx_task *t)
{
    bx_task **link = &c->tasks;
    while (*link != t)
        link = &(*link)->neighbor;
    *link = t->neighbor;
}

/* Whether the next batch of the task is for another core than the task has, and can be executed. */
static bool must_move(bx_task *t)
{
    return t->first && !t->current && t->core != (int)t->first->core &&
           bx_task_state_of(t) != BX_TASK_BLOCKED;
}

static void move(bx_task_cores *c, bx_task *t)
{
    if (t->core >= 0) {
        c->tasks->counts.migrations++;
        core *from = core_with(c, (unsigned)t->core);
        take_out(from, t);
        from->running = from->running == t ? NULL : from->running;
    }
    append(core_with(c, t->first->core), t);
}

/* Gives its core to each task that can begin, or has changed its core, the oldest first. */
static void place_tasks(bx_task_cores *c)
{
    bx_tasks_retire(c->tasks);
    for (bx_task *t, *oldest;;) {
        oldest = NULL;
        for (t = c->tasks->first; t; t = t->next)
            if (must_move(t))
                oldest = t;
        if (!oldest)
            return;
        move(c, oldest);
    }
}

static void remove_ended(core *c)
{
    for (bx_task **link = &c->tasks; *link;) {
        if (bx_task_is_over(*link))
            *link = (*link)->neighbor;
        else
            link = &(*link)->neighbor;
    }
}

static bool has_work(const core *c)
{
    for (bx_task *t = c->tasks; t; t = t->neighbor)
        if (bx_task_state_of(t) != BX_TASK_BLOCKED)
            return true;
    return false;
}

/* ---- who runs ---- */

static uint64_t clock_of(const core *c)
{
    return c->of->model ? bx_model_clock(c->of->model, c->number) : 0;
}

/* Chooses the task that runs now. The previous task continues until its turn is over or it must
 * wait. NULL: no task can run. */
static bx_task *choose_task(core *c)
{
    uint64_t now = clock_of(c);
    bx_task *last = c->running;
    remove_ended(c);
    if (last && bx_task_is_over(last))
        last = c->running = NULL;
    if (last && bx_task_state_of(last) == BX_TASK_READY && now - last->began < SLICE)
        return last;
    for (bx_task *t = c->tasks; t; t = t->neighbor)
        if (bx_task_state_of(t) == BX_TASK_READY) {
            take_out(c, t);
            append(c, t);
            t->began = now;
            return t;
        }
    return NULL;
}

static void wake_others(bx_task_cores *c)
{
    for (unsigned i = 0; i < c->n; i++)
        if (c->core[i].parked && has_work(&c->core[i])) {
            c->core[i].parked = false;
            if (c->model)
                bx_model_wake(c->model, c->core[i].number);
        }
}

static bool all_over(bx_tasks *all)
{
    bx_tasks_retire(all);
    return all->no_more && !all->first;
}

static bool is_last(const core *c)
{
    for (unsigned i = 0; i < c->of->n; i++)
        if (&c->of->core[i] != c && !c->of->core[i].parked)
            return false;
    return true;
}

/* Waits for the reader, which meanwhile can take the lock and also read for other tasks. */
static void wait_for_reader(bx_tasks *all)
{
    if (all->in_steps) {
        bx_tasks_take_step(all);
        return;
    }
    all->hungry = true;
    if (all->reader_waits)
        bx_tasks_wake_reader(all);
    pthread_cond_wait(&all->changed, &all->lock);
    all->hungry = false;
}

/* Whether the model should wait for more words before it goes on. Steps have no end of their own:
 * so the backlog becomes as large as another reader would have made it. In a run, what one task
 * does next may depend on words that another one is about to write: it returns from a call because
 * it was woken. So the reader has to be ahead of the model, unless nothing comes. */
static bool needs_more(const bx_tasks *all)
{
    if (all->no_more || all->backlog >= BX_BACKLOG_MOST)
        return false;
    return all->in_steps || (all->first && all->first->next && !all->quiet && !all->asked);
}

static void read_ahead(const bx_task_cores *c)
{
    while ((c->blocks || c->tasks->in_steps) && needs_more(c->tasks)) {
        wait_for_reader(c->tasks);
        bx_tasks_retire(c->tasks);
    }
}

/* Whether the core waits for words of its tasks. For those of a task in a call it has waited. */
static bool awaits_words(const core *c)
{
    if (is_last(c))
        return true;
    for (bx_task *t = c->tasks; t; t = t->neighbor)
        if (!t->first && !t->complete && !t->in_call)
            return true;
    return false;
}

/* The task goes on with a batch that waited for words, and its core had nothing else to do. */
static void count_wait(bx_task_counts *counts, uint64_t cycles)
{
    counts->waits += cycles != 0;
    counts->waited += cycles;
    counts->time += cycles;
    counts->longest_wait = cycles > counts->longest_wait ? cycles : counts->longest_wait;
}

/* Another core wakes a sleeping one by an interrupt (docs/explanation/model-nhmex.md, "Interrupts
 * and locks"). A program that goes on as another one has not been woken. */
static void wake_up(core *c, bx_task *t)
{
    const bx_task *by = t->waker;
    if (c->sleeps && by && by->core >= 0 && by->core != (int)c->number && by->thread != t->thread &&
        c->of->model)
        bx_model_send_interrupt(c->of->model, (unsigned)by->core, c->number, true);
    t->waker = NULL;
    c->sleeps = false;
}

static void run_task(core *c, bx_task *t)
{
    const bx_batch *b = bx_task_take(t);
    bx_task_counts *counts = &c->of->tasks->counts;
    t->entered = clock_of(c);
    if (b->meets && t->reached && c->before == t->thread)
        count_wait(counts, t->entered - t->reached);
    wake_up(c, t);
    counts->page_faults += b->page_faults;
    counts->switches += c->before && c->before != t->thread;
    c->before = t->thread;
    c->running = t;
    c->feed.next = b->from;
    c->feed.end = b->to;
    c->feed.retirement = b->retirement;
    c->feed.retirement_end = b->retirement_end;
    c->feed.origin = b->origin;
    c->feed.retired_n = b->retired_n;
    c->feed.who = b->who;
    c->feed.thread = t->number;
    c->of->silent = false;
}

static enum bx_feed_state park(core *c)
{
    c->feed.next = c->feed.end = NULL;
    c->feed.retirement = c->feed.retirement_end = NULL;
    c->parked = c->sleeps = true;
    return BX_FEED_WAITS;
}

/* If a task waits for an access that another core is about to make, the model asks this core again
 * as soon as that access is made. */
static bool await_access(core *c)
{
    for (bx_task *t = c->tasks; t; t = t->neighbor)
        if (bx_task_state_of(t) == BX_TASK_AWAITS) {
            c->awaited = bx_task_awaited(t);
            c->awaiting = t;
            c->batch = t->first->end;
            c->feed.next = c->feed.end = NULL;
            c->sleeps = true;
            bx_model_wait_for(c->of->model, c->number, (unsigned)c->awaited->task->core,
                              bx_point_access(c->awaited));
            return true;
        }
    return false;
}

/* Tasks pass marks and questions as soon as they come to them. Others may have waited for that. */
static void pass_marks(const bx_tasks *all)
{
    bool passed = true;
    while (passed) {
        passed = false;
        for (bx_task *t = all->first; t; t = t->next) {
            uint64_t done = t->done;
            bx_task_state_of(t);
            passed |= t->done != done;
        }
    }
}

/* The caller holds the lock. */
static enum bx_feed_state next_state(core *c)
{
    for (;;) {
        read_ahead(c->of);
        place_tasks(c->of);
        pass_marks(c->of->tasks);
        wake_others(c->of);
        bx_task *t = choose_task(c);
        if (t) {
            run_task(c, t);
            wake_others(c->of); /* tasks may wait for accesses of this batch */
            return BX_FEED_MORE;
        }
        if (c->of->model && await_access(c))
            return BX_FEED_WAITS;
        if (all_over(c->of->tasks)) {
            park(c);
            return BX_FEED_END;
        }
        if (!c->of->blocks || !awaits_words(c))
            return park(c);
        wait_for_reader(c->of->tasks);
    }
}

static void finish_batch(const core *c, bx_task *t)
{
    bx_tasks *all = c->of->tasks;
    t->reached = clock_of(c);
    all->counts.time += t->reached - t->entered;
    bx_task_finish(all, t);
}

/* The access is made, in the middle of a batch of the other task. A batch that only waits, or is a
 * mark, may have passed already, as another core asked for work after that access. */
static void end_wait_for_access(core *c)
{
    if (c->awaited && c->awaiting->first && c->awaiting->first->end == c->batch)
        c->awaited->n = 0;
    c->awaited = NULL;
}

static enum bx_feed_state refill(bx_feed *feed)
{
    core *c = (core *)feed;
    bx_tasks *all = c->of->tasks;
    pthread_mutex_lock(&all->lock);
    c->parked = false;
    end_wait_for_access(c);
    if (c->running && c->running->current)
        finish_batch(c, c->running);
    enum bx_feed_state state = next_state(c);
    pthread_mutex_unlock(&all->lock);
    return state;
}

/* ---- between runs ---- */

/* Does nothing for a reader in steps. Its tasks have not changed since a core was last asked, and
 * the time of this call depends on real time. */
void bx_task_cores_wake(bx_task_cores *c)
{
    if (c->tasks->in_steps)
        return;
    pthread_mutex_lock(&c->tasks->lock);
    read_ahead(c);
    place_tasks(c);
    wake_others(c);
    pthread_mutex_unlock(&c->tasks->lock);
}

static bool any_ready(const bx_tasks *all)
{
    for (bx_task *t = all->first; t; t = t->next)
        if (bx_task_state_of(t) != BX_TASK_BLOCKED)
            return true;
    return false;
}

void bx_task_cores_await(bx_task_cores *c)
{
    pthread_mutex_lock(&c->tasks->lock);
    while (!any_ready(c->tasks) && !all_over(c->tasks))
        wait_for_reader(c->tasks);
    pthread_mutex_unlock(&c->tasks->lock);
}

bool bx_task_cores_are_done(bx_task_cores *c)
{
    pthread_mutex_lock(&c->tasks->lock);
    bool done = all_over(c->tasks);
    pthread_mutex_unlock(&c->tasks->lock);
    return done;
}
