/* Implements host_rig.h. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "host/pmus.h"
#include "machine/kernel_events.h"

#include <stdio.h>
#include <string.h>

folder host_rig_cpu(unsigned model, const char *online)
{
    char text[128];
    folder f = folder_new();
    snprintf(text, sizeof text, "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: %u\n", model);
    folder_text(&f, "/proc/cpuinfo", text);
    folder_text(&f, "/sys/devices/system/cpu/online", online);
    return f;
}

/* MSR 396H is one more than the number of C-Boxes (334060-001, section 2.4.1). */
folder host_rig_client(bool registers)
{
    folder f = host_rig_cpu(0x5e, "0-3\n");
    pmus_client(&f);
    if (registers) {
        folder_msr(&f, 0, 0x396, 5);
        folder_msr(&f, 0, 0xe02, 0);
    }
    return f;
}

folder host_rig_threads(void)
{
    folder f = host_rig_client(false);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        char file[80], core[8];
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
                 cpu);
        folder_text(&f, file, "0\n");
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
        snprintf(core, sizeof core, "%u\n", cpu % 2);
        folder_text(&f, file, core);
    }
    return f;
}

void host_rig_open_with(host_rig *r, const struct bx_catalog *c, folder f, unsigned driver)
{
    const bx_machine_options o = {.size = sizeof o, .root = f.root, .driver = driver};
    memset(r, 0, sizeof *r);
    r->f = f;
    if (bx_machine_open_with(c, "host", &o, &r->m, &r->e) != BX_OK)
        fail_msg("%s", r->e.message);
    fake_kernel_calls(&r->kernel, &r->calls);
    bx_machine_perf(r->m)->calls = &r->calls;
    bx_machine_perf(r->m)->foreign = false; /* this kernel is the folder's */
}

void host_rig_open(host_rig *r, folder f, unsigned driver)
{
    host_rig_open_with(r, bx_catalog_builtin(), f, driver);
}

int host_rig_session(host_rig *r, const char *list, const bx_session_options *o)
{
    if (bx_machine_events_parse(r->m, list, r->events, HOST_RIG_EVENTS, &r->n, &r->e) != BX_OK)
        fail_msg("%s: %s", list, r->e.message);
    return bx_session_open(r->m, r->events, r->n, o, &r->s, &r->e);
}

void host_rig_opened(host_rig *r, const char *list)
{
    if (host_rig_session(r, list, NULL) != BX_OK)
        fail_msg("%s: %s", list, r->e.message);
}

void host_rig_sampled(host_rig *r, const char *list)
{
    host_rig_opened(r, list);
    assert_int_equal(bx_session_start(r->s, &r->e), BX_OK);
    assert_int_equal(bx_session_sample(r->s, &r->e), BX_OK);
}

void host_rig_end(host_rig *r)
{
    bx_session_close(r->s);
    assert_int_equal(fake_kernel_open_now(&r->kernel), 0);
    bx_machine_close(r->m);
    folder_end(&r->f);
}

const bx_reading *host_rig_readings(const host_rig *r, size_t expected)
{
    size_t n;
    const bx_reading *all = bx_session_readings(r->s, &n);
    assert_int_equal(n, expected);
    return all;
}

void host_rig_opens(const host_rig *r, int i, uint32_t type, uint64_t config, int cpu)
{
    const fake_counter *c = &r->kernel.all[i];
    assert_true(i < r->kernel.n);
    assert_int_equal(c->attr.type, type);
    assert_int_equal(c->attr.config, config);
    assert_int_equal(c->cpu, cpu);
}
