#include "access/host.h"

#include "access/probe.h"
#include "base/error.h"

#include <string.h>

static void explain(const struct bx_catalog *c, const bx_probe *p, bx_error *e)
{
    if (!p->cpu_known) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "it is not known what CPU this machine has");
        return;
    }
    bool intel = strcmp(p->vendor, "GenuineIntel") == 0;
    uint16_t cpu = intel ? bx_cat_find_cpu_by_id(c, p->family, p->model) : BX_NONE;
    if (cpu == BX_NONE) {
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "the CPU of this machine (%s, family %u, model 0x%x) is not in the catalogue",
                p->vendor, p->family, p->model);
        return;
    }
    const char *name = bx_cat_z(c, bx_cat_cpus(c)[cpu].name);
    if (p->msr != 0)
        bx_fail(e, BX_NO_ACCESS, 0, 0, "this machine (%s) lets nobody at its registers: %s: %s",
                name, "/dev/cpu/0/msr", strerror(p->msr));
    else
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "this machine (%s) is known, but real registers are not accessed yet", name);
}

int bx_host_look(const struct bx_catalog *c, bx_error *e)
{
    bx_arena arena = {0};
    bx_probe probe;
    if (bx_probe_look("", &arena, &probe))
        explain(c, &probe, e);
    else
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    bx_hint(e, "try --machine virtual:%s", bx_catalog_cpu_name(c, 0));
    bx_arena_free(&arena);
    return BX_NO_ACCESS;
}
