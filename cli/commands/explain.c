/* boxscore explain: how a program uses performance counters. The program runs on a stage, or a
 * register log of it is read. */
#include "cli/commands/commands.h"
#include "cli/common/input.h"
#include "cli/common/sink.h"

#include "explain/explain.h"
#include "machine/machine.h"
#include "reglog/foreign.h"
#include "stage/stage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct values {
    bool all;
    const char *machine, *output, *log, *workload;
    uint64_t pace;
} values;

static const values defaults = {.pace = UINT64_MAX};

static const bx_option options[] = {
    {.name = "all",
     .letter = 'a',
     .kind = BX_OPTION_FLAG,
     .help = "explain every access, also to other registers, and reads that show nothing new",
     .offset = offsetof(values, all)},
    BX_OPTION_MACHINE(values, machine),
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write the explanation to FILE; '-': to standard output",
     .offset = offsetof(values, output)},
    {.name = "log",
     .old_name = "trace",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write all accesses of the program to a register log, which can be explained again",
     .offset = offsetof(values, log)},
    BX_OPTION_MEANWHILE(values),
    BX_OPTION_PACE(values),
};

/* ---- output ---- */

typedef struct account {
    bx_explain *explain;
    bx_sink explanation, log;
    bool logged;
    int code; /* the first error */
    bx_error e;
} account;

static void put_text(account *a, bx_sink *sink, bx_buf *text)
{
    if (a->code == BX_OK && (text->n || text->failed))
        a->code = bx_sink_write(sink, text, &a->e);
    bx_buf_free(text);
}

static void explain_access(account *a, const bx_reglog_access *access)
{
    bx_buf text = {0};
    bx_explain_access(a->explain, access, &text);
    put_text(a, &a->explanation, &text);
}

/* Ends without an explanation; existing files stay as they were. */
static void drop_account(account *a)
{
    bx_explain_free(a->explain);
    bx_sink_discard(&a->explanation);
    if (a->logged)
        bx_sink_discard(&a->log);
}

/* Ends the explanation and prints errors; returns an exit status. */
static int end_account(account *a)
{
    bx_buf text = {0};
    bx_explain_end(a->explain, &text);
    put_text(a, &a->explanation, &text);
    if (a->code == BX_OK)
        a->code = bx_sink_keep(&a->explanation, &a->e);
    if (a->code == BX_OK && a->logged)
        a->code = bx_sink_keep(&a->log, &a->e);
    drop_account(a);
    return a->code ? bx_cli_error(&a->e, NULL) : BX_EXIT_OK;
}

/* Starts an explanation. error: write to standard error unless a file is named, because the program
 * uses standard output. */
static int begin_account(bx_cli *cli, const values *v, const bx_topology *t, bool error, account *a)
{
    *a = (account){.explanation = bx_sink_standard(cli, error)};
    a->explain = bx_explain_new(t, v->all, &a->e);
    a->code = a->explain ? BX_OK : a->e.code;
    if (a->code == BX_OK && v->output)
        a->code = bx_sink_open(cli, v->output, &a->explanation, &a->e);
    return a->code;
}

/* ---- a program ---- */

static void on_access(void *context, const bx_address *at, bool write, uint64_t value, int err)
{
    account *a = context;
    const bx_reglog_access access = {
        .at = *at, .write = write, .faulted = err != 0, .value = value};
    explain_access(a, &access);
    if (a->logged) {
        bx_buf line = {0};
        bx_reglog_line(&line, &access);
        put_text(a, &a->log, &line);
    }
}

static int begin_log(bx_cli *cli, const char *path, const bx_topology *t, const bx_texts *words,
                     account *a)
{
    bx_buf header = {0}, tool = {.whole = &header.failed};
    int code = bx_sink_open(cli, path, &a->log, &a->e);
    if (code)
        return code;
    a->logged = true;
    for (size_t i = 0; i < words->n; i++)
        bx_buf_f(&tool, "%s%s", i ? " " : "", words->text[i]);
    for (size_t i = 0; i < tool.n; i++)
        if (tool.p[i] == '\n')
            tool.p[i] = ' ';
    bx_reglog_header(&header, t, bx_buf_text(&tool));
    put_text(a, &a->log, &header);
    bx_buf_free(&tool);
    return a->code;
}

/* Runs the program on a stage. BX_OK with its exit status, or an error that was printed. */
static int perform(const values *v, bx_machine *m, const bx_texts *words, account *a, int *status)
{
    bx_error e = {0};
    bx_stage *s = NULL;
    const bx_stage_options o = {.workload = v->workload,
                                .hz = v->pace,
                                .hz_given = v->pace != defaults.pace,
                                .on_access = on_access,
                                .context = a};
    int code = bx_stage_open(m, &o, &s, &e);
    const char *about = code ? v->workload : NULL;
    if (!code)
        code = bx_stage_run(s, words->text, status, &e);
    bx_stage_close(s);
    if (code)
        bx_cli_error(&e, about);
    return code;
}

static int watch_on(bx_cli *cli, const values *v, bx_machine *m, const bx_texts *words)
{
    account a;
    int status = BX_EXIT_OK;
    int code = begin_account(cli, v, &m->topology, true, &a);
    if (!code && v->log)
        code = begin_log(cli, v->log, &m->topology, words, &a);
    if (code)
        bx_cli_error(&a.e, NULL);
    else
        code = perform(v, m, words, &a, &status);
    if (code) {
        drop_account(&a);
        return BX_EXIT_ERROR;
    }
    code = end_account(&a);
    return code ? code : status;
}

static int watch(bx_cli *cli, const values *v, const bx_texts *words)
{
    const char *spec = v->machine ? v->machine : bx_cli_first_machine(cli);
    bx_error e = {0};
    bx_machine *m = NULL;
    int status;
    if (bx_machine_open(cli->catalog, spec, &m, &e))
        status = bx_cli_error(&e, spec);
    else if (!bx_machine_vpmu(m))
        status = bx_cli_fail("'%s' is no virtual machine", spec);
    else
        status = watch_on(cli, v, m, words);
    bx_machine_close(m);
    return status;
}

/* ---- a register log ---- */

static int bad_line(const char *path, unsigned long number, const bx_error *e, bx_str line)
{
    bx_error named = *e;
    snprintf(named.message, sizeof named.message, "%s:%lu: %.160s", path, number, e->message);
    return bx_cli_error(&named, line.p);
}

/* Says what the text of another tool does not tell. */
static void say_untold(const bx_log_reader *r, account *a)
{
    bx_buf text = {0};
    if (r->kind == BX_LOG_OWN)
        return;
    bx_buf_f(&text, "read as %s %s",
             r->kind == BX_LOG_LIKWID || r->kind == BX_LOG_STRACE ? "the" : "a",
             bx_log_kind_name(r->kind));
    if (r->others)
        bx_buf_f(&text, "; %lu other line%s", r->others, r->others == 1 ? "" : "s");
    if (r->untold)
        bx_buf_f(&text, "; not explained: %lu access%s without %s", r->untold,
                 r->untold == 1 ? "" : "es",
                 r->kind == BX_LOG_LIKWID   ? "an address"
                 : r->kind == BX_LOG_STRACE ? "a file or an end (strace -y -o FILE)"
                                            : "a value");
    if (r->lost)
        bx_buf_f(&text, "; not explained: events that were lost, as %lu line%s say%s", r->lost,
                 r->lost == 1 ? "" : "s", r->lost == 1 ? "s" : "");
    if (r->kernel_calls)
        bx_buf_f(&text,
                 "; not explained: %lu perf_event_open(): the kernel writes the registers, which "
                 "the trace point msr:write_msr shows",
                 r->kernel_calls);
    bx_buf_z(&text, "\n");
    put_text(a, &a->explanation, &text);
}

/* A file that was cut off in the middle of a number shows another number. */
static void say_cut(account *a)
{
    bx_buf text = {0};
    bx_buf_z(&text, "the last line does not end: its last word may be cut off\n");
    put_text(a, &a->explanation, &text);
}

static void explain_log_access(account *a, const bx_log_access *access, unsigned cpus)
{
    bx_reglog_access one = access->access;
    if (!access->every_cpu)
        cpus = one.at.cpu + 1U;
    for (unsigned cpu = access->every_cpu ? 0 : one.at.cpu; cpu < cpus; cpu++) {
        one.at.cpu = (uint16_t)cpu;
        explain_access(a, &one);
    }
}

static int play(const char *path, bx_str text, const bx_topology *t, account *a)
{
    unsigned long number = 0;
    bool cut = text.n && text.p[text.n - 1] != '\n';
    bx_log_reader r = {.kind = bx_log_kind_of(text)};
    while (text.p && a->code == BX_OK) {
        bx_error e = {0};
        bx_str line = bx_str_cut(&text, '\n');
        number++;
        if (bx_log_line(&r, line, &e))
            return bad_line(path, number, &e, line);
        for (size_t i = 0; i < r.n; i++)
            explain_log_access(a, &r.access[i], t->packages * t->cores);
    }
    if (cut && r.n)
        say_cut(a);
    say_untold(&r, a);
    return BX_EXIT_OK;
}

static int explain_text(bx_cli *cli, const values *v, const char *path, bx_str text)
{
    bx_error e = {0};
    bx_topology t;
    account a;
    if (bx_str_starts_fold(text, BX_STR("\xef\xbb\xbf"))) /* a byte order mark */
        text = bx_str_sub(text, 3, text.n);
    int code = v->machine ? bx_topology_parse(cli->catalog, bx_str_of(v->machine), &t, &e)
                          : bx_reglog_machine(cli->catalog, text, &t, &e);
    if (code)
        return bx_cli_error(&e, v->machine);
    int status = BX_EXIT_ERROR;
    if (begin_account(cli, v, &t, false, &a))
        bx_cli_error(&a.e, NULL);
    else
        status = play(path, text, &t, &a);
    if (!status)
        return end_account(&a);
    drop_account(&a);
    return status;
}

static int read_log(bx_cli *cli, const values *v, const char *path)
{
    bx_buf text = {0};
    int err = bx_input_read(path, &text);
    int status = err ? bx_cli_fail("cannot read '%s': %s", path, strerror(err))
                     : explain_text(cli, v, path, (bx_str){bx_buf_text(&text), text.n});
    bx_buf_free(&text);
    return status;
}

static int usage(const char *message)
{
    bx_error e = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "%s", message);
    bx_hint(&e, "boxscore explain -- PROGRAM, or boxscore explain FILE");
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

static int run_explain(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    if (operands->apart)
        return watch(cli, v, operands);
    if (operands->n > 1)
        return usage("one register log is explained at a time; '--' stands before a program");
    if (v->log || v->workload || v->pace != defaults.pace)
        return usage("a register log is explained without --log, --workload and --pace");
    return read_log(cli, v, operands->text[0]);
}

static const bx_example examples[] = {
    {"boxscore explain --machine virtual:skl --log ls.log -- ls /",
     "the counters that a program uses, and its mistakes; log its accesses"},
    {"echo 'cpu0 W 0x700 0x408834' | boxscore explain --machine virtual:skl -",
     "explain a register log"},
    {"echo 'wrmsr -p 0 0x186 0x4300c0' | boxscore explain --machine virtual:skl -",
     "explain a script of wrmsr"},
    {.line = NULL},
};

const bx_command bx_command_explain = {
    .name = "explain",
    .help = "explain how a program uses performance counters",
    .operands = "FILE | -- PROGRAM [ARGUMENT...]",
    .text = "PROGRAM runs on stage. boxscore decodes each of its register accesses and warns if\n"
            "one breaks a rule of the hardware. The explanation goes to standard error. The exit\n"
            "status is that of the program. FILE is a register log of --log, '-' is standard\n"
            "input; then no program runs. FILE may also be a kernel trace of msr:write_msr,\n"
            "LIKWID's debug output (-V 3), the output of strace, or a script of wrmsr and setpci.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_explain,
};
