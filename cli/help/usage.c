/* Formats usage texts in columns. */
#include "cli/help/usage.h"

#include "cli/common/cli.h"
#include "cli/common/page.h"

void bx_usage_option(bx_buf *to, const bx_option *o)
{
    if (o->letter)
        bx_buf_f(to, "-%c, ", o->letter);
    bx_buf_f(to, "--%s", o->name);
    if (o->metavar)
        bx_buf_f(to, " %s", o->metavar);
}

void bx_usage_all(bx_buf *to, const bx_command *const *commands)
{
    static const bx_page_columns columns = {.text_at = 12};
    bx_page page = bx_page_text(to);
    bx_buf_z(to,
             "usage: boxscore COMMAND [OPTION...]\n"
             "\n"
             "Counts events of Intel processors inside and outside the cores, on this machine or\n"
             "on a virtual one.\n"
             "\n"
             "commands:\n");
    bx_page_list(&page, &columns, "");
    for (size_t i = 0; commands[i]; i++)
        bx_page_item(&page, commands[i]->help, "%s", commands[i]->name);
    bx_buf_z(to, "\n"
                 "options:\n"
                 "  -h, --help  show this help; for a command: boxscore COMMAND --help\n"
                 "  --version   show the version\n");
}

void bx_usage_command(bx_buf *to, const bx_command *c)
{
    static const bx_page_columns columns = {.text_at = 24};
    bx_page page = bx_page_text(to);
    bx_buf_f(to, "usage: boxscore %s [OPTION...]%s%s\n\n%s\n", c->name, c->operands[0] ? " " : "",
             c->operands, c->help);
    if (c->text[0])
        bx_buf_f(to, "\n%s\n", c->text);
    bx_buf_z(to, "\noptions:\n");
    bx_page_list(&page, &columns, "");
    const bx_option *o;
    for (size_t i = 0; (o = bx_command_option(c, i)); i++) {
        bx_buf left = {.whole = &to->failed};
        bx_usage_option(&left, o);
        bx_page_item(&page, o->help, "%s", bx_buf_text(&left));
        bx_buf_free(&left);
    }
    bx_buf_z(to, c->examples ? "\nexamples:\n" : "");
    for (const bx_example *x = c->examples; x && x->line; x++)
        bx_buf_f(to, "  $ %s\n      %s\n", x->line, x->does);
}
