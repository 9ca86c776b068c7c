/* Runs the points of a sweep. */
#include "sweep/run.h"

#include "sweep/commands.h"
#include "sweep/engine.h"
#include "sweep/job_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- recordings ---- */

/* Jobs after the environments are recordings of points. */
static size_t first_recording(const bx_running_sweep *r)
{
    return r->s->points.n + r->environments.n;
}

static const char *trace_of(const bx_running_sweep *r, size_t i)
{
    return r->s->program ? r->tracing[r->point[i].environment].trace : r->s->trace;
}

/* A point is recorded first, and counted then. */
static int start_recording(bx_running_sweep *r, size_t i)
{
    bx_arena a = {0};
    bx_buf file = {0};
    bx_buf_f(&file, "%s/%zu.rec", r->s->recordings, i + 1);
    const bx_worker_start start = {
        .argv = file.failed ? NULL : bx_sweep_record(r->s, i, trace_of(r, i), file.p, &a),
        .errors = "/dev/null",
        .outputs = "/dev/null"};
    r->point[i].progress = BX_RUNS;
    int code = start.argv ? bx_workers_start(&r->workers, &start, first_recording(r) + i, r->e)
                          : bx_out_of_memory(r->e);
    bx_buf_free(&file);
    bx_arena_free(&a);
    return code;
}

/* What keeps a point from being recorded keeps it from being counted, and `stat` says so. */
static void end_recording(bx_running_sweep *r, size_t i)
{
    r->point[i].recorded = true;
    r->point[i].progress = BX_WAITS;
    r->first = i < r->first ? i : r->first;
}

/* ---- jobs ---- */

static int start_point(bx_running_sweep *r, size_t i)
{
    bx_arena a = {0};
    const char *trace = trace_of(r, i);
    const char *result = bx_job_file(r->s->path, BX_JOB_RESULT, i, &a);
    const char *errors = bx_job_file(r->s->path, BX_JOB_ERRORS, i, &a);
    const bx_worker_start start = {.argv =
                                       result ? bx_sweep_stat(r->s, i, trace, result, &a) : NULL,
                                   .errors = errors,
                                   .outputs = "/dev/null"};
    if (result)
        unlink(result);
    r->point[i].progress = BX_RUNS;
    int code = start.argv && errors ? bx_workers_start(&r->workers, &start, i, r->e)
                                    : bx_out_of_memory(r->e);
    bx_arena_free(&a);
    return code;
}

/* Starts the next job that can run. *started: there was one. */
static int start_next(bx_running_sweep *r, bool *started)
{
    *started = false;
    for (size_t i = 0; i < r->environments.n; i++)
        if (r->tracing[i].progress == BX_WAITS) {
            *started = true;
            return bx_running_start_trace(r, i);
        }
    while (r->first < r->s->points.n && r->point[r->first].progress != BX_WAITS)
        r->first++;
    int code = BX_OK;
    for (size_t i = r->first; i < r->s->points.n && !code; i++) {
        const bx_running_point *p = &r->point[i];
        const bx_running_trace *t =
            r->s->program && !p->refusal ? &r->tracing[p->environment] : NULL;
        if (p->progress != BX_WAITS || (t && t->progress != BX_ENDED))
            continue;
        if (p->refusal)
            code = bx_running_refuse_point(r, i, BX_POINT_REFUSED, p->refusal);
        else if (t && t->failure)
            code = bx_running_refuse_point(r, i, BX_POINT_FAILED, t->failure);
        else if (!r->s->engine) {
            *started = true;
            return r->s->recordings && !p->recorded ? start_recording(r, i) : start_point(r, i);
        }
    }
    return code;
}

static int end_job(bx_running_sweep *r, const bx_worker_end *end)
{
    if (end->job < r->s->points.n)
        return bx_running_end_point(r, end);
    if (end->job < first_recording(r))
        return bx_running_end_trace(r, end->job - r->s->points.n);
    end_recording(r, end->job - first_recording(r));
    return BX_OK;
}

static int run_jobs(bx_running_sweep *r)
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
        code = end_job(r, &end);
        started = true;
    }
    bx_workers_stop(&r->workers);
    r->s->interrupted = !code && r->s->ends();
    return code;
}

/* ---- begin and end ---- */

static int take_earlier(void *context, int n, char **value, char **name)
{
    bx_running_sweep *r = context;
    (void)n, (void)name;
    size_t id = strtoull(value[0], NULL, 10);
    if (id < 1 || id > r->s->points.n)
        return 0;
    r->point[id - 1].progress = BX_ENDED;
    bx_running_count(&r->s->state, strcmp(value[1], "done") == 0      ? BX_POINT_DONE
                                   : strcmp(value[1], "refused") == 0 ? BX_POINT_REFUSED
                                                                      : BX_POINT_FAILED);
    r->s->state.before++;
    return 0;
}

/* A task of an engine has each `tasks`-th point. */
static void leave_to_others(bx_running_sweep *r)
{
    const bx_sweep *s = r->s;
    if (!s->part)
        return;
    r->s->state.points = 0;
    for (size_t i = 0; i < s->points.n; i++)
        if (i % s->tasks != s->part - 1)
            r->point[i].progress = BX_ENDED;
        else
            r->s->state.points++;
}

static int begin_run(bx_running_sweep *r)
{
    r->point = bx_arena_get(&r->arena, r->s->points.n * sizeof *r->point);
    r->workers.worker = bx_arena_get(&r->arena, r->s->jobs * sizeof *r->workers.worker);
    r->workers.most = r->s->jobs;
    if (!r->point || !r->workers.worker)
        return bx_out_of_memory(r->e);
    int code = bx_running_open_store(r);
    if (!code)
        code = bx_sweep_store_query(r->store, "SELECT id, state FROM point WHERE state <> 'failed'",
                                    take_earlier, r, r->e);
    if (!code && !r->s->resumed && !r->s->part)
        bx_job_folder_remove(r->s->path);
    if (!code && !r->s->part)
        code = bx_job_folder_make(r->s->path, r->e);
    if (!code && r->s->recordings)
        code = bx_job_folder_of_user(r->s->recordings, r->e);
    if (!code)
        leave_to_others(r);
    if (!code && r->s->program)
        code = bx_running_find_traces(r);
    if (!code && r->s->trace)
        code = bx_trace_sight_read(r->s->trace, &r->arena, &r->sight, r->e);
    return code;
}

/* ---- an engine ---- */

/* Takes what the engine's tasks have found so far. */
static int merge_parts(bx_running_sweep *r)
{
    int code = BX_OK;
    bx_arena a = {0};
    size_t before = r->s->state.before;
    for (size_t i = 0; i < r->s->tasks && !code; i++) {
        const char *part = bx_job_file(r->s->path, BX_JOB_PART, i, &a);
        code = part ? bx_sweep_store_merge(r->store, part, r->e) : bx_out_of_memory(r->e);
    }
    bx_arena_free(&a);
    r->s->state.done = r->s->state.refused = r->s->state.failed = 0;
    if (!code)
        code = bx_sweep_store_query(r->store, "SELECT id, state FROM point", take_earlier, r, r->e);
    r->s->state.before = before;
    return code;
}

/* Merging takes at most a twentieth of the time. */
static bool wait_on(void *context)
{
    bx_running_sweep *r = context;
    uint64_t begin = bx_process_clock();
    if (begin >= r->next_merge) {
        if (merge_parts(r))
            return false;
        uint64_t end = bx_process_clock();
        r->next_merge = end + 20 * (end - begin);
        bx_running_tell(r);
    }
    return !r->s->ends();
}

static int run_engine(bx_running_sweep *r)
{
    const char *job = bx_job_file(r->s->path, BX_JOB_BATCH, 0, &r->arena);
    int code = job ? merge_parts(r) : bx_out_of_memory(r->e);
    const bx_sweep_state *now = &r->s->state;
    if (!code && now->done + now->refused < now->points)
        code = bx_engine_run(r->s, job, wait_on, r, r->e);
    if (!code)
        code = r->e->code ? r->e->code : merge_parts(r);
    r->s->left = now->points - now->done - now->refused - now->failed;
    r->s->interrupted = !code && r->s->ends();
    return code;
}

/* ---- all of it ---- */

int bx_sweep_run(bx_sweep *s, bx_error *e)
{
    bx_running_sweep r = {.s = s, .e = e, .begin = bx_process_clock()};
    s->state = (bx_sweep_state){.points = s->points.n};
    s->resumed = s->interrupted = false;
    s->left = 0;
    int code = begin_run(&r);
    bx_running_tell(&r);
    if (!code)
        code = run_jobs(&r);
    if (!code && s->engine && !s->interrupted)
        code = run_engine(&r);
    bool complete = !code && !s->interrupted && !s->left;
    if (complete)
        code = bx_sweep_store_complete(r.store, e);
    if (complete && !s->part)
        bx_job_folder_remove(s->path);
    bx_sweep_store_close(r.store);
    bx_arena_free(&r.arena);
    return code;
}
