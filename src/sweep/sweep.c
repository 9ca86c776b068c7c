/* Runs the points of a sweep. */
#include "sweep/sweep.h"

#include "base/printable.h"
#include "sweep/commands.h"
#include "sweep/environments.h"
#include "sweep/job_files.h"
#include "sweep/store.h"
#include "sweep/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum progress { WAITS, RUNS, ENDED };

typedef struct point {
    uint8_t progress;
    size_t environment;
    const char *refusal; /* its machine cannot be opened */
} point;

/* The trace of an environment. */
typedef struct tracing {
    uint8_t progress;
    const char *trace, *failure; /* failure: why there is none */
} tracing;

typedef struct run {
    bx_sweep *s;
    bx_sweep_store *store;
    bx_workers workers;
    bx_environments environments;
    point *point;     /* [points.n] */
    tracing *tracing; /* [environments.n] */
    size_t first;     /* points before it do not wait */
    double begin;
    bx_arena arena;
    bool output_shown; /* the program's */
    bx_error *e;
} run;

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void tell_state(run *r)
{
    r->s->state.seconds = clock_now() - r->begin;
    if (r->s->at)
        r->s->at(r->s->context, &r->s->state);
}

/* ---- what makes two sweeps the same ---- */

/* A file is taken for the same while its size and time of change are. */
static void describe_file(bx_buf *to, const char *path)
{
    struct stat is;
    if (stat(path, &is) == 0)
        bx_buf_f(to, "\n%s %lld %lld.%09ld", path, (long long)is.st_size,
                 (long long)is.st_mtim.tv_sec, is.st_mtim.tv_nsec);
}

static void describe_program(bx_buf *to, const char *name)
{
    bx_str rest = bx_str_of(getenv("PATH"));
    if (strchr(name, '/')) {
        describe_file(to, name);
        return;
    }
    while (rest.p) {
        bx_str folder = bx_str_cut(&rest, ':');
        bx_buf path = {0};
        bx_buf_f(&path, "%.*s/%s", (int)folder.n, folder.p, name);
        bool found = !path.failed && access(path.p, X_OK) == 0;
        if (found)
            describe_file(to, path.p);
        to->failed |= path.failed;
        bx_buf_free(&path);
        if (found)
            return;
    }
}

static void describe_work(const bx_sweep *s, bx_buf *to)
{
    if (s->trace)
        bx_buf_f(to, "trace '%s'", s->trace);
    else if (s->points.workload)
        bx_buf_f(to, "workload '%s'", s->points.workload);
    for (size_t i = 0; s->program && s->program[i]; i++)
        bx_buf_f(to, "%s%s", i ? " " : "", s->program[i]);
}

static void define(const bx_sweep *s, const char *work, bx_buf *to)
{
    bx_buf_f(to, "%s\n%s\n%s", BX_VERSION, work, s->points.machine);
    for (size_t i = 0; s->options[i]; i++)
        bx_buf_f(to, "\n%s", s->options[i]);
    for (size_t i = 0; i < s->points.keys; i++) {
        bx_buf_f(to, "\n%s=", s->points.vary[i].name);
        for (size_t k = 0; k < s->points.vary[i].n; k++)
            bx_buf_f(to, "%s,", s->points.vary[i].values[k]);
    }
    if (s->trace)
        describe_file(to, s->trace);
    if (s->program)
        describe_program(to, s->program[0]);
}

static int open_store(run *r)
{
    bx_buf work = {0}, definition = {0};
    describe_work(r->s, &work);
    define(r->s, bx_buf_text(&work), &definition);
    const bx_sweep_about about = {bx_buf_text(&work), bx_buf_text(&definition), r->s->points.n,
                                  r->s->shows};
    int code = work.failed || definition.failed
                   ? bx_out_of_memory(r->e)
                   : bx_sweep_store_open(r->s->path, &about, &r->store, &r->s->resumed, r->e);
    bx_buf_free(&work);
    bx_buf_free(&definition);
    return code;
}

/* ---- outcomes ---- */

/* The last message of a command that failed, without our name. */
static const char *last_message(const char *path, bx_arena *a)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = 0;
    static const char name[] = "boxscore: ";
    char *from = strstr(text, name);
    from = from ? from + sizeof name - 1 : text;
    for (char *next; (next = strstr(from, name));)
        from = next + sizeof name - 1;
    from[strcspn(from, "\n")] = 0;
    bx_printable(from, strlen(from));
    return bx_arena_copy(a, bx_str_of(*from ? from : "it ended without a message"));
}

static void count_outcome(bx_sweep_state *to, enum bx_point_state state)
{
    to->done += state == BX_POINT_DONE;
    to->refused += state == BX_POINT_REFUSED;
    to->failed += state == BX_POINT_FAILED;
}

static int put_outcome(run *r, bx_point_outcome *o, bx_arena *a)
{
    const bx_points *p = &r->s->points;
    const char **keys = bx_arena_get(a, (p->keys + 1) * sizeof *keys);
    const char **values = bx_arena_get(a, (p->keys + 1) * sizeof *values);
    bx_buf machine = {0};
    bx_points_machine(p, o->number, &machine);
    if (!keys || !values || machine.failed || a->failed) {
        bx_buf_free(&machine);
        return bx_out_of_memory(r->e);
    }
    for (size_t i = 0; i < p->keys; i++) {
        keys[i] = p->vary[i].name;
        values[i] = bx_points_value(p, o->number, i);
    }
    o->machine = machine.p;
    o->keys = keys;
    o->values = values;
    o->settings = p->keys;
    int code = bx_sweep_store_put(r->store, o, r->e);
    bx_buf_free(&machine);
    r->point[o->number].progress = ENDED;
    count_outcome(&r->s->state, o->state);
    tell_state(r);
    return code;
}

/* Everything that a run did not see, and where a trace's program saw another machine. */
static const char *remarks_of(const bx_saved *saved, bx_arena *a)
{
    bx_buf text = {0};
    for (size_t i = 0; i < saved->unseen_n; i++)
        bx_buf_f(&text, "%s%s", i ? "; " : "", saved->unseen[i].text);
    const char *remarks = text.n ? bx_arena_copy(a, bx_str_of(text.p)) : NULL;
    a->failed |= text.failed;
    bx_buf_free(&text);
    return remarks;
}

static bool read_whole(const char *path, bx_buf *to)
{
    char piece[4096];
    FILE *file = fopen(path, "r");
    for (size_t n; file && (n = fread(piece, 1, sizeof piece, file)) > 0;)
        bx_buf_add(to, piece, n);
    bool read = file && !ferror(file);
    if (file)
        fclose(file);
    return read;
}

/* The command has ended: with a result, or with a message. */
static void judge_point(run *r, const bx_worker_end *end, bx_point_outcome *o, bx_saved *saved,
                        bx_buf *text, bx_arena *a)
{
    bx_error why = {0};
    const char *result = bx_job_file(r->s->path, BX_JOB_RESULT, end->job, a);
    const char *errors = bx_job_file(r->s->path, BX_JOB_ERRORS, end->job, a);
    if (!result || !errors)
        return;
    if (!WIFEXITED(end->status)) {
        o->state = BX_POINT_FAILED;
        o->message = bx_arena_copy(a, bx_str_of(strsignal(WTERMSIG(end->status))));
    } else if (!read_whole(result, text)) {
        o->state = BX_POINT_REFUSED;
        o->message = last_message(errors, a);
    } else if (bx_saved_read("the result", (bx_str){bx_buf_text(text), text->n}, a, saved, &why)) {
        o->state = BX_POINT_FAILED;
        o->message = bx_arena_copy(a, bx_str_of(why.message));
    } else {
        o->saved = saved;
        o->message = remarks_of(saved, a);
    }
    unlink(result);
    unlink(errors);
}

static int end_point(run *r, const bx_worker_end *end)
{
    bx_arena a = {0};
    bx_buf text = {0};
    bx_saved saved = {0};
    bx_point_outcome o = {.number = end->job, .seconds = end->seconds};
    judge_point(r, end, &o, &saved, &text, &a);
    a.failed |= text.failed;
    int code = put_outcome(r, &o, &a);
    bx_buf_free(&text);
    bx_arena_free(&a);
    return code;
}

static int refuse_point(run *r, size_t i, enum bx_point_state state, const char *message)
{
    bx_arena a = {0};
    bx_point_outcome o = {.number = i, .state = state, .message = message};
    int code = put_outcome(r, &o, &a);
    bx_arena_free(&a);
    return code;
}

/* ---- traces of the program ---- */

/* Jobs from points.n on are environments. */
static size_t job_of_environment(const run *r, size_t environment)
{
    return r->s->points.n + environment;
}

static void copy_file(const char *from, int to)
{
    char piece[4096];
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0;)
        if (write(to, piece, (size_t)n) != n)
            break;
    if (fd >= 0)
        close(fd);
}

static int start_trace(run *r, size_t i)
{
    tracing *t = &r->tracing[i];
    bx_arena a = {0};
    t->trace = bx_job_file(r->s->path, BX_JOB_TRACE, i, &r->arena);
    const char *says = bx_job_file(r->s->path, BX_JOB_SAYS, i, &a);
    const char *output = bx_job_file(r->s->path, BX_JOB_OUTPUT, i, &a);
    const bx_worker_start start = {
        .argv = t->trace
                    ? bx_sweep_trace(r->s, r->environments.environment[i].machine, t->trace, &a)
                    : NULL,
        .errors = says,
        .outputs = output};
    int code = start.argv && says && output
                   ? bx_workers_start(&r->workers, &start, job_of_environment(r, i), r->e)
                   : bx_out_of_memory(r->e);
    t->progress = RUNS;
    bx_arena_free(&a);
    return code;
}

static int end_trace(run *r, size_t i)
{
    tracing *t = &r->tracing[i];
    bx_arena a = {0};
    const char *says = bx_job_file(r->s->path, BX_JOB_SAYS, i, &a);
    const char *output = bx_job_file(r->s->path, BX_JOB_OUTPUT, i, &a);
    t->progress = ENDED;
    if (!says || !output)
        bx_out_of_memory(r->e);
    else if (access(t->trace, R_OK) != 0)
        t->failure = last_message(says, &r->arena);
    else if (!r->output_shown) {
        copy_file(output, 1);
        copy_file(says, 2);
        r->output_shown = true;
    }
    int code = says && output ? BX_OK : BX_NO_MEMORY;
    bx_arena_free(&a);
    return code;
}

/* ---- jobs ---- */

static int start_point(run *r, size_t i)
{
    bx_arena a = {0};
    const char *trace = r->s->program ? r->tracing[r->point[i].environment].trace : r->s->trace;
    const char *result = bx_job_file(r->s->path, BX_JOB_RESULT, i, &a);
    const char *errors = bx_job_file(r->s->path, BX_JOB_ERRORS, i, &a);
    const bx_worker_start start = {.argv =
                                       result ? bx_sweep_stat(r->s, i, trace, result, &a) : NULL,
                                   .errors = errors,
                                   .outputs = "/dev/null"};
    if (result)
        unlink(result);
    r->point[i].progress = RUNS;
    int code = start.argv && errors ? bx_workers_start(&r->workers, &start, i, r->e)
                                    : bx_out_of_memory(r->e);
    bx_arena_free(&a);
    return code;
}

/* Starts the next job that can run. *started: there was one. */
static int start_next(run *r, bool *started)
{
    *started = false;
    for (size_t i = 0; i < r->environments.n; i++)
        if (r->tracing[i].progress == WAITS) {
            *started = true;
            return start_trace(r, i);
        }
    while (r->first < r->s->points.n && r->point[r->first].progress != WAITS)
        r->first++;
    int code = BX_OK;
    for (size_t i = r->first; i < r->s->points.n && !code; i++) {
        const point *p = &r->point[i];
        const tracing *t = r->s->program && !p->refusal ? &r->tracing[p->environment] : NULL;
        if (p->progress != WAITS || (t && t->progress != ENDED))
            continue;
        if (p->refusal)
            code = refuse_point(r, i, BX_POINT_REFUSED, p->refusal);
        else if (t && t->failure)
            code = refuse_point(r, i, BX_POINT_FAILED, t->failure);
        else {
            *started = true;
            return start_point(r, i);
        }
    }
    return code;
}

static int run_jobs(run *r)
{
    bool started = true;
    int code = BX_OK;
    while (!code) {
        while (!code && started && r->workers.running < r->workers.most && !r->s->ends())
            code = start_next(r, &started);
        if (code || r->s->ends() || !r->workers.running)
            break;
        bx_worker_end end;
        if (!bx_workers_await(&r->workers, &end) || r->s->ends())
            continue; /* a terminal's signal has ended it, too */
        code =
            end.job < r->s->points.n ? end_point(r, &end) : end_trace(r, end.job - r->s->points.n);
        started = true;
    }
    bx_workers_stop(&r->workers);
    r->s->interrupted = !code && r->s->ends();
    return code;
}

/* ---- begin and end ---- */

static int take_earlier(void *context, int n, char **value, char **name)
{
    run *r = context;
    (void)n, (void)name;
    size_t id = strtoull(value[0], NULL, 10);
    if (id < 1 || id > r->s->points.n)
        return 0;
    r->point[id - 1].progress = ENDED;
    count_outcome(&r->s->state, strcmp(value[1], "done") == 0 ? BX_POINT_DONE : BX_POINT_REFUSED);
    r->s->state.before++;
    return 0;
}

/* Which machines look the same to the program; which cannot be opened. All points, so that
 * environments have the same numbers when a sweep goes on. */
static int find_environments(run *r)
{
    int code = BX_OK;
    r->environments.arena = &r->arena;
    for (size_t i = 0; i < r->s->points.n && !code; i++) {
        bx_error why = {0};
        bx_buf machine = {0};
        bx_points_machine(&r->s->points, i, &machine);
        code = machine.failed ? bx_out_of_memory(r->e)
                              : bx_environments_find(&r->environments, r->s->catalog, machine.p,
                                                     &r->point[i].environment, &why);
        bx_buf_free(&machine);
        if (code == BX_NO_MEMORY)
            return bx_out_of_memory(r->e);
        if (code)
            r->point[i].refusal = bx_arena_copy(&r->arena, bx_str_of(why.message));
        code = r->arena.failed ? bx_out_of_memory(r->e) : BX_OK;
    }
    r->tracing = bx_arena_get(&r->arena, (r->environments.n + 1) * sizeof *r->tracing);
    return code ? code : r->tracing ? BX_OK : bx_out_of_memory(r->e);
}

/* Traces of an earlier run of the same sweep serve again. */
static void find_traces(run *r)
{
    for (size_t i = 0; i < r->environments.n; i++) {
        tracing *t = &r->tracing[i];
        t->trace = bx_job_file(r->s->path, BX_JOB_TRACE, i, &r->arena);
        if (r->s->resumed && t->trace && access(t->trace, R_OK) == 0)
            t->progress = ENDED;
    }
}

static int begin_run(run *r)
{
    r->point = bx_arena_get(&r->arena, r->s->points.n * sizeof *r->point);
    r->workers.worker = bx_arena_get(&r->arena, r->s->jobs * sizeof *r->workers.worker);
    r->workers.most = r->s->jobs;
    if (!r->point || !r->workers.worker)
        return bx_out_of_memory(r->e);
    int code = open_store(r);
    if (!code)
        code = bx_sweep_store_query(r->store, "SELECT id, state FROM point WHERE state <> 'failed'",
                                    take_earlier, r, r->e);
    if (!code && !r->s->resumed)
        bx_job_folder_remove(r->s->path);
    if (!code)
        code = bx_job_folder_make(r->s->path, r->e);
    if (!code && r->s->program)
        code = find_environments(r);
    if (!code && r->s->program)
        find_traces(r);
    return code;
}

int bx_sweep_run(bx_sweep *s, bx_error *e)
{
    run r = {.s = s, .e = e, .begin = clock_now()};
    s->state = (bx_sweep_state){.points = s->points.n};
    s->resumed = s->interrupted = false;
    int code = begin_run(&r);
    tell_state(&r);
    if (!code)
        code = run_jobs(&r);
    if (!code && !s->interrupted)
        code = bx_sweep_store_complete(r.store, e);
    if (!code && !s->interrupted)
        bx_job_folder_remove(s->path);
    bx_sweep_store_close(r.store);
    bx_arena_free(&r.arena);
    return code;
}
