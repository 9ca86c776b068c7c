/* boxscore report: what a recording shows. */
#include "cli/commands/commands.h"
#include "cli/common/debug_package.h"
#include "cli/common/input.h"
#include "cli/common/sink.h"

#include "base/error.h"
#include "profile/format/formats.h"
#include "profile/nameless.h"
#include "profile/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

typedef struct report_options {
    const char *by, *sort, *function, *object, *span, *separator, *output, *export, *html;
    uint64_t top, thread;
    bool json, children;
} report_options;

enum { TOP_OF_TEXT = 20, SOURCE_MOST = 16 << 20 };

static const report_options defaults = {.thread = UINT64_MAX};

static const bx_option table[] = {
    {.name = "by",
     .kind = BX_OPTION_TEXT,
     .metavar = "KEY,...",
     .help = "what a row is: function, line, instruction, object, thread, process, page, "
             "shared-line, unit, span; function without it",
     .offset = offsetof(report_options, by)},
    {.name = "sort",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT|METRIC|wait|time",
     .help = "the order of rows: an event of the recording, a metric of its events, all waits, or "
             "all cycles; wait without it. With --html, what shares are of at first",
     .offset = offsetof(report_options, sort)},
    {.name = "top",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "that many rows; without it 20 as text, else all",
     .lo = 1,
     .hi = UINT32_MAX,
     .offset = offsetof(report_options, top)},
    {.name = "function",
     .kind = BX_OPTION_TEXT,
     .metavar = "NAME|GLOB",
     .help = "only counts of these functions",
     .offset = offsetof(report_options, function)},
    {.name = "object",
     .kind = BX_OPTION_TEXT,
     .metavar = "NAME|GLOB",
     .help = "only counts of this data",
     .offset = offsetof(report_options, object)},
    {.name = "thread",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "only counts of threads with this number in their process",
     .lo = 0,
     .hi = INT32_MAX,
     .offset = offsetof(report_options, thread)},
    {.name = "span",
     .kind = BX_OPTION_TEXT,
     .metavar = "BEGIN-END",
     .help = "only spans that have a part between these times: cycles, or with ns, us, ms or s",
     .offset = offsetof(report_options, span)},
    {.name = "children",
     .kind = BX_OPTION_FLAG,
     .help = "with what functions or lines have called; rows are sorted by it",
     .offset = offsetof(report_options, children)},
    BX_OPTION_JSON(report_options),
    {.name = "field-separator",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "SEPARATOR",
     .help = "write CSV; '\\t' means a tabulator",
     .offset = offsetof(report_options, separator)},
    {.name = "export",
     .kind = BX_OPTION_TEXT,
     .metavar = "callgrind|pprof|folded",
     .help = "write calls and costs for other programs: KCachegrind and callgrind_annotate, go "
             "tool pprof, or "
             "flamegraph.pl and speedscope",
     .offset = offsetof(report_options, export)},
    {.name = "html",
     .kind = BX_OPTION_TEXT,
     .metavar = "PAGE",
     .help = "write a page for browsers, with all tables, diagrams and source lines; '-': to "
             "standard output",
     .offset = offsetof(report_options, html)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write to FILE; '-': to standard output",
     .offset = offsetof(report_options, output)},
};

static const bx_exclusion exclusions[] = {
    {"json", "field-separator", NULL, "-j and -x ask for two formats", "give one of them"},
    {"field-separator=", NULL, NULL, "the separator of -x is empty", "-x , or -x ';'"},
    {"export", "json field-separator", NULL, "an export has a format of its own",
     "leave -j and -x out"},
    {"export", "by top function object thread span children", NULL,
     "an export has all that was recorded", "give only --sort and -o with --export"},
    {"children", "function object thread span", NULL, "calls are those of the whole recording",
     "leave the filters out"},
    {"html", "by top children function object thread span", NULL, "a page has all tables",
     "leave it out, and choose in the page"},
    {"html", "json field-separator export output", NULL, "a page is a file of its own",
     "run boxscore report again for the other format"},
    {.why = NULL},
};

/* ---- spans ---- */

/* A number with a decimal point, and its unit, as cycles; -1: it is none. */
static double time_of(bx_str text, double cycles_per_second)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    char digits[32];
    char *end;
    if (text.n == 0 || text.n >= sizeof digits || !bx_is_digit(*text.p))
        return -1;
    memcpy(digits, text.p, text.n);
    digits[text.n] = 0;
    double value = strtod(digits, &end);
    if (!isfinite(value) || value > 1e18)
        return -1;
    for (size_t i = 0; *end && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0)
            return value * units[i].seconds * cycles_per_second;
    return *end ? -1 : value;
}

static int read_span(const char *text, const bx_profile *p, bx_profile_question *to, bx_error *e)
{
    const bx_cell *clock = bx_profile_fact_of(p, "cycles_per_second");
    double hz = !clock ? 0 : clock->kind == BX_CELL_NUMBER ? (double)clock->number : clock->real;
    bx_str rest = bx_str_of(text), first = bx_str_cut(&rest, '-');
    double begin = time_of(first, hz), end = rest.p ? time_of(rest, hz) : -1;
    if (begin < 0 || end <= begin || end > (double)INT64_MAX / 2) {
        bx_fail(e, BX_BAD_INPUT, 0, strlen(text), "'%.60s' is no span of time", text);
        bx_hint(e, "BEGIN-END, such as 0-5000000 in cycles, or 0-1.5ms");
        return e->code;
    }
    to->has_span = true;
    to->begin = (int64_t)begin;
    to->end = (int64_t)ceil(end);
    return BX_OK;
}

/* ---- the report ---- */

typedef struct report_run {
    bx_recording_reader *from;
    bx_profile profile;
    bx_profile_metrics metrics;
    bx_profile_table table;
    bx_calls calls;
    const char *about; /* the text that an error is in, or NULL */
} report_run;

static int make_report(bx_cli *cli, const report_options *given, const char *path, report_run *r,
                       bx_error *e)
{
    bool text = !given->json && !given->separator;
    const char *by = given->by ? given->by : "function";
    bx_profile_question question = {.by = bx_str_of(by),
                                    .sort = given->sort,
                                    .top = given->top ? given->top
                                           : text     ? TOP_OF_TEXT
                                                      : 0,
                                    .function = given->function,
                                    .object = given->object,
                                    .children = given->children,
                                    .has_thread = given->thread != UINT64_MAX,
                                    .thread = (int64_t)given->thread};
    int code = bx_recording_open(path, &r->from, e);
    if (!code)
        code = bx_profile_read(r->from, &cli->arena, &r->profile, e);
    if (!code)
        code = bx_profile_metrics_open(&r->profile, cli->catalog, &r->metrics, e);
    question.metrics = &r->metrics;
    if (!code && given->span) {
        r->about = given->span;
        code = read_span(given->span, &r->profile, &question, e);
    }
    if (code)
        return code;
    r->about = by;
    if (!given->html || given->sort)
        code = bx_profile_tabulate(&r->profile, &question, &r->table, e);
    if (code)
        return code;
    r->about = NULL;
    if ((given->export || given->html) && r->table.metric) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "%s adds up counts, which values of '%.80s' do not",
                given->html ? "a page" : "an export", given->sort);
        bx_hint(e, "--sort EVENT");
        return e->code;
    }
    code =
        given->export ? BX_OK : bx_profile_note_nameless(&r->profile, bx_debug_package_of, NULL, e);
    if (code)
        return code;
    bool data = given->export && strcmp(given->export, "pprof") == 0;
    return given->export ? bx_calls_read(&r->profile, data, &r->calls, e)
                         : bx_profile_find(&r->profile, e);
}

/* Paths are the recording's: only what is a file is read. */
static bool read_source(void *unused, const char *path, bx_buf *to)
{
    struct stat is;
    (void)unused;
    return stat(path, &is) == 0 && S_ISREG(is.st_mode) && is.st_size <= SOURCE_MOST &&
           !bx_input_read(path, to);
}

static int write_report(bx_cli *cli, const report_options *given, report_run *r, bx_error *e)
{
    bx_buf text = {0};
    const char *separator = bx_cli_separator(given->separator);
    int code = BX_OK;
    if (given->html)
        code = bx_profile_html(&r->profile, given->sort ? &r->table : NULL,
                               &(bx_html_sources){.read = read_source}, &text, e);
    else if (given->export && strcmp(given->export, "callgrind") == 0)
        bx_profile_callgrind(&r->calls, &r->table, &text);
    else if (given->export && strcmp(given->export, "pprof") == 0)
        bx_profile_pprof(&r->calls, &r->table, &text);
    else if (given->export)
        bx_profile_folded(&r->calls, &r->table, &text);
    else if (given->json)
        bx_profile_json(&r->table, &text);
    else if (separator)
        bx_profile_csv(&r->table, separator, &text);
    else
        bx_profile_text(&r->table, &text);
    if (!code && (text.failed || cli->arena.failed))
        code = bx_out_of_memory(e);
    if (!code)
        code = bx_sink_put(cli, given->html ? given->html : given->output, false, &text, e);
    bx_buf_free(&text);
    return code;
}

/* false: a mistake in the options, which is reported. */
static bool check_formats(const report_options *given)
{
    const char *export = given->export;
    if (export && strcmp(export, "callgrind") != 0 && strcmp(export, "folded") != 0 &&
        strcmp(export, "pprof") != 0)
        bx_cli_fail("--export is 'callgrind', 'pprof' or 'folded', not '%.40s'", export);
    else if (export && strcmp(export, "pprof") == 0 &&
             (!given->output || !strcmp(given->output, "-")) && isatty(STDOUT_FILENO))
        bx_cli_fail("pprof's format is not for a terminal: -o FILE");
    else
        return true;
    return false;
}

static int run_report(bx_cli *cli, const void *values, const bx_texts *operands)
{
    const report_options *given = values;
    report_run r = {.from = NULL};
    bx_error e = {0};
    if (!check_formats(given))
        return BX_EXIT_USAGE;
    int code = make_report(cli, given, operands->n ? operands->text[0] : "boxscore.rec", &r, &e);
    if (!code)
        code = write_report(cli, given, &r, &e);
    bx_recording_leave(r.from);
    if (code && cli->failed)
        return BX_EXIT_ERROR;
    return code ? bx_cli_error(&e, e.len ? r.about : NULL) : BX_EXIT_OK;
}

static const bx_example examples[] = {
    {"boxscore record --machine virtual:skl -w stream,size=1M", "record a workload"},
    {"boxscore report", "show where cores wait, and what the rules find"},
    {"boxscore report --by object,thread --sort DRAM_DATA_READS --top 5 boxscore.rec",
     "the data and threads with the most reads of memory"},
    {"boxscore report --html page.html", "write a page with all of it, for a browser"},
    {"boxscore report --by line --json -o lines.json", "all lines and all counts, for programs"},
    {.line = NULL},
};

const bx_command bx_command_report = {
    .name = "report",
    .help = "show what a recording has: who causes what, and findings",
    .operands = "[FILE]",
    .text = "FILE is a recording of 'boxscore record'; boxscore.rec without it. Rows and what no\n"
            "row shows add up to what was counted. A finding is what a rule has found, with its\n"
            "share (docs/reference/findings.md). 1 if an error occurred, 2 if the options are\n"
            "wrong.",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .exclusions = exclusions,
    .operands_most = 1,
    .defaults = &defaults,
    .values_size = sizeof(report_options),
    .run = run_report,
};
