/* boxscore sweep: one work on many machines. */
#include "cli/commands/commands.h"
#include "cli/common/progress.h"
#include "cli/common/sink.h"
#include "cli/measure/interruption.h"
#include "sweep/chart/chart.h"
#include "sweep/engine.h"
#include "sweep/results.h"
#include "sweep/sweep.h"
#include "sweep/table.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct values {
    bx_texts vary, events, metrics, workloads;
    const char *machine, *trace, *output, *show, *separator, *threads, *chart, *of, *over, *engine,
        *part, *record;
    unsigned kernel, features, kind;
    uint64_t jobs, tasks, turn;
} values;

static const char *const switches[] = {"on", "off"};
static const char *const feature_words[] = {"fixed", "host"};

static const values defaults = {.output = "boxscore.sweep"};

static const bx_option options[] = {
    {.name = "vary",
     .kind = BX_OPTION_TEXTS,
     .metavar = "KEY=VALUES",
     .help =
         "a key of the machine and its values: llc=2M,4M, cores=1-4, llc=1M..16M*2; workload.KEY "
         "is the workload's; may be repeated",
     .offset = offsetof(values, vary)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "the results, a SQLite file; boxscore.sweep. The part of the same sweep goes on; "
             "another file becomes FILE.old",
     .offset = offsetof(values, output)},
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; without it: the CPU's most useful ones",
     .offset = offsetof(values, events)},
    {.name = "metrics",
     .letter = 'M',
     .kind = BX_OPTION_TEXTS,
     .metavar = "METRICS",
     .help = "metrics or groups of them, separated by commas: count their events",
     .offset = offsetof(values, metrics)},
    BX_OPTION_WORK(values, workloads),
    BX_OPTION_TRACE(values, trace),
    BX_OPTION_MACHINE(values, machine),
    {.name = "jobs",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "points that run at once; without it: as many as this process has CPUs",
     .lo = 1,
     .hi = 4096,
     .offset = offsetof(values, jobs)},
    {.name = "record",
     .kind = BX_OPTION_TEXT,
     .metavar = "FOLDER",
     .help = "also record each point, into FOLDER/ID.rec",
     .offset = offsetof(values, record)},
    {.name = "engine",
     .kind = BX_OPTION_TEXT,
     .metavar = "slurm|COMMAND",
     .help =
         "run the points as tasks of Slurm, or of a command for each: 'ssh node{task} {quoted}'",
     .offset = offsetof(values, engine)},
    {.name = "tasks",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "tasks of the engine; without it: 16, or fewer, so that each has eight points",
     .lo = 1,
     .hi = 10000,
     .offset = offsetof(values, tasks)},
    {.name = "part",
     .kind = BX_OPTION_TEXT,
     .metavar = "K/N",
     .help = "what a task of an engine runs: its points, with results in FILE.work",
     .offset = offsetof(values, part)},
    BX_OPTION_THREADS(values, threads),
    BX_OPTION_TURN(values, turn),
    BX_OPTION_KERNEL_ACCESSES(values, kernel),
    BX_OPTION_FEATURES(values, features),
    {.name = "show",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "run nothing: show the results of a sweep",
     .offset = offsetof(values, show)},
    {.name = "field-separator",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "SEPARATOR",
     .help = "write CSV, a row for each point; '\\t' means a tabulator",
     .offset = offsetof(values, separator)},
    {.name = "chart",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "also draw a chart of --of as SVG",
     .offset = offsetof(values, chart)},
    {.name = "chart-kind",
     .kind = BX_OPTION_CHOICE,
     .metavar = "lines|heat|pareto",
     .help = "lines over a key; a map of two keys; two values, and which points are best in both",
     .offset = offsetof(values, kind)},
    {.name = "of",
     .kind = BX_OPTION_TEXT,
     .metavar = "NAME",
     .help = "what the chart shows; pareto: NAME,NAME, with '-' in front if more is better",
     .offset = offsetof(values, of)},
    {.name = "over",
     .kind = BX_OPTION_TEXT,
     .metavar = "KEY",
     .help = "the key of the chart's x axis; without it: the last one",
     .offset = offsetof(values, over)},
};

static const bx_exclusion exclusions[] = {
    {"show",
     "vary event metrics workload trace machine record engine tasks part jobs threads turn "
     "kernel-accesses features PROGRAM",
     NULL, "--show shows what a sweep has found, and runs nothing", "boxscore sweep --show FILE"},
    {"trace", "workload PROGRAM", NULL, "--trace is the work, and another work was given",
     "one of them"},
    {"workload", "PROGRAM", NULL, "a workload is the work, and a program was given", "one of them"},
    {"workload+", NULL, NULL, "more than one workload was given",
     "'+' joins what is to run at the same time: --workload stream+dma"},
    {"part", "engine tasks chart field-separator", NULL,
     "--part is the task of an engine, which has its own number of tasks", "--part 3/16"},
    {"tasks", NULL, "engine", "--tasks are those of an engine, and none was given",
     "--engine slurm; without an engine: --jobs"},
    {"", NULL, "show workload trace PROGRAM", "there is no work to sweep",
     "-w WORKLOAD, --trace FILE, or -- PROGRAM"},
    {"", NULL, "show vary", "nothing is varied", "--vary llc=2M,4M,8M"},
    {"field-separator=", NULL, NULL, "the separator of -x is empty", "-x , or -x ';'"},
    {"chart", NULL, "of", "--chart does not say what it shows", "--of dram_bytes_read"},
    {"of over chart-kind", NULL, "chart", "this is for a chart, and none is drawn", "--chart FILE"},
    {.why = NULL},
};

/* ---- what runs ---- */

/* The options of `stat` for each point. */
static const char *const *stat_options(bx_cli *cli, const values *v)
{
    const bx_texts none = {0};
    char turn[24];
    snprintf(turn, sizeof turn, "%llu", (unsigned long long)v->turn);
    const struct {
        const char *name, *value;
    } given[] = {
        {"--event", v->events.n ? bx_cli_join(cli, &v->events, &none) : NULL},
        {"--metrics", v->metrics.n ? bx_cli_join(cli, &v->metrics, &none) : NULL},
        {"--threads", v->threads},
        {"--turn", v->turn ? bx_arena_copy(&cli->arena, bx_str_of(turn)) : NULL},
        {"--kernel-accesses", v->kernel ? switches[v->kernel] : NULL},
        {"--features", v->features ? feature_words[v->features] : NULL},
    };
    const size_t most = sizeof given / sizeof *given;
    const char **list = bx_arena_get(&cli->arena, (2 * most + 1) * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; list && i < most; i++)
        if (given[i].value) {
            list[n++] = given[i].name;
            list[n++] = given[i].value;
        }
    return list;
}

static size_t processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (size_t)n : 1;
}

/* Reads "K/N". */
static int read_part(const char *text, bx_sweep *s, bx_error *e)
{
    uint64_t part, tasks;
    bx_str rest = bx_str_of(text), first = bx_str_cut(&rest, '/');
    if (!rest.p || !bx_str_u64(first, &part) || !bx_str_u64(rest, &tasks) || part < 1 ||
        part > tasks || tasks > BX_SWEEP_POINTS) {
        bx_fail(e, BX_BAD_INPUT, 0, strlen(text), "this is not a part of a sweep");
        bx_hint(e, "the third of sixteen is 3/16");
        return BX_BAD_INPUT;
    }
    s->part = (size_t)part;
    s->tasks = (size_t)tasks;
    return BX_OK;
}

/* Who runs the points. *about: the text with an error's span. */
static int choose_engine(const values *v, bx_sweep *s, const char **about, bx_error *e)
{
    enum {
        TASKS = 16,
        LEAST = 8
    }; /* a batch system takes longer to start a task than most points */
    if (v->part) {
        *about = v->part;
        return read_part(v->part, s, e);
    }
    if (!v->engine)
        return BX_OK;
    size_t tasks = (s->points.n + LEAST - 1) / LEAST;
    s->engine = v->engine;
    s->tasks = v->tasks ? (size_t)v->tasks : tasks < TASKS ? tasks : TASKS;
    s->tasks = s->tasks < s->points.n ? s->tasks : s->points.n;
    return bx_engine_check(v->engine, e);
}

/* Reads what varies, and counts the points. *about: the text with an error's span. */
static int read_points(bx_cli *cli, const values *v, bx_points *p, const char **about, bx_error *e)
{
    bx_vary *vary = bx_arena_get(&cli->arena, (v->vary.n + 1) * sizeof *vary);
    int code = vary ? BX_OK : bx_out_of_memory(e);
    for (size_t i = 0; i < v->vary.n && !code; i++) {
        *about = v->vary.text[i];
        code = bx_vary_read(bx_str_of(v->vary.text[i]), &cli->arena, &vary[i], e);
    }
    if (code)
        return code;
    *about = NULL;
    *p = (bx_points){.machine = v->machine ? v->machine : bx_cli_first_machine(cli),
                     .workload = v->workloads.n ? v->workloads.text[0] : NULL,
                     .vary = vary,
                     .keys = v->vary.n};
    return p->machine ? bx_points_count(p, e) : bx_out_of_memory(e);
}

static void show_state(void *context, const bx_sweep_state *s)
{
    char text[128];
    size_t ended = s->done + s->refused + s->failed, now = ended - s->before;
    int n = snprintf(text, sizeof text, "%zu of %zu points", ended, s->points);
    if (s->refused + s->failed)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %zu refused, %zu failed", s->refused,
                      s->failed);
    if (now)
        snprintf(text + n, sizeof text - (size_t)n, ", about %.0f s left",
                 s->seconds / (double)now * (double)(s->points - ended));
    bx_progress_say(context, text);
}

/* ---- what is shown ---- */

static int draw_chart(bx_cli *cli, const values *v, const bx_sweep_results *results, bx_error *e)
{
    const bx_chart chart = {(enum bx_chart_kind)v->kind, v->of, v->over};
    bx_buf text = {0};
    int code = bx_sweep_chart(results, &chart, &text, e);
    if (!code)
        code = bx_sink_put(cli, v->chart, false, &text, e);
    bx_buf_free(&text);
    return code;
}

/* error: on standard error, as standard output has the program's. */
static int show_results(bx_cli *cli, const values *v, const char *path, bool error, bx_error *e)
{
    bx_sweep_results results;
    bx_buf text = {0};
    bx_sink sink = bx_sink_standard(cli, error);
    const char *separator = bx_cli_separator(v->separator);
    int code = bx_sweep_results_read(path, &cli->arena, &results, e);
    if (code)
        return code;
    if (separator)
        bx_sweep_csv(&results, separator, &text);
    else
        bx_sweep_text(&results, bx_progress_columns(error ? STDERR_FILENO : STDOUT_FILENO), &text);
    code = text.failed ? bx_out_of_memory(e) : bx_sink_write(&sink, &text, e);
    if (!code)
        code = bx_sink_keep(&sink, e);
    bx_buf_free(&text);
    return !code && v->chart ? draw_chart(cli, v, &results, e) : code;
}

static int sweep_all(bx_cli *cli, const values *v, const bx_texts *program, bx_sweep *s,
                     const char **about, bx_error *e)
{
    bx_progress progress = bx_progress_start();
    *s = (bx_sweep){.catalog = cli->catalog,
                    .path = v->output,
                    .trace = v->trace,
                    .program = program->n ? program->text : NULL,
                    .options = stat_options(cli, v),
                    .recordings = v->record,
                    .shows = v->events.n    ? "events"
                             : v->metrics.n ? "metrics"
                                            : "few",
                    .jobs = v->jobs     ? (size_t)v->jobs
                            : v->engine ? 1
                                        : processors(),
                    .ends = bx_interruption_ends,
                    .at = show_state,
                    .context = &progress};
    int code = s->options ? read_points(cli, v, &s->points, about, e) : bx_out_of_memory(e);
    if (!code)
        code = choose_engine(v, s, about, e);
    if (code)
        return code;
    *about = NULL;
    bx_interruption_catch();
    code = bx_sweep_run(s, e);
    bx_progress_erase(&progress);
    if (code)
        return code;
    if (s->state.before)
        bx_cli_note("%s: %zu of %zu points were there before", v->output, s->state.before,
                    s->state.points);
    code = s->part ? BX_OK : show_results(cli, v, v->output, s->program, e);
    if (!code && s->left)
        bx_cli_note("%zu points have no outcome, as tasks ended early: the same command goes on",
                    s->left);
    if (!code && s->interrupted)
        bx_cli_note("interrupted: the same command goes on where it stopped");
    return code;
}

static int run_sweep(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_sweep s = {.points = {0}};
    bx_error e = {0};
    const char *about = NULL;
    int code = v->show ? show_results(cli, v, v->show, false, &e)
                       : sweep_all(cli, v, operands, &s, &about, &e);
    cli->unread = code != BX_OK && !*e.message;
    if (code)
        return bx_cli_error(&e, about);
    if (s.interrupted)
        return 128 + bx_interruption_signal();
    return s.state.failed || s.left || (s.state.points && !s.state.done) ? BX_EXIT_ERROR
                                                                         : BX_EXIT_OK;
}

static const bx_example examples[] = {
    {"boxscore sweep --vary llc=2M,4M,8M --machine virtual:skl,part=plain -w random,size=4M",
     "count a workload with last-level caches of three sizes"},
    {"boxscore sweep --show boxscore.sweep -x ,", "the same as CSV, with all values"},
    {.line = NULL},
};

const bx_command bx_command_sweep = {
    .name = "sweep",
    .help = "count one work on many virtual machines",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text = "Each combination of the values is a point, and has the values of 'boxscore stat' for\n"
            "its machine. Points run side by side. PROGRAM is traced once for all machines that\n"
            "look the same to it. Combinations that no machine has are refused by name, and the\n"
            "others go on. After an end, also by kill -9, the same command goes on. The exit\n"
            "status is 1 if a point failed, or if all were refused (docs/reference/sweep.md).",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof *options,
    .exclusions = exclusions,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_sweep,
};
