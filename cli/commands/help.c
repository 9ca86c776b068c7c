/* boxscore help: facts from the tables of commands and the catalogue, as text, manual pages,
 * Markdown or shell completion. */
#include "cli/commands/commands.h"
#include "cli/common/page.h"
#include "cli/common/sink.h"
#include "cli/help/topics.h"
#include "cli/help/usage.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MANUAL, MARKDOWN, BASH, ZSH, NOTHING };

typedef struct values {
    unsigned generate; /* NOTHING if not given */
    const char *output;
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

static int show(bx_cli *cli, const values *v, const bx_subjects *s, const char *name)
{
    bx_error e = {0};
    bx_topic topic;
    bx_page page = page_of(&cli->out, v);
    if (name && strcmp(name, "topics") == 0) {
        list_topics(&cli->out, s);
    } else if (bx_topic_find(s, name ? name : "boxscore", &topic, &e)) {
        bx_cli_error(&e, NULL);
        return BX_EXIT_USAGE;
    } else if (v->generate != NOTHING || topic.section != 1) {
        bx_topic_write(s, &topic, &page);
    } else if (topic.command) {
        bx_usage_command(&cli->out, topic.command);
    } else {
        bx_usage_all(&cli->out, bx_commands);
    }
    return BX_EXIT_OK;
}

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subjects s = {bx_commands, cli->catalog};
    if (v->output)
        return write_pages(cli, v, &s);
    switch (v->generate) {
    case BASH:
        bx_completion_bash(&cli->out, bx_commands);
        return BX_EXIT_OK;
    case ZSH:
        bx_completion_zsh(&cli->out, bx_commands);
        return BX_EXIT_OK;
    default:
        return show(cli, v, &s, operands->n ? operands->text[0] : NULL);
    }
}

static const bx_example examples[] = {
    {"boxscore help stat", "the options of a command"},
    {"boxscore help workloads", "what a virtual machine can run"},
    {"boxscore help skl-cbo", "a PMU: its events, unit masks and registers"},
    {"boxscore help topics", "the list of all topics"},
    {.line = NULL},
};

const bx_command bx_command_help = {
    .name = "help",
    .help = "show the help of a command, or the facts of a PMU or CPU",
    .operands = "[COMMAND|TOPIC]",
    .text =
        "A topic is 'workloads', the built-in workloads of a virtual machine; a CPU model, its\n"
        "metrics or one of its PMUs ('skl', 'skl-metrics', 'skl-cbo'); or 'topics', the list\n"
        "of them. Each is a page of the manual, too: boxscore-skl-cbo(7). 'boxscore info'\n"
        "tells about a single event, metric or register.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run,
};
