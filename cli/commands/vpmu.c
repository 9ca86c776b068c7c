/* boxscore vpmu: a register dialogue on a virtual machine. */
#include "cli/commands/commands.h"
#include "machine/dialogue/dialogue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct values {
    const char *machine;
} values;

static const bx_option options[] = {BX_OPTION_MACHINE(values, machine)};

/* Longer is no command, but may have no end, such as /dev/zero. */
enum { LONGEST_LINE = 64 * 1024 };

/* A text that arrives piece by piece. Output is written before more is read, so that a user or a
 * program at the other end can react. */
typedef struct script {
    const char *name;
    int fd;
    unsigned long line;
    bx_buf text; /* received, not yet executed */
} script;

static int bad_line(const script *s, const bx_error *e, bx_str line)
{
    bx_error named = *e;
    snprintf(named.message, sizeof named.message, "%s:%lu: %.160s", s->name, s->line, e->message);
    return bx_cli_error(&named, line.p);
}

static int play_line(bx_cli *cli, bx_dialogue *d, script *s, bx_str line)
{
    bx_error e = {0};
    s->line++;
    if (bx_dialogue_line(d, line, &cli->out, &e) == BX_OK)
        return BX_EXIT_OK;
    if (!bx_cli_flush(cli) && bx_cli_lacks_memory(cli))
        return BX_EXIT_ERROR;
    return bad_line(s, &e, line);
}

/* Executes the complete lines received. At the end of the text, it also executes an incomplete
 * line. */
static int play_arrived(bx_cli *cli, bx_dialogue *d, script *s, bool end)
{
    int status = BX_EXIT_OK;
    size_t at = 0;
    ptrdiff_t feed;
    bx_str text = {s->text.p, s->text.n};
    while (!status && (feed = bx_str_find(text, '\n', at)) >= 0) {
        status = play_line(cli, d, s, bx_str_sub(text, at, (size_t)feed - at));
        at = (size_t)feed + 1;
    }
    if (!status && end && at < text.n) {
        status = play_line(cli, d, s, bx_str_sub(text, at, text.n));
        at = text.n;
    }
    if (at) {
        memmove(s->text.p, s->text.p + at, s->text.n - at);
        s->text.n -= at;
    }
    if (!status && s->text.n > LONGEST_LINE)
        return bx_cli_fail("%s:%lu: a line of more than %d bytes: this is no text of register "
                           "accesses",
                           s->name, s->line + 1, LONGEST_LINE);
    return status;
}

static int play(bx_cli *cli, bx_dialogue *d, script *s)
{
    char bytes[64 * 1024];
    for (int status = BX_EXIT_OK;;) {
        if (!bx_cli_flush(cli))
            return BX_EXIT_ERROR;
        ssize_t n = read(s->fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return bx_cli_fail("cannot read '%s': %s", s->name, strerror(errno));
        bx_buf_add(&s->text, bytes, (size_t)n);
        if (s->text.failed)
            return bx_cli_fail("out of memory");
        status = play_arrived(cli, d, s, n == 0);
        if (status || n == 0)
            return status;
    }
}

static int play_on(bx_cli *cli, bx_machine *m, script *s)
{
    bx_error e = {0};
    bx_dialogue *d = bx_dialogue_new(m, &e);
    if (!d)
        return bx_cli_error(&e, NULL);
    int status = play(cli, d, s);
    bx_buf_free(&s->text);
    bx_dialogue_free(d);
    return status;
}

static int run_vpmu(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *spec = v->machine ? v->machine : bx_cli_first_machine(cli);
    const char *path = operands->n ? operands->text[0] : "-";
    bool standard = strcmp(path, "-") == 0;
    script s = {.name = standard ? "standard input" : path};
    s.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s.fd < 0)
        return bx_cli_fail("cannot open '%s': %s", path, strerror(errno));

    bx_error e = {0};
    bx_machine *m = NULL;
    int status;
    if (bx_machine_open(cli->catalog, spec, &m, &e))
        status = bx_cli_error(&e, spec);
    else if (!bx_machine_vpmu(m))
        status =
            bx_cli_fail("'%s' is no virtual machine: vpmu does not touch real registers", spec);
    else
        status = play_on(cli, m, &s);
    bx_machine_close(m);
    if (!standard)
        close(s.fd);
    return status;
}

static const bx_example examples[] = {
    {"echo \"rdmsr 0 0x396\" | boxscore vpmu --machine virtual:skl",
     "read a register of a virtual machine: the number of its C-Boxes"},
    {.line = NULL},
};

const bx_command bx_command_vpmu = {
    .name = "vpmu",
    .help = "execute a text of register accesses on a virtual machine",
    .operands = "[FILE]",
    .text = "One command a line: rdmsr, wrmsr, rdpmc, rdpci, wrpci, rdmem, wrmem, cycles, run,\n"
            "signal, sleep, wake. Without FILE, or with '-', standard input is read.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .values_size = sizeof(values),
    .run = run_vpmu,
};
