/* What all commands have in common: help, manual page and completion from the tables, usage errors,
 * and a standard output that cannot be written. */
#include "../cmocked.h"

#include "../cpu_names.h"
#include "cli/run.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MOST = 64 };

/* All commands, as the help lists them: "  list      list events …"; a long name has a line of its
 * own. */
static char *commands[COMMANDS_MOST];
static size_t commands_n;

static int read_commands(void **state)
{
    (void)state;
    ran r = RUN("help");
    char *line = strstr(r.out, "\ncommands:\n");
    for (line = line ? line + strlen("\ncommands:\n") : NULL; line && *line == ' ';
         line = strchr(line, '\n') + 1)
        if (line[2] != ' ' && commands_n < COMMANDS_MOST)
            commands[commands_n++] = strndup(line + 2, strcspn(line + 2, " \n"));
    ran_free(&r);
    return 0;
}

static void version(void **state)
{
    (void)state;
    ran r = RUN("--version");
    assert_string_equal(r.out, "boxscore 0.1.0\n");
    assert_silent(&r);
}

static int free_commands(void **state)
{
    (void)state;
    while (commands_n)
        free(commands[--commands_n]);
    return 0;
}

static void help_names_all_commands(void **state)
{
    static const char *const ways[] = {"--help", "-h", "help"};
    static const char *const some[] = {"list", "info",  "encode",  "decode", "plan",   "stat",
                                       "diff", "stage", "explain", "vpmu",   "doctor", "help"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        ran r = RUN(ways[i]);
        for (size_t j = 0; j < sizeof some / sizeof *some; j++) {
            char line[32];
            snprintf(line, sizeof line, "\n  %-9s ", some[j]);
            assert_has(r.out, line);
        }
        assert_silent(&r);
    }
    assert_true(commands_n > sizeof some / sizeof *some);
}

/* Options that scripts depend on; the issue that asked for the command names them. */
static void help_of_a_command(void **state)
{
    static const struct {
        const char *command;
        const char *options[10];
    } cases[] = {
        {"list", {"--cpu CPU", "--machine MACHINE", "--modelled", "-j, --json", "-h, --help"}},
        {"info", {"--cpu CPU", "--machine MACHINE"}},
        {"encode", {"--cpu CPU", "--machine MACHINE", "-j, --json"}},
        {"decode", {"--cpu CPU", "--machine MACHINE", "-j, --json"}},
        {"plan", {"-e, --event EVENTS", "--machine MACHINE", "-j, --json"}},
        {"stat",
         {"-e, --event ", "-r, --repeat ", "-I, --interval-print ", "-j, --json", "-x, ",
          "--per-unit", "-o, --output ", "--workload ", "--machine MACHINE", "--passes "}},
        {"stage",
         {"--at DIRECTORY", "--follow COMMAND", "--machine MACHINE", "-w, --workload ",
          "--pace CYCLES"}},
        {"explain",
         {"-a, --all", "--machine MACHINE", "-o, --output ", "--log FILE", "-w, --workload ",
          "--pace CYCLES"}},
        {"vpmu", {"--machine MACHINE"}},
        {"doctor", {"--root DIRECTORY"}},
        {"help", {"--generate man|markdown|bash|zsh", "-o, --output DIRECTORY"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char usage[64];
        ran r = RUN(cases[i].command, "--help");
        snprintf(usage, sizeof usage, "usage: boxscore %s [OPTION...]", cases[i].command);
        assert_has(r.out, usage);
        for (size_t j = 0; j < 10 && cases[i].options[j]; j++)
            assert_has(r.out, cases[i].options[j]);
        ran same = RUN("help", cases[i].command);
        assert_string_equal(same.out, r.out);
        assert_silent(&same);
        ran same_too = RUN(cases[i].command, "-h", "--nonsense");
        assert_string_equal(same_too.out, r.out);
        assert_silent(&same_too);
        assert_silent(&r);
    }
}

/* Calls f for every option that a command's help shows: "  -e, --event EVENTS  …". */
static void each_option(const char *command,
                        void (*f)(const char *command, const char *name, char letter,
                                  const void *context),
                        const void *context)
{
    ran r = RUN(command, "--help");
    size_t n = 0;
    for (char *save, *line = strtok_r(r.out, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char letter = 0, name[32];
        if (sscanf(line, "  -%c, --%31[a-z-]", &letter, name) != 2) {
            letter = 0;
            if (sscanf(line, "  --%31[a-z-]", name) != 1)
                continue;
        }
        f(command, name, letter, context);
        n++;
    }
    assert_true(n > 0);
    assert_silent(&r);
}

static void in_manual(const char *command, const char *name, char letter, const void *page)
{
    char option[64];
    (void)command;
    if (letter)
        snprintf(option, sizeof option, "\n\\fB\\-%c, \\-\\-", letter);
    else
        snprintf(option, sizeof option, "\n\\fB\\-\\-");
    for (const char *p = name; *p; p++)
        snprintf(option + strlen(option), sizeof option - strlen(option), "%s%c",
                 *p == '-' ? "\\" : "", *p);
    assert_has(page, option);
}

static void manual_has_all_options(void **state)
{
    (void)state;
    for (size_t i = 0; i < commands_n; i++) {
        ran r = RUN("help", "--generate", "man", commands[i]);
        each_option(commands[i], in_manual, r.out);
        /* no line of text begins like a troff request */
        assert_has_not(r.out, "\n'");
        assert_silent(&r);
    }
}

static void in_zsh(const char *command, const char *name, char letter, const void *script)
{
    char text[64];
    snprintf(text, sizeof text, "\n    %s)\n", command);
    const char *section = strstr(script, text);
    assert_non_null(section);
    const char *end = strstr(section, ";;");
    snprintf(text, sizeof text, "--%s", name);
    const char *found = strstr(section, text);
    assert_true(found && found < end);
    if (!letter)
        return;
    snprintf(text, sizeof text, "'-%c[", letter);
    found = strstr(section, text);
    snprintf(text, sizeof text, "'*-%c[", letter); /* may be given several times */
    const char *many = strstr(section, text);
    assert_true((found && found < end) || (many && many < end));
}

static void zsh_has_all_options(void **state)
{
    (void)state;
    ran r = RUN("help", "--generate", "zsh");
    assert_int_equal(strncmp(r.out, "#compdef boxscore\n", 18), 0);
    for (size_t i = 0; i < commands_n; i++)
        each_option(commands[i], in_zsh, r.out);
    assert_silent(&r);
}

/* What bash completes for the last of the words. */
static ran complete(const char *words)
{
    char script[512];
    snprintf(script, sizeof script,
             "PATH=$(dirname \"$BOXSCORE\"):$PATH\n"
             "source <(boxscore help --generate bash) || exit 1\n"
             "COMP_WORDS=(%s) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
             "_boxscore\n"
             "printf '%%s\\n' \"${COMPREPLY[@]}\"\n",
             words);
    return run_shell(script);
}

static void in_bash(const char *command, const char *name, char letter, const void *offers)
{
    char line[64];
    (void)command;
    (void)letter;
    snprintf(line, sizeof line, "\n--%s\n", name);
    assert_has(offers, line);
}

static void bash_has_all_options(void **state)
{
    (void)state;
    for (size_t i = 0; i < commands_n; i++) {
        char words[64], offers[4096];
        snprintf(words, sizeof words, "boxscore %s --", commands[i]);
        ran r = complete(words);
        snprintf(offers, sizeof offers, "\n%s", r.out);
        each_option(commands[i], in_bash, offers);
        assert_silent(&r);
    }
}

static void bash_knows_values(void **state)
{
    static const struct {
        const char *words, *offers;
    } cases[] = {
        {"boxscore e", "encode\nexplain\n"},
        {"boxscore --v", "--version\n"},
        {"boxscore help de", "decode\n"},
        {"boxscore help --generate m", "man\nmarkdown\n"},
        {"boxscore help skl-c", "skl-cbo\nskl-clock\nskl-core\n"},
        {"boxscore help DRAM_DATA_R", "DRAM_DATA_READS\n"},
        {"boxscore help MSR_UNC_CBO_0_PERFEVTSEL", "MSR_UNC_CBO_0_PERFEVTSEL0\n"
                                                   "MSR_UNC_CBO_0_PERFEVTSEL1\n"},
        {"boxscore help llc_miss_r", "llc_miss_ratio\n"},
        {"boxscore list --cpu ''", "{cpus}\n"},
        {"boxscore vpmu --machine virtual:iv",
         "virtual:ivbep\nvirtual:ivbep,part=e5-2695v2\nvirtual:ivbep,part=i7-3770\n"
         "virtual:ivbep,part=i7-4930k\nvirtual:ivbep,part=plain\n"},
        {"boxscore vpmu --machine virtual:p",
         "virtual:p6\nvirtual:p6,part=plain\nvirtual:pii\nvirtual:pm\nvirtual:ppro\n"},
        {"boxscore stat --passes ro", "rotate\n"},
        {"boxscore plan -e skl_unc_imc::DRAM_DATA_R", "skl_unc_imc::DRAM_DATA_READS\n"},
        {"boxscore encode skl_unc_cl", "skl_unc_clock::UNC_CLOCK:SOCKET\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char offers[CPU_NAMES_ROOM];
        ran r = complete(cases[i].words);
        assert_string_equal(r.out, with_cpu_names(offers, cases[i].offers, "\n"));
        assert_silent(&r);
    }
}

static void mistakes_in_usage(void **state)
{
    static const struct {
        const char *words[4];
        const char *err;
    } cases[] = {
        {{NULL},
         "boxscore: no command was given\n  hint: boxscore stat -- PROGRAM counts a program, "
         "boxscore help lists the commands\n"},
        {{"lst"},
         "boxscore: there is no command 'lst'\n  hint: " BX_DID_YOU_MEAN_NAME("list") "\n"},
        {{"version"}, "boxscore: there is no command 'version'\n  hint: boxscore --version\n"},
        {{"transmogrify"},
         "boxscore: there is no command 'transmogrify'\n  hint: boxscore --help\n"},
        {{"--json", "list"},
         "boxscore: '--json' is no command\n"
         "  hint: options follow the command: boxscore list --json\n"},
        {{"--jason", "lisst"},
         "boxscore: '--jason' is no command\n"
         "  hint: boxscore COMMAND [OPTION...], or boxscore --help\n"},
        {{"list", "--jason"},
         "boxscore: 'list' has no option '--jason'\n  hint: " BX_DID_YOU_MEAN_NAME("--json") "\n"},
        {{"list", "-q"}, "boxscore: 'list' has no option '-q'\n  hint: boxscore list --help\n"},
        {{"list", "--cpu"},
         "boxscore: option '--cpu' has no value\n"
         "  hint: --cpu CPU: CPU model of the catalogue, such as 'skl'\n"},
        {{"help", "lisst"},
         "boxscore: there is no help topic 'lisst'\n  hint: " BX_DID_YOU_MEAN_NAME("list") "\n"},
        {{"help", "transmogrify"},
         "boxscore: there is no help topic 'transmogrify'\n"
         "  hint: boxscore help topics, or boxscore list WORD\n"},
        {{"help", "-o", "out"}, "boxscore: --output needs --generate man or --generate markdown\n"},
        {{"help", "--generate", "pdf"},
         "boxscore: option '--generate' cannot be 'pdf'\n  hint: one of: man|markdown|bash|zsh\n"},
        {{"doctor", "now"},
         "boxscore: 'doctor' does not take 'now'\n  hint: boxscore doctor [OPTION...]\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ran r = run(NULL, cases[i].words);
        assert_failed(&r, 2, cases[i].err);
    }
}

/* A mistyped folder is an error; it is not taken for a machine without anything. */
static void roots_that_are_none(void **state)
{
    static const char *const calls[][6] = {
        {"doctor"}, {"regs"}, {"restore"}, {"list", "--machine", "host"}, {"machine", "gather"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const char *words[8] = {NULL};
        size_t n = 0;
        for (; calls[i][n]; n++)
            words[n] = calls[i][n];
        words[n++] = "--root=/dev/null/x";
        ran r = run(NULL, words);
        assert_failed(&r, 1,
                      "boxscore: --root '/dev/null/x': Not a directory\n"
                      "  hint: a folder with dev, proc and sys, or a file of boxscore machine "
                      "gather\n");
        words[n - 1] = "--root=/dev/null";
        r = run(NULL, words);
        assert_failed(&r, 1,
                      "boxscore: --root '/dev/null' is neither a folder nor a gathered machine\n"
                      "  hint: a folder with dev, proc and sys, or a file of boxscore machine "
                      "gather\n");
    }
}

static void output_that_cannot_be_written(void **state)
{
    static const char *const calls[][5] = {
        {"list"},
        {"info", "skl"},
        {"encode", "-j", "UNC_CLOCK"},
        {"decode", "--cpu=skl", "0x700=0x408834"},
        {"--version"},
        {"--help"},
        {"doctor"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        ran r = run_into("/dev/full", calls[i]);
        assert_failed(&r, 1,
                      "boxscore: cannot write to standard output: No space left on device\n");
        r = run_into(NULL, calls[i]);
        assert_failed(&r, 1, "boxscore: cannot write to standard output: Bad file descriptor\n");
    }
}

/* A reader that has closed the pipe ends each command without a message, as by SIGPIPE. What a
 * command counts is put back before. */
static void output_that_nobody_reads(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "list",
        "list -j",
        "info skl",
        "help stat",
        "stat --help",
        "--help",
        "--version",
        "encode --cpu skl UNC_CBO_CACHE_LOOKUP:ANY_I",
        "decode --cpu skl 0x700=0x408834",
        "plan --machine virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I",
        "allowlist --cpu skl",
        "regs --machine virtual:skl,part=plain",
        "doctor",
        "explain --machine virtual:skl,part=plain /dev/null",
        "stat --machine virtual:skl,part=plain,cores=1,llc=512K -w stream,size=4K",
        "stat --machine virtual:skl,part=plain,cores=1,llc=512K -w stream,size=4K -j",
        "stat --machine virtual:skl,part=plain,cores=1,llc=512K -w stream,size=4K -o /dev/stdout",
        ("stat --machine virtual:skl,part=plain,cores=1,llc=512K -e INSTR_RETIRED_ANY -o "
         "/dev/stdout -- true"),
    };
    static const char *const dispositions[] = {"", "trap '' PIPE; "}; /* also where it is ignored */
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char script[800];
        snprintf(script, sizeof script,
                 "d=$(mktemp -d); mkfifo $d/f\n"
                 "{ { %sread x <$d/f; $BOXSCORE %s 2>&3; echo $? >&3; } |\n"
                 "  { exec <&-; echo >$d/f; }; } 3>&1; rm -r $d",
                 dispositions[i % 2], lines[i]);
        ran r = run_shell(script);
        if (strcmp(r.out, "141\n") != 0)
            fail_msg("%s: %s%s", lines[i], r.out, r.err);
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version),
        cmocka_unit_test(help_names_all_commands),
        cmocka_unit_test(help_of_a_command),
        cmocka_unit_test(manual_has_all_options),
        cmocka_unit_test(zsh_has_all_options),
        cmocka_unit_test(bash_has_all_options),
        cmocka_unit_test(bash_knows_values),
        cmocka_unit_test(mistakes_in_usage),
        cmocka_unit_test(roots_that_are_none),
        cmocka_unit_test(output_that_cannot_be_written),
        cmocka_unit_test(output_that_nobody_reads),
    };
    return cmocka_run_group_tests(tests, read_commands, free_commands);
}
