/* Output, messages and the selected CPU or machine, for all commands. */
#include "cli/common/cli.h"
#include "cli/common/pager.h"

#include "base/printable.h"
#include "cli/common/imported.h"
#include "event/hint.h"
#include "host/system/file.h"

#include "base/nearest.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int bx_cli_write(int fd, const char *bytes, size_t n)
{
    return bx_file_write(fd, bytes, n);
}

bool bx_cli_lacks_memory(const bx_cli *cli)
{
    return cli->out.failed || cli->arena.failed;
}

bool bx_cli_flush(bx_cli *cli)
{
    if (cli->failed)
        return false;
    if (bx_cli_lacks_memory(cli)) {
        cli->failed = true;
        bx_cli_fail("out of memory");
        return false;
    }
    bx_printable_lines(cli->out.p, cli->out.n); /* names in it may have control characters */
    if (cli->long_text && cli->out.n && bx_pager_show(cli->out.p, cli->out.n))
        cli->out.n = 0;
    int failed = cli->out.n ? bx_cli_write(STDOUT_FILENO, cli->out.p, cli->out.n) : 0;
    cli->out.n = 0;
    if (failed)
        cli->failed = true;
    if (failed == EPIPE) /* a reader such as head may stop early */
        cli->unread = true;
    else if (failed)
        bx_cli_fail("cannot write to standard output: %s", strerror(failed));
    return !failed;
}

/* A message for standard error, in separate memory: it must be printed even if memory has run out.
 */
typedef struct message {
    size_t n;
    char text[sizeof(bx_error) + 1024];
} message;

__attribute__((format(printf, 2, 3))) static void add(message *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->text + m->n, sizeof m->text - m->n, format, args);
    va_end(args);
    m->n += strlen(m->text + m->n);
}

/* One write, so that lines of two processes do not mix. If it fails, nothing can be reported. */
static void say(message *m)
{
    bx_printable_lines(m->text, m->n);
    bx_cli_write(STDERR_FILENO, m->text, m->n);
}

int bx_cli_error(const bx_error *e, const char *input)
{
    enum { COLUMNS = 100 };
    char caret[4 * COLUMNS];
    message m = {0};
    if (!e->message[0]) /* it was reported before, or needs no report */
        return BX_EXIT_ERROR;
    add(&m, "boxscore: %s\n", e->message);
    if (input && e->len) {
        bx_error_caret(e, bx_str_of(input), COLUMNS, caret, sizeof caret);
        for (bx_str rest = bx_str_of(caret); rest.p;) {
            bx_str line = bx_str_cut(&rest, '\n');
            add(&m, "  %.*s\n", (int)line.n, line.p);
        }
    }
    if (e->hint[0])
        add(&m, "  hint: %s\n", e->hint);
    say(&m);
    return BX_EXIT_ERROR;
}

static void print_note(void *unused, const char *text)
{
    (void)unused;
    bx_cli_note("%s", text);
}

const bx_listener bx_cli_listener = {.note = print_note};

int bx_cli_reject(bx_cli *cli, const bx_error *e, const char *input)
{
    cli->out.n = 0;
    return bx_cli_error(e, input);
}

int bx_cli_fail(const char *format, ...)
{
    bx_error e = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(e.message, sizeof e.message, format, args);
    va_end(args);
    bx_printable(e.message, strlen(e.message));
    return bx_cli_error(&e, NULL);
}

void bx_cli_note(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    bx_printable(line, strlen(line));
    message m = {0};
    add(&m, "boxscore: %s\n", line);
    say(&m);
}

void bx_cli_hint(bx_error *e, const bx_nearest *nearest, const char *otherwise)
{
    if (nearest->name[0])
        bx_hint(e, BX_DID_YOU_MEAN_NAME("%s"), nearest->name);
    else
        bx_hint(e, "%s", otherwise);
}

static int find_cpu(const bx_catalog *c, const char *name, int *cpu)
{
    bx_nearest nearest = bx_nearest_to(bx_str_of(name));
    bx_names names = bx_names_of_cpus(c);
    for (size_t i = 0; i < bx_catalog_cpus(c); i++) {
        const char *known = bx_catalog_cpu_name(c, i);
        if (bx_cli_same_cpu(known, name)) {
            *cpu = (int)i;
            return BX_EXIT_OK;
        }
        bx_nearest_offer(&nearest, known);
    }
    bx_error e = {0};
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "the catalogue has no CPU model '%s'",
            bx_quote(bx_str_of(name)).text);
    bx_hint_nearest(&e, &nearest, "it has", &names);
    return bx_cli_error(&e, NULL);
}

/* The CPU of the machine in a folder, without its registers. */
static int cpu_in_folder(bx_cli *cli, const char *root, int *cpu)
{
    bx_error e = {0};
    if (bx_cli_use_imported_of(&cli->catalog, root, &cli->arena, cpu, &e))
        return bx_cli_error(&e, NULL);
    if (*cpu >= 0)
        return BX_EXIT_OK;
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "the catalogue lacks the CPU of this machine");
    bx_hint(&e, "boxscore import perfmon DIR adds it, or name another CPU with --cpu");
    return bx_cli_error(&e, NULL);
}

int bx_cli_subject_at(bx_cli *cli, const char *cpu, const char *machine, const char *root,
                      bx_subject *subject)
{
    *subject = (bx_subject){.cpu = -1};
    if (cpu && machine) {
        bx_cli_fail(
            "--cpu and --machine cannot be given together: a machine has its own CPU model");
        return BX_EXIT_USAGE;
    }
    bx_error e = {0};
    if (cpu)
        return bx_cli_use_imported(&cli->catalog, cpu, &e)
                   ? bx_cli_error(&e, NULL)
                   : find_cpu(cli->catalog, cpu, &subject->cpu);
    if (!machine && root && *root)
        return cpu_in_folder(cli, root, &subject->cpu);
    if (!machine)
        return BX_EXIT_OK;
    if (strcmp(machine, "host") == 0 &&
        bx_cli_use_imported_of(&cli->catalog, root ? root : "", &cli->arena, &subject->cpu, &e))
        return bx_cli_error(&e, NULL);
    const bx_machine_options o = {.size = sizeof o, .root = root};
    if (bx_machine_open_with(cli->catalog, machine, &o, &subject->machine, &e))
        return bx_cli_error(&e, machine);
    subject->cpu = bx_machine_cpu(subject->machine);
    return BX_EXIT_OK;
}

int bx_cli_no_cpu(const bx_cli *cli, const char *command)
{
    bx_error e = {0};
    bx_names cpus = bx_names_of_cpus(cli->catalog);
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "'%s' needs a CPU model: each has registers of its own",
            command);
    bx_hint(&e, "--cpu NAME, one of: %s", cpus.text);
    bx_cli_error(&e, NULL);
    return BX_EXIT_USAGE;
}

int bx_cli_need_cpu(const bx_machine *m)
{
    if (bx_machine_cpu(m) >= 0)
        return BX_EXIT_OK;
    bx_error e = {0};
    bx_fail(&e, BX_NO_ACCESS, 0, 0, "the CPU of this machine is not in the catalogue");
    bx_hint(&e, "boxscore list --machine host shows what its kernel counts");
    return bx_cli_error(&e, NULL);
}

int bx_cli_subject(bx_cli *cli, const char *cpu, const char *machine, bx_subject *subject)
{
    return bx_cli_subject_in(cli, cpu, machine, NULL, subject);
}

int bx_cli_subject_in(bx_cli *cli, const char *cpu, const char *machine, const char *root,
                      bx_subject *subject)
{
    int status = bx_cli_subject_at(cli, cpu, machine, root, subject);
    if (!status && subject->machine)
        status = bx_cli_need_cpu(subject->machine);
    if (status) {
        bx_machine_close(subject->machine);
        subject->machine = NULL;
    }
    return status;
}

const char *bx_cli_first_machine(bx_cli *cli)
{
    char spec[64];
    int n = snprintf(spec, sizeof spec, "virtual:%s", bx_catalog_cpu_name(cli->catalog, 0));
    return bx_arena_copy(&cli->arena, (bx_str){spec, (size_t)n});
}

char *bx_cli_join(bx_cli *cli, const bx_texts *first, const bx_texts *second)
{
    bx_buf all = {.whole = &cli->arena.failed};
    const bx_texts *both[] = {first, second};
    bx_buf_z(&all, "");
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < both[i]->n; j++) {
            if (all.n)
                bx_buf_z(&all, ",");
            bx_buf_z(&all, both[i]->text[j]);
        }
    }
    char *text = all.failed ? NULL : bx_arena_copy(&cli->arena, (bx_str){all.p, all.n});
    bx_buf_free(&all);
    return text;
}

const char *bx_cli_separator(const char *given)
{
    return given && strcmp(given, "\\t") == 0 ? "\t" : given;
}
