/* The leaves of CPUID, made from the catalogue and the topology, and the device that returns
 * them. */
#include "stage/files/cpuid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    /* EDX of leaf 1: FPU, TSC, MSR, PAE, MCE, CX8, APIC, SEP, MTRR, PGE, MCA, CMOV, PAT, PSE36,
     * CLFSH, MMX, FXSR, SSE, SSE2, HTT */
    FEATURES = 1 | 0xf << 4 | 3 << 8 | 0x7f << 11 | 1 << 19 | 0xf << 23 | 1 << 28,
    EXTENDED = 1 << 11 | 1 << 20 | 1 << 27 | 1 << 29, /* SYSCALL, NX, RDTSCP, long mode */
    INVARIANT_TSC = 1 << 8,
    ADDRESS_SIZES = 46 | 48 << 8,
    LAST_EXTENDED = 8, /* the last of the leaves from 80000000H on */
};

static void vendor(bx_cpuid *r)
{
    memcpy(&r->ebx, "Genu", 4);
    memcpy(&r->edx, "ineI", 4);
    memcpy(&r->ecx, "ntel", 4);
}

/* The CPU's catalogue file may list several model numbers: this and proc/cpuinfo use the last. */
static uint32_t signature(const bx_topology *t)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    const bx_cat_id *id = &bx_cat_ids(t->catalog)[cpu->ids.first + cpu->ids.n - 1];
    return BX_CPUID_STEPPING | (id->model & 0xfu) << 4 | (uint32_t)id->family << 8 |
           (uint32_t)(id->model >> 4) << 16;
}

/* ---- leaves ---- */

/* Leaf 0AH: the core PMU that the catalogue describes. If it describes none: version 3 with 4
 * general and 3 fixed counters of 48 bits. All 7 architectural events exist. */
static bx_cpuid monitoring(const bx_topology *t)
{
    const struct bx_catalog *c = t->catalog;
    bx_span pmus = bx_cat_cpus(c)[t->cpu].pmus;
    unsigned version = 3, bits[2] = {48, 48}, n[2] = {4, 3}; /* general, fixed */
    for (unsigned i = pmus.first; i < (unsigned)pmus.first + pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[i];
        if (!pmu->architectural)
            continue;
        version = pmu->architectural;
        n[0] = n[1] = 0;
        for (unsigned k = 0; k < pmu->counters.n; k++) {
            const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first + k];
            bool fixed = counter->flags & BX_COUNTER_FIXED;
            bits[fixed] = counter->width;
            n[fixed]++;
        }
    }
    return (bx_cpuid){.eax = version | n[0] << 8 | bits[0] << 16 | 7u << 24,
                      .edx = n[1] | bits[1] << 5};
}

static bx_cpuid brand(const bx_topology *t, uint32_t part)
{
    char text[49] = "";
    bx_cpuid r;
    snprintf(text, sizeof text, "Intel(R) %s",
             bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].title));
    memcpy(&r, text + 16 * part, sizeof r);
    return r;
}

static bx_cpuid extended(const bx_topology *t, uint32_t leaf)
{
    switch (leaf) {
    case 0:
        return (bx_cpuid){.eax = 0x80000000u + LAST_EXTENDED};
    case 1:
        return (bx_cpuid){.ecx = 1, .edx = EXTENDED};
    case 2:
    case 3:
    case 4:
        return brand(t, leaf - 2);
    case 7:
        return (bx_cpuid){.edx = INVARIANT_TSC};
    case 8:
        return (bx_cpuid){.eax = ADDRESS_SIZES};
    default:
        return (bx_cpuid){0};
    }
}

bx_cpuid bx_cpuid_of(const bx_topology *t, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
    bx_cpuid r = {0};
    if (leaf >= 0x80000000u)
        return extended(t, leaf - 0x80000000u);
    switch (leaf) {
    case 0:
        r.eax = BX_CPUID_LEAVES;
        vendor(&r);
        return r;
    case 1:
        r.eax = signature(t);
        r.ebx = (uint32_t)bx_cpuid_apic(t, cpu) << 24 | 1u << bx_cpuid_core_bits(t) << 16 |
                bx_virtual_line_bytes(t) / 8 << 8;
        r.edx = FEATURES;
        return r;
    case 2:
        r.eax = BX_CPUID_SEE_LEAF_4;
        return r;
    case 4:
        return bx_virtual_cpuid_cache(t, subleaf);
    case 0xa:
        return monitoring(t);
    case 0xb:
        return bx_virtual_cpuid_level(t, cpu, subleaf);
    default:
        return r;
    }
}

/* ---- the device ---- */

static int read_cpuid(void *context, uint64_t cpu, uint64_t offset, char *to, size_t n,
                      size_t *done)
{
    if (n % sizeof(bx_cpuid))
        return EINVAL;
    for (*done = 0; *done < n; *done += sizeof(bx_cpuid), offset++) {
        bx_cpuid r =
            bx_cpuid_of(context, (unsigned)cpu, (uint32_t)offset, (uint32_t)(offset >> 32));
        memcpy(to + *done, &r, sizeof r);
    }
    return 0;
}

static int write_cpuid(void *context, uint64_t cpu, uint64_t offset, const char *from, size_t n,
                       size_t *done)
{
    (void)context;
    (void)cpu;
    (void)offset;
    (void)from;
    (void)n;
    *done = 0;
    return EINVAL;
}

const bx_device bx_device_cpuid = {read_cpuid, write_cpuid};
