/* boxscore serve: starts the server, boxscore-serve. */
#include "cli/commands/serve.h"
#include "cli/commands/commands.h"
#include "host/system/file.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

static const bx_serve_options defaults = {.host = {.size = sizeof(bx_machine_options)},
                                          .most = 2000};

static const bx_option table[] = {
    {.name = "listen",
     .kind = BX_OPTION_TEXT,
     .metavar = "ADDRESS:PORT",
     .help = "where readers come to; 127.0.0.1:9738. Port 0: any, which is said",
     .offset = offsetof(bx_serve_options, listen)},
    BX_OPTION_MACHINE(bx_serve_options, machine),
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; without it: the CPU's most useful ones",
     .offset = offsetof(bx_serve_options, events)},
    {.name = "metrics",
     .letter = 'M',
     .kind = BX_OPTION_TEXTS,
     .metavar = "METRICS",
     .help = "count the events of these metrics; readers compute the metrics",
     .offset = offsetof(bx_serve_options, metrics)},
    BX_OPTION_WORK(bx_serve_options, workloads),
    {.name = "cpu",
     .letter = 'C',
     .kind = BX_OPTION_TEXT,
     .metavar = "CPUS",
     .help = "count what runs on these CPUs of a host: 0-3,8; without it: on all",
     .offset = offsetof(bx_serve_options, cpus)},
    {.name = "interval",
     .letter = 'I',
     .kind = BX_OPTION_TIME,
     .metavar = "TIME",
     .help =
         "time between two readings (in ms, or with a unit), in the machine's own time; 1s of a "
         "host, 1ms of a virtual machine",
     .lo = 100000,
     .hi = 3600ull * 1000000000,
     .offset = offsetof(bx_serve_options, interval)},
    {.name = "token-file",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "readers must have the token in this file",
     .offset = offsetof(bx_serve_options, token_file)},
    {.name = "allow-host",
     .kind = BX_OPTION_TEXTS,
     .metavar = "NAME",
     .help = "a name by which readers may call this server; may be repeated",
     .offset = offsetof(bx_serve_options, hosts)},
    {.name = "max-series",
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "series at most; what was left out is said; 2000",
     .lo = 1,
     .hi = 1000000,
     .offset = offsetof(bx_serve_options, most)},
    {.name = "textfile",
     .kind = BX_OPTION_TEXT,
     .metavar = "FILE",
     .help = "no server: write the metrics to FILE at each interval, for node_exporter",
     .offset = offsetof(bx_serve_options, textfile)},
    BX_OPTION_HELPER(bx_serve_options, host.helper),
    BX_OPTION_ROOT(bx_serve_options, host.root),
};

static const bx_exclusion exclusions[] = {
    {"textfile", "listen token-file allow-host", NULL,
     "--textfile writes a file, and there is no server", "leave one of them out"},
    {"workload", "PROGRAM", NULL, "a workload is the work, and a program was given", "one of them"},
    {"workload+", NULL, NULL, "more than one workload was given",
     "'+' joins what is to run at the same time: --workload stream+dma"},
    {.why = NULL},
};

/* boxscore-serve beside us, as in a build; else in PATH. */
static void become_server(char *const argv[])
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        bx_buf beside = {0};
        self[n] = 0;
        bx_buf_f(&beside, "%s/boxscore-serve", dirname(self));
        if (!beside.failed)
            execv(beside.p, argv);
        bx_buf_free(&beside);
    }
    execvp("boxscore-serve", argv);
}

/* The arguments as they were given: the server reads them with the same table. */
static int run_serve(bx_cli *cli, const void *given, const bx_texts *operands)
{
    enum { LINE_MOST = 1 << 22 };
    size_t n = 0;
    (void)given, (void)operands;
    bx_buf line = bx_file_read_all("", "/proc/self/cmdline", LINE_MOST);
    for (size_t i = 0; i < line.n; i++)
        n += line.p[i] == 0;
    char **argv = line.failed ? NULL : bx_arena_get(&cli->arena, (n + 1) * sizeof *argv);
    if (!argv)
        return bx_cli_fail("out of memory");
    size_t k = 0;
    for (char *word = line.p; k < n; word += strlen(word) + 1)
        if (k++ > 0) /* "boxscore" goes, "serve" is the server's name */
            argv[k - 2] = word;
    become_server(argv);
    bx_error e = {0};
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "the server cannot be started: %s", strerror(errno));
    bx_hint(&e, "apt-get install boxscore-serve, or libmicrohttpd-dev before building");
    bx_buf_free(&line);
    return bx_cli_error(&e, NULL);
}

static const bx_example examples[] = {
    {"boxscore serve --machine virtual:skl,part=plain --textfile boxscore.prom -- true",
     "write the metrics of a program to a file, in place of a server"},
    {.line = NULL},
};

const bx_command bx_command_serve = {
    .name = "serve",
    .help = "export counts to Prometheus and browsers",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text = "Counts until it is stopped, or until PROGRAM ends, and serves /metrics (Prometheus,\n"
            "OpenMetrics), /api/v1/values (JSON) and a live page, read-only and on this machine\n"
            "only unless --listen says otherwise. A workload of a virtual machine begins again\n"
            "when it has ended (docs/reference/serve.md).",
    .examples = examples,
    .options = table,
    .options_n = sizeof table / sizeof *table,
    .exclusions = exclusions,
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(bx_serve_options),
    .run = run_serve,
};
