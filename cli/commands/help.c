/* boxscore help: facts from the tables of commands and the catalogue, as text, manual pages,
 * Markdown or shell completion. */
#include "cli/commands/commands.h"
#include "cli/common/page.h"
#include "cli/common/sink.h"
#include "cli/help/topics.h"
#include "cli/help/usage.h"
#include "cli/show/look_up.h"
#include "event/hint.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MANUAL, MARKDOWN, BASH, ZSH, NOTHING };

typedef struct values {
    unsigned generate; /* NOTHING if not given */
    const char *output;
    bool workloads;
} values;

static const values defaults = {.generate = NOTHING};

static const bx_option options[] = {
    {.name = "generate",
     .kind = BX_OPTION_CHOICE,
     .metavar = "man|markdown|bash|zsh",
     .help = "write the page of TOPIC for man or as Markdown, or the completion of a shell",
     .offset = offsetof(values, generate)},
    {.name = "output",
     .letter = 'o',
     .kind = BX_OPTION_TEXT,
     .metavar = "DIRECTORY",
     .help = "write the pages of all topics there: man1/boxscore-stat.1, or boxscore-stat.md",
     .offset = offsetof(values, output)},
    BX_OPTION_WORKLOADS(values),
};

static bx_page page_of(bx_buf *to, const values *v)
{
    return (bx_page){.to = to,
                     .form = v->generate == MANUAL     ? &bx_page_as_man
                             : v->generate == MARKDOWN ? &bx_page_as_markdown
                                                       : &bx_page_as_text};
}

/* Makes a folder, unless it exists. false: it cannot be made. */
static bool folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Writes a topic's page into a folder. */
static int write_page(bx_cli *cli, const values *v, const bx_subjects *s, const bx_topic *topic)
{
    bx_error e = {0};
    bx_sink sink;
    bx_buf path = {.whole = &cli->arena.failed}, text = {.whole = &cli->arena.failed};
    bx_page page = page_of(&text, v);
    bx_buf_f(&path, "%s", v->output);
    bool made = folder(bx_buf_text(&path));
    if (v->generate == MANUAL) {
        bx_buf_f(&path, "/man%u", topic->section);
        made = made && folder(bx_buf_text(&path));
        bx_buf_f(&path, "/%s.%u", topic->page.text, topic->section);
    } else {
        bx_buf_f(&path, "/%s.md", topic->page.text);
    }
    bx_topic_write(s, topic, &page);
    int status = BX_EXIT_OK;
    if (!made)
        status = bx_cli_fail("%s cannot be made: %s", v->output, strerror(errno));
    else if (bx_sink_open(cli, bx_buf_text(&path), &sink, &e) || bx_sink_write(&sink, &text, &e) ||
             bx_sink_keep(&sink, &e))
        status = bx_cli_error(&e, NULL);
    bx_buf_free(&path);
    bx_buf_free(&text);
    return status;
}

static int write_pages(bx_cli *cli, const values *v, const bx_subjects *s)
{
    bx_topic topic;
    int status = BX_EXIT_OK;
    if (v->generate > MARKDOWN) {
        bx_cli_fail("--output needs --generate man or --generate markdown");
        return BX_EXIT_USAGE;
    }
    for (size_t i = 0; !status && bx_topic_at(s, i, &topic); i++)
        status = write_page(cli, v, s, &topic);
    return status;
}

static void list_topics(bx_buf *to, const bx_subjects *s)
{
    static const bx_page_columns columns = {.text_at = 20};
    bx_page page = bx_page_text(to);
    bx_topic topic;
    bx_page_list(&page, &columns, "");
    for (size_t i = 1; bx_topic_at(s, i, &topic); i++)
        bx_page_item(&page, topic.title.text, "%s", bx_topic_name(&topic));
}

static int show_entry(bx_cli *cli, const values *v, const char *name, bx_nearest *nearest)
{
    bx_error e = {0};
    bx_look_up s = {.c = cli->catalog,
                    .cpu = -1,
                    .name = bx_str_of(name),
                    .page = bx_page_text(&cli->out),
                    .workloads = v->workloads && v->generate == NOTHING};
    int code = bx_look_up_show(&s, &e);
    if (code == BX_NOT_FOUND) {
        e = (bx_error){0};
        bx_fail(&e, code, 0, 0, "there is no help topic '%s'", bx_quote(s.name).text);
        bx_nearest_offer(nearest, s.nearest.name);
        bx_cli_hint(&e, nearest, "boxscore help topics, or boxscore list WORD");
    } else if (!code && v->generate != NOTHING) {
        cli->out.n = 0;
        code = bx_fail(&e, BX_NOT_FOUND, 0, 0,
                       "%s has no page of its own, it is on the page of its PMU or CPU",
                       bx_quote(s.name).text);
        bx_hint(&e, "boxscore help %s", bx_quote(s.name).text);
    }
    if (code) {
        bx_cli_error(&e, e.len ? name : NULL);
        return BX_EXIT_USAGE;
    }
    return BX_EXIT_OK;
}

static int show_subject(bx_cli *cli, const values *v, const bx_subjects *s, const char *name)
{
    bx_topic topic;
    bx_page page = page_of(&cli->out, v);
    bx_nearest nearest = bx_nearest_to(bx_str_of(name));
    if (strcmp(name, "topics") == 0)
        list_topics(&cli->out, s);
    else if (strcmp(name, "names") == 0)
        bx_topic_names(s, &cli->out);
    else if (!bx_topic_find(s, name, &topic, &nearest))
        return show_entry(cli, v, name, &nearest);
    else if (v->generate != NOTHING || topic.section != 1)
        bx_topic_write(s, &topic, &page);
    else if (topic.command)
        bx_usage_command(&cli->out, topic.command);
    else
        bx_usage_all(&cli->out, cli->commands);
    return BX_EXIT_OK;
}

static int write_or_show(bx_cli *cli, const values *v, const bx_subjects *s,
                         const bx_texts *operands)
{
    return v->output ? write_pages(cli, v, s)
                     : show_subject(cli, v, s, operands->n ? operands->text[0] : "boxscore");
}

/* Pages of a PMU or of metrics need all events of their CPU; those of all topics, all CPUs. */
static int run_workloads(const values *v, const bx_subjects *s, const char *name,
                         bx_workload_runs *runs, bx_error *e)
{
    const bx_workload_scope all = {.event = BX_NONE, .metric = BX_NONE};
    bx_nearest nearest = bx_nearest_to(bx_str_of(""));
    bx_topic topic;
    bool of_one = !v->output && bx_topic_find(s, name, &topic, &nearest);
    int code = bx_workload_runs_open(s->c, runs, e);
    for (unsigned i = 0; !code && i < bx_catalog_cpus(s->c); i++)
        if (v->output || (of_one && topic.kind == BX_TOPIC_METRICS && topic.index == i) ||
            (of_one && topic.kind == BX_TOPIC_PMU && bx_cat_pmus(s->c)[topic.index].cpu == i))
            code = bx_workload_runs_add(runs, i, all, e);
    return code;
}

static int with_workloads(bx_cli *cli, const values *v, bx_subjects *s, const bx_texts *operands)
{
    bx_error e = {0};
    bx_workload_runs runs;
    int code = run_workloads(v, s, operands->n ? operands->text[0] : "", &runs, &e);
    s->runs = &runs;
    int status = code ? bx_cli_error(&e, NULL) : write_or_show(cli, v, s, operands);
    bx_workload_runs_close(&runs);
    return status;
}

static int run_help(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subjects s = {.commands = cli->commands, .c = cli->catalog};
    switch (v->output ? MANUAL : v->generate) {
    case BASH:
        bx_completion_bash(&cli->out, cli->commands);
        return BX_EXIT_OK;
    case ZSH:
        bx_completion_zsh(&cli->out, cli->commands);
        return BX_EXIT_OK;
    default:
        cli->long_text = true;
        return v->workloads ? with_workloads(cli, v, &s, operands)
                            : write_or_show(cli, v, &s, operands);
    }
}

static const bx_example examples[] = {
    {"boxscore help stat", "the options of a command"},
    {"boxscore help workloads", "what a virtual machine can run"},
    {"boxscore help skl-cbo", "a PMU: its events, unit masks and registers"},
    {"boxscore help UNC_CBO_CACHE_LOOKUP:ANY_I", "an event: its registers, meaning and source"},
    {"boxscore help topics", "the list of all topics"},
    {.line = NULL},
};

const bx_command bx_command_help = {
    .name = "help",
    .help = "show the help of a command, or the facts of an event, register, metric, PMU or CPU",
    .operands = "[COMMAND|TOPIC]",
    .text =
        "A topic is 'workloads', the built-in workloads of a virtual machine; a CPU model, its\n"
        "metrics or one of its PMUs ('skl', 'skl-metrics', 'skl-cbo'); or an event with or "
        "without\n"
        "unit masks, a register, a metric: what 'boxscore info' tells about it. 'topics' is the\n"
        "list of those with a page of the manual, such as boxscore-skl-cbo(7); events, registers\n"
        "and metrics are sections of these. 'names' lists every name, one a line.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_help,
};
