/* Traces of the program, one for all machines that look the same to it. */
#include "sweep/run.h"

#include "sweep/commands.h"
#include "sweep/job_files.h"

#include <fcntl.h>
#include <unistd.h>

/* Jobs from points.n on are environments. */
static size_t job_of_environment(const bx_running_sweep *r, size_t environment)
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

int bx_running_start_trace(bx_running_sweep *r, size_t i)
{
    bx_running_trace *t = &r->tracing[i];
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
    t->progress = BX_RUNS;
    bx_arena_free(&a);
    return code;
}

int bx_running_end_trace(bx_running_sweep *r, size_t i)
{
    bx_running_trace *t = &r->tracing[i];
    bx_arena a = {0};
    const char *says = bx_job_file(r->s->path, BX_JOB_SAYS, i, &a);
    const char *output = bx_job_file(r->s->path, BX_JOB_OUTPUT, i, &a);
    t->progress = BX_ENDED;
    if (!says || !output)
        bx_out_of_memory(r->e);
    else if (access(t->trace, R_OK) != 0)
        t->failure = bx_running_last_message(says, &r->arena);
    else if (!r->output_shown) {
        copy_file(output, 1);
        copy_file(says, 2);
        r->output_shown = true;
    }
    int code = says && output ? BX_OK : BX_NO_MEMORY;
    bx_arena_free(&a);
    return code;
}

/* Which machines look the same to the program; which cannot be opened. All points, so that
 * environments have the same numbers when a sweep goes on. */
static int find_environments(bx_running_sweep *r)
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

/* Traces of an earlier run of the same sweep serve again. Tasks of an engine make none. */
static void find_earlier_traces(bx_running_sweep *r)
{
    for (size_t i = 0; i < r->environments.n; i++) {
        bx_running_trace *t = &r->tracing[i];
        t->trace = bx_job_file(r->s->path, BX_JOB_TRACE, i, &r->arena);
        bool there = t->trace && access(t->trace, R_OK) == 0;
        if ((r->s->resumed || r->s->part) && there)
            t->progress = BX_ENDED;
        else if (r->s->part) {
            t->progress = BX_ENDED;
            t->failure = "the trace of the program is not there";
        }
    }
}

int bx_running_find_traces(bx_running_sweep *r)
{
    int code = find_environments(r);
    if (!code)
        find_earlier_traces(r);
    return code;
}
