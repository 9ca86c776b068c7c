/* boxscore-serve: exports counts. `boxscore serve` starts it with its own arguments. */
#include "cli/commands/commands.h"
#include "cli/commands/serve.h"
#include "cli/help/usage.h"
#include "serve/http.h"
#include "live/prepare.h"
#include "serve/textfile.h"

#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TURN = 200 /* ms */, KEPT = 60 /* intervals */ };

static volatile sig_atomic_t signalled;

static void take_signal(int number)
{
    signalled = number;
}

/* What would end a server ends its measurement first, which puts registers back. */
static void catch_signals(void)
{
    struct sigaction end = {.sa_handler = take_signal}, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* The first line of the file. */
static int read_token(bx_cli *cli, const char *path, const char **token, bx_error *e)
{
    char line[512] = "";
    FILE *file = fopen(path, "r");
    bool read = file && fgets(line, sizeof line, file);
    int reason = errno;
    if (file)
        fclose(file);
    line[strcspn(line, "\r\n")] = 0;
    if (!file)
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot read '%.200s': %s", path, strerror(reason));
    if (!read || strlen(line) < 16) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the token in '%.200s' has less than 16 characters", path);
        bx_hint(e, "openssl rand -hex 32 >FILE");
        return BX_BAD_INPUT;
    }
    *token = bx_arena_copy(&cli->arena, bx_str_of(line));
    return *token ? BX_OK : bx_out_of_memory(e);
}

static bool goes_on(bx_measuring *m)
{
    return !signalled && !bx_measuring_ended(m);
}

static int serve_http(bx_cli *cli, const bx_serve_options *o, bx_measuring *m, bx_error *e)
{
    bx_http_options how = {.listen = o->listen ? o->listen : "127.0.0.1:9738",
                           .hosts = o->hosts.text,
                           .hosts_n = o->hosts.n};
    bx_http *http = NULL;
    int code = o->token_file ? read_token(cli, o->token_file, &how.token, e) : BX_OK;
    if (!code)
        code = bx_http_open(&how, m, &http, e);
    if (code)
        return code;
    fprintf(stderr, "boxscore: serving http://%s/\n", bx_http_address(http));
    if (m->series.obstacle)
        bx_cli_note("%s", m->series.obstacle);
    while (goes_on(m))
        bx_http_turn(http, TURN);
    bx_http_close(http);
    return BX_OK;
}

static int write_textfile(const char *path, bx_measuring *m, bx_error *e)
{
    uint64_t seen = 0;
    int code = BX_OK;
    while (!code && goes_on(m))
        if (bx_measuring_await(m, &seen, TURN))
            code = bx_textfile_write(m, path, e);
    return code;
}

static int run_server(bx_cli *cli, const bx_serve_options *o, const bx_texts *program)
{
    bx_measuring m;
    bx_error e = {0};
    bx_measuring_prepare(&m, cli, &o->live, program);
    m.most = (size_t)o->most;
    m.keeps = KEPT;
    if (cli->arena.failed)
        return bx_cli_fail("out of memory");
    catch_signals();
    int code = bx_measuring_start(&m, &e);
    if (!code)
        code = o->textfile ? write_textfile(o->textfile, &m, &e) : serve_http(cli, o, &m, &e);
    bool ended = bx_measuring_ended(&m);
    bx_measuring_end(&m);
    if (!code && o->textfile) /* it has all that was counted, and says that it ended */
        code = bx_textfile_write(&m, o->textfile, &e);
    bx_measuring_stop(&m);
    if (!code && m.error.code) {
        e = m.error;
        code = e.code;
    }
    if (code)
        return bx_cli_error(&e, NULL);
    return signalled && !ended ? 128 + signalled : m.status;
}

int main(int argc, char *argv[])
{
    bx_cli cli = {.catalog = bx_catalog_builtin(), .commands = bx_commands};
    bx_serve_options o;
    bx_arguments arguments;
    bx_error e = {0};
    (void)argc;
    int status = BX_EXIT_OK;
    if (!argv[0]) {
        status = BX_EXIT_USAGE;
    } else if (bx_options_parse(&bx_command_serve, argv + 1, &o, &arguments, &cli.arena, &e)) {
        bx_cli_error(&e, NULL);
        status = BX_EXIT_USAGE;
    } else if (arguments.help) {
        bx_usage_command(&cli.out, &bx_command_serve);
        bx_cli_flush(&cli);
    } else {
        status = run_server(&cli, &o, &arguments.operands);
    }
    bx_buf_free(&cli.out);
    bx_arena_free(&cli.arena);
    return status;
}
