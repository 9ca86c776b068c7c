/* boxscore(1) and the page of each command, from the tables of commands and options. */
#include "cli/help/topics.h"
#include "cli/help/usage.h"

static void options(bx_page *to, const bx_command *c)
{
    static const bx_page_columns columns = {.heads = "option", .text_at = 7, .apart = true};
    const bx_option *o;
    bx_page_title(to, "Options");
    bx_page_list(to, &columns, "");
    for (size_t i = 0; (o = bx_command_option(c, i)); i++) {
        bx_buf name = {.whole = &to->to->failed};
        bx_usage_option(&name, o);
        bx_page_item(to, o->help, "%s", bx_buf_text(&name));
        bx_buf_free(&name);
    }
}

void bx_manual_command(bx_page *to, const bx_command *c)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_f(&text, "boxscore %s [OPTION...]%s%s", c->name, c->operands[0] ? " " : "", c->operands);
    bx_page_title(to, "Synopsis");
    bx_page_code(to, bx_buf_text(&text));
    bx_buf_free(&text);
    if (c->text[0]) {
        bx_page_title(to, "Description");
        text = (bx_buf){.whole = &to->to->failed};
        for (const char *p = c->text; *p; p++) /* its line breaks are for a terminal */
            bx_buf_add(&text, *p == '\n' ? " " : p, 1);
        bx_page_paragraph(to, "%s", bx_buf_text(&text));
        bx_buf_free(&text);
    }
    options(to, c);
    bx_page_title(to, "Examples");
    for (const bx_example *x = c->examples; x && x->line; x++)
        bx_page_example(to, x->line, x->does);
    bx_page_title(to, "See also");
    bx_page_paragraph(to, "boxscore(1)");
}

static void pages(bx_page *to, const bx_subjects *s, bool of_commands)
{
    static const bx_page_columns columns = {.heads = "page", .text_at = 28};
    bx_topic topic;
    bx_page_list(to, &columns, "");
    for (size_t i = 1; bx_topic_at(s, i, &topic); i++)
        if ((topic.kind == BX_TOPIC_COMMAND) == of_commands) {
            bx_page_link(to, topic.page.text, NULL);
            bx_page_item(to, topic.title.text, "%s(%u)", topic.page.text, topic.section);
        }
}

void bx_manual_all(bx_page *to, const bx_subjects *s)
{
    static const bx_page_columns options = {.heads = "option", .text_at = 14},
                                 states = {.heads = "status", .text_at = 6};
    bx_page_title(to, "Synopsis");
    bx_page_code(to, "boxscore COMMAND [OPTION...]");
    bx_page_title(to, "Description");
    bx_page_paragraph(to, "Counts what Intel hardware does inside and outside the core, on this "
                          "machine or on a virtual one that it brings along.");
    bx_page_list(to, &options, "");
    bx_page_item(to, "show the commands, or after one its options", "-h, --help");
    bx_page_item(to, "show the version", "--version");
    bx_page_title(to, "Commands");
    pages(to, s, true);
    bx_page_title(to, "What can be counted");
    bx_page_paragraph(to, "Without a manual at hand: boxscore help TOPIC, where TOPIC is the name "
                          "of a page without \"boxscore-\", or an event, register or metric.");
    pages(to, s, false);
    bx_page_title(to, "Exit status");
    bx_page_list(to, &states, "");
    bx_page_item(to, "all went well", "0");
    bx_page_item(to, "an error", "1");
    bx_page_item(to, "a mistake in options or operands", "2");
    bx_page_paragraph(to, "boxscore stat, explain, stage and trace return the exit status of the "
                          "program that they run, boxscore diff 3 if a condition is true.");
    bx_page_title(to, "See also");
    bx_page_paragraph(to, "The documents in share/doc/boxscore; boxscore-helper --help.");
}
