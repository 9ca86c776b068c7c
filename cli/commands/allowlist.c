/* boxscore allowlist: the MSRs that counting needs and their writable bits, in the form that
 * msr-safe reads. */
#include "guard/allow_list.h"
#include "host/discover/probe.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/common/names.h"
#include "machine/machine.h"

#include <string.h>

typedef struct values {
    const char *cpu, *machine;
    bool json;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_JSON(values),
};

/* The CPU model of this machine, found without opening a device; -1: not in the catalogue. */
static int own_cpu(bx_cli *cli)
{
    bx_probe p;
    if (!bx_probe_read("", &cli->arena, &p) || !p.cpu_known ||
        strcmp(p.vendor, "GenuineIntel") != 0)
        return -1;
    uint16_t cpu = bx_cat_find_cpu_by_id(cli->catalog, p.family, p.model);
    return cpu == BX_NONE ? -1 : cpu;
}

/* The largest machine of a CPU model: with all units that it can have. */
static bx_topology largest(const bx_catalog *c, int cpu)
{
    bx_topology t;
    bx_topology_real(c, (uint16_t)cpu, 1, 1, &t);
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = 0; i < pmus.n && i < BX_PMUS; i++)
        t.units[i] = bx_cat_pmus(c)[pmus.first + i].unit_max;
    return t;
}

/* The list is for a processor's kernel. */
static void leave_out_virtual(bx_topology *t)
{
    bx_span pmus = bx_cat_cpus(t->catalog)[t->cpu].pmus;
    for (unsigned i = 0; i < pmus.n && i < BX_PMUS; i++)
        if (bx_cat_pmus(t->catalog)[pmus.first + i].only_virtual)
            t->units[i] = 0;
}

/* msr-safe's form: address and write mask as 32 and 64 bits in hex, a comment after '#'. */
static void list_registers(bx_buf *to, const bx_catalog *c, const char *of, const bx_allow *a)
{
    bx_buf_f(to, "# MSRs for counting on %s: address, bits that may be written, name\n", of);
    for (size_t i = 0; i < a->n; i++) {
        const bx_allowed *r = &a->list[i];
        if (r->space == BX_SPACE_MSR)
            bx_buf_f(to, "0x%08llx 0x%016llx # %s\n", (unsigned long long)r->offset,
                     (unsigned long long)r->write, bx_register_word(c, r->reg, r->unit).text);
    }
}

static void json(bx_buf *to, const bx_catalog *c, const bx_allow *a)
{
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '[');
    for (size_t i = 0; i < a->n; i++) {
        const bx_allowed *r = &a->list[i];
        if (r->space != BX_SPACE_MSR)
            continue;
        bx_json_open(&j, NULL, '{');
        bx_json_hex(&j, "msr", r->offset);
        bx_json_hex(&j, "write", r->write);
        bx_json_text(&j, "name", bx_register_word(c, r->reg, r->unit).text);
        bx_json_text(&j, "pmu", bx_cat_z(c, bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].name));
        bx_json_number(&j, "unit", r->unit);
        bx_json_close(&j, '}');
    }
    bx_json_close(&j, ']');
    bx_buf_z(to, "\n");
}

static int run_allowlist(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subject subject;
    bx_allow allow;
    (void)operands;
    int status = bx_cli_subject(cli, v->cpu, v->machine, &subject);
    if (status)
        return status;
    if (subject.cpu < 0)
        subject.cpu = own_cpu(cli);
    if (subject.cpu < 0)
        return bx_cli_no_cpu(cli, "allowlist");
    bx_topology t =
        subject.machine ? subject.machine->topology : largest(cli->catalog, subject.cpu);
    const char *of = subject.machine ? bx_machine_name(subject.machine)
                                     : bx_catalog_cpu_name(cli->catalog, (size_t)subject.cpu);
    leave_out_virtual(&t);
    if (!bx_allow_new(&allow, &t, NULL))
        status = bx_cli_fail("out of memory");
    else if (v->json)
        json(&cli->out, cli->catalog, &allow);
    else
        list_registers(&cli->out, cli->catalog, of, &allow);
    if (!status)
        bx_allow_free(&allow);
    bx_machine_close(subject.machine);
    return status;
}

static const bx_example examples[] = {
    {"boxscore allowlist --cpu skl", "the list for /dev/cpu/msr_allowlist"},
    {.line = NULL},
};

const bx_command bx_command_allowlist = {
    .name = "allowlist",
    .help = "print the MSRs that counting needs, as an allow-list for msr-safe",
    .operands = "",
    .text = "For /dev/cpu/msr_allowlist of msr-safe: its users may then read these MSRs and write\n"
            "the bits that are set in the mask. Registers that are only read have a mask of 0.\n"
            "Without --cpu and --machine, the list is for the CPU model of this machine.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .values_size = sizeof(values),
    .run = run_allowlist,
};
