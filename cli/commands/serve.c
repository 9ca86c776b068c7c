/* boxscore serve: starts the server, boxscore-serve. */
#include "cli/commands/serve.h"
#include "cli/commands/commands.h"
#include "cli/common/companion.h"

static const bx_serve_options defaults = {.live = {.host = {.size = sizeof(bx_machine_options)}},
                                          .most = 2000};

static const bx_option table[] = {
    {.name = "listen",
     .kind = BX_OPTION_TEXT,
     .metavar = "ADDRESS:PORT",
     .help = "where readers come to; 127.0.0.1:9738. Port 0: any, which is said",
     .offset = offsetof(bx_serve_options, listen)},
    BX_OPTIONS_LIVE(bx_serve_options),
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
    BX_OPTION_HELPER(bx_serve_options, live.host.helper),
    BX_OPTION_ROOT(bx_serve_options, live.host.root),
};

static const bx_exclusion exclusions[] = {
    {"textfile", "listen token-file allow-host", NULL,
     "--textfile writes a file, and there is no server", "leave one of them out"},
    BX_EXCLUSIONS_LIVE,
    {.why = NULL},
};

static int run_serve(bx_cli *cli, const void *given, const bx_texts *operands)
{
    (void)given, (void)operands;
    return bx_companion_become(
        cli, "boxscore-serve", "the server",
        "apt-get install boxscore-serve, or libmicrohttpd-dev before building");
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
            "OpenMetrics), /api/v1 (JSON) and a live page, read-only and on this machine\n"
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
