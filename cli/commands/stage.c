/* boxscore stage: puts a virtual machine where other programs find it. */
#include "cli/commands/commands.h"

#include "base/buf.h"
#include "cli/common/imported.h"
#include "machine/machine.h"
#include "stage/stage.h"
#include "vpmu/vpmu.h"

#include <string.h>

typedef struct values {
    const char *at;
    const char *follow;
    const char *machine;
    const char *root;
    const char *workload;
    uint64_t pace;
} values;

static const values defaults = {.pace = UINT64_MAX};

static const bx_option options[] = {
    {.name = "at",
     .kind = BX_OPTION_TEXT,
     .metavar = "DIRECTORY",
     .help = "show the machine in an empty folder, and leave /dev, /proc and /sys as they are",
     .offset = offsetof(values, at)},
    {.name = "follow",
     .kind = BX_OPTION_TEXT,
     .metavar = "COMMAND",
     .help = "a program that the machine runs repeatedly in the meantime: 'sort words'; "
             "'--': programs that perf starts are counted",
     .offset = offsetof(values, follow)},
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_MEANWHILE(values),
    BX_OPTION_PACE(values),
    {.name = "root",
     .kind = BX_OPTION_TEXT,
     .metavar = "MACHINE",
     .help = "a file of 'boxscore machine gather', or a folder with its files: its PMUs for perf "
             "alone, driven by signals",
     .offset = offsetof(values, root)},
};

/* Notes the events that programs have read as 0 because the model does not produce them. */
static void tell_undriven(const bx_machine *m)
{
    const struct bx_catalog *c = m->topology.catalog;
    bx_buf text = {0};
    unsigned n;
    const bx_vundriven *u = bx_vpmu_undriven(bx_machine_vpmu(m), &n);
    for (unsigned i = 0; i < n; i++) {
        uint16_t event = bx_cat_event_by_code(c, u[i].pmu, u[i].code);
        const char *name = event != BX_NONE ? bx_cat_z(c, bx_cat_events(c)[event].name) : "";
        bx_buf_f(&text, "%s%s%s%s, code %XH, unit mask %XH (%llu)", i ? "; " : "",
                 bx_cat_z(c, bx_cat_pmus(c)[u[i].pmu].name), *name ? "::" : "", name, u[i].code,
                 u[i].umask, (unsigned long long)u[i].reads);
    }
    if (n)
        bx_cli_note("not modelled, and so 0 wherever it was read (times): %s", bx_buf_text(&text));
    bx_buf_free(&text);
}

/* --follow with -- in place of a command: programs that perf starts are counted. */
static bool counts_programs(const values *v)
{
    return v->follow && strcmp(v->follow, "--") == 0;
}

/* Says what the machine's perf events are not, if a program has asked for it. */
static void tell_refused(const bx_stage *s, const values *v)
{
    if (bx_stage_was_asked_task(s))
        bx_cli_note("an event of a task counts nothing here: what programs on stage execute is not "
                    "the machine's work; %s",
                    counts_programs(v) ? "only a program that perf itself starts is counted"
                    : v->root          ? "count with 'perf stat -a'"
                    : v->follow        ? "the program of --follow is: count with 'perf stat -a'"
                                : "boxscore stage --follow -- perf stat PROGRAM counts PROGRAM");
    if (counts_programs(v) && bx_stage_was_asked_cpus(s))
        bx_cli_note("events of CPUs ('perf stat -a') count the machine on stage, not the programs "
                    "that perf starts: each of these has a new machine");
    if (bx_stage_was_asked_samples(s))
        bx_cli_note("the machine's counters take no samples: 'perf stat' counts them, and 'perf "
                    "record -e cpu-clock' samples by time");
    const char *first;
    uint64_t n = bx_stage_unsignalled(s, &first);
    if (n)
        bx_cli_note("no signal has reached %s%s, and so the count is 0; 'signal EVENT LEVEL "
                    "CYCLES', written to /dev/boxscore/dialogue, makes it count",
                    first, n > 1 ? " and other events" : "");
}

static int perform(const values *v, bx_machine *m, const char *spec, const bx_texts *operands,
                   int *status)
{
    const char *follow = counts_programs(v) ? NULL : v->follow;
    bx_error e = {0};
    bx_stage *s = NULL;
    const bx_stage_options o = {.gathered = v->root,
                                .folder = v->at,
                                .workload = v->workload,
                                .follow = follow,
                                .counts_programs = counts_programs(v) ? spec : NULL,
                                .hz = v->pace,
                                .hz_given = v->pace != defaults.pace};
    int code = bx_stage_open(m, &o, &s, &e);
    const char *about = !code ? NULL : follow ? follow : v->workload;
    if (!code && !operands->n)
        bx_cli_note("%s is on stage at %s", bx_machine_name(m), v->at);
    if (!code)
        code = bx_stage_run(s, operands->n ? operands->text : NULL, status, &e);
    const bx_error *trouble = code ? NULL : bx_stage_trouble(s);
    if (trouble)
        bx_cli_note("'%s' was given up: %s", follow ? follow : v->workload, trouble->message);
    if (!code)
        tell_refused(s, v);
    bx_stage_close(s);
    if (!v->root)
        tell_undriven(m);
    return code ? bx_cli_error(&e, about) : *status;
}

/* Refuses options that cannot be combined. */
static int check_options(const values *v, const bx_texts *operands, bx_error *e)
{
    if (!v->at && !operands->n) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "there is nothing to run");
        bx_hint(e, "boxscore stage -- PROGRAM, or boxscore stage --at DIRECTORY");
    } else if (counts_programs(v) && v->at) {
        bx_fail(e, BX_BAD_INPUT, 0, 0,
                "with --at there is no perf, whose programs --follow -- counts");
    } else if (v->root && (v->at || v->follow || v->workload || v->machine)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0,
                "a gathered machine is for perf alone: --root goes with none "
                "of --at, --follow, --machine, --workload");
        bx_hint(e, "signals drive its counters: boxscore help stage");
    } else if (v->follow && v->workload && !counts_programs(v)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the machine can run --follow or --workload, not both");
    }
    return e->code;
}

static int run_gathered(bx_cli *cli, const values *v, const bx_texts *operands)
{
    const bx_machine_options o = {.size = sizeof o, .root = v->root};
    bx_error e = {0};
    bx_machine *m = NULL;
    int cpu, status = BX_EXIT_OK;
    int code = bx_cli_use_imported_of(&cli->catalog, v->root, &cli->arena, &cpu, &e);
    if (!code)
        code = bx_machine_open_with(cli->catalog, "host", &o, &m, &e);
    status = code ? bx_cli_error(&e, v->root) : perform(v, m, "host", operands, &status);
    bx_machine_close(m);
    return status;
}

static int run_stage(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *spec = v->machine ? v->machine : bx_cli_first_machine(cli);
    bx_error e = {0};
    bx_machine *m = NULL;
    int status = BX_EXIT_OK;
    if (check_options(v, operands, &e)) {
        bx_cli_error(&e, NULL);
        return BX_EXIT_USAGE;
    }
    if (v->root)
        return run_gathered(cli, v, operands);
    if (bx_machine_open(cli->catalog, spec, &m, &e))
        status = bx_cli_error(&e, spec);
    else if (!bx_machine_vpmu(m))
        status = bx_cli_fail("'%s' is no virtual machine", spec);
    else
        status = perform(v, m, spec, operands, &status);
    bx_machine_close(m);
    return status;
}

static const bx_example examples[] = {
    {"boxscore stage --machine virtual:skl -w stream -- grep -m1 'model name' /proc/cpuinfo",
     "a program sees a virtual machine in place of this one"},
    {.line = NULL},
};

const bx_command bx_command_stage = {
    .name = "stage",
    .help = "run a program on a virtual machine in place of this one",
    .operands = "[--] [PROGRAM [ARGUMENT...]]",
    .text = "PROGRAM and all processes that it starts see the virtual machine in place of the\n"
            "real one: in /dev/cpu, /dev/mem, /proc/cpuinfo, PCI configuration space and /sys. No\n"
            "other process sees it. The exit status is that of the program. With --at and without\n"
            "PROGRAM, the machine stays until the command is interrupted.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = SIZE_MAX,
    .stops = true,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_stage,
};
