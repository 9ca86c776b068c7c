/* boxscore stat: counts events while a workload or a program runs. */
#include "cli/commands/commands.h"
#include "cli/commands/plan.h"
#include "cli/common/imported.h"
#include "cli/measure/interruption.h"
#include "cli/measure/stat.h"
#include "host/perf/kernel_pmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const bx_stat_options defaults = {.what = {.runs = 1},
                                         .host = {.size = sizeof(bx_machine_options)}};

static const bx_option table[] = {
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; without it: the CPU's most useful ones",
     .offset = offsetof(bx_stat_options, events)},
    {.name = "metrics",
     .letter = 'M',
     .kind = BX_OPTION_TEXTS,
     .metavar = "METRICS",
     .help = "metrics or groups of them, separated by commas: count and show these alone",
     .offset = offsetof(bx_stat_options, metrics)},
    {.name = "group",
     .letter = 'g',
     .kind = BX_OPTION_TEXTS,
     .metavar = "GROUP|EVENTS",
     .help = "as LIKWID's: -M for the name of a group, -e for events with their counters",
     .offset = offsetof(bx_stat_options, groups)},
    {.name = "detailed",
     .letter = 'd',
     .kind = BX_OPTION_COUNT,
     .help = "groups of metrics about caches; -dd: also TLBs and instruction fetches, -ddd: also "
             "lines between levels",
     .offset = offsetof(bx_stat_options, detailed)},
    {.name = "topdown",
     .kind = BX_OPTION_FLAG,
     .help = "groups of metrics about where the cores' cycles go",
     .offset = offsetof(bx_stat_options, topdown)},
    {.name = "verbose",
     .letter = 'v',
     .kind = BX_OPTION_FLAG,
     .help = "first show what is programmed, as 'boxscore plan' does, on standard error",
     .offset = offsetof(bx_stat_options, verbose)},
    BX_OPTION_WORK(bx_stat_options, workloads),
    BX_OPTION_TRACE(bx_stat_options, what.trace),
    BX_OPTION_MACHINE(bx_stat_options, machine),
    BX_OPTION_ROOT(bx_stat_options, host.root),
    BX_OPTION_HELPER(bx_stat_options, host.helper),
    BX_OPTION_THREADS(bx_stat_options, host.threads),
    BX_OPTION_KERNEL_ACCESSES(bx_stat_options, host.no_kernel_accesses),
    BX_OPTION_TURN(bx_stat_options, host.turn),
    BX_OPTION_FEATURES(bx_stat_options, host.host_features),
    {.name = "driver",
     .kind = BX_OPTION_CHOICE,
     .metavar = "auto|perf|registers",
     .help = "how a host's counters are accessed: by its kernel's perf_event, or by registers",
     .offset = offsetof(bx_stat_options, host.driver)},
    BX_OPTION_JOURNAL(bx_stat_options, host.journal),
    {.name = "force",
     .kind = BX_OPTION_FLAG,
     .help =
         "count even if other software uses the counters; its registers are put back afterwards",
     .offset = offsetof(bx_stat_options, host.force)},
    {.name = "log-registers",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "keep every register access, with its time, in FILE",
     .offset = offsetof(bx_stat_options, host.log_registers)},
    {.name = "replay",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help =
         "repeat a measurement from a file of --log-registers, without machine and program; -e, -I "
         "and views show parts of it",
     .offset = offsetof(bx_stat_options, host.replay)},
    {.name = "pid",
     .letter = 'p',
     .kind = BX_OPTION_TEXT,
     .metavar = "PID,...",
     .help = "count processes that already run on a host, until they end or PROGRAM ends",
     .offset = offsetof(bx_stat_options, what.processes)},
    {.name = "tid",
     .letter = 't',
     .kind = BX_OPTION_TEXT,
     .metavar = "TID,...",
     .help = "the same for threads",
     .offset = offsetof(bx_stat_options, what.threads)},
    {.name = "all-cpus",
     .letter = 'a',
     .kind = BX_OPTION_FLAG,
     .help = "count everything that runs on a host; without PROGRAM until interrupted",
     .offset = offsetof(bx_stat_options, what.all_cpus)},
    {.name = "cpu",
     .letter = 'C',
     .kind = BX_OPTION_TEXT,
     .metavar = "CPUS",
     .help =
         "count everything that runs on these CPUs: 0-3,8; on a virtual machine: on these cores",
     .offset = offsetof(bx_stat_options, what.cpus)},
    {.name = "cgroup",
     .letter = 'G',
     .kind = BX_OPTION_TEXT,
     .metavar = "NAME",
     .help = "count what this cgroup, such as a container's, runs on all CPUs of a host, or on -C",
     .offset = offsetof(bx_stat_options, what.cgroup)},
    {.name = "for-each-cgroup",
     .kind = BX_OPTION_TEXT,
     .metavar = "NAME,NAME",
     .help = "the same for several cgroups, with lines and metrics of each",
     .offset = offsetof(bx_stat_options, what.cgroups)},
    {.name = "delay",
     .letter = 'D',
     .kind = BX_OPTION_TEXT,
     .metavar = "TIME",
     .help = "begin to count after TIME (in ms, or with a unit); -1: when --control says so",
     .offset = offsetof(bx_stat_options, what.delay)},
    {.name = "timeout",
     .kind = BX_OPTION_TIME,
     .metavar = "TIME",
     .help = "end the measurement after TIME, and a program with SIGTERM",
     .lo = 1000,
     .hi = 86400ull * 1000000000,
     .offset = offsetof(bx_stat_options, what.timeout)},
    {.name = "control",
     .kind = BX_OPTION_TEXT,
     .metavar = "fd:IN[,ACK]|fifo:IN[,ACK]",
     .help = "read the lines enable, disable, ping and stop there; answer ack",
     .offset = offsetof(bx_stat_options, what.control)},
    {.name = "repeat",
     .letter = 'r',
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "do it N times; show means and their 95 % confidence intervals",
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
    {.name = "no-interval-print",
     .kind = BX_OPTION_FLAG,
     .help = "with --replay: show one report of the whole run, even if intervals were recorded",
     .offset = offsetof(bx_stat_options, what.no_intervals)},
    {.name = "repeat-until",
     .kind = BX_OPTION_TEXT,
     .metavar = "PERCENT",
     .help = "repeat until all confidence intervals are +- PERCENT; at most 1000 times, or -r N",
     .offset = offsetof(bx_stat_options, repeat_until)},
    {.name = "interval-count",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "with -I: end the measurement after N intervals; a program runs on",
     .lo = 1,
     .hi = UINT32_MAX,
     .offset = offsetof(bx_stat_options, what.interval_count)},
    {.name = "until",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT=N",
     .help = "count until EVENT's counter has counted N; this stops all counters in that cycle",
     .offset = offsetof(bx_stat_options, what.until)},
    {.name = "sample",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT=N",
     .help = "show the counts of all other events each time that EVENT's counter has counted N",
     .offset = offsetof(bx_stat_options, what.sample)},
    {.name = "regions",
     .kind = BX_OPTION_FLAG,
     .help = "also show the counts of each region that the program marks (boxscore/region.h)",
     .offset = offsetof(bx_stat_options, what.regions)},
    {.name = "marker",
     .letter = 'm',
     .kind = BX_OPTION_FLAG,
     .help = "the same, as LIKWID calls it",
     .offset = offsetof(bx_stat_options, what.regions)},
    {.name = "region",
     .kind = BX_OPTION_TEXTS,
     .metavar = "NAME|func:NAME",
     .help = "count only while a thread of the program is in this region, or in this function; may "
             "be repeated for more",
     .offset = offsetof(bx_stat_options, inside)},
    {.name = "all",
     .kind = BX_OPTION_FLAG,
     .help = "show all counts and metrics, not only those of the first screen",
     .offset = offsetof(bx_stat_options, all)},
    {.name = "per-unit",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each C-Box and so on, instead of sums",
     .offset = offsetof(bx_stat_options, per_unit)},
    {.name = "no-aggr",
     .letter = 'A',
     .kind = BX_OPTION_FLAG,
     .help = "the same; with -a and -C a line for each CPU",
     .offset = offsetof(bx_stat_options, no_aggregation)},
    {.name = "per-package",
     .old_name = "per-socket",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each package",
     .offset = offsetof(bx_stat_options, per_package)},
    {.name = "per-die",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each die of a package",
     .offset = offsetof(bx_stat_options, per_die)},
    {.name = "per-node",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each NUMA node, as with sub-NUMA clusters",
     .offset = offsetof(bx_stat_options, per_node)},
    {.name = "per-core",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each core, for events of cores",
     .offset = offsetof(bx_stat_options, per_core)},
    {.name = "per-port",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each port, for events of boxes with ports",
     .offset = offsetof(bx_stat_options, per_port)},
    {.name = "per-thread",
     .kind = BX_OPTION_FLAG,
     .help = "one line for each thread of -p or -t",
     .offset = offsetof(bx_stat_options, per_thread)},
    {.name = "top",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "show for each event only the N lines with the largest values",
     .lo = 1,
     .hi = UINT16_MAX,
     .offset = offsetof(bx_stat_options, top)},
    {.name = "metric-only",
     .kind = BX_OPTION_FLAG,
     .help = "show metrics without the counts from which they are computed",
     .offset = offsetof(bx_stat_options, metric_only)},
    {.name = "long",
     .kind = BX_OPTION_FLAG,
     .help = "with -I: a line for each value of an interval, not one row",
     .offset = offsetof(bx_stat_options, long_form)},
    {.name = "passes",
     .kind = BX_OPTION_CHOICE,
     .metavar = "auto|rotate|repeat",
     .help = "how to count events that do not fit at once: multiplexed and scaled, or in several "
             "runs; a virtual machine needs neither",
     .offset = offsetof(bx_stat_options, what.passes)},
    BX_OPTION_JSON_LINES(bx_stat_options),
    {.name = "field-separator",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "SEPARATOR",
     .help = "write CSV; '\\t' means a tabulator",
     .offset = offsetof(bx_stat_options, separator)},
    {.name = "header",
     .kind = BX_OPTION_FLAG,
     .help = "with -x: a first row has the names of the columns; metrics have two more columns",
     .offset = offsetof(bx_stat_options, header)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help =
         "write the counts to FILE when the run has ended; with -I after each interval; '-': to "
         "standard output",
     .offset = offsetof(bx_stat_options, output)},
    {.name = "append",
     .kind = BX_OPTION_FLAG,
     .help = "with -o: append to FILE",
     .offset = offsetof(bx_stat_options, append)},
};

/* ---- options that do not go together ---- */

#define RUNNING   "pid tid all-cpus cpu cgroup for-each-cgroup"
#define REGIONS   "regions marker region"
#define OVERFLOWS "until sample"
#define LOGS      "log-registers replay"
#define ONE       "give one of them"
#define SEVERAL_VIEWS                                                                              \
    "several of --per-unit, -A, --per-package, --per-die, --per-node, --per-core, --per-port and " \
    "--per-thread were given"
#define NO_INTERVALS      "--no-interval-print leaves out intervals that were recorded"
#define NO_INTERVALS_HINT "boxscore stat --replay FILE --no-interval-print, without -I"

static const bx_exclusion exclusions[] = {
    {"replay", "workload PROGRAM trace", NULL, "--replay runs nothing: the times are recorded, too",
     "boxscore stat --replay FILE, and nothing after it"},
    {"replay", "threads turn kernel-accesses features", NULL,
     "--threads, --turn, --features and --kernel-accesses change a run, and --replay runs nothing",
     "leave them out"},
    {"replay", "machine root", NULL, "--replay opens the machine that was recorded",
     "leave --machine and --root out"},
    {"replay", "log-registers", NULL, "--log-registers and --replay were given",
     "copy the file: it would be the same"},
    {"", NULL, "replay workload PROGRAM trace " RUNNING, "there is nothing to run",
     "boxscore stat -- PROGRAM, or boxscore stat --workload stream"},
    {"workload", "PROGRAM", NULL, "a workload and a program were given",
     "give one of them; a workload has its keys after commas: stream,size=1M"},
    {"trace", "workload PROGRAM", NULL,
     "a trace is what a program has done, and something else to run was given",
     "boxscore stat --trace FILE, and no program or workload"},
    {"workload+", NULL, NULL, "more than one workload was given",
     "'+' joins what is to run at the same time: --workload stream+dma"},
    {"json", "field-separator", NULL, "-j and -x ask for two formats", ONE},
    {"json-array", "json field-separator", NULL, "--json-array is a format, as -j and -x are", ONE},
    {"json-array", "append", NULL, "an array is complete: nothing can be appended",
     "-j in place of --json-array"},
    {"field-separator=", NULL, NULL, "the separator of -x is empty", "-x , or -x ';'"},
    {"header", NULL, "field-separator", "--header is the first row of CSV", "-x , --header"},
    {"driver=perf", "log-registers", NULL,
     "--log-registers keeps accesses of registers, --driver perf makes none", ONE},
    {"driver", "machine", "machine=host", "--driver is the way to a host's counters",
     "--machine host"},
    {"helper", "machine", "machine=host", "--helper is the way to a host's registers",
     "--machine host"},
    {"helper", "driver=perf", NULL, "--helper reaches registers, --driver perf leaves them alone",
     ONE},
    {"long", NULL, "interval-print replay", "--long is a form of intervals, and there are none",
     "-I TIME"},
    {"long", "json field-separator", NULL, "--long is a form of text", "leave it out"},
    {"interval-count", NULL, "interval-print",
     "--interval-count counts intervals, and there are none", "-I TIME"},
    {"delay timeout control interval-count", LOGS, NULL, "a register log is of a whole measurement",
     "leave --log-registers and --replay out, or --delay, --timeout, --control and "
     "--interval-count"},
    {"delay control", REGIONS " " OVERFLOWS, NULL,
     "regions and overflows tell themselves when to count", "leave --delay and --control out"},
    {"delay=-1", NULL, "control", "--delay -1 counts when --control says so",
     "--control fd:IN,ACK"},
    {"pid", "tid", NULL, "-p and -t were given", "-t alone, with the threads of the process too"},
    {"pid tid", "all-cpus cpu", NULL, "-p and -t follow a process, -a and -C stay on CPUs", ONE},
    {"cgroup for-each-cgroup", "pid tid", NULL, "-p and -t follow a process, -G is a cgroup", ONE},
    {"cgroup", "for-each-cgroup", NULL, "-G and --for-each-cgroup were given", ONE},
    {"for-each-cgroup",
     "per-unit no-aggr per-package per-die per-node per-core per-port per-thread top", NULL,
     "--for-each-cgroup shows a line for each cgroup, and none of its parts",
     "-G NAME with one of the other options"},
    {"cgroup for-each-cgroup", "workload trace", NULL,
     "-G is of a host, where no workload or trace runs", "leave --workload and --trace out"},
    {"all-cpus", "cpu", NULL, "-a is all CPUs, -C some", ONE},
    {"pid tid", "workload trace", NULL, "-p and -t are of a host, where no workload or trace runs",
     "leave --workload and --trace out"},
    {RUNNING, LOGS " " REGIONS, NULL,
     "-p, -t, -a, -C, -G and --for-each-cgroup do not go with --log-registers, --replay and "
     "regions",
     "these options need a program to start: -- PROGRAM"},
    {"per-unit no-aggr", "per-package per-die per-node per-core per-port per-thread", NULL,
     SEVERAL_VIEWS, ONE},
    {"per-package", "per-die per-node", NULL, SEVERAL_VIEWS, ONE},
    {"per-die", "per-node per-core per-port per-thread", NULL, SEVERAL_VIEWS, ONE},
    {"per-node", "per-core per-port per-thread", NULL, SEVERAL_VIEWS, ONE},
    {"per-package", "per-core per-port per-thread", NULL, SEVERAL_VIEWS, ONE},
    {"per-core", "per-port per-thread", NULL, SEVERAL_VIEWS, ONE},
    {"per-port", "per-thread", NULL, SEVERAL_VIEWS, ONE},
    {"per-thread", NULL, "pid tid", "--per-thread shows the threads of -p and -t",
     "--per-core; or --regions: of a program that marks them, each thread"},
    {"append", NULL, "output", "--append adds to a file", "-o FILE"},
    {"repeat-until", OVERFLOWS " " REGIONS " interval-print replay", NULL,
     "--repeat-until needs several runs, and something else shows one",
     "leave out --regions, --region, --until, --sample, -I or --replay"},
    {"region=", NULL, NULL, "the name of --region is empty", "--regions shows all that have one"},
    {REGIONS, "workload", NULL, "a workload has no regions", "boxscore stat --regions -- PROGRAM"},
    {REGIONS, LOGS, NULL, "a register log has accesses to registers, and no regions",
     "leave --log-registers and --replay out, or --regions and --region"},
    {REGIONS, OVERFLOWS, NULL, "--until and --sample end at overflows, regions at their marks",
     ONE},
    {REGIONS, "interval-print", NULL,
     "-I shows rows by time, --regions and --region count to marks", ONE},
    {REGIONS, "repeat", NULL, "regions need a single run; -r shows the mean of several runs", ONE},
    {REGIONS, "passes=repeat", NULL,
     "regions need a single run; --passes repeat needs several runs", ONE},
    {"until", "sample", NULL, "--until and --sample were given",
     "--until ends the measurement, --sample shows a row each time"},
    {OVERFLOWS, LOGS, NULL, "a register log has accesses to registers, and no overflows",
     "leave --log-registers and --replay out, or --until and --sample"},
    {OVERFLOWS, "passes=repeat", NULL,
     "--passes repeat counts events in several runs, an overflow stops one",
     "leave it out: with --until and --sample all events are counted at once"},
    {OVERFLOWS, "interval-print", NULL,
     "-I shows rows by time, --until and --sample count to an overflow", ONE},
    {"sample", "repeat", NULL, "--sample shows one run, -r the mean of several", ONE},
    {"sample", NULL, "event metrics group detailed topdown",
     "--sample shows the counts of other events, but no other event is given", "-e EVENTS"},
    {"no-interval-print", NULL, "replay", NO_INTERVALS, NO_INTERVALS_HINT},
    {"no-interval-print", "interval-print", NULL, NO_INTERVALS, NO_INTERVALS_HINT},
    {"interval-print", "repeat", NULL, "-I shows one run, -r the mean of several", ONE},
    {"interval-print", "passes=repeat", NULL, "-I shows one run, --passes repeat needs several",
     "give one of them; with -I passes are rotated"},
    {.why = NULL},
};

/* ---- what is done ---- */

static void note(void *context, const char *text)
{
    bx_stat *s = context;
    bx_progress_erase(&s->progress);
    bx_cli_note("%s", text);
}

static bool show_progress(void *context, uint64_t accesses)
{
    bx_stat *s = context;
    const bx_measurement_state state = bx_measurement_now(&s->measurement);
    (void)accesses; /* they are in it */
    bx_progress_show(&s->progress, &state);
    return true;
}

static int measure_and_show(bx_stat *s, int *status, bx_error *e)
{
    const bx_result *r = s->result;
    bx_interruption_catch();
    s->progress = bx_progress_start();
    int code = bx_measurement_run(&s->measurement, e);
    bool nothing = r->signal && !r->opened; /* the signal arrived before anything was counted */
    bx_progress_erase(&s->progress);
    if (r->trouble.code)
        bx_cli_error(&r->trouble, s->measurement.events_text);
    *status = r->exit_status;
    if (nothing) {
        bx_cli_note("interrupted before anything was counted");
        bx_sink_discard(&s->sink);
    } else if (!code) {
        code = bx_stat_show(s, e);
    }
    if (r->signal && (!s->measurement.o.program || nothing))
        *status = 128 + r->signal; /* as a shell reports it; a program has its own status */
    if (r->not_restored)
        *status = BX_EXIT_ERROR;
    return code;
}

static int open_sink(bx_stat *s, bx_error *e)
{
    if (s->o->output) {
        int code = s->o->append ? bx_sink_append(s->cli, s->o->output, &s->sink, e)
                                : bx_sink_open(s->cli, s->o->output, &s->sink, e);
        s->sink.grows = s->view.interval;
        s->sink.array = s->o->json_array;
        return code;
    }
    s->sink = bx_sink_standard(s->cli, s->measurement.o.program);
    s->sink.array = s->o->json_array;
    return BX_OK;
}

static void choose_view(bx_stat *s)
{
    const bx_stat_options *o = s->o;
    const char *separator = bx_cli_separator(o->separator);
    s->view.format = o->json || o->json_array ? BX_FORMAT_JSON
                     : separator              ? BX_FORMAT_CSV
                                              : BX_FORMAT_TEXT;
    s->view.separator = separator;
    s->view.per_unit = o->per_unit || o->no_aggregation || o->per_package || o->per_core ||
                       o->per_port || o->per_thread || o->per_die || o->per_node || o->top ||
                       o->what.cgroups;
    s->view.metric_only = o->metric_only;
    s->view.screen = !o->all && !s->view.per_unit && !o->metric_only && !s->measurement.o.regions;
    s->result->measured.per = o->per_package  ? BX_PER_PACKAGE
                              : o->per_core   ? BX_PER_CORE
                              : o->per_die    ? BX_PER_DIE
                              : o->per_node   ? BX_PER_NODE
                              : o->per_port   ? BX_PER_PORT
                              : o->per_thread ? BX_PER_THREAD
                                              : BX_PER_UNIT;
    s->result->measured.top = (unsigned)o->top;
    s->view.sampled = s->measurement.o.sample;
    s->view.interval = bx_measurement_in_intervals(&s->measurement);
    s->view.regions = s->measurement.o.regions;
    s->view.columns = s->view.interval && !s->view.sampled && !o->long_form &&
                      (s->view.screen || (o->metric_only && !s->view.per_unit && !s->view.regions));
    int fd = s->measurement.o.program ? STDERR_FILENO : STDOUT_FILENO;
    s->terminal = s->view.columns && !o->output && isatty(fd) ? fd : -1;
    s->view.repeated = bx_measurement_repeats(&s->measurement);
    s->view.header = o->header;
}

/* -v: on standard error, whatever the format of the counts is. */
static int tell_plan(bx_stat *s, bx_error *e)
{
    const bx_measurement *m = &s->measurement;
    bx_buf text = {.whole = &s->cli->arena.failed};
    int code = bx_plan_tell(m->machine, m->counted, m->counted_n, &s->cli->arena, &text, e);
    if (!code)
        fputs(bx_buf_text(&text), stderr);
    bx_buf_free(&text);
    return code;
}

static int prepare(bx_stat *s, bx_error *e)
{
    int code = bx_measurement_open(&s->measurement, e);
    if (!code && s->o->verbose)
        code = tell_plan(s, e);
    if (code)
        return code;
    choose_view(s);
    code = open_sink(s, e);
    if (code)
        return code;
    /* In CSV and JSON a first line of words would disturb readers, so the note goes to standard
     * error. */
    const char *first = s->result->measured.note;
    if (first && s->view.format != BX_FORMAT_TEXT)
        bx_cli_note("%s", first + strlen("# "));
    return BX_OK;
}

/* All -e are one list, so that a span refers to one text. So are those of -g that belong to it. */
static const char *joined(bx_cli *cli, const bx_texts *texts, const bx_texts *more)
{
    return texts->n + more->n ? bx_cli_join(cli, texts, more) : NULL;
}

/* Whether LIKWID's -g has events, "EVENT:COUNTER", and not the name of a group. */
static bool has_events(const bx_texts *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        if (strchr(groups->text[i], ':'))
            return true;
    return false;
}

/* The groups of perf's options, as far as the machine has them. */
static void add_groups(bx_cli *cli, const bx_stat_options *given, const char **metrics)
{
    static const char *const detailed[] = {"CLOCK?,DATA?,L2CACHE?,L3CACHE?",
                                           ",TLB?,TLB_DATA?,TLB_INSTR?,ICACHE?", ",L2?,L3?"};
    enum { LEVELS = sizeof detailed / sizeof *detailed };
    bx_buf all = {.whole = &cli->arena.failed};
    if (!given->detailed && !given->topdown)
        return;
    if (*metrics)
        bx_buf_f(&all, "%s,", *metrics);
    for (size_t i = 0; i < LEVELS && i < given->detailed; i++)
        bx_buf_z(&all, detailed[i]);
    if (given->topdown)
        bx_buf_f(&all, "%sSTALLS?,CYCLE_STALLS?,BRANCH?", given->detailed ? "," : "");
    *metrics = bx_arena_copy(&cli->arena, (bx_str){all.p, all.n});
    bx_buf_free(&all);
}

/* What is measured, with what follows from the options that were given. */
static void take_options(bx_stat *s, const bx_texts *operands)
{
    static const bx_measure_signals signals = {bx_interruption_signal, bx_interruption_ends,
                                               bx_interruption_pass_on};
    const bx_stat_options *given = s->o;
    bx_measurement *m = &s->measurement;
    *m = (bx_measurement){.catalog = s->cli->catalog,
                          .o = given->what,
                          .spec = given->machine,
                          .host = given->host,
                          .result = s->result,
                          .listener = {.note = note, .context = s},
                          .signals = &signals};
    bx_measure_options *o = &m->o;
    const bx_texts none = {0};
    bool events = has_events(&given->groups);
    o->events = joined(s->cli, &given->events, events ? &given->groups : &none);
    o->metrics = joined(s->cli, &given->metrics, events ? &none : &given->groups);
    add_groups(s->cli, given, &o->metrics);
    o->workload = given->workloads.n ? given->workloads.text[0] : NULL;
    o->inside = (const char *const *)given->inside.text;
    o->inside_n = given->inside.n;
    o->program = operands->n ? operands->text : NULL;
    o->at_interval = bx_stat_show_interval;
    o->progress = show_progress;
    o->context = s;
    bool of_host = o->processes || o->threads;
    of_host |= bx_attach_by_cpu(o) && !o->workload && !o->trace;
    if (!m->host.replay && (m->host.driver != BX_DRIVER_AUTO || (of_host && !m->spec)))
        m->spec = "host";
    if (m->host.log_registers)
        m->host.driver = BX_DRIVER_REGISTERS; /* a register log has accesses to registers only */
}

/* "1%", "0.5" */
static int read_wanted(const char *text, double *percent)
{
    bx_str number = bx_str_of(text);
    if (number.n && number.p[number.n - 1] == '%')
        number.n--;
    if (bx_perf_fraction(number, percent) && *percent > 0 && *percent <= 100)
        return BX_EXIT_OK;
    bx_error e = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0,
            "--repeat-until needs a part of the mean, above 0 and at most 100 %%");
    bx_hint(&e, "1%%");
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

static int run_stat(bx_cli *cli, const void *values, const bx_texts *operands)
{
    const bx_stat_options *o = values;
    bx_stat s = {.cli = cli, .o = o, .result = bx_result_new(), .terminal = -1};
    bx_error e = {0};
    int status = BX_EXIT_OK;
    if (!s.result)
        return bx_cli_fail("out of memory");
    int code = bx_cli_use_imported_host(&cli->catalog, o->machine, &o->host, &cli->arena, &e);
    take_options(&s, operands);
    if (o->repeat_until)
        status = read_wanted(o->repeat_until, &s.measurement.o.precision);
    if (!code && cli->arena.failed)
        code = bx_out_of_memory(&e);
    if (!code && !status)
        code = prepare(&s, &e);
    if (!code && !status)
        code = measure_and_show(&s, &status, &e);
    if (!code)
        code = bx_sink_keep(&s.sink, &e);
    if (code && !cli->failed)
        status = bx_cli_error(&e, s.measurement.about);
    bx_spark_free(&s.spark);
    bx_measurement_close(&s.measurement);
    bx_sink_discard(&s.sink);
    bx_result_free(s.result);
    return cli->failed ? BX_EXIT_ERROR : status; /* writing failed, and this was reported */
}

static const bx_example examples[] = {
    {"boxscore stat --machine virtual:skl -- ls /",
     "count the most useful events of a program on a virtual machine"},
    {"boxscore stat --machine virtual:skl -w stream,size=1M -e DRAM_DATA_READS,DRAM_DATA_WRITES",
     "count two events of a built-in workload"},
    {"boxscore stat --machine virtual:skl -w stream,size=1M -M MEM,llc_miss_ratio",
     "count the events of a group of metrics and of one more metric"},
    {"boxscore stat --machine virtual:skl -w stream,size=1M -I 50us --per-unit -e "
     "UNC_CBO_CACHE_LOOKUP:ANY_I",
     "a line for each C-Box, every 50 microseconds of the machine"},
    {"boxscore stat --machine virtual:skl -w stream,size=1M -j -o counts.json",
     "write JSON to a file"},
    {"boxscore stat --machine virtual:skl -w stream,size=1M --log-registers counts.log -e "
     "DRAM_DATA_READS",
     "keep all register accesses in a file"},
    {"boxscore stat --replay counts.log --per-unit",
     "show the counts of the register log, without the machine"},
    {.line = NULL},
};

const bx_command bx_command_stat = {
    .name = "stat",
    .help = "count events while a program or a workload runs",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text = "boxscore prints the report of a program to standard error, the report of a workload\n"
            "to standard output, and with -o to a file. The exit status is that of the program; 1\n"
            "if an error occurred, 2 if the options are wrong.",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .habits = bx_stat_habits,
    .exclusions = exclusions,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(bx_stat_options),
    .run = run_stat,
};
