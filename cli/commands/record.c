/* boxscore record: what a program causes on a machine, into a file. */
#include "cli/commands/commands.h"
#include "cli/measure/interruption.h"
#include "cli/measure/recorded_output.h"

#include "cli/common/demangle.h"
#include "cli/common/progress.h"
#include "measure/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record_options {
    bx_measure_options what; /* except for the lists, which the command joins: */
    bx_texts events, metrics, workloads;
    const char *machine;
    bx_machine_options host;
    const char *output;
    unsigned contexts, objects;
    bx_texts allocators;
    const char *symbols;
    bool mangled;
    uint64_t rows;
} record_options;

static const record_options defaults = {.what = {.runs = 1},
                                        .host = {.size = sizeof(bx_machine_options)},
                                        .output = "boxscore.rec",
                                        .contexts = true,
                                        .objects = true,
                                        .rows = 2000000};

static const bx_option table[] = {
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "the recording; boxscore.rec. An older one becomes FILE.old; '-': to standard output",
     .offset = offsetof(record_options, output)},
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; without it: the CPU's most useful ones",
     .offset = offsetof(record_options, events)},
    {.name = "metrics",
     .letter = 'M',
     .kind = BX_OPTION_TEXTS,
     .metavar = "METRICS",
     .help = "metrics or groups of them, separated by commas: count their events",
     .offset = offsetof(record_options, metrics)},
    {.name = "interval",
     .letter = 'I',
     .kind = BX_OPTION_TIME,
     .metavar = "TIME",
     .help = "time of a row of the series (in ms, or with a unit), in the machine's own time; "
             "100us of a virtual machine, 100ms of a host",
     .lo = 1000,
     .hi = 86400ull * 1000000000,
     .offset = offsetof(record_options, what.interval)},
    BX_OPTION_WORK(record_options, workloads),
    BX_OPTION_TRACE(record_options, what.trace),
    BX_OPTION_MACHINE(record_options, machine),
    {.name = "pid",
     .letter = 'p',
     .kind = BX_OPTION_TEXT,
     .metavar = "PID,...",
     .help = "processes that already run on a host, until they end or PROGRAM ends",
     .offset = offsetof(record_options, what.processes)},
    {.name = "all-cpus",
     .letter = 'a',
     .kind = BX_OPTION_FLAG,
     .help = "everything that runs on a host; without PROGRAM until interrupted",
     .offset = offsetof(record_options, what.all_cpus)},
    {.name = "contexts",
     .kind = BX_OPTION_CHOICE,
     .metavar = "off|on",
     .help = "the calls in which code ran; on without it",
     .offset = offsetof(record_options, contexts)},
    {.name = "objects",
     .kind = BX_OPTION_CHOICE,
     .metavar = "off|on",
     .help = "the data that code used: variables, files, and what was allocated; on without it",
     .offset = offsetof(record_options, objects)},
    {.name = "allocator",
     .kind = BX_OPTION_TEXTS,
     .metavar = "SYMBOL",
     .help = "a function that allocates, beside the usual ones: SYMBOL, or SYMBOL= and malloc, "
             "calloc, realloc, free, memalign: the function whose arguments it has",
     .offset = offsetof(record_options, allocators)},
    {.name = "symbols",
     .kind = BX_OPTION_TEXT,
     .metavar = "DIR",
     .help = "where to look first for binaries and their debug files, by build id and by name",
     .offset = offsetof(record_options, symbols)},
    {.name = "no-demangle",
     .kind = BX_OPTION_FLAG,
     .help = "names of C++ and Rust functions as linkers have them",
     .offset = offsetof(record_options, mangled)},
    {.name = "max-rows",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "rows of costs; with more, the cheapest lose their span, then their calls, their "
             "object, their code; 2000000",
     .lo = 1000,
     .hi = 100000000,
     .offset = offsetof(record_options, rows)},
    BX_OPTION_THREADS(record_options, host.threads),
    BX_OPTION_KERNEL_ACCESSES(record_options, host.no_kernel_accesses),
    BX_OPTION_TURN(record_options, host.turn),
    BX_OPTION_FEATURES(record_options, host.host_features),
};

static const bx_exclusion exclusions[] = {
    {"", NULL, "workload PROGRAM trace pid all-cpus", "there is nothing to run",
     "boxscore record -- PROGRAM, or boxscore record --workload stream"},
    {"workload", "PROGRAM", NULL, "a workload and a program were given",
     "give one of them; a workload has its keys after commas: stream,size=1M"},
    {"trace", "workload PROGRAM", NULL,
     "a trace is what a program has done, and something else to run was given",
     "boxscore record --trace FILE, and no program or workload"},
    {"workload+", NULL, NULL, "more than one workload was given",
     "'+' joins what is to run at the same time: --workload stream+dma"},
    {"pid", "all-cpus", NULL, "-p follows a process, -a stays on CPUs", "give one of them"},
    {"pid", "workload trace", NULL, "-p is of a host, where no workload or trace runs",
     "leave --workload and --trace out"},
    {.why = NULL},
};

/* One run of the command. */
typedef struct record_run {
    bx_measurement measurement;
    bx_recording_run recording;
    bx_progress progress;
    bx_recorded_output output;
    const char *const *allocators;
} record_run;

static void note_text(void *context, const char *text)
{
    record_run *r = context;
    bx_progress_erase(&r->progress);
    bx_cli_note("%s", text);
}

static bool show_accesses(void *context, uint64_t accesses)
{
    record_run *r = context;
    const bx_measurement_state state = bx_measurement_now(&r->measurement);
    (void)accesses; /* they are in it */
    bx_progress_show(&r->progress, &state);
    return true;
}

static const char *joined_texts(bx_cli *cli, const bx_texts *texts)
{
    const bx_texts none = {0};
    return texts->n ? bx_cli_join(cli, texts, &none) : NULL;
}

static void take_given(bx_cli *cli, const record_options *given, const bx_texts *operands,
                       record_run *r, bx_result *result)
{
    static const bx_measure_signals signals = {bx_interruption_signal, bx_interruption_ends,
                                               bx_interruption_pass_on};
    bx_measurement *m = &r->measurement;
    *m = (bx_measurement){.catalog = cli->catalog,
                          .o = given->what,
                          .spec = given->machine,
                          .host = given->host,
                          .result = result,
                          .listener = {.note = note_text, .context = r},
                          .signals = &signals};
    m->o.interval = 0; /* rows of the series are not intervals of a report */
    m->o.events = joined_texts(cli, &given->events);
    m->o.metrics = joined_texts(cli, &given->metrics);
    m->o.workload = given->workloads.n ? given->workloads.text[0] : NULL;
    m->o.program = operands->n ? operands->text : NULL;
    m->o.progress = show_accesses;
    m->o.context = r;
    if (!m->spec && (m->o.processes || (m->o.all_cpus && !m->o.workload && !m->o.trace)))
        m->spec = "host";
}

static bool has_form(const char *symbol)
{
    static const char *const forms[] = {"malloc", "calloc",   "realloc",
                                        "free",   "memalign", "posix_memalign"};
    const char *equals = strrchr(symbol, '=');
    for (size_t i = 0; equals && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(equals + 1, forms[i]) == 0)
            return true;
    return false;
}

/* The tracer's options. */
static const char *const *allocators_of(bx_cli *cli, const record_options *given)
{
    size_t n = given->allocators.n;
    const char **to = bx_arena_get(&cli->arena, (n + 2) * sizeof *to);
    if (!to || !given->objects)
        return NULL;
    to[0] = "--allocator=";
    for (size_t i = 0; i < n; i++) {
        bx_buf text = {0};
        bx_buf_f(&text, "--allocator=%s%s", given->allocators.text[i],
                 has_form(given->allocators.text[i]) ? "" : "=malloc");
        cli->arena.failed |= text.failed;
        to[1 + i] = bx_arena_copy(&cli->arena, bx_str_of(bx_buf_text(&text)));
        bx_buf_free(&text);
    }
    to[1 + n] = NULL;
    return to;
}

static int record_all(record_run *r, const record_options *given, bx_error *e)
{
    enum { MS = 1000000 };
    bx_measurement *m = &r->measurement;
    int code = bx_measurement_open(m, e);
    if (code)
        return code;
    bool is_virtual = m->machine && bx_machine_model(m->machine);
    r->recording = (bx_recording_run){
        .path = r->output.path,
        .interval = given->what.interval ? given->what.interval
                    : is_virtual         ? MS / 10
                                         : 100 * MS,
        .most_rows = given->rows,
        .contexts_off = !given->contexts,
        .allocators = r->allocators,
        .code_names = {.folder = given->symbols, .demangle = given->mangled ? NULL : bx_demangle}};
    bx_measure_watch watch = bx_recording_watch(&r->recording);
    m->watch = &watch;
    bx_interruption_catch();
    r->progress = bx_progress_start();
    code = bx_measurement_run(m, e);
    bx_progress_erase(&r->progress);
    m->watch = NULL;
    return code;
}

static int run_record(bx_cli *cli, const void *values, const bx_texts *operands)
{
    const record_options *given = values;
    record_run r = {.progress = {0}};
    bx_error e = {0};
    bx_result *result = bx_result_new();
    if (!result)
        return bx_cli_fail("out of memory");
    take_given(cli, given, operands, &r, result);
    r.allocators = allocators_of(cli, given);
    int code = cli->arena.failed ? bx_out_of_memory(&e)
                                 : bx_recorded_output_begin(cli, given->output, &r.output, &e);
    if (!code)
        code = record_all(&r, given, &e);
    bx_recording_run_end(&r.recording);
    bx_error other = {0};
    int copied = bx_recorded_output_end(&r.output, !code, &other);
    if (!code && copied) {
        code = copied;
        e = other;
        cli->unread = !*e.message;
    }
    int status = result->exit_status;
    if (result->trouble.code)
        bx_cli_error(&result->trouble, r.measurement.events_text);
    if (result->signal && !r.measurement.o.program)
        status = 128 + result->signal;
    if (code)
        status = bx_cli_error(&e, r.measurement.about);
    else
        fprintf(stderr, "boxscore: wrote %s: %zu events, %" PRIu64 " rows\n", given->output,
                r.measurement.measured->events_n, r.recording.rows);
    bx_measurement_close(&r.measurement);
    bx_recording_run_close(&r.recording);
    bx_result_free(result);
    return status;
}

static const bx_example examples[] = {
    {"boxscore record --machine virtual:skl -o sort.rec -- sort -o /dev/null /etc/passwd",
     "record which instructions of a program cause the most useful events"},
    {"boxscore record --machine virtual:skl -o stream.rec -w stream,size=1M -e DRAM_DATA_READS",
     "record an event of a built-in workload"},
    {.line = NULL},
};

const bx_command bx_command_record = {
    .name = "record",
    .help = "record who causes the events of a program, into a SQLite file",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text = "On a virtual machine, the recording says which instruction, thread and core caused\n"
            "each event, and where cores waited. On a host it has the counts over time.\n"
            "PROGRAM's output and exit status are its own; 1 if an error occurred, 2 if the\n"
            "options are wrong.",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .exclusions = exclusions,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(record_options),
    .run = run_record,
};
