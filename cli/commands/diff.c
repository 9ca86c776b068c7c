/* boxscore diff: saved runs side by side, and whether the last one is worse than the first. */
#include "cli/commands/commands.h"
#include "cli/common/input.h"
#include "cli/common/sink.h"
#include "cli/show/recorded_diff.h"

#include "base/printable.h"
#include "compare/format/formats.h"
#include "compare/format/words.h"
#include "compare/former_names.h"
#include "compare/recordings/causes_format.h"

#include <string.h>

typedef struct values {
    bx_texts conditions;
    const char *output, *markdown, *junit, *separator, *sort;
    bool all, strict, accept_incomplete, json, json_array;
} values;

static const values defaults = {0};

static const bx_option table[] = {
    {.name = "fail-if",
     .kind = BX_OPTION_TEXTS,
     .metavar = "CONDITION",
     .help = "exit with 3 if it is true: 'dram_bytes_read > +2%', 'NAME@UNIT < 500'",
     .offset = offsetof(values, conditions)},
    {.name = "all",
     .kind = BX_OPTION_FLAG,
     .help = "also show what is equal",
     .offset = offsetof(values, all)},
    {.name = "strict",
     .kind = BX_OPTION_FLAG,
     .help = "for repeated runs: a difference that is not significant counts, too",
     .offset = offsetof(values, strict)},
    {.name = "accept-incomplete",
     .kind = BX_OPTION_FLAG,
     .help = "judge runs that both lack the same, such as a process that cannot be traced",
     .offset = offsetof(values, accept_incomplete)},
    {.name = "markdown",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "also write a table for a pull request's comment",
     .offset = offsetof(values, markdown)},
    {.name = "junit",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "also write each condition as a test case, in JUnit's XML",
     .offset = offsetof(values, junit)},
    {.name = "sort",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT|wait|time",
     .help =
         "of recordings: whose change is shown by function, line and object; without it that of "
         "the first condition that is true, or time",
     .offset = offsetof(values, sort)},
    BX_OPTION_JSON_LINES(values),
    {.name = "field-separator",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "SEPARATOR",
     .help = "write CSV, with a column for each file; '\\t' means a tabulator",
     .offset = offsetof(values, separator)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "write to FILE; '-': to standard output",
     .offset = offsetof(values, output)},
};

/* What a command has read and found; texts live in the arena of cli. */
typedef struct diff {
    bx_cli *cli;
    const values *v;
    bx_buf *text; /* [n], the contents of the files */
    bx_saved *saved;
    size_t n;
    bx_condition *conditions;
    bx_verdict *verdicts;
    bx_compare_result result;
    bool recorded; /* the files are recordings */
    bx_recorded_diff recordings;
    const char *about; /* text with the span of an error, or NULL */
} diff;

/* ---- reading ---- */

static int read_run(diff *d, size_t i, const char *path, bx_error *e)
{
    int reason = bx_input_read(path, &d->text[i]);
    d->about = NULL;
    if (d->text[i].failed)
        return bx_out_of_memory(e);
    if (reason)
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot read '%s': %s", path, strerror(reason));
    d->about = bx_buf_text(&d->text[i]);
    int code =
        bx_saved_read(path, (bx_str){d->about, d->text[i].n}, &d->cli->arena, &d->saved[i], e);
    d->about = code ? d->about : NULL;
    return code;
}

static int read_conditions(diff *d, bx_error *e)
{
    const bx_texts *given = &d->v->conditions;
    bx_arena *a = &d->cli->arena;
    d->conditions = bx_arena_get(a, (given->n + 1) * sizeof *d->conditions);
    d->verdicts = bx_arena_get(a, (given->n + 1) * sizeof *d->verdicts);
    int code = d->verdicts ? BX_OK : bx_out_of_memory(e);
    for (size_t i = 0; i < given->n && !code; i++) {
        char *text = bx_arena_copy(a, bx_str_of(given->text[i]));
        if (!text)
            return bx_out_of_memory(e);
        bx_printable(text, strlen(text));
        d->about = text;
        code = bx_condition_read(text, &d->conditions[i], e);
    }
    return code;
}

/* Whether the files are recordings: all of them, and two, or none. */
static int find_kind(diff *d, const bx_texts *files, bx_error *e)
{
    const char *recording = NULL, *other = NULL;
    for (size_t i = 0; i < files->n; i++)
        if (bx_is_database(files->text[i]))
            recording = files->text[i];
        else
            other = files->text[i];
    d->recorded = recording;
    if (recording && other) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "not compared: '%.200s' is a recording, '%.200s' is none",
                recording, other);
        bx_hint(e, "two recordings of 'boxscore record', or files of 'boxscore stat -j'");
    } else if (recording && files->n > 2) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "not compared: recordings are compared two by two");
        bx_hint(e, "leave the others out");
    } else if (!recording && d->v->sort) {
        bx_fail(e, BX_BAD_INPUT, 0, 0,
                "--sort is for recordings: saved runs do not tell who caused "
                "what");
        bx_hint(e, "leave it out; the largest change stands first");
    }
    return e->code;
}

static int read_files(diff *d, const bx_texts *files, bx_error *e)
{
    int code = BX_OK;
    if (d->recorded)
        return bx_recorded_diff_open(d->cli, files->text, d->v->sort, d->saved, &d->recordings, e);
    for (size_t i = 0; i < d->n && !code; i++)
        code = read_run(d, i, files->text[i], e);
    return code;
}

static int judge(diff *d, bx_error *e)
{
    const bx_judging how = {d->v->strict, d->v->accept_incomplete};
    int code = BX_OK;
    for (size_t i = 0; i < d->v->conditions.n && !code; i++) {
        d->about = d->conditions[i].text.p;
        code =
            bx_condition_judge(&d->conditions[i], &d->result.comparison, &how, &d->verdicts[i], e);
    }
    d->result.verdicts = d->verdicts;
    d->result.verdicts_n = d->v->conditions.n;
    if (code || !d->recorded)
        return code;
    d->about = NULL;
    return bx_recorded_diff_blame(d->cli, &d->recordings, d->v->sort, d->verdicts,
                                  d->result.verdicts_n, e);
}

static void use_present_names(diff *d)
{
    const bx_catalog *c = d->cli->catalog;
    int cpu = -1;
    for (size_t i = 0; i < d->n; i++) {
        int of_run = bx_saved_use_present_names(c, &d->saved[i]);
        cpu = of_run < 0 ? cpu : of_run;
    }
    for (size_t i = 0; i < d->v->conditions.n; i++)
        bx_condition_use_present_name(c, cpu, &d->conditions[i]);
}

static int compare_files(diff *d, const bx_texts *files, bx_error *e)
{
    bx_arena *a = &d->cli->arena;
    d->text = bx_arena_get(a, files->n * sizeof *d->text);
    d->saved = bx_arena_get(a, files->n * sizeof *d->saved);
    if (!d->text || !d->saved)
        return bx_out_of_memory(e);
    d->n = files->n;
    memset(d->text, 0, d->n * sizeof *d->text);
    memset(d->saved, 0, d->n * sizeof *d->saved);
    int code = read_conditions(d, e);
    d->about = code ? d->about : NULL;
    if (!code)
        code = find_kind(d, files, e);
    if (!code)
        code = read_files(d, files, e);
    if (!code)
        use_present_names(d);
    if (!code)
        code = bx_trend_make(d->saved, d->n, a, &d->result.trend, e);
    if (!code)
        code = bx_compare(&d->saved[0], &d->saved[d->n - 1], a, &d->result.comparison, e);
    return code ? code : judge(d, e);
}

/* ---- writing ---- */

/* causes NULL: this format has none of them. */
typedef struct format {
    void (*comparison)(const bx_compare_result *r, bx_buf *to);
    void (*causes)(const bx_causes *c, const bx_causes_how *how, bx_buf *to);
} format;

static const format as_text = {bx_compare_text, bx_causes_text},
                    as_json = {bx_compare_json, bx_causes_json},
                    as_csv = {bx_compare_csv, bx_causes_csv},
                    as_markdown = {bx_compare_markdown, bx_causes_markdown},
                    as_junit = {bx_compare_junit, NULL};

/* path NULL: standard output. */
static int write_as(const diff *d, const format *as, bool array, const char *path, bx_error *e)
{
    bx_buf text = {0};
    as->comparison(&d->result, &text);
    const bx_causes_how how = {d->v->all, d->result.separator};
    if (d->recorded && as->causes)
        as->causes(&d->recordings.causes, &how, &text);
    int code = text.failed ? bx_out_of_memory(e) : bx_sink_put(d->cli, path, array, &text, e);
    bx_buf_free(&text);
    return code;
}

static int write_all(diff *d, bx_error *e)
{
    const values *v = d->v;
    int code = BX_OK;
    d->about = NULL;
    if (v->markdown)
        code = write_as(d, &as_markdown, false, v->markdown, e);
    if (!code && v->junit)
        code = write_as(d, &as_junit, false, v->junit, e);
    if (code)
        return code;
    const format *as = v->json || v->json_array ? &as_json : v->separator ? &as_csv : &as_text;
    return write_as(d, as, v->json_array, v->output, e);
}

/* Reports conditions that are not judged, and what helps. */
static int report_unjudged(const diff *d)
{
    const bx_verdict *first = NULL;
    size_t n = 0;
    bx_error e = {0};
    for (size_t i = 0; i < d->result.verdicts_n; i++)
        if (d->verdicts[i].unseen) {
            first = first ? first : &d->verdicts[i];
            n++;
        }
    if (!first)
        return BX_EXIT_OK;
    bx_buf why = {0};
    bx_words_add_reason(first, &why);
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "%zu of %zu conditions are not judged: %s", n,
            d->result.verdicts_n, bx_buf_text(&why));
    bx_buf_free(&why);
    bx_hint(&e, first->unseen->vague  ? "measure for longer, or events that take fewer turns"
                : first->unseen->left ? "let the program wait for its processes, or end them; or "
                                        "measure again"
                : d->result.comparison.same_unseen
                    ? "both runs lack the same: --accept-incomplete compares what they have"
                    : "measure again so that the run sees everything, or both runs lack the same");
    return bx_cli_error(&e, NULL);
}

/* false: a mistake in the options, which is reported. */
static bool check_options(const values *v)
{
    if (v->junit && !v->conditions.n)
        bx_cli_fail("--junit has a test case for each --fail-if, and there is none");
    else if (v->separator && (v->json || v->json_array))
        bx_cli_fail("-j and -x ask for two formats: one of them");
    else if (v->separator && !*v->separator)
        bx_cli_fail("the separator of -x is empty: -x , or -x ';'");
    else
        return true;
    return false;
}

static int run_diff(bx_cli *cli, const void *options, const bx_texts *files)
{
    diff d = {.cli = cli, .v = options};
    d.result.all = d.v->all;
    bx_error e = {0};
    bool fails = false;
    if (!check_options(d.v))
        return BX_EXIT_USAGE;
    d.result.separator = bx_cli_separator(d.v->separator);
    int code = compare_files(&d, files, &e);
    if (!code)
        code = write_all(&d, &e);
    for (size_t i = 0; i < d.result.verdicts_n; i++)
        fails |= d.verdicts[i].fails && !d.verdicts[i].unseen;
    int status = code && cli->failed ? BX_EXIT_ERROR
                 : code              ? bx_cli_error(&e, d.about)
                                     : report_unjudged(&d);
    status = !code && fails ? BX_EXIT_FAILS : status;
    for (size_t i = 0; i < d.n; i++)
        bx_buf_free(&d.text[i]);
    bx_recorded_diff_close(&d.recordings);
    return status;
}

static const bx_example examples[] = {
    {"boxscore stat --machine virtual:skl,part=plain -w stream,size=64K -j -o old.json",
     "save a run"},
    {"boxscore stat --machine virtual:skl,part=plain -w stream,size=65K -j -o new.json",
     "save another one"},
    {"boxscore diff old.json new.json --fail-if 'dram_bytes_read > +2%'",
     "compare them; the exit status is 3 if the new run reads over 2 % more from memory"},
    {.line = NULL},
};

const bx_command bx_command_diff = {
    .name = "diff",
    .help = "compare saved runs, and fail if the new one is worse",
    .operands = "OLD [FILE...] NEW",
    .text =
        "The files are those of 'boxscore stat -j -o FILE'; '-' is standard input. More than\n"
        "two are a table with a column for each; what changes is NEW against OLD. Two\n"
        "recordings of 'boxscore record' are compared by function, line and object, too. A\n"
        "CONDITION is NAME > AMOUNT or NAME < AMOUNT. NAME is an event or a metric; NAME@UNIT\n"
        "is its value for one unit or region. +2% is relative to OLD; an amount without a sign\n"
        "is absolute. The exit status is 3 if a condition is true; 1 if something could not be\n"
        "compared, or a run did not see everything; 2 if the options are wrong\n"
        "(docs/reference/diff.md).",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .operands_least = 2,
    .operands_most = SIZE_MAX,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_diff,
};
