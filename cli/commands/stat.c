/* boxscore stat: counts events while a workload or a program runs. */
#include "cli/commands/commands.h"
#include "cli/measure/interruption.h"
#include "cli/measure/stat.h"

#include <stdlib.h>
#include <string.h>

static const bx_stat_options defaults = {
    .what = {.runs = 1, .host.size = sizeof(bx_machine_options)}};

static const bx_option table[] = {
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; without it: the CPU's most useful ones",
     .offset = offsetof(bx_stat_options, what.events)},
    {.name = "workload",
     .letter = 'w',
     .kind = BX_OPTION_TEXTS,
     .metavar = "WORKLOAD",
     .help = "what a virtual machine is to run: 'stream,size=64M,cores=2'",
     .offset = offsetof(bx_stat_options, what.workloads)},
    {.name = "trace",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "what a virtual machine is to run: a program that 'boxscore trace -o' has recorded",
     .offset = offsetof(bx_stat_options, what.trace)},
    BX_OPTION_MACHINE(bx_stat_options, what.machine),
    BX_OPTION_ROOT(bx_stat_options, what.host.root),
    BX_OPTION_HELPER(bx_stat_options, what.host.helper),
    {.name = "threads",
     .kind = BX_OPTION_TEXT,
     .metavar = "LIST|spread|compact",
     .help =
         "cores of a virtual machine for a program's threads: 0-3,8; packages in turn; in order",
     .offset = offsetof(bx_stat_options, what.host.threads)},
    {.name = "kernel-accesses",
     .kind = BX_OPTION_CHOICE,
     .metavar = "on|off",
     .help = "whether a virtual machine also makes what a kernel accesses for a program",
     .offset = offsetof(bx_stat_options, what.host.no_kernel_accesses)},
    {.name = "turn",
     .kind = BX_OPTION_NUMBER,
     .metavar = "BLOCKS",
     .help = "blocks of code that a traced thread executes before the next has its turn; 1000",
     .lo = 1,
     .hi = 100000,
     .offset = offsetof(bx_stat_options, what.host.turn)},
    {.name = "features",
     .kind = BX_OPTION_CHOICE,
     .metavar = "fixed|host",
     .help = "CPU features that a program finds on a virtual machine: the modelled CPU's, or all",
     .offset = offsetof(bx_stat_options, what.host.host_features)},
    {.name = "driver",
     .kind = BX_OPTION_CHOICE,
     .metavar = "auto|perf|registers",
     .help = "how a host's counters are reached: by its kernel's perf_event, or by registers",
     .offset = offsetof(bx_stat_options, what.host.driver)},
    BX_OPTION_JOURNAL(bx_stat_options, what.host.journal),
    {.name = "force",
     .kind = BX_OPTION_FLAG,
     .help = "count also where somebody else counts, whose registers are given back afterwards",
     .offset = offsetof(bx_stat_options, what.host.force)},
    {.name = "record",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "keep every register access, with its time, in FILE",
     .offset = offsetof(bx_stat_options, what.host.record)},
    {.name = "replay",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "measure again from what --record has kept: no machine and no program is needed",
     .offset = offsetof(bx_stat_options, what.host.replay)},
    {.name = "repeat",
     .letter = 'r',
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "do it N times; show means and their deviation",
     .lo = 1,
     .hi = 1000000,
     .offset = offsetof(bx_stat_options, what.runs)},
    {.name = "interval-print",
     .letter = 'I',
     .kind = BX_OPTION_TIME,
     .metavar = "TIME",
     .help = "show the counts of every TIME (in ms, or with a unit), in the machine's own time",
     .lo = 1000,
     .hi = 86400ull * 1000000000,
     .offset = offsetof(bx_stat_options, what.interval)},
    {.name = "until",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT=N",
     .help = "count until a counter has counted N, which stops all counters in that cycle",
     .offset = offsetof(bx_stat_options, what.until)},
    {.name = "sample",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT=N",
     .help = "show the counts of all other events each time that a counter has counted N",
     .offset = offsetof(bx_stat_options, what.sample)},
    {.name = "regions",
     .kind = BX_OPTION_FLAG,
     .help = "also show the counts of each region that the program marks (boxscore/region.h)",
     .offset = offsetof(bx_stat_options, what.regions)},
    {.name = "region",
     .kind = BX_OPTION_TEXTS,
     .metavar = "NAME",
     .help = "count only while a thread of the program is in this region, or in another one given",
     .offset = offsetof(bx_stat_options, what.inside)},
    {.name = "per-unit",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each C-Box and so on, instead of sums",
     .offset = offsetof(bx_stat_options, per_unit)},
    {.name = "passes",
     .kind = BX_OPTION_CHOICE,
     .metavar = "auto|rotate|repeat",
     .help = "events that do not fit at once: in turns and scaled, or in one run each; a virtual "
             "machine needs neither",
     .offset = offsetof(bx_stat_options, what.passes)},
    BX_OPTION_JSON(bx_stat_options),
    {.name = "field-separator",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "SEPARATOR",
     .help = "write CSV; '\\t' means a tabulator",
     .offset = offsetof(bx_stat_options, separator)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write the counts to FILE, once all are there",
     .offset = offsetof(bx_stat_options, output)},
};

/* ---- what is asked for ---- */

static int usage(const char *message, const char *hint)
{
    bx_error e = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "%s", message);
    bx_hint(&e, "%s", hint);
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

static int check_replay(const bx_measurement_options *o, const bx_texts *operands)
{
    if (o->workloads.n || operands->n || o->trace)
        return usage("--replay has nothing run: its times are recorded as well",
                     "boxscore stat --replay FILE, and nothing behind it");
    if (o->machine || o->host.root)
        return usage("--replay opens the machine that was recorded",
                     "leave --machine and --root out");
    if (o->host.record)
        return usage("--record and --replay were given", "copy the file: it would be the same");
    return BX_EXIT_OK;
}

/* Counters that an overflow stops: one run on a virtual machine, or one row of it. */
static int check_overflow(const bx_measurement_options *o)
{
    static const char rows[] = "--until ends the measurement, --sample shows a row each time";
    if (o->until && o->sample)
        return usage("--until and --sample were given", rows);
    if (o->host.record || o->host.replay)
        return usage("a recording has accesses to registers, and no overflows",
                     "leave --record and --replay out, or --until and --sample");
    if (o->passes == BX_PASSES_REPEAT)
        return usage("--passes repeat counts events in several runs, an overflow stops one",
                     "leave it out: with --until and --sample all events are counted at once");
    if (o->interval)
        return usage("-I shows rows by time, --until and --sample count to an overflow",
                     "give one of them");
    if (o->sample && o->runs > 1)
        return usage("--sample shows one run, -r the mean of several", "give one of them");
    if (o->sample && !o->events.n)
        return usage("--sample shows other events, and none is named", "-e EVENTS");
    return BX_EXIT_OK;
}

/* Regions are those of one run of a program that we trace. */
static int check_regions(const bx_measurement_options *o)
{
    if (o->workloads.n)
        return usage("a workload has no regions", "boxscore stat --regions -- PROGRAM");
    if (o->host.record || o->host.replay)
        return usage("a recording has accesses to registers, and no regions",
                     "leave --record and --replay out, or --regions and --region");
    if (o->until || o->sample)
        return usage("--until and --sample end at overflows, regions at their marks",
                     "give one of them");
    if (o->interval)
        return usage("-I shows rows by time, --regions and --region count to marks",
                     "give one of them");
    if (o->runs > 1)
        return usage("regions are those of one run, -r shows the mean of several",
                     "give one of them");
    if (o->passes == BX_PASSES_REPEAT)
        return usage("regions are those of one run, --passes repeat needs several",
                     "give one of them");
    return BX_EXIT_OK;
}

static int check(const bx_stat_options *given, const bx_texts *operands)
{
    const bx_measurement_options *o = &given->what;
    if (o->host.replay && check_replay(o, operands))
        return BX_EXIT_USAGE;
    if (!o->host.replay && !o->workloads.n && !operands->n && !o->trace)
        return usage("there is nothing to run",
                     "boxscore stat -- PROGRAM, or boxscore stat --workload stream");
    if (o->workloads.n && operands->n)
        return usage("a workload and a program were given", "give one of them");
    if (o->trace && (o->workloads.n || operands->n))
        return usage("a trace is what a program has done, and something else to run was given",
                     "boxscore stat --trace FILE, and no program or workload");
    if (o->workloads.n > 1)
        return usage("more than one workload was given",
                     "'+' joins what is to run at the same time: --workload stream+dma");
    if (given->json && given->separator)
        return usage("-j and -x ask for two formats", "give one of them");
    if (given->separator && !*given->separator)
        return usage("the separator of -x is empty", "-x , or -x ';'");
    if (o->host.driver == BX_DRIVER_PERF && o->host.record)
        return usage("--record keeps accesses of registers, --driver perf makes none",
                     "give one of them");
    if (o->host.driver != BX_DRIVER_AUTO && o->machine && strcmp(o->machine, "host") != 0)
        return usage("--driver is the way to a host's counters", "--machine host");
    if (o->host.helper && o->machine && strcmp(o->machine, "host") != 0)
        return usage("--helper is the way to a host's registers", "--machine host");
    if (o->host.helper && o->host.driver == BX_DRIVER_PERF)
        return usage("--helper reaches registers, --driver perf leaves them alone",
                     "give one of them");
    if ((o->regions || o->inside.n) && check_regions(o))
        return BX_EXIT_USAGE;
    if ((o->until || o->sample) && check_overflow(o))
        return BX_EXIT_USAGE;
    if (o->interval && o->runs > 1)
        return usage("-I shows one run, -r the mean of several", "give one of them");
    if (o->interval && o->passes == BX_PASSES_REPEAT)
        return usage("-I shows one run, --passes repeat needs several",
                     "give one of them; with -I passes are rotated");
    return BX_EXIT_OK;
}

/* ---- what is done ---- */

/* One run; *status and *signal are the outcome's. *not_restored: registers are not as before, so
 * that nothing may follow. */
static int measure(bx_stat *s, unsigned run, int *status, int *signal, bool *not_restored,
                   bx_error *e)
{
    bx_outcome outcome = {0};
    int code = bx_measurement_run(&s->measurement, run, &outcome, e);
    if (code)
        return code;
    s->unreached += s->measurement.o.until && !outcome.overflowed;
    if (s->view.interval) {
        const bx_readings end = {outcome.readings, outcome.n, outcome.time};
        s->view.incomplete = s->view.sampled;
        if (outcome.time > s->reported)
            code = bx_stat_show_interval(s, &end, e);
    } else {
        code = bx_stat_open_report(s, outcome.readings, outcome.n, e);
        if (!code)
            bx_report_add(&s->report, outcome.readings, outcome.time);
    }
    if (outcome.trouble.code && !s->warned)
        bx_cli_error(&outcome.trouble, s->measurement.events_text);
    s->warned |= outcome.trouble.code != BX_OK;
    bx_stat_report_killed(s, outcome.killed_by);
    *status = outcome.status;
    *signal = outcome.signal;
    *not_restored = outcome.not_restored;
    free(outcome.readings);
    s->regions = outcome.regions;
    s->regions_n = outcome.regions_n;
    return code;
}

static int measure_and_show(bx_stat *s, int *status, bx_error *e)
{
    const bx_measurement *m = &s->measurement;
    int code = BX_OK, signal = 0;
    bool not_restored = false;
    bx_interruption_catch();
    s->progress = bx_progress_start();
    for (unsigned run = 0; run < m->o.runs && !code && !signal && !not_restored; run++)
        code = measure(s, run, status, &signal, &not_restored, e);
    bool nothing = signal && !s->opened; /* it came before anything was counted */
    if (nothing)
        bx_sink_discard(&s->sink);
    else if (!code && !s->view.interval) {
        code = bx_stat_add_remarks(s, e);
        if (!code)
            code = bx_stat_show_all(s, e);
        if (!code && m->o.regions)
            code = bx_stat_show_regions(s, e);
    }
    if (signal && (!m->program || nothing))
        *status = 128 + signal; /* as a shell gives it; a program has a status of its own */
    if (not_restored)
        *status = BX_EXIT_ERROR;
    return code;
}

static int open_sink(bx_stat *s, bx_error *e)
{
    if (s->o->output)
        return bx_sink_open(s->cli, s->o->output, &s->sink, e);
    s->sink = bx_sink_standard(s->cli, s->measurement.program);
    return BX_OK;
}

static void choose_view(bx_stat *s)
{
    const bx_stat_options *o = s->o;
    const char *separator = o->separator && !strcmp(o->separator, "\\t") ? "\t" : o->separator;
    s->view.format = o->json ? BX_FORMAT_JSON : separator ? BX_FORMAT_CSV : BX_FORMAT_TEXT;
    s->view.separator = separator;
    s->view.per_unit = o->per_unit;
    s->view.sampled = s->measurement.o.sample;
    s->view.interval = s->measurement.o.interval || s->view.sampled;
    s->view.regions = s->measurement.o.regions;
    s->view.repeated = s->measurement.o.runs > 1;
}

static int prepare(bx_stat *s, const bx_texts *operands, bx_error *e)
{
    int code = bx_measurement_open(&s->measurement, operands, e);
    if (!code)
        code = open_sink(s, e);
    if (code)
        return code;
    choose_view(s);
    /* In CSV and JSON a first line of words would be in the way. */
    const char *note = s->measurement.measured.note;
    if (note && s->view.format != BX_FORMAT_TEXT)
        bx_cli_note("%s", note + strlen("# "));
    return BX_OK;
}

/* What was not asked for, but follows from what was. */
static bx_measurement_options completed(bx_measurement_options o)
{
    if (o.host.driver != BX_DRIVER_AUTO && !o.host.replay)
        o.machine = "host";
    if (o.host.record)
        o.host.driver = BX_DRIVER_REGISTERS; /* nothing else is recorded */
    return o;
}

static int run(bx_cli *cli, const void *values, const bx_texts *operands)
{
    const bx_stat_options *o = values;
    bx_stat s = {.cli = cli, .o = o, .measurement = {.cli = cli, .o = completed(o->what)}};
    bx_error e = {0};
    int status = check(o, operands);
    if (status)
        return status;
    s.measurement.progress = &s.progress;
    s.measurement.at_interval = bx_stat_show_interval;
    s.measurement.context = &s;
    int code = prepare(&s, operands, &e);
    if (!code)
        code = measure_and_show(&s, &status, &e);
    if (!code)
        code = bx_sink_keep(&s.sink, &e);
    bx_measurement_close(&s.measurement);
    bx_sink_discard(&s.sink);
    bx_report_close(&s.report);
    if (cli->failed) /* standard output could not be written, and it was said */
        return BX_EXIT_ERROR;
    return code ? bx_cli_error(&e, s.measurement.about) : status;
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
    .habits = bx_stat_habits,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(bx_stat_options),
    .run = run,
};
