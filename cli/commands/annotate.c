/* boxscore annotate: source lines with the counts of a recording beside them. */
#include "cli/commands/commands.h"
#include "cli/common/input.h"
#include "cli/common/sink.h"
#include "cli/show/instructions.h"

#include "base/error.h"
#include "base/printable.h"
#include "profile/format/formats.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct annotate_options {
    const char *sort;
    bool instructions;
} annotate_options;

static const annotate_options defaults = {0};

static const bx_option table[] = {
    {.name = "sort",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT|wait|time",
     .help = "what the share is of: an event of the recording, all waits, or all cycles; wait "
             "without it",
     .offset = offsetof(annotate_options, sort)},
    {.name = "asm",
     .kind = BX_OPTION_FLAG,
     .help = "instructions instead of source lines",
     .offset = offsetof(annotate_options, instructions)},
};

typedef struct annotate_run {
    bx_recording_reader *from;
    bx_profile profile;
    bx_profile_table table;
} annotate_run;

/* A function's lines, else those of a source file. */
static int find_lines(bx_cli *cli, const annotate_options *given, const bx_texts *operands,
                      annotate_run *r, bx_error *e)
{
    const char *what = operands->text[1];
    const char *by = given->instructions ? BX_BY_INSTRUCTIONS : "line";
    bx_profile_question question = {.by = bx_str_of(by), .sort = given->sort, .function = what};
    int code = bx_recording_open(operands->text[0], &r->from, e);
    if (!code)
        code = bx_profile_read(r->from, &cli->arena, &r->profile, e);
    if (!code)
        code = bx_profile_tabulate(&r->profile, &question, &r->table, e);
    if (code || r->table.rows)
        return code;
    question.function = NULL;
    question.source = what;
    code = bx_profile_tabulate(&r->profile, &question, &r->table, e);
    if (!code && !r->table.rows) {
        code = bx_fail(e, BX_NOT_FOUND, 0, 0,
                       "the recording has no function or source file '%.80s'", what);
        bx_hint(e, "boxscore report --by function,line has those that it has");
    }
    return code;
}

/* Paths are the recording's: only what is a file is read. */
static void annotate_file(const bx_profile_table *t, bx_str file, bx_buf *to)
{
    bx_buf text = {0}, path = {0};
    struct stat is;
    bx_buf_str(&path, file);
    int err = path.failed ? ENOMEM : stat(path.p, &is) != 0 ? errno : 0;
    if (!err && !S_ISREG(is.st_mode))
        err = EINVAL;
    if (!err)
        err = bx_input_read(path.p, &text);
    to->failed |= path.failed || text.failed;
    if (err) {
        bx_buf_z(to, "# cannot be read, so lines are without their text: ");
        bx_buf_printable(to, file);
        bx_buf_f(to, ": %s\n", strerror(err));
    }
    bx_profile_annotated(t, file, (bx_str){bx_buf_text(&text), text.n}, to);
    bx_buf_free(&path);
    bx_buf_free(&text);
}

/* Counts that have no line, as of code without debug information. */
static bool has_unplaced(const bx_profile_table *t)
{
    for (uint32_t i = 0; i < t->rows; i++)
        if (t->row[i].key[0].kind != BX_CELL_TEXT)
            return true;
    return false;
}

static void add_sources(const bx_profile_table *t, bx_buf *to)
{
    bool any = false;
    for (uint32_t i = 0; i < t->rows; i++) {
        bx_str file = bx_profile_file(t, i);
        if (!file.n)
            continue;
        bx_buf_z(to, any ? "\n" : "");
        annotate_file(t, file, to);
        any = true;
    }
    if (has_unplaced(t))
        bx_buf_z(to, "# a part has no lines: its binary has no debug information (-g)\n");
}

static int write_annotated(bx_cli *cli, const annotate_options *given, const bx_profile_table *t,
                           bx_error *e)
{
    bx_buf text = {0};
    const char *lack;
    int code = BX_OK;
    for (unsigned i = 0; (lack = bx_profile_lacks(t->of, i)); i++) {
        bx_buf_z(&text, "# ");
        bx_buf_name(&text, lack);
        bx_buf_z(&text, "\n");
    }
    if (given->instructions)
        code = bx_show_instructions(t, &text, e);
    else
        add_sources(t, &text);
    if (!code && (text.failed || cli->arena.failed))
        code = bx_out_of_memory(e);
    if (!code)
        code = bx_sink_put(cli, NULL, false, &text, e);
    bx_buf_free(&text);
    return code;
}

static int run_annotate(bx_cli *cli, const void *values, const bx_texts *operands)
{
    annotate_run r = {.from = NULL};
    bx_error e = {0};
    cli->long_text = true;
    int code = find_lines(cli, values, operands, &r, &e);
    if (!code)
        code = write_annotated(cli, values, &r.table, &e);
    bx_recording_leave(r.from);
    if (code && cli->failed)
        return BX_EXIT_ERROR;
    return code ? bx_cli_error(&e, NULL) : BX_EXIT_OK;
}

static const bx_example examples[] = {
    {"boxscore record --machine virtual:skl -w stream,size=1M", "record a workload"},
    {"boxscore annotate boxscore.rec '(workload)'",
     "show its lines; a workload has none, a program with debug information has them"},
    {.line = NULL},
};

const bx_command bx_command_annotate = {
    .name = "annotate",
    .help = "show source lines or instructions with the counts of a recording",
    .operands = "FILE FUNCTION|SOURCE",
    .text = "FILE is a recording of 'boxscore record'. FUNCTION is a name or a glob, as of\n"
            "'report --function'; SOURCE a path, or its end. The source files are those that the\n"
            "program was compiled from, as they are now. 1 if an error occurred, 2 if the options\n"
            "are wrong.",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .operands_least = 2,
    .operands_most = 2,
    .defaults = &defaults,
    .values_size = sizeof(annotate_options),
    .run = run_annotate,
};
