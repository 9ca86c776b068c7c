/* Checks the access to registers: devices, drivers, the helper, and our own rights. */
#include "host/system/cpus.h"
#include "host/system/file.h"
#include "host/helper/client.h"
#include "catalog/catalog.h"
#include "cli/doctor/findings.h"
#include "register/register.h"
#include "reglog/reglog.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens and closes a file. Returns 0 or the errno of open(). */
static int opens(const char *root, const char *file, int flags)
{
    int fd = bx_file_open(root, file, flags);
    int err = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return err;
}

/* A line "msr 20480 0 - Live 0x0" of /proc/modules. */
static bool has_module(const char *root, const char *name)
{
    char bytes[1 << 14];
    bx_str text = bx_file_read(root, "/proc/modules", bytes, sizeof bytes);
    while (text.p && text.n) {
        bx_str line = bx_str_cut(&text, '\n');
        if (bx_str_eq(bx_str_cut(&line, ' '), bx_str_of(name)))
            return true;
    }
    return false;
}

static void container(bx_findings *f, const char *root, const bx_probe *p)
{
    static const char *const marks[] = {"/.dockerenv", "/run/.containerenv",
                                        "/run/systemd/container"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!bx_file_exists(root, marks[i]))
            continue;
        bx_find(f, "container", "this is one (%s)%s", marks[i],
                p->msr ? ": devices of the host are not in it" : "");
        if (p->msr)
            bx_find_todo(f, "run outside of it, or pass devices in: --device /dev/cpu/0/msr "
                            "--cap-add SYS_RAWIO");
        return;
    }
}

static void modules(bx_findings *f, const char *root)
{
    static const char *const names[] = {"msr", "msr_safe", "intel_uncore"};
    char loaded[64] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_module(root, names[i]))
            snprintf(loaded + strlen(loaded), sizeof loaded - strlen(loaded), "%s%s",
                     *loaded ? " " : "", names[i]);
    if (*loaded)
        bx_find_of_machine(f, "modules", "%s", loaded);
    else
        bx_find_of_machine(f, "modules",
                           "none of msr, msr_safe and intel_uncore (some kernels have them "
                           "built in)");
}

/* The number of CPUs whose device can be opened. */
static unsigned reachable(bx_findings *f, const char *root, unsigned *cpus)
{
    bx_cpus all;
    unsigned n = 0;
    *cpus = 0;
    if (!bx_cpus_read(root, f->arena, &all))
        return 0;
    for (unsigned i = 0; i < all.packages * all.cores; i++) {
        char path[48];
        snprintf(path, sizeof path, "/dev/cpu/%u/msr", all.logical[i]);
        *cpus += all.logical[i] != BX_NO_CPU;
        n += all.logical[i] != BX_NO_CPU && opens(root, path, O_RDWR) == 0;
    }
    return n;
}

static void msr_todo(bx_findings *f, const char *root, const bx_probe *p)
{
    int err = p->msr;
    if (err == ENOENT || err == ENXIO) {
        if (has_module(root, "msr"))
            bx_find_todo(f, "its driver is loaded, but nobody made the device: udevadm trigger");
        else
            bx_find_todo(f, "load its driver: modprobe msr");
    } else if (err == EROFS || (err && p->readable)) {
        bx_find_more(f, "it can be read: 'boxscore regs' works, counting does not");
        bx_find_todo(f, "let it be written as well: chmod, a remount, or run as root");
    } else if (err == EACCES || err == EPERM) {
        bx_find_todo(f, "run as root, or with CAP_SYS_RAWIO and rights on the device");
        bx_find_todo(f, "or have root start boxscore-helper, which lends them");
    } else if (err) {
        bx_find_todo(f, "see what the kernel says: dmesg");
    }
}

static void msr(bx_findings *f, const char *root, const bx_probe *p)
{
    unsigned cpus, n = reachable(f, root, &cpus);
    const char *does = p->lockdown ? "read" : "read and written";
    if (p->gathered && !p->msr) {
        bx_find_of_machine(f, "MSR device",
                           "can be read, as far as it was when this machine was gathered");
        bx_find_more(f, "'boxscore regs' works, counting does not: it takes the machine itself");
        return;
    }
    if (p->msr)
        bx_find_of_machine(f, "MSR device", "%s: %s", p->device, strerror(p->msr));
    else if (n && n < cpus)
        bx_find_of_machine(f, "MSR device", "can be %s, of %u of %u cores", does, n, cpus);
    else
        bx_find_of_machine(f, "MSR device", "can be %s", does);
    msr_todo(f, root, p);
}

/* Source: kernel_lockdown(7). Lockdown does not affect counting by the kernel. */
static void lockdown(bx_findings *f, const bx_probe *p)
{
    if (!p->lockdown)
        return;
    bx_find_of_machine(f, "lockdown",
                       "the kernel lets no program write MSRs and PCI registers or open "
                       "/dev/mem");
    bx_find_more(f, "the PMUs that it drives itself can still be counted");
    bx_find_todo(f, "boot without lockdown=, and with Secure Boot off: mokutil --sb-state tells");
}

static void msr_safe(bx_findings *f, const char *root)
{
    static const char device[] = "/dev/cpu/0/msr_safe", list[] = "/dev/cpu/msr_allowlist";
    if (!bx_file_exists(root, device))
        return;
    int err = opens(root, device, O_RDWR);
    if (err) {
        bx_find_of_machine(f, "msr-safe", "%s: %s", device, strerror(err));
        bx_find_todo(f, "join the group that the device belongs to: ls -l %s", device);
        return;
    }
    bx_find_of_machine(f, "msr-safe", "%s can be read and written, as far as its list allows",
                       device);
    bx_find_todo(f, "where that lacks registers: boxscore allowlist > %s, as root", list);
}

/* The PCI function of the first of a CPU model's registers that are in one. */
static bx_pci_bdf function_of(const bx_catalog *c, uint16_t cpu)
{
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = 0; i < pmus.n; i++) {
        bx_span regs = bx_cat_pmus(c)[pmus.first + i].regs;
        for (unsigned k = 0; k < regs.n; k++)
            if (bx_cat_regs(c)[regs.first + k].space == BX_SPACE_PCI)
                return bx_pci_bdf_text(bx_register_offset(c, regs.first + k, 0));
    }
    return bx_pci_bdf_text(0);
}

/* Registers other than MSRs that counting on this CPU model needs. */
static void spaces(bx_findings *f, const bx_catalog *c, const char *root, const bx_probe *p)
{
    static const char *const topics[] = {
        [BX_SPACE_PCI] = "PCI registers", [BX_SPACE_MMIO] = "memory"};
    static const char *const missing[] = {
        [BX_SPACE_PCI] = "the firmware hides it, or a container /sys: lspci tells",
        [BX_SPACE_MMIO] = "a kernel with CONFIG_DEVMEM, or in a container: --device /dev/mem"};
    uint16_t cpu = p->cpu_known ? bx_cat_find_cpu_by_id(c, p->family, p->model) : BX_NONE;
    bool needs[BX_SPACE_MMIO + 1] = {false};
    char pci[64] = "";
    const char *const files[] = {[BX_SPACE_PCI] = pci, [BX_SPACE_MMIO] = "/dev/mem"};
    if (cpu != BX_NONE)
        snprintf(pci, sizeof pci, "/sys/bus/pci/devices/0000:%s/config", function_of(c, cpu).text);
    bx_span pmus = cpu == BX_NONE ? (bx_span){0} : bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = 0; i < pmus.n; i++) {
        bx_span regs = bx_cat_pmus(c)[pmus.first + i].regs;
        for (unsigned k = 0; k < regs.n; k++)
            needs[bx_cat_regs(c)[regs.first + k].space] = true;
    }
    for (unsigned space = BX_SPACE_PCI; space <= BX_SPACE_MMIO; space++) {
        int err = needs[space] ? opens(root, files[space], O_RDWR) : 0;
        if (!needs[space])
            continue;
        bx_find(f, topics[space],
                err                          ? "%s: %s"
                : p->lockdown || p->gathered ? "%s can be read"
                                             : "%s can be read and written",
                files[space], strerror(err));
        if ((err == EACCES || err == EPERM) && !p->lockdown)
            bx_find_todo(f, "run as root, or have root start boxscore-helper");
        else if (err == ENOENT)
            bx_find_todo(f, "%s", missing[space]);
    }
}

static void helper(bx_findings *f, const char *root, const char *socket, const bx_probe *p)
{
    bx_cpus cpus;
    char path[sizeof BX_HELPER_SOCKET + 4096];
    bx_error e = {0};
    snprintf(path, sizeof path, "%s%s", socket ? "" : root, socket ? socket : BX_HELPER_SOCKET);
    if ((!socket && access(path, F_OK)) || !bx_cpus_read(root, f->arena, &cpus))
        return;
    bx_bus *bus = bx_helper_open(path, &cpus, p->family, p->model, &e);
    if (bus) {
        bx_find(f, "helper", "it answers at %s", path);
        bus->close(bus);
        if (!getpwnam(BX_HELPER_USER)) {
            bx_find_more(f, "it runs as user nobody: every process of that user can kill it");
            bx_find_todo(f, "useradd --system " BX_HELPER_USER ", and start it again");
        }
        return;
    }
    bx_find_error(f, &e);
    bx_find(f, "helper", "%s", e.message);
    bx_find_todo(f, "%s", e.hint);
}

void bx_doctor_ways(bx_findings *f, const bx_catalog *c, const char *root, const char *socket,
                    const bx_probe *p)
{
    container(f, root, p);
    bx_doctor_rights(f);
    modules(f, root);
    msr(f, root, p);
    lockdown(f, p);
    msr_safe(f, root);
    spaces(f, c, root, p);
    helper(f, root, socket, p);
}
