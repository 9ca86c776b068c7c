#include "machine/program/tracer.h"

#include "machine/program/trace_source.h"
#include "machine/program/trace_tool.h"
#include "machine/program/traced_process.h"

#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 4 * BX_TRACE_ROOM, BATCHES = 4 };

typedef struct batch {
    size_t n;
    bx_access access[RECORDS];
} batch;

struct bx_tracer {
    bx_feed feed; /* first: a feed is its tracer */
    bx_trace_source *source;
    bx_child child;
    char *program;
    bool ended;       /* the program has been waited for */
    bool silent;      /* no access so far */
    bool nonblocking; /* reads do not wait */
    bool waits;
    bool lackey;

    /* For the thread that starts the program and reads its trace. */
    char *const *argv;
    const bx_spawner *by;
    sigset_t blocked;
    bx_error *e;
    pthread_t thread;
    bool runs; /* the thread has to be joined */

    /* Shared with it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int started;               /* result of starting the program; below 0: not yet */
    bool idle;                 /* it waits for the program */
    bool over;                 /* it makes no more batches */
    bool stop;                 /* it should end */
    unsigned long made, taken; /* batches; the one that the feed has is not taken yet */
    batch batch[BATCHES];
};

/* ---- the thread ---- */

static void change(bx_tracer *t, bool *what)
{
    pthread_mutex_lock(&t->lock);
    *what = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* A batch to fill; NULL: the thread is to end. */
static batch *free_batch(bx_tracer *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->made - t->taken == BATCHES && !t->stop)
        pthread_cond_wait(&t->changed, &t->lock);
    batch *b = t->stop ? NULL : &t->batch[t->made % BATCHES];
    pthread_mutex_unlock(&t->lock);
    return b;
}

static void hand_over(bx_tracer *t)
{
    pthread_mutex_lock(&t->lock);
    t->made++;
    t->idle = false;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* Fills the batch. False: the trace has ended. */
static bool fill(bx_tracer *t, batch *b)
{
    b->n = t->source->read(t->source, b->access, RECORDS);
    if (b->n)
        return true;
    bool ended = t->source->broken || bx_child_has_ended(&t->child);
    if (ended)
        b->n = t->source->rest(t->source, b->access, RECORDS);
    return b->n || !ended;
}

static void read_trace(bx_tracer *t)
{
    for (batch *b; (b = free_batch(t)) && fill(t, b);) {
        if (b->n) {
            hand_over(t);
            continue;
        }
        change(t, &t->idle);
        t->source->wait(t->source);
    }
}

static void *run(void *context)
{
    bx_tracer *t = context;
    int rc = bx_child_start(&t->child, t->argv, t->source->fd, &t->blocked, t->by, t->e);
    pthread_mutex_lock(&t->lock);
    t->started = rc;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    if (rc == BX_OK)
        read_trace(t);
    change(t, &t->over);
    return NULL;
}

/* ---- the feed ---- */

/* The next batch; NULL: there is none, at least for now. */
static batch *next_batch(bx_tracer *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->made == t->taken && !t->over && !(t->nonblocking && t->idle))
        pthread_cond_wait(&t->changed, &t->lock);
    batch *b = t->made == t->taken ? NULL : &t->batch[t->taken % BATCHES];
    t->waits = !b && !t->over;
    pthread_mutex_unlock(&t->lock);
    return b;
}

static void give_back(bx_tracer *t)
{
    pthread_mutex_lock(&t->lock);
    t->taken++;
    if (t->made - t->taken <= BATCHES / 2) /* not for each: a wake-up takes long */
        pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void end_program(bx_tracer *t)
{
    if (t->source->broken)
        bx_child_end(&t->child);
    else
        bx_child_wait(&t->child);
    t->ended = true;
}

static enum bx_feed_state refill(bx_feed *feed)
{
    bx_tracer *t = (bx_tracer *)feed;
    if (feed->end)
        give_back(t);
    batch *b = t->ended ? NULL : next_batch(t);
    feed->next = b ? b->access : NULL;
    feed->end = b ? b->access + b->n : NULL;
    if (b)
        t->silent = false;
    else if (!t->waits && !t->ended)
        end_program(t);
    return b ? BX_FEED_MORE : t->waits ? BX_FEED_WAITS : BX_FEED_END;
}

bx_feed *bx_tracer_feed(bx_tracer *t)
{
    return &t->feed;
}

void bx_tracer_await(bx_tracer *t)
{
    bool nonblocking = t->nonblocking;
    t->nonblocking = false;
    if (!t->ended && !next_batch(t))
        end_program(t);
    t->nonblocking = nonblocking;
}

bool bx_tracer_waits(const bx_tracer *t)
{
    return t->waits;
}

/* ---- a tracer ---- */

static bx_trace_source *open_source(bx_tracer *t, struct bx_frames *frames, bool remarks)
{
    char tool[4096];
    t->lackey = !bx_trace_tool_find(t->program, tool, sizeof tool);
    return t->lackey ? bx_lackey_source(frames) : bx_ring_source(frames, remarks);
}

/* All signals are for the other threads. */
static int start_thread(bx_tracer *t)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &t->blocked);
    int err = pthread_create(&t->thread, NULL, run, t);
    pthread_sigmask(SIG_SETMASK, &t->blocked, NULL);
    t->runs = err == 0;
    return err;
}

static int start(bx_tracer *t, bx_error *e)
{
    if (start_thread(t) != 0) /* EAGAIN, whatever was missing: pthread_create(3) */
        return bx_fail(e, BX_NO_MEMORY, 0, 0,
                       "out of memory for a thread that reads the trace, or too many threads");
    pthread_mutex_lock(&t->lock);
    while (t->started < 0)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
    return t->started;
}

int bx_tracer_new(char *const argv[], struct bx_frames *frames, bool remarks, const bx_spawner *by,
                  bx_tracer **t, bx_error *e)
{
    int rc = bx_child_check(argv[0], e);
    if (rc != BX_OK)
        return rc;
    bx_tracer *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->feed.refill = refill;
    made->silent = true;
    made->nonblocking = by;
    made->argv = argv;
    made->by = by;
    made->e = e;
    made->started = -1;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->program = strdup(argv[0]);
    made->source = made->program ? open_source(made, frames, remarks) : NULL;
    rc = made->source ? start(made, e)
                      : bx_fail(e, BX_SYSTEM, 0, 0, "no trace can be made: %s", strerror(errno));
    if (rc != BX_OK) {
        bx_tracer_free(made);
        return rc;
    }
    *t = made;
    return BX_OK;
}

void bx_tracer_free(bx_tracer *t)
{
    if (!t)
        return;
    change(t, &t->stop);
    if (t->runs)
        pthread_join(t->thread, NULL);
    bx_child_end(&t->child);
    if (t->source)
        t->source->free(t->source);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t->program);
    free(t);
}

/* ---- its program ---- */

pid_t bx_tracer_pid(const bx_tracer *t)
{
    return t ? t->child.pid : 0;
}

int bx_tracer_check(const bx_tracer *t, bx_error *e)
{
    if (!t->ended)
        return BX_OK;
    if (t->source->no_memory)
        return bx_out_of_memory(e);
    const char *malformed = t->source->malformed(t->source);
    if (malformed) {
        bx_fail(e, BX_SYSTEM, 0, 0, "unintelligible trace: %s", malformed);
        bx_hint(e, "is 'valgrind --version' 3.13 or later?");
        return BX_SYSTEM;
    }
    if (t->silent) {
        bx_fail(e, BX_SYSTEM, 0, 0, "valgrind could not run '%s'", t->program);
        bx_hint(e, "see what 'valgrind --tool=%s %s' says", t->lackey ? "lackey" : "none",
                t->program);
        return BX_SYSTEM;
    }
    return BX_OK;
}

int bx_tracer_status(const bx_tracer *t)
{
    return t->child.status;
}

int bx_tracer_signal(const bx_tracer *t)
{
    return t->child.signal;
}
