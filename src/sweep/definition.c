/* What makes two sweeps the same one, so that it can go on. */
#include "sweep/run.h"

#include "machine/program/process/executable.h"
#include "sweep/job_files.h"

#include <sys/stat.h>

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
    char path[4096];
    if (bx_program_path(name, path, sizeof path) == 0)
        describe_file(to, path);
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

int bx_running_open_store(bx_running_sweep *r)
{
    const bx_sweep *s = r->s;
    bx_buf work = {0}, definition = {0};
    const char *path =
        s->part ? bx_job_file(s->path, BX_JOB_PART, s->part - 1, &r->arena) : s->path;
    describe_work(r->s, &work);
    define(r->s, bx_buf_text(&work), &definition);
    const bx_sweep_about about = {.work = bx_buf_text(&work),
                                  .definition = bx_buf_text(&definition),
                                  .points = s->points.n,
                                  .again = s->part > 0,
                                  .shows = s->shows};
    int code = !path || work.failed || definition.failed
                   ? bx_out_of_memory(r->e)
                   : bx_sweep_store_open(path, &about, &r->store, &r->s->resumed, r->e);
    bx_buf_free(&work);
    bx_buf_free(&definition);
    return code;
}
