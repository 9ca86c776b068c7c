/* Opens a host: identifies its CPU, then opens the devices or connects to the helper. */
#include "host/host.h"

#include "host/helper/client.h"
#include "host/discover/probe.h"
#include "host/bus/registers.h"
#include "host/units.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int stale(const char *root, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' is not served any more: its stage was killed", root);
    bx_hint(e, "fusermount3 -u %s", root);
    return BX_NO_ACCESS;
}

#define SET_NO_ACCESS(h, ...) snprintf((h)->no_access, sizeof(h)->no_access, __VA_ARGS__)

/* Whether boxscore has registers of the CPU: an imported one has none. */
static bool has_registers(const struct bx_catalog *c, uint16_t cpu)
{
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = pmus.first; i < (unsigned)pmus.first + pmus.n; i++)
        if (bx_cat_pmus(c)[i].regs.n)
            return true;
    return false;
}

/* *cpu: the CPU model in the catalogue, or BX_NONE. Sets h->no_access if there is no access to the
 * registers. */
static int identify(const struct bx_catalog *c, const bx_machine_options *o, const char *root,
                    bx_host *h, uint16_t *cpu, bx_error *e)
{
    bx_probe p;
    if (!bx_probe_read(root, &h->arena, &p))
        return bx_out_of_memory(e);
    if (p.msr == ENOTCONN)
        return stale(root, e);
    h->signature = p.family << 16 | (p.model & 0xffff);
    h->stepping = p.stepping;
    h->gathered = p.gathered;
    bool intel = p.cpu_known && strcmp(p.vendor, "GenuineIntel") == 0;
    *cpu = intel ? bx_cat_find_cpu_by_id(c, p.family, p.model) : BX_NONE;
    if (!p.cpu_known)
        SET_NO_ACCESS(h, "the CPU of this machine is unknown");
    else if (*cpu == BX_NONE)
        SET_NO_ACCESS(h,
                      "the CPU of this machine (%s, family %u, model 0x%x) is not in the catalogue",
                      p.vendor, p.family, p.model);
    else if (o->driver == BX_DRIVER_PERF)
        SET_NO_ACCESS(h, "the registers are not used");
    else if (!has_registers(c, *cpu))
        SET_NO_ACCESS(h, "Intel's event files have no registers: only the kernel counts %s",
                      bx_cat_z(c, bx_cat_cpus(c)[*cpu].name));
    else if (p.msr != 0)
        SET_NO_ACCESS(h, "this machine (%s) gives no access to its registers: %.120s%s: %s",
                      bx_cat_z(c, bx_cat_cpus(c)[*cpu].name), root, p.device, strerror(p.msr));
    h->only_readable = *cpu != BX_NONE && p.msr != 0 && p.readable && has_registers(c, *cpu);
    return BX_OK;
}

/* The PMUs that the kernel drives, its own events and its files can be counted without registers.
 */
static int open_without_registers(bx_host *h, const bx_machine_options *o, bx_error *e)
{
    if (o->driver == BX_DRIVER_REGISTERS || !bx_perf_counts(&h->perf))
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", h->no_access);
    if (o->driver == BX_DRIVER_PERF && h->topology.cpu != BX_NONE)
        SET_NO_ACCESS(h, "the kernel drives no PMU that the catalogue describes");
    h->counts_uncore = h->topology.cpu != BX_NONE && bx_units_from_kernel(h) && !h->perf.foreign;
    return BX_OK;
}

static bool requires_helper(const bx_machine_options *o)
{
    return o->helper && o->helper[0];
}

/* Connects to the helper if the options require it, or if the devices cannot be opened and its
 * socket exists. */
static int connect_helper(bx_host *h, const bx_machine_options *o, const char *root,
                          const bx_cpus *cpus, bx_error *e)
{
    bool required = requires_helper(o);
    if (o->driver == BX_DRIVER_PERF || !cpus->packages ||
        (!required && (o->helper || !h->no_access[0])))
        return BX_OK;
    int length = snprintf(h->helper_socket, sizeof h->helper_socket, "%s%s",
                          required ? o->helper : root, required ? "" : BX_HELPER_SOCKET);
    bx_error err = {0};
    if ((size_t)length >= sizeof h->helper_socket)
        bx_fail(&err, BX_BAD_INPUT, 0, 0, "'%.60s...' is too long for a socket's name",
                h->helper_socket);
    else if (required || access(h->helper_socket, F_OK) == 0)
        h->helper =
            bx_helper_open(h->helper_socket, cpus, h->signature >> 16, h->signature & 0xffff, &err);
    h->bus = h->helper;
    if (h->helper) {
        h->helper_required = required;
        h->no_access[0] = '\0';
        return BX_OK;
    }
    h->helper_socket[0] = '\0';
    if (required) {
        bx_fail(e, err.code, 0, 0, "%s", err.message);
        bx_hint(e, "%s", err.hint);
        return err.code;
    }
    if (err.code == BX_NO_ACCESS) { /* the helper answers, and refuses us */
        char reason[sizeof h->no_access];
        memcpy(reason, h->no_access, sizeof reason);
        SET_NO_ACCESS(h, "%.110s; %.120s", reason, err.message);
    }
    return BX_OK;
}

/* The options require the helper, which needs a CPU of the catalogue. Fails with the reason. */
static int without_helper(const bx_host *h, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", h->no_access);
    if (h->perf.n)
        bx_hint(e, "without the helper, the PMUs that its kernel drives can be counted");
    return BX_NO_ACCESS;
}

static int open_all(const struct bx_catalog *c, const bx_machine_options *o, bx_host *h,
                    bx_error *e)
{
    uint16_t cpu = BX_NONE;
    bx_cpus *cpus = bx_arena_get(&h->arena, sizeof *cpus);
    const char *root = bx_arena_copy(&h->arena, bx_str_of(o->root ? o->root : ""));
    if (!cpus || !root)
        return bx_out_of_memory(e);
    int code = identify(c, o, root, h, &cpu, e);
    if (code != BX_OK)
        return code;
    if (!bx_perf_find_pmus(root, &h->arena, &h->perf) ||
        (!bx_cpus_read(root, &h->arena, cpus) && h->arena.failed))
        return bx_out_of_memory(e);
    h->cpus = cpus;
    h->perf.driver = o->driver;
    h->topology = (bx_topology){.catalog = c,
                                .cpu = BX_NONE,
                                .is_this_machine = true,
                                .packages = cpus->packages,
                                .cores = cpus->cores};
    if (cpu != BX_NONE)
        code = connect_helper(h, o, root, cpus, e);
    else if (requires_helper(o))
        code = without_helper(h, e);
    if (code != BX_OK)
        return code;
    if (h->only_readable && o->driver == BX_DRIVER_REGISTERS)
        h->no_access[0] = '\0'; /* the first write fails and says so */
    if (h->no_access[0] && !bx_perf_counts(&h->perf))
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", h->no_access);
    if (cpus->packages == 0)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s/sys tells of no CPU that is online", root);
    if (cpu != BX_NONE)
        bx_topology_real(c, cpu, cpus->packages, cpus->cores, &h->topology);
    if (h->no_access[0])
        return open_without_registers(h, o, e);
    h->counts_uncore = true;
    if (!h->bus)
        h->bus = bx_registers_open(root, cpus);
    return h->bus ? bx_units_from_registers(h, e) : bx_out_of_memory(e);
}

int bx_host_open(const struct bx_catalog *c, const bx_machine_options *o, bx_host *h, bx_error *e)
{
    bx_host made = {0};
    int code = open_all(c, o, &made, e);
    if (code == BX_OK) {
        *h = made;
        h->perf.arena = &h->arena;
    } else if (made.bus)
        made.bus->close(made.bus);
    uint16_t cpu = bx_cat_find_cpu_by_id(c, made.signature >> 16, made.signature & 0xffff);
    if (code != BX_OK)
        bx_host_close(&made);
    if (code == BX_OK || code == BX_NO_MEMORY || !e || e->hint[0])
        return code;
    if (cpu == BX_NONE)
        bx_hint(e, "try the machine virtual:%s", bx_catalog_cpu_name(c, 0));
    else if (bx_cat_is_virtual(c, &bx_cat_cpus(c)[cpu]))
        bx_hint(e, "boxscore doctor tells how to fix it; or try the machine virtual:%s",
                bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    else
        bx_hint(e, "boxscore doctor tells how to fix it");
    return code;
}

void bx_host_close(bx_host *h)
{
    bx_arena_free(&h->arena);
    *h = (bx_host){0};
}
