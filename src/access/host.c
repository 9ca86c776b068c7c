#include "access/host.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static const char msr_device[] = "/dev/cpu/0/msr";

/* Family and model as CPUID leaf 1 gives them; false: not an Intel CPU. */
static bool identify(unsigned *family, unsigned *model)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_INTEL_ebx || d != signature_INTEL_edx ||
        c != signature_INTEL_ecx || !__get_cpuid(1, &a, &b, &c, &d))
        return false;
    *family = a >> 8 & 0xf;
    *model = (a >> 4 & 0xf) | (*family == 6 || *family == 15 ? a >> 12 & 0xf0 : 0);
    if (*family == 15)
        *family += a >> 20 & 0xff;
    return true;
#else
    *family = *model = 0;
    return false;
#endif
}

/* 0, or the errno with which the MSR device refuses. */
static int try_msr_device(void)
{
    int fd = open(msr_device, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static void explain(const struct bx_catalog *c, bx_error *e)
{
    unsigned family, model;
    if (!identify(&family, &model)) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the CPU of this machine is not one of Intel's");
        return;
    }
    uint16_t cpu = bx_cat_find_cpu_by_id(c, family, model);
    if (cpu == BX_NONE) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the CPU of this machine (family %u, model 0x%x) is not known",
                family, model);
        return;
    }
    const char *name = bx_cat_z(c, bx_cat_cpus(c)[cpu].name);
    int why = try_msr_device();
    if (why != 0)
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the registers of this machine (%s) are out of reach: %s: %s",
                name, msr_device, strerror(why));
    else
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "this machine (%s) is known, but real registers are not accessed yet", name);
}

int bx_host_look(const struct bx_catalog *c, bx_error *e)
{
    explain(c, e);
    bx_hint(e, "try --machine virtual:%s", bx_catalog_cpu_name(c, 0));
    return BX_NO_ACCESS;
}
