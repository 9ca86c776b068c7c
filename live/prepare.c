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

static const char **unit_names(bx_series *s, const bx_machine *machine, bx_entry pmu, size_t n)
{
    char name[64];
    const char **to = bx_arena_get(&s->arena, (n + 1) * sizeof *to);
    for (size_t i = 0; to && i < n; i++) {
        bx_machine_unit_name(machine, pmu, (unsigned)i, name, sizeof name);
        to[i] = bx_arena_copy(&s->arena, bx_str_of(name));
    }
    return to;
}

/* Its packages, cores and PMUs. */
static void take_shape(bx_series *s, const bx_catalog *c, const bx_machine *machine)
{
    bx_entry cpu = bx_machine_cpu_model(machine);
    s->packages = bx_machine_packages(machine);
    s->cores = bx_machine_cores(machine);
    for (bx_entry pmu = cpu ? bx_entry_first(c, cpu, BX_ENTRY_PMU) : 0; pmu;
         pmu = bx_entry_next(c, pmu)) {
        size_t units = bx_machine_units_of(machine, pmu);
        bx_series_pmu *all =
            bx_arena_grow(&s->arena, s->pmu, (uint32_t)s->pmus, &s->pmus_room, sizeof *all, 8);
        if (!all)
            return;
        s->pmu = all;
        if (units && bx_entry_first(c, pmu, BX_ENTRY_EVENT))
            all[s->pmus++] = (bx_series_pmu){.name = bx_entry_text(c, pmu, BX_TEXT_NAME),
                                             .title = bx_entry_text(c, pmu, BX_TEXT_TITLE),
                                             .unit = unit_names(s, machine, pmu, units),
                                             .units = units};
    }
}

static const char *find_obstacle(const bx_measuring *m, bx_cli *cli)
{
    const char *root = m->how.root ? m->how.root : "";
    bx_findings f = {.arena = &cli->arena};
    bx_buf text = {.whole = &cli->arena.failed};
    if (!bx_doctor_finds_no_counters(root, &cli->arena))
        return NULL;
    bx_doctor_find(&f, m->catalog, root, m->how.helper);
    bx_buf_z(&text, "no hardware counters. ");
    bx_findings_first(&f, &text);
    const char *kept = bx_arena_copy(&cli->arena, bx_str_of(bx_buf_text(&text)));
    bx_buf_free(&text);
    return kept;
}

/* What the machine is. An error is that of the measurement, too. */
static void look_at_machine(bx_measuring *m, bx_cli *cli)
{
    bx_machine *machine = NULL;
    m->series.cpu = "";
    if (bx_machine_open_with(m->catalog, m->machine, &m->how, &machine, NULL))
        return;
    const char *cpu = bx_catalog_cpu_name(m->catalog, (size_t)bx_machine_cpu(machine));
    bool reaches = bx_machine_is_virtual(machine) || bx_machine_bus(machine);
    m->series.cpu = cpu ? cpu : "";
    take_shape(&m->series, m->catalog, machine);
    bx_machine_close(machine);
    if (!reaches)
        m->series.obstacle = find_obstacle(m, cli);
    cli->arena.failed |= m->series.arena.failed;
}

void bx_measuring_prepare(bx_measuring *m, bx_cli *cli, const bx_live_options *o,
                          const bx_texts *program)
{
    bool replayed = o->host.replay;
    bool imitated = replayed || o->workloads.n || o->trace || program->n ||
                    (o->machine && strncmp(o->machine, "virtual:", 8) == 0);
    *m = (bx_measuring){.catalog = cli->catalog,
                        .machine = o->machine ? o->machine
                                   : imitated ? NULL
                                              : "host",
                        .how = o->host,
                        .what = {.size = sizeof(bx_measure_options),
                                 .events = one_text(cli, &o->events),
                                 .metrics = one_text(cli, &o->metrics),
                                 .workload = o->workloads.n ? o->workloads.text[0] : NULL,
                                 .trace = o->trace,
                                 .program = program->n ? program->text : NULL,
                                 .all_cpus = o->all_cpus || (!imitated && !o->cpus),
                                 .cpus = o->cpus,
                                 .interval = o->interval || replayed ? o->interval
                                             : imitated              ? MS
                                                                     : 1000 * MS}};
    look_at_machine(m, cli);
}
