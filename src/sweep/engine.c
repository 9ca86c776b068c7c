/* Runs the tasks of a sweep by Slurm, or by a command. */
#include "sweep/engine.h"

#include "host/system/shell.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char slurm[] = "slurm";

/* ---- command lines ---- */

static void put_option(bx_buf *to, const char *option, const char *value)
{
    bx_buf_f(to, " %s ", option);
    bx_shell_word(to, value);
}

static void put_vary(bx_buf *to, const bx_vary *v)
{
    bx_buf text = {.whole = &to->failed};
    bx_buf_f(&text, "%s=", v->name);
    for (size_t i = 0; i < v->n; i++)
        bx_buf_f(&text, "%s%s", i ? "," : "", v->values[i]);
    put_option(to, "--vary", bx_buf_text(&text));
    bx_buf_free(&text);
}

/* A path of a link in /proc; "." if it cannot be read. */
static void put_link(bx_buf *to, const char *link)
{
    char path[4096];
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    bx_shell_word(to, n > 0 ? path : ".");
}

void bx_engine_command(const bx_sweep *s, const char *task, bx_buf *to)
{
    bx_buf_z(to, "env -C ");
    put_link(to, "/proc/self/cwd");
    bx_buf_z(to, " ");
    put_link(to, "/proc/self/exe");
    bx_buf_f(to, " sweep --part %s/%zu --jobs %zu", task, s->tasks, s->jobs);
    put_option(to, "-o", s->path);
    put_option(to, "--machine", s->points.machine);
    for (size_t i = 0; i < s->points.keys; i++)
        put_vary(to, &s->points.vary[i]);
    for (size_t i = 0; s->options[i]; i += 2)
        put_option(to, s->options[i], s->options[i + 1]);
    if (s->recordings)
        put_option(to, "--record", s->recordings);
    if (s->trace)
        put_option(to, "--trace", s->trace);
    if (s->points.workload)
        put_option(to, "--workload", s->points.workload);
    for (size_t i = 0; s->program && s->program[i]; i++)
        put_option(to, i ? "" : "--", s->program[i]);
}

/* Puts what stands for a word of the template. */
static void put_template(const bx_sweep *s, size_t task, bx_buf *to)
{
    bx_buf command = {.whole = &to->failed};
    char number[24], tasks[24];
    snprintf(number, sizeof number, "%zu", task);
    snprintf(tasks, sizeof tasks, "%zu", s->tasks);
    bx_engine_command(s, number, &command);
    for (const char *c = s->engine; *c; c++) {
        if (strncmp(c, "{command}", 9) == 0) {
            bx_buf_z(to, bx_buf_text(&command));
            c += 8;
        } else if (strncmp(c, "{quoted}", 8) == 0) {
            bx_shell_word(to, bx_buf_text(&command));
            c += 7;
        } else if (strncmp(c, "{task}", 6) == 0) {
            bx_buf_z(to, number);
            c += 5;
        } else if (strncmp(c, "{tasks}", 7) == 0) {
            bx_buf_z(to, tasks);
            c += 6;
        } else {
            bx_buf_add(to, c, 1);
        }
    }
    bx_buf_free(&command);
}

int bx_engine_check(const char *engine, bx_error *e)
{
    if (strcmp(engine, slurm) == 0 || strstr(engine, "{command}") || strstr(engine, "{quoted}"))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the engine '%.60s' has no place for the command", engine);
    bx_hint(e, "slurm, or a command such as 'ssh node{task} {quoted}'");
    return BX_BAD_INPUT;
}

static void pause_second(void)
{
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
}

/* ---- a command for each task ---- */

static pid_t start_shell(const char *line)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static int start_tasks(const bx_sweep *s, pid_t *pid, bx_error *e)
{
    for (size_t i = 0; i < s->tasks; i++) {
        bx_buf line = {0};
        put_template(s, i + 1, &line);
        pid[i] = line.failed ? -1 : start_shell(line.p);
        int reason = errno;
        bool failed = line.failed;
        bx_buf_free(&line);
        if (failed)
            return bx_out_of_memory(e);
        if (pid[i] < 0)
            return bx_fail(e, BX_SYSTEM, 0, 0, "cannot start a task: %s", strerror(reason));
    }
    return BX_OK;
}

/* Takes the status of those that have ended. Returns how many still run. */
static size_t count_running(pid_t *pid, size_t n)
{
    size_t running = 0;
    for (size_t i = 0; i < n; i++)
        if (pid[i] > 0 && waitpid(pid[i], NULL, WNOHANG) == 0)
            running++;
        else
            pid[i] = 0;
    return running;
}

static int run_commands(const bx_sweep *s, bool (*again)(void *), void *context, bx_error *e)
{
    pid_t *pid = calloc(s->tasks, sizeof *pid);
    if (!pid)
        return bx_out_of_memory(e);
    int code = start_tasks(s, pid, e);
    while (!code && count_running(pid, s->tasks) && again(context))
        pause_second();
    for (size_t i = 0; i < s->tasks; i++)
        if (pid[i] > 0) {
            kill(pid[i], SIGTERM);
            waitpid(pid[i], NULL, 0);
        }
    free(pid);
    return code;
}

/* ---- Slurm ---- */

/* The number of a job that an earlier run has submitted; 0: none. */
static unsigned long read_job(const char *path)
{
    unsigned long number = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lu", &number) != 1)
        number = 0;
    if (file)
        fclose(file);
    return number;
}

static int keep_job(const char *path, unsigned long number, bx_error *e)
{
    FILE *file = fopen(path, "w");
    bool written = file && fprintf(file, "%lu\n", number) > 0;
    if (file && fclose(file) == 0 && written)
        return BX_OK;
    return bx_fail(e, BX_SYSTEM, 0, 0, "'%.200s' cannot be written: %s", path, strerror(errno));
}

static int submit(const bx_sweep *s, const char *job, unsigned long *number, bx_error *e)
{
    bx_buf script = {0}, line = {0}, said = {0};
    bx_engine_command(s, "$SLURM_ARRAY_TASK_ID", &script);
    bx_buf_f(&line,
             "sbatch --parsable --job-name=boxscore --array=1-%zu --cpus-per-task=%zu --output=",
             s->tasks, s->jobs);
    bx_buf name = {0};
    bx_buf_f(&name, "%s.work/%%a.log", s->path);
    bx_shell_word(&line, bx_buf_text(&name));
    bx_buf_z(&line, " --wrap=");
    bx_shell_word(&line, bx_buf_text(&script));
    int status = name.failed || script.failed || line.failed ? -1 : bx_shell_read(line.p, &said);
    *number = strtoul(bx_buf_text(&said), NULL, 10);
    int code = BX_OK;
    if (status != 0 || *number == 0) {
        code = bx_fail(e, BX_SYSTEM, 0, 0, "sbatch did not take the job");
        bx_hint(e, "what it said stands above; slurm-wlm has sbatch");
    }
    bx_buf_free(&name);
    bx_buf_free(&script);
    bx_buf_free(&line);
    bx_buf_free(&said);
    return code ? code : keep_job(job, *number, e);
}

/* Whether tasks of the job wait or run. squeue does not know jobs that have ended long ago. */
static bool is_queued(unsigned long number)
{
    char line[80];
    bx_buf said = {0};
    snprintf(line, sizeof line, "squeue --noheader --jobs=%lu 2>/dev/null", number);
    bool queued = bx_shell_read(line, &said) == 0 && said.n > 0;
    bx_buf_free(&said);
    return queued;
}

static int run_slurm(const bx_sweep *s, const char *job, bool (*again)(void *), void *context,
                     bx_error *e)
{
    unsigned long number = read_job(job);
    int code = number && is_queued(number) ? BX_OK : submit(s, job, &number, e);
    while (!code && is_queued(number) && again(context))
        pause_second();
    return code;
}

int bx_engine_run(const bx_sweep *s, const char *job, bool (*again)(void *context), void *context,
                  bx_error *e)
{
    return strcmp(s->engine, slurm) == 0 ? run_slurm(s, job, again, context, e)
                                         : run_commands(s, again, context, e);
}
