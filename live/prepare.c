/* Where the counts come from: the host, unless a virtual machine or its work is named. */
#include "live/prepare.h"

#include "cli/doctor/findings.h"
#include "machine/machine.h"

#include <string.h>

enum { MS = 1000000 };

static const char *one_text(bx_cli *cli, const bx_texts *texts)
{
    const bx_texts none = {0};
    return texts->n ? bx_cli_join(cli, texts, &none) : NULL;
}

/* What the machine is. An error is that of the measurement, too. */
static void look_at_machine(bx_measuring *m, bx_cli *cli)
{
    bx_machine *machine = NULL;
    m->series.cpu = "";
    if (bx_machine_open_with(m->catalog, m->machine, &m->how, &machine, NULL))
        return;
    const char *cpu = bx_catalog_cpu_name(m->catalog, (size_t)bx_machine_cpu(machine));
    const char *root = m->how.root ? m->how.root : "";
    bool reaches = bx_machine_is_virtual(machine) || bx_machine_bus(machine);
    m->series.cpu = cpu ? cpu : "";
    bx_machine_close(machine);
    if (reaches || !bx_doctor_finds_no_counters(root, &cli->arena))
        return;
    bx_findings f = {.arena = &cli->arena};
    bx_buf text = {.whole = &cli->arena.failed};
    bx_doctor_find(&f, m->catalog, root, m->how.helper);
    bx_buf_z(&text, "no hardware counters. ");
    bx_findings_first(&f, &text);
    m->obstacle = bx_arena_copy(&cli->arena, bx_str_of(bx_buf_text(&text)));
    bx_buf_free(&text);
}

void bx_measuring_prepare(bx_measuring *m, bx_cli *cli, const bx_live_options *o,
                          const bx_texts *program)
{
    bool imitated =
        o->workloads.n || program->n || (o->machine && strncmp(o->machine, "virtual:", 8) == 0);
    *m = (bx_measuring){.catalog = cli->catalog,
                        .machine = o->machine ? o->machine
                                   : imitated ? NULL
                                              : "host",
                        .how = o->host,
                        .what = {.size = sizeof(bx_measure_options),
                                 .events = one_text(cli, &o->events),
                                 .metrics = one_text(cli, &o->metrics),
                                 .workload = o->workloads.n ? o->workloads.text[0] : NULL,
                                 .program = program->n ? program->text : NULL,
                                 .all_cpus = !imitated && !o->cpus,
                                 .cpus = o->cpus,
                                 .interval = o->interval ? o->interval
                                             : imitated  ? MS
                                                         : 1000 * MS}};
    look_at_machine(m, cli);
}
