/* boxscore doctor: what this machine offers, what stands in the way, and what to do about it. */
#include "access/probe.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/page.h"

#include <errno.h>
#include <string.h>

typedef struct values {
    const char *root;
} values;

static const values presets = {.root = ""};

static const bx_option options[] = {
    BX_OPTION_ROOT(values, root),
};

static void todo(bx_buf *to, const char *what)
{
    bx_page_row(to, "", "-> %s", what);
}

static const bx_cat_cpu *known_cpu(const bx_catalog *c, const bx_probe *p)
{
    if (!p->cpu_known || strcmp(p->vendor, "GenuineIntel") != 0)
        return NULL;
    uint16_t cpu = bx_cat_find_cpu_by_id(c, p->family, p->model);
    return cpu == BX_NONE ? NULL : &bx_cat_cpus(c)[cpu];
}

static void cpu(bx_buf *to, const bx_catalog *c, const bx_probe *p)
{
    if (!p->cpu_known) {
        bx_page_row(to, "CPU", "not told by /proc/cpuinfo");
        return;
    }
    bx_page_row(to, "CPU", "%s family %u model 0x%x stepping %u, %u logical CPUs", p->vendor,
                p->family, p->model, p->stepping, p->cpus);
    if (p->brand[0])
        bx_page_row(to, "", "%s", p->brand);
    const bx_cat_cpu *known = known_cpu(c, p);
    if (known) {
        bx_page_row(to, "", "in the catalogue as %s: %s", bx_cat_z(c, known->name),
                    bx_cat_z(c, known->title));
    } else {
        bx_page_row(to, "", "not in the catalogue");
        todo(to, "count on a virtual machine: --machine virtual:...");
    }
}

static void hypervisor(bx_buf *to, const bx_probe *p)
{
    if (!p->hypervisor) {
        bx_page_row(to, "hypervisor", "none");
        return;
    }
    bx_page_row(to, "hypervisor", "this is a virtual machine of another program");
    todo(to, "counters outside the core are rarely passed on: use the machine below it");
}

static void msr(bx_buf *to, const bx_probe *p)
{
    if (p->msr == 0)
        bx_page_row(to, "MSR device", "can be read and written");
    else
        bx_page_row(to, "MSR device", "/dev/cpu/0/msr: %s", strerror(p->msr));
    switch (p->msr) {
    case 0:
        break;
    case ENOENT:
    case ENXIO:
        todo(to, "load its driver: modprobe msr");
        break;
    case EACCES:
    case EPERM:
        todo(to, "run as root, or with CAP_SYS_RAWIO and rights on the device");
        break;
    default:
        todo(to, "see what the kernel says: dmesg");
        break;
    }
    if (p->lockdown) {
        bx_page_row(to, "lockdown", "the kernel keeps all programs from registers (Secure Boot)");
        todo(to, "boot with lockdown=none");
    }
}

static void perf(bx_buf *to, const bx_probe *p)
{
    if (!p->paranoid_known) {
        bx_page_row(to, "perf_event", "the kernel does not have it");
    } else {
        bx_page_row(to, "perf_event", "perf_event_paranoid is %d", p->paranoid);
        if (p->paranoid > 0)
            todo(to, "counting outside the core needs root, CAP_PERFMON, or: "
                     "sysctl kernel.perf_event_paranoid=0");
    }
    bx_buf names = {0};
    for (size_t i = 0; i < p->uncore_n; i++)
        bx_buf_f(&names, "%s%s", i ? " " : "", p->uncore[i]);
    bx_page_row(to, "uncore PMUs", "%s", names.n ? names.p : "the kernel offers none");
    bx_buf_free(&names);
    bx_page_row(to, "NMI watchdog", p->watchdog ? "on: it holds a counter of every core" : "off");
    if (p->watchdog)
        todo(to, "for all counters of the core: sysctl kernel.nmi_watchdog=0");
}

static void valgrind(bx_buf *to, const bx_probe *p)
{
    bx_page_row(to, "valgrind", "%s", p->valgrind ? p->valgrind : "not found");
    if (!p->valgrind)
        todo(to, "to run real programs on a virtual machine: apt-get install valgrind");
}

/* Which machine is meant when no command line names one. */
static void machine(bx_cli *cli)
{
    bx_error e = {0};
    bx_machine *m;
    if (bx_machine_open(cli->catalog, NULL, &m, &e)) {
        bx_page_row(&cli->out, "machine", "none can be opened: %s", e.message);
        return;
    }
    const char *why = bx_machine_chosen_because(m);
    bx_page_row(&cli->out, "machine", "%s, where --machine names no other", bx_machine_name(m));
    if (why)
        bx_page_row(&cli->out, "", "%s", why);
    bx_machine_close(m);
}

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_probe probe;
    (void)operands;
    if (!bx_probe_look(v->root, &cli->arena, &probe))
        return bx_cli_fail("out of memory");
    cpu(&cli->out, cli->catalog, &probe);
    hypervisor(&cli->out, &probe);
    msr(&cli->out, &probe);
    perf(&cli->out, &probe);
    valgrind(&cli->out, &probe);
    if (!v->root[0])
        machine(cli);
    return BX_EXIT_OK;
}

const bx_command bx_command_doctor = {
    .name = "doctor",
    .help = "tell what this machine offers, and what to do where something is missing",
    .operands = "",
    .text = "",
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .presets = &presets,
    .values_size = sizeof(values),
    .run = run,
};
