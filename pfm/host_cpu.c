#include "pfm/host_cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* By CPUID: host/discover/probe.h reads much more and takes a hundred times as long. */
int bx_pfmlib_host_cpu(const struct bx_catalog *c)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, cx, d;
    if (!__get_cpuid(0, &a, &b, &cx, &d) || b != signature_INTEL_ebx || d != signature_INTEL_edx ||
        cx != signature_INTEL_ecx || !__get_cpuid(1, &a, &b, &cx, &d))
        return -1;
    /* SDM volume 2, CPUID: the extended model applies to families 6 and 15 */
    unsigned family = a >> 8 & 0xf, model = a >> 4 & 0xf;
    if (family == 6 || family == 15)
        model |= a >> 12 & 0xf0;
    if (family == 15)
        family += a >> 20 & 0xff;
    uint16_t cpu = bx_cat_find_cpu_by_id(c, family, model);
    return cpu == BX_NONE ? -1 : cpu;
#else
    (void)c;
    return -1;
#endif
}
