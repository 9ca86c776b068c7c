/* Shell completion. The script calls boxscore for words of the catalogue, so they are always
 * current. */
#include "cli/common/cli.h"
#include "cli/help/topics.h"
#include "cli/help/usage.h"

#include <string.h>

typedef const bx_command *const *command_list; /* ends in NULL */

enum complete {
    NOTHING,
    FILES,
    EVENTS,
    METRICS,
    CPUS,
    MACHINES,
    WORKLOADS,
    CHOICES,
    COMMANDS,
    TOPICS
};

/* sed takes the names of groups and metrics out of `boxscore list --metrics`. Those of imported
 * CPUs have capitals. */
#define METRIC_NAMES  "s/^  \\([A-Z0-9_]*\\): .*/\\1/p; s/^    \\([A-Za-z0-9_]*\\)  *.*/\\1/p"
/* Those of CPUs in `boxscore import --list`. */
#define IMPORTED_CPUS "boxscore import --list 2>/dev/null | sed -n 's/ *version .*//p'"

/* The kind of an option's value or an operand, from its metavar. */
static enum complete complete_value(const char *metavar)
{
    static const struct {
        const char *metavar;
        enum complete what;
    } known[] = {
        {"FILE", FILES},       {"EVENT", EVENTS},       {"METRICS", METRICS}, {"CPU", CPUS},
        {"MACHINE", MACHINES}, {"WORKLOAD", WORKLOADS}, {"TOPIC", TOPICS},    {"COMMAND", COMMANDS},
    };
    if (metavar && strchr(metavar, '|') && metavar[0] >= 'a')
        return CHOICES;
    for (size_t i = 0; metavar && i < sizeof known / sizeof known[0]; i++)
        if (strstr(metavar, known[i].metavar))
            return known[i].what;
    return NOTHING;
}

static void choices(bx_buf *to, const char *metavar)
{
    for (bx_str rest = bx_str_of(metavar); rest.p;) {
        bx_buf_str(to, bx_str_cut(&rest, '|'));
        bx_buf_z(to, rest.p ? " " : "");
    }
}

static void names_of(bx_buf *to, command_list commands)
{
    for (size_t i = 0; commands[i]; i++)
        bx_buf_f(to, "%s%s", i ? " " : "", commands[i]->name);
}

/* The machine of a CPU, and those of its parts except the first, which is the default. */
static void machines_of(bx_buf *to, const bx_catalog *c, const bx_cat_cpu *cpu)
{
    const char *name = bx_cat_z(c, cpu->name);
    bx_buf_f(to, " virtual:%s", name);
    for (unsigned i = 1; i < cpu->parts.n; i++)
        bx_buf_f(to, " virtual:%s,part=%s", name,
                 bx_cat_z(c, bx_cat_presets(c)[cpu->parts.first + i].name));
}

static void machines(bx_buf *to)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_buf_z(to, "host");
    for (size_t i = 0; i < bx_catalog_cpus(c); i++)
        if (bx_cat_is_virtual(c, &bx_cat_cpus(c)[i]))
            machines_of(to, c, &bx_cat_cpus(c)[i]);
}

static void cpus(bx_buf *to)
{
    const bx_catalog *c = bx_catalog_builtin();
    for (size_t i = 0; i < bx_catalog_cpus(c); i++)
        bx_buf_f(to, "%s%s", i ? " " : "", bx_catalog_cpu_name(c, i));
}

static void workloads(bx_buf *to)
{
    for (size_t i = 0; bx_workload_name(i); i++)
        bx_buf_f(to, "%s%s", i ? " " : "", bx_workload_name(i));
}

/* The possible words of a value, separated by blanks; none for files and names of the catalogue. */
static void words(bx_buf *to, command_list commands, enum complete what, const char *metavar)
{
    switch (what) {
    case MACHINES:
        machines(to);
        break;
    case WORKLOADS:
        workloads(to);
        break;
    case CHOICES:
        choices(to, metavar);
        break;
    case COMMANDS:
        names_of(to, commands);
        break;
    default:
        break;
    }
}

/* The function of the script that offers names of the catalogue; NULL: there is none. */
static const char *function_of(enum complete what)
{
    return what == EVENTS    ? "_boxscore_events"
           : what == METRICS ? "_boxscore_metrics"
           : what == TOPICS  ? "_boxscore_topics"
           : what == CPUS    ? "_boxscore_cpus"
                             : NULL;
}

/* ---- bash ---- */

static void bash_words(bx_buf *to, command_list commands, enum complete what, const char *metavar)
{
    if (what == FILES) {
        bx_buf_z(to, "COMPREPLY=($(compgen -f -- \"$cur\"))");
    } else if (function_of(what)) {
        bx_buf_z(to, function_of(what));
    } else {
        bx_buf_z(to, "COMPREPLY=($(compgen -W \"");
        words(to, commands, what, metavar);
        bx_buf_z(to, "\" -- \"$cur\"))");
    }
}

static void bash_value(bx_buf *to, command_list commands, const bx_command *c, const bx_option *o)
{
    enum complete what = complete_value(o->metavar);
    if (!o->metavar)
        return;
    bx_buf_f(to, "    %s:--%s", c->name, o->name);
    if (o->letter)
        bx_buf_f(to, "|%s:-%c", c->name, o->letter);
    bx_buf_z(to, ") ");
    bash_words(to, commands, what, o->metavar);
    bx_buf_z(to, "; return ;;\n");
}

static void bash_command(bx_buf *to, command_list commands, const bx_command *c)
{
    const bx_option *o;
    bx_buf_f(to, "    %s)\n        case $cur in\n        -*) COMPREPLY=($(compgen -W \"", c->name);
    for (size_t i = 0; (o = bx_command_option(c, i)); i++) {
        bx_buf_f(to, "%s--%s", i ? " " : "", o->name);
        if (o->letter)
            bx_buf_f(to, " -%c", o->letter);
    }
    bx_buf_z(to, "\" -- \"$cur\")) ;;\n        *) ");
    bash_words(to, commands, complete_value(c->operands), c->operands);
    bx_buf_z(to, " ;;\n        esac ;;\n");
}

void bx_completion_bash(bx_buf *to, command_list commands)
{
    bx_buf_z(
        to,
        "# bash completion of boxscore: written by `boxscore help --generate bash`\n"
        "_boxscore_cpu() {\n" /* the option --cpu of the line, as one word */
        "    local i\n"
        "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
        "        [ \"${COMP_WORDS[i]}\" = --cpu ] || continue\n"
        "        [ \"${COMP_WORDS[i + 1]}\" = = ] && ((i++))\n"
        "        echo \"--cpu=${COMP_WORDS[i + 1]}\"\n"
        "    done\n"
        "}\n"
        "_boxscore_events() {\n"
        "    local IFS=$'\\n' names\n"
        "    names=$(boxscore list $(_boxscore_cpu) 2>/dev/null | sed -n 's/^ *\\([a-z0-9_]*::[^ "
        "]*\\).*/\\1/p')\n"
        "    COMPREPLY=($(compgen -W \"$names\" -- \"$cur\"))\n"
        "    __ltrim_colon_completions \"$cur\" 2>/dev/null\n"
        "}\n"
        "_boxscore_metrics() {\n"
        "    local names\n"
        "    names=$(boxscore list --metrics $(_boxscore_cpu) 2>/dev/null | sed -n '" METRIC_NAMES
        "')\n"
        "    COMPREPLY=($(compgen -W \"$names\" -- \"$cur\"))\n"
        "}\n"
        "_boxscore_cpus() {\n"
        "    local names=\"");
    cpus(to);
    bx_buf_z(to, "\"\n"
                 "    names=$(printf '%s\\n' $names $(" IMPORTED_CPUS ") | awk '!seen[$0]++')\n"
                 "    COMPREPLY=($(compgen -W \"$names\" -- \"$cur\"))\n"
                 "}\n"
                 "_boxscore_topics() {\n"
                 "    local names\n"
                 "    names=$(boxscore help names 2>/dev/null | sort -u)\n"
                 "    COMPREPLY=($(compgen -W \"topics $names\" -- \"$cur\"))\n"
                 "    __ltrim_colon_completions \"$cur\" 2>/dev/null\n"
                 "}\n"
                 "_boxscore() {\n"
                 "    local cur prev command\n"
                 "    if declare -F _get_comp_words_by_ref >/dev/null; then\n"
                 "        _get_comp_words_by_ref -n := cur prev\n"
                 "    else\n"
                 "        cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "    fi\n"
                 "    command=${COMP_WORDS[1]}\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        COMPREPLY=($(compgen -W \"");
    names_of(to, commands);
    bx_buf_z(to, " --help --version\" -- \"$cur\"))\n        return\n    fi\n"
                 "    case $command:$prev in\n");
    const bx_option *o;
    for (size_t i = 0; commands[i]; i++)
        for (size_t j = 0; (o = bx_command_option(commands[i], j)); j++)
            bash_value(to, commands, commands[i], o);
    bx_buf_z(to, "    esac\n    case $command in\n");
    for (size_t i = 0; commands[i]; i++)
        bash_command(to, commands, commands[i]);
    bx_buf_z(to, "    esac\n}\ncomplete -F _boxscore boxscore\n");
}

/* ---- zsh ---- */

/* Escapes text within '…' and the brackets and colons of _arguments. */
static void zsh_text(bx_buf *to, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'')
            bx_buf_z(to, "'\\''");
        else if (strchr("[]:\\", *p))
            bx_buf_f(to, "\\%c", *p);
        else
            bx_buf_add(to, p, 1);
    }
}

static void zsh_action(bx_buf *to, command_list commands, const char *metavar)
{
    enum complete what = complete_value(metavar);
    if (what == FILES) {
        bx_buf_z(to, "_files");
    } else if (function_of(what)) {
        bx_buf_z(to, function_of(what));
    } else if (what != NOTHING) {
        bx_buf list = {.whole = &to->failed};
        words(&list, commands, what, metavar);
        bx_buf_z(to, "(");
        zsh_text(to, bx_buf_text(&list));
        bx_buf_z(to, ")");
        bx_buf_free(&list);
    }
}

/* One spelling of an option: '*--event[help]:EVENTS:action' */
static void zsh_option(bx_buf *to, command_list commands, const bx_option *o, bool letter)
{
    bx_buf_f(to, " \\\n            '%s", o->kind == BX_OPTION_TEXTS ? "*" : "");
    if (letter)
        bx_buf_f(to, "-%c", o->letter);
    else
        bx_buf_f(to, "--%s%s", o->name, o->metavar ? "=" : "");
    bx_buf_z(to, "[");
    zsh_text(to, o->help);
    bx_buf_z(to, "]");
    if (o->metavar) {
        bx_buf_z(to, ":");
        zsh_text(to, o->metavar);
        bx_buf_z(to, ":");
        zsh_action(to, commands, o->metavar);
    }
    bx_buf_z(to, "'");
}

static void zsh_command(bx_buf *to, command_list commands, const bx_command *c)
{
    const bx_option *o;
    bx_buf_f(to, "    %s)\n        _arguments -s", c->name);
    for (size_t i = 0; (o = bx_command_option(c, i)); i++) {
        zsh_option(to, commands, o, false);
        if (o->letter)
            zsh_option(to, commands, o, true);
    }
    if (c->stops) {
        bx_buf_z(to, " \\\n            '*:: :_normal'");
    } else if (c->operands[0]) {
        bx_buf_z(to, " \\\n            '*:");
        zsh_text(to, c->operands);
        bx_buf_z(to, ":");
        zsh_action(to, commands, c->operands);
        bx_buf_z(to, "'");
    }
    bx_buf_z(to, "\n        ;;\n");
}

void bx_completion_zsh(bx_buf *to, command_list commands)
{
    bx_buf_z(to, "#compdef boxscore\n"
                 "# zsh completion of boxscore: written by `boxscore help --generate zsh`\n"
                 "_boxscore_cpu() {\n"
                 "    local i=${words[(I)--cpu]}\n"
                 "    (( i )) && print -- --cpu=$words[i+1]\n"
                 "    print -l -- ${(M)words:#--cpu=*}\n"
                 "}\n"
                 "_boxscore_cpus() {\n"
                 "    local -a names\n"
                 "    names=(");
    cpus(to);
    bx_buf_z(to,
             " ${(f)\"$(" IMPORTED_CPUS ")\"})\n"
             "    compadd -a names\n"
             "}\n"
             "_boxscore_events() {\n"
             "    local -a names\n"
             "    names=(${(f)\"$(boxscore list $(_boxscore_cpu) 2>/dev/null | sed -n 's/^ "
             "*\\([a-z0-9_]*::[^ ]*\\).*/\\1/p')\"})\n"
             "    compadd -a names\n"
             "}\n"
             "_boxscore_metrics() {\n"
             "    local -a names\n"
             "    names=(${(f)\"$(boxscore list --metrics $(_boxscore_cpu) 2>/dev/null | sed -n "
             "'" METRIC_NAMES "')\"})\n"
             "    compadd -a names\n"
             "}\n"
             "_boxscore_topics() {\n"
             "    local -a names\n"
             "    names=(topics ${(f)\"$(boxscore help names 2>/dev/null | sort -u)\"})\n"
             "    compadd -a names\n"
             "}\n"
             "_boxscore() {\n"
             "    if (( CURRENT == 2 )); then\n"
             "        local -a commands=(\n");
    for (size_t i = 0; commands[i]; i++) {
        bx_buf_f(to, "            '%s:", commands[i]->name);
        zsh_text(to, commands[i]->help);
        bx_buf_z(to, "'\n");
    }
    bx_buf_z(to, "        )\n        _describe command commands\n        return\n    fi\n"
                 "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                 "    case $command in\n");
    for (size_t i = 0; commands[i]; i++)
        zsh_command(to, commands, commands[i]);
    bx_buf_z(to, "    esac\n}\n_boxscore \"$@\"\n");
}
