/* The manual page, in the macros of man(7). */
#include "cli/common/cli.h"
#include "cli/help/usage.h"

/* Escapes text for roff: a backslash, a dash, or a control character at the start of a line has a
 * meaning there. */
static void add(bx_buf *to, const char *text)
{
    bool begins = true;
    for (const char *p = text; *p; p++) {
        if (begins && (*p == '.' || *p == '\''))
            bx_buf_z(to, "\\&");
        if (*p == '\\')
            bx_buf_z(to, "\\e");
        else if (*p == '-')
            bx_buf_z(to, "\\-");
        else if (*p == '\'')
            bx_buf_z(to, "\\(aq");
        else
            bx_buf_add(to, p, 1);
        begins = *p == '\n';
    }
}

static void option(bx_buf *to, const bx_option *o)
{
    bx_buf name = {.whole = &to->failed};
    bx_usage_option(&name, o);
    bx_buf_z(to, ".TP\n.B ");
    add(to, bx_buf_text(&name));
    bx_buf_z(to, "\n");
    add(to, o->help);
    bx_buf_z(to, "\n");
    bx_buf_free(&name);
}

static void examples(bx_buf *to, const bx_command *c)
{
    bx_buf_z(to, c->examples ? ".PP\nExamples:\n" : "");
    for (const bx_example *x = c->examples; x && x->line; x++) {
        bx_buf_z(to, ".PP\n.nf\n\\fB$ ");
        add(to, x->line);
        bx_buf_z(to, "\\fR\n.fi\n.RS\n");
        add(to, x->does);
        bx_buf_z(to, "\n.RE\n");
    }
}

static void command(bx_buf *to, const bx_command *c)
{
    bx_buf_f(to, ".SS boxscore %s [OPTION...]%s", c->name, c->operands[0] ? " " : "");
    add(to, c->operands);
    bx_buf_z(to, "\n");
    add(to, c->help);
    bx_buf_z(to, "\n");
    if (c->text[0]) {
        bx_buf_z(to, ".PP\n");
        add(to, c->text);
        bx_buf_z(to, "\n");
    }
    const bx_option *o;
    for (size_t i = 0; (o = bx_command_option(c, i)); i++)
        option(to, o);
    examples(to, c);
}

void bx_manual_page(bx_buf *to, const bx_command *const *commands)
{
    bx_buf_z(to, ".TH BOXSCORE 1 \"\" \"boxscore " BX_VERSION "\" \"User Commands\"\n"
                 ".SH NAME\n"
                 "boxscore \\- Intel hardware performance counters, above all those outside the "
                 "core\n"
                 ".SH SYNOPSIS\n"
                 ".B boxscore\n"
                 ".I COMMAND\n"
                 "[\\fIOPTION\\fR...]\n"
                 ".SH DESCRIPTION\n"
                 "Counts what Intel hardware does inside and outside the core, on this machine or "
                 "on a virtual one that it brings along.\n"
                 ".TP\n.B \\-h, \\-\\-help\nshow the commands, or behind one its options\n"
                 ".TP\n.B \\-\\-version\nshow the version\n"
                 ".SH COMMANDS\n");
    for (size_t i = 0; commands[i]; i++)
        command(to, commands[i]);
    bx_buf_z(to, ".SH EXIT STATUS\n"
                 "0 if all went well, 1 for an error, 2 for a mistake in options or operands.\n"
                 ".B boxscore stat\n"
                 "returns that of the program that it runs.\n"
                 ".SH SEE ALSO\n"
                 "README.md and the pages of docs/, which are installed in share/doc/boxscore; "
                 "boxscore\\-helper \\-\\-help.\n");
}
