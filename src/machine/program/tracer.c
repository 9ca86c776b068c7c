/* Runs a traced program, or replays a trace file, in a thread of its own. */
#include "machine/program/tracer.h"

#include "machine/program/process/children.h"
#include "machine/program/process/thread.h"
#include "machine/program/process/trace_tool.h"
#include "machine/program/process/traced_process.h"
#include "machine/program/task/task_cores.h"
#include "machine/program/trace/reader.h"
#include "machine/program/trace/replay.h"
#include "machine/program/trace/source.h"

#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHILDREN = 256 };

struct bx_tracer {
    bx_tasks tasks;
    bx_task_cores *cores;
    bx_trace_source *lackey; /* NULL: our own tracer */
    bx_trace_reader *reader; /* NULL: lackey, or … */
    bx_trace_replay *replay; /* … a trace file */
    bx_child child;
    char *program;
    struct {
        bx_trace_names names;
        pid_t seen[CHILDREN]; /* the latest ones, by their numbers modulo CHILDREN */
        bool no_memory;
    } children; /* of a program that lackey traces: they are not traced */
    bool ended; /* the program has been waited for */
    bool waits;

    /* Members for the thread that starts the program and reads its trace. */
    char *const *argv;
    const bx_spawner *by;
    bx_surroundings shown;
    sigset_t blocked;
    bx_error *e;
    pthread_t thread;
    bool runs;   /* the thread must be joined */
    int started; /* result of starting the program; below 0: none yet. Under tasks' lock */
};

/* ---- the thread ---- */

static void add_child(void *context, pid_t child, const char *name)
{
    bx_tracer *t = context;
    pid_t *seen = &t->children.seen[child % CHILDREN];
    if (*seen != child)
        t->children.no_memory |= !bx_trace_names_add(&t->children.names, name, (uint32_t)child);
    *seen = child;
}

/* Reads lackey's text. false: the program has ended. */
static bool read_lackey_text(bx_tracer *t, bx_task *task)
{
    size_t room;
    bx_access *to = bx_task_room(&t->tasks, task, BX_TRACE_ROOM, &room);
    if (to)
        t->lackey->retires = bx_task_retire_to(task);
    size_t n = to ? t->lackey->read(t->lackey, to, room) : 0;
    bool ended = !to || (!n && (t->lackey->broken || bx_child_has_ended(&t->child)));
    if (ended && to)
        n = t->lackey->rest(t->lackey, to, room);
    if (to) {
        bx_task_retire(task, t->lackey->retires.next);
        bx_task_add(task, n);
    }
    bx_task_hand_over(&t->tasks, task);
    if (!n && !ended) {
        bx_children_look(t->child.pid, add_child, t);
        t->lackey->wait(t->lackey);
    }
    return n || !ended;
}

/* A child that was too short to be seen has no name, but the program has waited for it. */
static void name_children(bx_tracer *t)
{
    char text[BX_CHILD_NAME + 16];
    pid_t pid = t->child.pid;
    if (!t->children.names.text && bx_child_has_ended(&t->child) && bx_children_were_there(pid)) {
        snprintf(text, sizeof text, "a child of %.*s", BX_CHILD_NAME, t->program);
        add_child(t, pid, text);
    }
    t->children.no_memory |= !bx_trace_names_close(&t->children.names);
}

static void read_lackey(bx_tracer *t)
{
    bx_task *task = bx_task_new(&t->tasks, (bx_point){NULL, 0});
    while (task && !bx_tasks_stopped(&t->tasks))
        if (!bx_tasks_want_more(&t->tasks))
            bx_tasks_wait_for_space(&t->tasks);
        else if (!read_lackey_text(t, task))
            break;
    name_children(t);
}

static void read_file(bx_tracer *t)
{
    bool more = true;
    while (more && !bx_tasks_stopped(&t->tasks)) {
        if (!bx_tasks_want_more(&t->tasks)) {
            bx_tasks_wait_for_space(&t->tasks);
            continue;
        }
        more = bx_trace_replay_step(t->replay);
        bx_tasks_end_step(&t->tasks, !more);
    }
}

static void *replay(void *context)
{
    bx_tracer *t = context;
    read_file(t);
    if (bx_tasks_stopped(&t->tasks))
        bx_tasks_set_over(&t->tasks);
    return NULL;
}

static void *run_tracer(void *context)
{
    bx_tracer *t = context;
    int trace = t->reader ? bx_trace_reader_fd(t->reader) : t->lackey->fd;
    int code = bx_child_start(&t->child, t->argv, trace, &t->blocked, &t->shown, t->by, t->e);
    pthread_mutex_lock(&t->tasks.lock);
    t->started = code;
    pthread_cond_broadcast(&t->tasks.changed);
    pthread_mutex_unlock(&t->tasks.lock);
    if (code == BX_OK && t->reader)
        bx_trace_reader_run(t->reader, &t->child);
    else if (code == BX_OK)
        read_lackey(t);
    bx_tasks_set_over(&t->tasks);
    return NULL;
}

/* ---- the feeds ---- */

bx_feed *bx_tracer_feed(bx_tracer *t, unsigned core)
{
    return bx_task_cores_feed(t->cores, core);
}

void bx_tracer_go_on(bx_tracer *t)
{
    bx_task_cores_wake(t->cores);
}

/* NULL: lackey traces the program. */
static const bx_trace_family *family_of(const bx_tracer *t)
{
    return t->reader   ? bx_trace_reader_family(t->reader)
           : t->replay ? bx_trace_replay_family(t->replay)
                       : NULL;
}

static bool is_broken(const bx_tracer *t)
{
    return t->lackey ? t->lackey->broken : family_of(t)->malformed != NULL;
}

bool bx_tracer_ends(bx_tracer *t)
{
    if (t->ended)
        return true;
    t->waits = !bx_task_cores_are_done(t->cores);
    if (t->waits)
        return false;
    if (t->replay)
        t->child.status = bx_trace_replay_status(t->replay, &t->child.signal);
    else if (is_broken(t))
        bx_child_end(&t->child);
    else
        bx_child_wait(&t->child);
    t->ended = true;
    return true;
}

void bx_tracer_await(bx_tracer *t)
{
    bx_task_cores_await(t->cores);
    if (bx_task_cores_are_done(t->cores))
        bx_tracer_ends(t);
}

bool bx_tracer_waits(const bx_tracer *t)
{
    return t->waits;
}

/* ---- a tracer ---- */

static bool open_source(bx_tracer *t, struct bx_frames *frames, const bx_tracer_options *o)
{
    char tool[4096];
    if (bx_trace_tool_find(t->program, tool, sizeof tool))
        t->reader = bx_trace_reader_new(&t->tasks, frames, o->kernel, o->remarks, o->tlb, &o->core,
                                        o->prefetch, NULL);
    else
        t->lackey = bx_lackey_source(frames, bx_core_time_slot(&o->core), t->tasks.retired);
    if (t->reader)
        t->shown.files = bx_trace_reader_files(t->reader);
    return t->reader || t->lackey;
}

static int start_thread(bx_tracer *t, void *(*runs)(void *), bx_error *e)
{
    int code = bx_thread_start(&t->thread, runs, t, &t->blocked, e);
    t->runs = code == BX_OK;
    return code;
}

static int start_tracer(bx_tracer *t, bx_error *e)
{
    int code = start_thread(t, run_tracer, e);
    if (code != BX_OK)
        return code;
    pthread_mutex_lock(&t->tasks.lock);
    while (t->started < 0)
        pthread_cond_wait(&t->tasks.changed, &t->tasks.lock);
    pthread_mutex_unlock(&t->tasks.lock);
    return t->started;
}

/* false: errno says why. Without memory, t->cores is NULL. */
static bool begin_tasks(bx_tracer *t, const bx_tracer_options *o, bool blocks)
{
    bool begun = bx_tasks_begin(&t->tasks, o->model ? o->cores : NULL, o->fixed_cores);
    t->tasks.at_mark = o->at_mark;
    t->tasks.context = o->context;
    t->tasks.witness = o->witness;
    t->cores = bx_task_cores_new(&t->tasks, o->model, o->cores, blocks);
    return begun;
}

static int open_parts(bx_tracer *t, struct bx_frames *frames, const bx_tracer_options *o,
                      bx_error *e)
{
    bool begun = begin_tasks(t, o, !o->by);
    t->tasks.read_counter = o->read_counter;
    if (!t->cores || !t->program)
        return bx_out_of_memory(e);
    if (!begun || !open_source(t, frames, o))
        return bx_child_has_no_trace(errno, e);
    return start_tracer(t, e);
}

int bx_tracer_new(char *const argv[], struct bx_frames *frames, const bx_tracer_options *o,
                  bx_tracer **t, bx_error *e)
{
    int code = bx_child_check(argv[0], e);
    if (code != BX_OK)
        return code;
    bx_tracer *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->argv = argv;
    made->by = o->by;
    made->shown = o->shown;
    made->e = e;
    made->started = -1;
    made->program = strdup(argv[0]);
    code = open_parts(made, frames, o, e);
    if (code != BX_OK) {
        bx_tracer_free(made);
        return code;
    }
    *t = made;
    return BX_OK;
}

static int open_replay(bx_tracer *t, const char *path, struct bx_frames *frames,
                       const bx_tracer_options *o, bx_error *e)
{
    const bx_trace_replay_options its = {frames, o->kernel, o->remarks,
                                         o->tlb, o->core,   o->prefetch};
    bool begun = begin_tasks(t, o, true);
    if (!t->cores)
        return bx_out_of_memory(e);
    if (!begun)
        return bx_fail(e, BX_SYSTEM, 0, 0, "no trace can be read: %s", strerror(errno));
    t->tasks.in_steps = true;
    t->tasks.interrupted = o->interrupted;
    int code = bx_trace_replay_new(path, &t->tasks, &its, &t->replay, e);
    return code == BX_OK ? start_thread(t, replay, e) : code;
}

int bx_tracer_replay(const char *path, struct bx_frames *frames, const bx_tracer_options *o,
                     bx_tracer **t, bx_error *e)
{
    bx_tracer *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    int code = open_replay(made, path, frames, o, e);
    if (code == BX_OK)
        *t = made;
    else
        bx_tracer_free(made);
    return code;
}

void bx_tracer_free(bx_tracer *t)
{
    if (!t)
        return;
    bx_tasks_stop(&t->tasks);
    if (t->runs)
        pthread_join(t->thread, NULL);
    bx_trace_reader_free(t->reader);
    bx_trace_replay_free(t->replay);
    bx_child_end(&t->child);
    if (t->lackey)
        t->lackey->free(t->lackey);
    bx_task_cores_free(t->cores);
    bx_tasks_end(&t->tasks);
    bx_trace_names_free(&t->children.names);
    free(t->program);
    free(t);
}

/* ---- its program ---- */

pid_t bx_tracer_pid(const bx_tracer *t)
{
    return t ? t->child.pid : 0;
}

volatile int *bx_tracer_end_all(bx_tracer *t)
{
    return &t->child.end_all;
}

static const char *malformed(const bx_tracer *t)
{
    return t->lackey ? t->lackey->malformed(t->lackey) : family_of(t)->malformed;
}

static bool ran_out(const bx_tracer *t)
{
    return t->tasks.no_memory || t->children.no_memory ||
           (t->lackey ? t->lackey->no_memory : family_of(t)->no_memory);
}

static int fail_malformed(const bx_tracer *t, bx_error *e)
{
    bx_fail(e, BX_SYSTEM, 0, 0, "unintelligible trace: %s", malformed(t));
    if (!t->lackey && family_of(t)->changed)
        bx_hint(e, "does it write to memory that is not its own?");
    else
        bx_hint(e, t->replay ? "check it with 'boxscore trace info', or trace the program again"
                             : "is 'valgrind --version' 3.13 or later?");
    return BX_SYSTEM;
}

int bx_tracer_check(const bx_tracer *t, bx_error *e)
{
    if (!t->ended)
        return BX_OK;
    if (ran_out(t))
        return bx_out_of_memory(e);
    if (t->replay && bx_trace_replay_check(t->replay, e) != BX_OK)
        return e->code;
    if (malformed(t))
        return fail_malformed(t, e);
    if (!t->replay && bx_task_cores_were_silent(t->cores))
        return bx_child_was_silent(&t->child, t->program, !t->lackey && family_of(t)->untraced.text,
                                   t->lackey ? "lackey" : "none", e);
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

bx_trace_counts bx_tracer_counts(const bx_tracer *t)
{
    const bx_trace_family *f = family_of(t);
    return f && t->ended ? f->counts : (bx_trace_counts){0};
}

bool bx_tracer_tasks(const bx_tracer *t, bx_task_counts *counts)
{
    *counts = t->tasks.counts;
    return !t->lackey;
}

bool bx_tracer_is_lackey(const bx_tracer *t)
{
    return t->lackey != NULL;
}

const char *bx_tracer_untraced(const bx_tracer *t)
{
    const bx_trace_family *f = family_of(t);
    const bx_trace_names *of = f ? &f->untraced : &t->children.names;
    return t->ended ? of->text : NULL;
}

const char *bx_tracer_left(const bx_tracer *t)
{
    const bx_trace_family *f = family_of(t);
    return f && t->ended ? f->left.text : NULL;
}

const char *bx_tracer_notes(bx_tracer *t, bool *cut)
{
    const bx_trace_family *f = family_of(t);
    if (t->lackey) {
        *cut = t->ended && !t->lackey->has_end(t->lackey);
        return *cut
                   ? "the program is not counted to its end: it executed another one, which lackey "
                     "does not trace, or it was killed, or lackey had no memory"
                   : NULL;
    }
    *cut = f && t->ended && f->notes.cut;
    return f && t->ended ? f->notes.text : NULL;
}

const bx_tracefile_reader *bx_tracer_file(const bx_tracer *t)
{
    return t->replay ? bx_trace_replay_file(t->replay) : NULL;
}
