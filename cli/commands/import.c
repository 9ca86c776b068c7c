/* boxscore import: makes a catalogue of a user's copy of Intel's event files. */
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/common/imported.h"
#include "event/hint.h"
#include "host/discover/probe.h"
#include "cli/common/unpacked.h"
#include "host/gather/packed.h"
#include "host/imported/source.h"
#include "host/imported/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    bx_texts cpus;
    const char *remove;
    bool list, system, verbose, json;
} values;

static const bx_option options[] = {
    {.name = "cpu",
     .kind = BX_OPTION_TEXTS,
     .metavar = "CPU",
     .help =
         "import this CPU, a folder of perfmon such as 'spr', or 'all'; default: this machine's",
     .offset = offsetof(values, cpus)},
    {.name = "system",
     .kind = BX_OPTION_FLAG,
     .help = "for all users: below /var/lib/boxscore",
     .offset = offsetof(values, system)},
    {.name = "list",
     .kind = BX_OPTION_FLAG,
     .help = "list the CPUs that were imported",
     .offset = offsetof(values, list)},
    {.name = "remove",
     .kind = BX_OPTION_TEXT,
     .metavar = "CPU",
     .help = "remove an imported CPU",
     .offset = offsetof(values, remove)},
    {.name = "verbose",
     .letter = 'v',
     .kind = BX_OPTION_FLAG,
     .help = "name each row that is no event, with the reason",
     .offset = offsetof(values, verbose)},
    BX_OPTION_JSON(values),
};

/* ---- what there is ---- */

typedef struct listing {
    bx_cli *cli;
    bx_json *json;
    size_t n;
} listing;

static void show_imported(void *context, const bx_imported *i, const char *file, const bx_error *e)
{
    listing *l = context;
    bx_buf *to = &l->cli->out;
    if (e) {
        bx_cli_note("%s", e->message);
        return;
    }
    l->n++;
    const bx_stored *h = i->head;
    if (!l->json) {
        bx_buf_f(to, "%-10s version %-8s %-12s %6u events %5u metrics  %s\n", h->name, h->version,
                 h->date, h->events, h->metrics, file);
        return;
    }
    bx_json_open(l->json, NULL, '{');
    bx_json_text(l->json, "cpu", h->name);
    bx_json_text(l->json, "version", h->version);
    bx_json_text(l->json, "date", h->date);
    bx_json_number(l->json, "events", h->events);
    bx_json_number(l->json, "metrics", h->metrics);
    bx_json_text(l->json, "source", h->source);
    bx_json_text(l->json, "file", file);
    bx_json_close(l->json, '}');
}

static int list_imported(bx_cli *cli, const values *v)
{
    bx_error e = {0};
    bx_json json = {.to = &cli->out};
    listing l = {.cli = cli, .json = v->json ? &json : NULL};
    if (v->json)
        bx_json_open(&json, NULL, '[');
    if (bx_imported_each(cli->catalog, show_imported, &l, &e))
        return bx_cli_error(&e, NULL);
    if (v->json) {
        bx_json_close(&json, ']');
        bx_buf_z(&cli->out, "\n");
    } else if (!l.n) {
        bx_buf_z(&cli->out, "nothing was imported\n");
    }
    return BX_EXIT_OK;
}

static int remove_imported(const values *v)
{
    bx_error e = {0};
    int code = bx_imported_remove(bx_str_of(v->remove), v->system, &e);
    if (code == BX_NOT_FOUND && !e.message[0]) {
        bx_fail(&e, code, 0, 0, "'%s' was not imported", bx_quote(bx_str_of(v->remove)).text);
        bx_hint(&e, "boxscore import --list shows what was");
    }
    return code ? bx_cli_error(&e, NULL) : BX_EXIT_OK;
}

/* ---- import ---- */

/* The built-in CPU that a folder of perfmon describes; -1: none. */
static int builtin_cpu(const bx_catalog *c, const char *folder)
{
    for (size_t i = 0; i < bx_catalog_cpus(c); i++)
        if (bx_cli_same_cpu(bx_catalog_cpu_name(c, i), folder))
            return (int)i;
    return -1;
}

static int store(const bx_source_cpu *cpu, const char *source, const struct bx_catalog *made,
                 const struct bx_catalog *builtin, const bx_perfmon_counts *n, bool system,
                 bx_error *e)
{
    bx_stored head = {.events = (uint32_t)n->events,
                      .metrics = (uint32_t)n->metrics,
                      .ids_n = (uint32_t)cpu->ids_n,
                      .steppings = cpu->steppings};
    memcpy(head.name, cpu->name, sizeof head.name);
    memcpy(head.version, n->version, sizeof head.version);
    memcpy(head.date, n->date, sizeof head.date);
    snprintf(head.source, sizeof head.source, "%s", source);
    memcpy(head.ids, cpu->ids, cpu->ids_n * sizeof *cpu->ids);
    return bx_imported_write(&head, made, builtin, system, e);
}

static void report(bx_cli *cli, const bx_source_cpu *cpu, const bx_perfmon_counts *n)
{
    bx_buf *to = &cli->out;
    bx_buf_f(to, "%-10s version %s of %s: %zu events, %zu metrics", cpu->name, n->version, n->date,
             n->events, n->metrics);
    if (n->known)
        bx_buf_f(to, "; %zu are built in", n->known);
    if (n->differences)
        bx_buf_f(to, ", %zu of them with other bits", n->differences);
    if (n->bits)
        bx_buf_f(to, "; %zu rows are bits of events", n->bits);
    if (n->refused)
        bx_buf_f(to, "; %zu rows are refused", n->refused);
    if (n->metrics_refused)
        bx_buf_f(to, "; %zu metrics cannot be read", n->metrics_refused);
    bx_buf_z(to, "\n");
}

/* What is kept as the origin: the user's folder, or the archive. */
static const char *origin(const bx_source *s, const bx_source_cpu *cpu)
{
    return s->archive ? s->archive : cpu->folder;
}

static int import_cpu(bx_cli *cli, const values *v, const bx_source *s, const bx_source_cpu *cpu)
{
    bx_error e = {0};
    bx_arena arena = {0};
    bx_perfmon_file *files;
    const bx_perfmon_file *at_fault = NULL;
    bx_perfmon_counts counts;
    bx_buf refusals = {.whole = &cli->arena.failed};
    struct bx_catalog *made = NULL;
    bx_perfmon_cpu one = {.folder = bx_str_of(cpu->name),
                          .ids = cpu->ids,
                          .ids_n = cpu->ids_n,
                          .builtin = cli->catalog,
                          .builtin_cpu = builtin_cpu(cli->catalog, cpu->name)};
    int code = bx_source_files(s, cpu, &arena, &files, &one.files_n, &e);
    one.files = files;
    if (!code) {
        made = bx_perfmon_compile(&one, &counts, &refusals, &at_fault, &e);
        code =
            made ? store(cpu, origin(s, cpu), made, cli->catalog, &counts, v->system, &e) : e.code;
    }
    int status = BX_EXIT_OK;
    if (code) {
        if (at_fault)
            bx_cli_note("%.*s of %s cannot be read:", (int)at_fault->name.n, at_fault->name.p,
                        cpu->name);
        status = bx_cli_error(&e, at_fault ? at_fault->text.p : NULL);
    } else {
        report(cli, cpu, &counts);
        if (v->verbose)
            bx_buf_str(&cli->out, (bx_str){refusals.p, refusals.n});
    }
    free(made);
    bx_buf_free(&refusals);
    bx_arena_free(&arena);
    return status;
}

static int import_named(bx_cli *cli, const values *v, const bx_source *s, const char *name)
{
    bool all = strcmp(name, "all") == 0;
    bx_nearest near = bx_nearest_to(bx_str_of(name));
    int status = BX_EXIT_OK;
    size_t n = 0;
    for (size_t i = 0; i < s->n && !status; i++) {
        bx_nearest_offer(&near, s->cpus[i].name);
        if (!all && !bx_cli_same_cpu(s->cpus[i].name, name))
            continue;
        n++;
        status = import_cpu(cli, v, s, &s->cpus[i]);
    }
    if (n || status)
        return status;
    bx_error e = {0};
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "this copy has no CPU '%s'", bx_quote(bx_str_of(name)).text);
    bx_cli_hint(&e, &near, "a CPU is a folder of perfmon; --cpu all imports all");
    return bx_cli_error(&e, NULL);
}

/* The CPU of this machine, by mapfile.csv. */
static int import_own(bx_cli *cli, const values *v, const bx_source *s)
{
    bx_probe p;
    if (s->n == 1)
        return import_cpu(cli, v, s, &s->cpus[0]);
    if (!bx_probe_read("", &cli->arena, &p))
        return bx_cli_fail("out of memory");
    bool intel = p.cpu_known && strcmp(p.vendor, "GenuineIntel") == 0;
    for (size_t i = 0; intel && i < s->n; i++)
        for (size_t k = 0; k < s->cpus[i].ids_n; k++)
            if (s->cpus[i].ids[k].family == p.family && s->cpus[i].ids[k].model == p.model &&
                s->cpus[i].steppings >> (p.stepping & 15) & 1)
                return import_cpu(cli, v, s, &s->cpus[i]);
    bx_error e = {0};
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "this copy has no events of this machine's CPU");
    bx_hint(&e, "--cpu NAME imports another CPU, --cpu all imports all");
    return bx_cli_error(&e, NULL);
}

/* archive: what the folder was unpacked from; NULL: nothing. */
static int import_from(bx_cli *cli, const values *v, const char *folder, const char *archive)
{
    bx_error e = {0};
    bx_source source;
    if (bx_source_open(folder, &cli->arena, &source, &e))
        return bx_cli_error(&e, NULL);
    source.archive = archive;
    int status = BX_EXIT_OK;
    for (size_t i = 0; i < v->cpus.n && !status; i++)
        status = import_named(cli, v, &source, v->cpus.text[i]);
    return v->cpus.n ? status : import_own(cli, v, &source);
}

static int run_import(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_error e = {0};
    if (v->list)
        return list_imported(cli, v);
    if (v->remove)
        return remove_imported(v);
    if (operands->n != 2 || strcmp(operands->text[0], "perfmon") != 0) {
        bx_fail(&e, BX_BAD_INPUT, 0, 0, "'import' needs the kind of files and their folder");
        bx_hint(&e, "boxscore import perfmon DIR");
        bx_cli_error(&e, NULL);
        return BX_EXIT_USAGE;
    }
    const char *path = operands->text[1];
    if (!bx_packed_is(path))
        return import_from(cli, v, path, NULL);
    char *root = NULL;
    if (bx_unpacked_make(bx_packed_unpack, path, &root, &e))
        return bx_cli_error(&e, NULL);
    char *top = bx_packed_top(root);
    int status = top ? import_from(cli, v, top, path) : bx_cli_fail("out of memory");
    free(top);
    bx_unpacked_drop(root);
    return status;
}

static const bx_exclusion exclusions[] = {
    {.these = "list", .with = "remove cpu system PROGRAM", .why = "--list only lists"},
    {.these = "remove", .with = "cpu verbose PROGRAM", .why = "--remove imports nothing"},
    {.why = NULL},
};

static const bx_example examples[] = {
    {"boxscore import --list", "the CPUs that were imported, with the version of their files"},
    {.line = NULL},
};

const bx_command bx_command_import = {
    .name = "import",
    .help = "add Intel's event files to the catalogue",
    .operands = "[perfmon DIRECTORY]",
    .text =
        "DIRECTORY is a copy of github.com/intel/perfmon, one CPU's folder of it, or an archive\n"
        "of either (tar or zip). Other commands know the imported CPUs by --cpu. An import\n"
        "replaces an earlier one. It never adds registers: the kernel counts imported events.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .exclusions = exclusions,
    .operands_least = 0,
    .operands_most = 2,
    .values_size = sizeof(values),
    .run = run_import,
};
