/* Opens each device by reading registers, and finds the packages. */
#include "helper/devices.h"

#include "guard/journal.h"
#include "host/bus/reroute.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bx_devices_open(const bx_host *h, const bx_allow *allow, bx_error *e)
{
    unsigned cpus = 0, failed = 0;
    int err = 0;
    for (unsigned cpu = 0; cpu < bx_cpus_all(h->cpus); cpu++) {
        int first = EIO; /* errno of a register: the device is open */
        if (h->cpus->logical[cpu] == BX_NO_CPU)
            continue;
        for (size_t i = 0; i < allow->n; i++) {
            const bx_allowed *r = &allow->list[i];
            if (cpu && r->space != BX_SPACE_MSR)
                continue;
            const bx_address at = {r->space, r->width, (uint16_t)cpu, r->offset};
            uint64_t value;
            int now = h->bus->read(h->bus, &at, &value);
            first = !now ? 0 : first;
            err = now && now != EIO ? now : err;
        }
        cpus++;
        failed += first != 0;
    }
    if (failed == cpus)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "no register can be read: %s",
                       strerror(err ? err : EIO));
    if (failed)
        fprintf(stderr, "boxscore-helper: the registers of %u CPUs cannot be read: %s\n", failed,
                strerror(err ? err : EIO));
    return BX_OK;
}

bool bx_devices_reroute(bx_host *h)
{
    struct bx_bus *bus =
        bx_reroute_open(h->bus, &h->topology, h->cpus, h->perf.foreign ? NULL : bx_current_cpu);
    if (bus)
        h->bus = bus;
    return bus;
}

int *bx_devices_packages(const char *root, const bx_cpus *cpus)
{
    int *numbers = calloc(cpus->packages, sizeof *numbers);
    for (unsigned i = 0; numbers && i < cpus->packages; i++)
        numbers[i] = bx_package_of(root, cpus->logical[i * cpus->cores]);
    return numbers;
}
