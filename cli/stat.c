/* boxscore stat: counts events while a workload or a program runs. */
#include "cli/measure.h"
#include "cli/sink.h"

#include "report/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    bx_texts events;
    uint64_t repeat;
    uint64_t interval; /* ns */
    bool json;
    const char *separator;
    bool per_unit;
    const char *output;
    const char *machine;
    bx_machine_options host;
    bx_texts workloads; /* one at most */
    unsigned passes;
} options;

enum { ROTATE, REPEAT };

static const options presets = {.repeat = 1, .host.size = sizeof(bx_machine_options)};

static const bx_option table[] = {
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; without it: the CPU's most useful ones",
     .offset = offsetof(options, events)},
    {.name = "workload",
     .letter = 'w',
     .kind = BX_OPTION_TEXTS,
     .metavar = "WORKLOAD",
     .help = "what a virtual machine is to run: 'stream,size=64M,cores=2'",
     .offset = offsetof(options, workloads)},
    BX_OPTION_MACHINE(options),
    BX_OPTION_ROOT(options, host.root),
    {.name = "repeat",
     .letter = 'r',
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "do it N times; show means and their deviation",
     .lo = 1,
     .hi = 1000000,
     .offset = offsetof(options, repeat)},
    {.name = "interval-print",
     .letter = 'I',
     .kind = BX_OPTION_TIME,
     .metavar = "TIME",
     .help = "show the counts of every TIME (in ms, or with a unit), in the machine's own time",
     .lo = 1000,
     .hi = 86400ull * 1000000000,
     .offset = offsetof(options, interval)},
    {.name = "per-unit",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each C-Box and so on, instead of sums",
     .offset = offsetof(options, per_unit)},
    {.name = "passes",
     .kind = BX_OPTION_CHOICE,
     .metavar = "rotate|repeat",
     .help = "events that do not fit at once: in turns and scaled, or in one run each, exactly",
     .offset = offsetof(options, passes)},
    BX_OPTION_JSON(options),
    {.name = "field-separator",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "SEPARATOR",
     .help = "write CSV; '\\t' means a tabulator",
     .offset = offsetof(options, separator)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write the counts to FILE, once all are there",
     .offset = offsetof(options, output)},
};

/* One call of the command. */
typedef struct stat_call {
    bx_cli *cli;
    const options *o;
    bx_job job;
    const char *about; /* text that the span of an error is in */
    bx_report_source source;
    bx_report report;
    bool opened; /* the report is */
    bool warned; /* of a counter that is blocked */
    bx_view view;
    bx_sink sink;
    bx_progress progress;
    bx_reading *before; /* -I: at the end of the last interval */
    uint64_t told;      /* and its time */
} stat_call;

/* ---- what is asked for ---- */

static int usage(const char *message, const char *hint)
{
    bx_error e = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "%s", message);
    bx_hint(&e, "%s", hint);
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

static int check(const options *o, const bx_texts *operands)
{
    if (!o->workloads.n && !operands->n)
        return usage("there is nothing to run",
                     "boxscore stat -- PROGRAM, or boxscore stat --workload stream");
    if (o->workloads.n && operands->n)
        return usage("a workload and a program were given", "give one of them");
    if (o->workloads.n > 1)
        return usage("more than one workload was given",
                     "'+' joins what is to run at the same time: --workload stream+dma");
    if (o->json && o->separator)
        return usage("-j and -x ask for two formats", "give one of them");
    if (o->separator && !*o->separator)
        return usage("the separator of -x is empty", "-x , or -x ';'");
    if (o->interval && o->repeat > 1)
        return usage("-I shows one run, -r the mean of several", "give one of them");
    if (o->interval && o->passes == REPEAT)
        return usage("-I shows one run, --passes repeat needs several",
                     "give one of them; with -I passes are rotated");
    return BX_EXIT_OK;
}

static const char *joined(bx_arena *a, const char *const *words, size_t n, const char *between)
{
    bx_buf text = {0};
    for (size_t i = 0; i < n; i++) {
        bx_buf_z(&text, i ? between : "");
        bx_buf_z(&text, words[i]);
    }
    const char *copy = bx_arena_copy(a, (bx_str){text.p, text.n});
    a->failed |= text.failed;
    bx_buf_free(&text);
    return copy;
}

static const char *joined_texts(bx_arena *a, const bx_texts *texts, const char *between)
{
    return joined(a, (const char *const *)texts->text, texts->n, between);
}

/* The events that the CPU's file names as worth a first look. */
static const char *picks(const bx_cli *cli, int cpu, bx_arena *a)
{
    bx_span span = bx_cat_cpus(cli->catalog)[cpu].defaults;
    const char **words = bx_arena_get(a, (span.n + 1u) * sizeof *words);
    for (unsigned i = 0; words && i < span.n; i++)
        words[i] = bx_cat_z(cli->catalog, bx_cat_picks(cli->catalog)[span.first + i].event);
    return words ? joined(a, words, span.n, ",") : NULL;
}

/* All -e as one list, so that the place of a mistake is one in one text. */
static int parse_events(stat_call *s, bx_error *e)
{
    bx_arena *a = &s->cli->arena;
    const bx_texts *given = &s->o->events;
    s->job.events_text = given->n ? joined_texts(a, given, ",") : picks(s->cli, s->source.cpu, a);
    size_t room = 1;
    for (const char *p = s->job.events_text; p && *p; p++)
        room += *p == ',';
    bx_evsel *events = bx_arena_get(a, room * sizeof *events);
    if (a->failed)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    size_t n;
    s->about = s->job.events_text;
    int code =
        bx_events_parse(s->cli->catalog, s->source.cpu, s->job.events_text, events, room, &n, e);
    if (code)
        return code;
    s->source.events = s->job.events = events;
    s->source.events_n = s->job.events_n = n;
    return BX_OK;
}

/* Opens the machine once to see what it is: each run gets a fresh one. */
static int look_at_machine(stat_call *s, bx_error *e)
{
    bx_arena *a = &s->cli->arena;
    bx_machine *m;
    s->about = s->o->machine;
    int code = bx_machine_open_with(s->cli->catalog, s->o->machine, &s->o->host, &m, e);
    if (code)
        return code;
    const char *name = bx_arena_copy(a, bx_str_of(bx_machine_name(m)));
    s->job.machine = s->view.machine = name;
    s->job.host = &s->o->host;
    s->source.cpu = bx_machine_cpu(m);
    s->source.hz = bx_machine_hz(m);
    if (bx_machine_is_virtual(m))
        s->view.clock =
            bx_cat_z(s->cli->catalog, bx_cat_cpus(s->cli->catalog)[s->source.cpu].clock);
    const char *because = bx_machine_chosen_because(m);
    if (because) {
        const char *words[] = {"# counted on a virtual machine, ", name, ": ", because};
        s->view.note = joined(a, words, sizeof words / sizeof *words, "");
    }
    bx_machine_close(m);
    return a->failed ? bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory") : BX_OK;
}

/* The work: a workload, or a program as an argv of its own. */
static int take_work(stat_call *s, const bx_texts *operands, bx_error *e)
{
    bx_arena *a = &s->cli->arena;
    const char *quote = "'";
    if (s->o->workloads.n) {
        s->job.workload = s->o->workloads.text[0];
        const char *words[] = {"workload '", s->job.workload, quote};
        s->view.subject = joined(a, words, 3, "");
    } else {
        const char *words[] = {quote, joined_texts(a, operands, " "), quote};
        s->view.subject = words[1] ? joined(a, words, 3, "") : NULL;
        s->job.program = operands->text;
    }
    return a->failed ? bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory") : BX_OK;
}

/* ---- what is written ---- */

static int write_part(stat_call *s, void (*part)(const bx_report *, const bx_view *, bx_buf *),
                      bx_error *e)
{
    bx_buf text = {0};
    part(&s->report, &s->view, &text);
    int code = bx_sink_write(&s->sink, &text, e);
    bx_buf_free(&text);
    return code;
}

static int open_report(stat_call *s, const bx_reading *readings, size_t n, bx_error *e)
{
    if (s->opened)
        return BX_OK;
    s->opened = true;
    s->source.readings = readings;
    s->source.readings_n = n;
    return bx_report_open(&s->report, &s->source, e);
}

static int begin_intervals(stat_call *s, const bx_reading *readings, size_t n, bx_error *e)
{
    if (s->before)
        return BX_OK;
    s->before = bx_arena_get(&s->cli->arena, (n + 1) * sizeof *s->before);
    if (!s->before)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    int code = open_report(s, readings, n, e);
    return code ? code : write_part(s, bx_report_begin, e);
}

static int show_interval(void *context, const bx_reading *readings, size_t n, uint64_t now,
                         bx_error *e)
{
    stat_call *s = context;
    int code = begin_intervals(s, readings, n, e);
    bx_reading *grown = code ? NULL : malloc((n + 1) * sizeof *grown);
    if (!grown)
        return code ? code : bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    for (size_t i = 0; i < n; i++)
        grown[i] = bx_reading_since(&readings[i], &s->before[i]);
    bx_report_clear(&s->report);
    bx_report_add(&s->report, grown, now - s->told);
    free(grown);
    memcpy(s->before, readings, n * sizeof *readings);
    s->told = now;
    s->view.at = (double)now / s->report.hz;
    return write_part(s, bx_report_lines, e);
}

static int show_all(stat_call *s, bx_error *e)
{
    int code = write_part(s, bx_report_begin, e);
    if (!code)
        code = write_part(s, bx_report_lines, e);
    return code ? code : write_part(s, bx_report_end, e);
}

/* ---- what is done ---- */

/* One run; *status and *signal are the outcome's. */
static int measure(stat_call *s, unsigned run, int *status, int *signal, bx_error *e)
{
    bx_outcome outcome = {0};
    int code = bx_measure(&s->job, run, &outcome, &s->about, e);
    if (code)
        return code;
    if (s->o->interval) {
        if (outcome.time > s->told)
            code = show_interval(s, outcome.readings, outcome.n, outcome.time, e);
    } else {
        code = open_report(s, outcome.readings, outcome.n, e);
        if (!code)
            bx_report_add(&s->report, outcome.readings, outcome.time);
    }
    if (outcome.trouble.code && !s->warned)
        bx_cli_note("%s", outcome.trouble.message);
    s->warned |= outcome.trouble.code != BX_OK;
    *status = outcome.status;
    *signal = outcome.signal;
    free(outcome.readings);
    return code;
}

static int measure_and_show(stat_call *s, int *status, bx_error *e)
{
    int code = BX_OK, signal = 0;
    bx_measure_catch_signals();
    s->progress = bx_progress_start();
    for (unsigned run = 0; run < s->o->repeat && !code && !signal; run++)
        code = measure(s, run, status, &signal, e);
    if (!code && !s->o->interval)
        code = show_all(s, e);
    if (signal && s->job.workload)
        *status = 128 + signal; /* as a shell gives it; a program has a status of its own */
    return code;
}

static int open_sink(stat_call *s, bx_error *e)
{
    if (s->o->output)
        return bx_sink_open(s->cli, s->o->output, &s->sink, e);
    s->sink = bx_sink_standard(s->cli, !s->o->workloads.n);
    return BX_OK;
}

static void choose_view(stat_call *s)
{
    const options *o = s->o;
    const char *separator = o->separator && !strcmp(o->separator, "\\t") ? "\t" : o->separator;
    s->view.format = o->json ? BX_FORMAT_JSON : separator ? BX_FORMAT_CSV : BX_FORMAT_TEXT;
    s->view.separator = separator;
    s->view.per_unit = o->per_unit;
    s->view.interval = o->interval != 0;
    s->view.repeated = o->repeat > 1;
}

static void fill_job(stat_call *s)
{
    double interval = (double)s->o->interval * s->source.hz / 1e9;
    s->source.catalog = s->job.catalog = s->cli->catalog;
    s->job.repeat = s->o->passes == REPEAT;
    s->job.progress = &s->progress;
    s->job.at_interval = show_interval;
    s->job.context = s;
    s->job.interval = s->o->interval ? (uint64_t)interval + (interval < 1) : 0;
}

static int prepare(stat_call *s, const bx_texts *operands, bx_error *e)
{
    int code = look_at_machine(s, e);
    if (!code)
        code = parse_events(s, e);
    s->about = code ? s->about : NULL;
    if (!code)
        code = take_work(s, operands, e);
    if (!code)
        code = open_sink(s, e);
    if (code)
        return code;
    choose_view(s);
    fill_job(s);
    /* In CSV and JSON a first line of words would be in the way. */
    if (s->view.note && s->view.format != BX_FORMAT_TEXT)
        bx_cli_note("%s", s->view.note + strlen("# "));
    return BX_OK;
}

static int run(bx_cli *cli, const void *values, const bx_texts *operands)
{
    stat_call s = {.cli = cli, .o = values};
    bx_error e = {0};
    int status = check(s.o, operands);
    if (status)
        return status;
    int code = prepare(&s, operands, &e);
    if (!code)
        code = measure_and_show(&s, &status, &e);
    if (!code)
        code = bx_sink_keep(&s.sink, &e);
    bx_sink_discard(&s.sink);
    bx_report_close(&s.report);
    if (cli->failed) /* standard output could not be written, and it was said */
        return BX_EXIT_ERROR;
    return code ? bx_cli_error(&e, s.about) : status;
}

const bx_command bx_command_stat = {
    .name = "stat",
    .help = "count events while a program or a workload runs",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text = "The report of a program goes to standard error, that of a workload to standard\n"
            "output, and with -o to a file. The exit status is the program's own; 1 if\n"
            "something could not be done, 2 if it was not understood.",
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .operands_most = SIZE_MAX,
    .stops = true,
    .presets = &presets,
    .values_size = sizeof(options),
    .run = run,
};
