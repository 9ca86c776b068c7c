/* Implements virtual_cpuid.h. */
#include "machine/virtual_cpuid.h"

#include "machine/virtual_shape.h"

#include <stdio.h>

/* ---- topology ---- */

static unsigned bits_for(unsigned n)
{
    unsigned bits = 0;
    while (1u << bits < n)
        bits++;
    return bits;
}

unsigned bx_cpuid_core_bits(const bx_topology *t)
{
    return bits_for(t->cores);
}

unsigned bx_cpuid_apic(const bx_topology *t, unsigned cpu)
{
    return cpu / t->cores << bits_for(t->cores) | cpu % t->cores;
}

bx_cpuid bx_virtual_cpuid_level(const bx_topology *t, unsigned cpu, uint32_t subleaf)
{
    enum { SMT = 1, CORE = 2 };
    uint32_t apic = bx_cpuid_apic(t, cpu);
    if (subleaf == 0)
        return (bx_cpuid){0, 1, SMT << 8, apic};
    if (subleaf == 1)
        return (bx_cpuid){bits_for(t->cores), t->cores, 1 | CORE << 8, apic};
    return (bx_cpuid){0, 0, subleaf & 0xff, apic};
}

/* ---- caches ---- */

struct caches {
    unsigned n;
    uint32_t line; /* bytes */
    bx_model_cache_fact of[BX_MODEL_CACHES];
};

static struct caches caches_of(const bx_topology *t)
{
    const bx_model_shape shape = bx_virtual_shape(t);
    uint32_t line = bx_model_line_bytes(bx_virtual_model(t), &shape);
    struct caches all = {.line = line ? line : BX_LINE_BYTES_MOST};
    all.n = bx_model_caches_of(bx_virtual_model(t), &shape, all.of);
    return all;
}

uint32_t bx_virtual_line_bytes(const bx_topology *t)
{
    return caches_of(t).line;
}

static bx_cpuid describe(const bx_topology *t, const struct caches *all, uint32_t i)
{
    enum { INCLUSIVE = 1 << 1, HASHED = 1 << 2 }; /* an LLC's slices are chosen by a hash */
    uint32_t cores = (1u << bits_for(t->cores)) - 1;
    if (i >= all->n)
        return (bx_cpuid){0};
    const bx_model_cache_fact *c = &all->of[i];
    return (bx_cpuid){
        .eax = c->of | c->level << 5 | 1 << 8 | (c->shared ? cores << 14 : 0) | cores << 26,
        .ebx = (all->line - 1) | (c->ways - 1u) << 22,
        .ecx = (uint32_t)(c->bytes / all->line / c->ways) - 1,
        .edx = (c->inclusive ? INCLUSIVE : 0) | (c->shared ? HASHED : 0),
    };
}

bx_cpuid bx_virtual_cpuid_cache(const bx_topology *t, uint32_t subleaf)
{
    const struct caches all = caches_of(t);
    return describe(t, &all, subleaf);
}

/* ---- caches as leaves 80000005H and 80000006H ---- */

/* The code of so many ways; of other numbers, that of the next lower one. */
static uint32_t ways_code(unsigned ways)
{
    static const struct {
        uint8_t ways, code;
    } codes[] = {{48, 0xb}, {32, 0xa}, {16, 8}, {8, 6}, {4, 4}, {2, 2}, {1, 1}};
    unsigned i = 0;
    while (codes[i].ways > ways)
        i++;
    return codes[i].code;
}

/* EDX is L1I, ECX L1D. */
static bx_cpuid first_level(const struct caches *all)
{
    bx_cpuid r = {0};
    for (unsigned i = 0; i < all->n; i++) {
        const bx_model_cache_fact *c = &all->of[i];
        uint32_t is = (uint32_t)(c->bytes >> 10) << 24 | c->ways << 16 | 1 << 8 | all->line;
        if (c->of == BX_CACHE_OF_DATA)
            r.ecx = is;
        if (c->of == BX_CACHE_OF_INSTRUCTIONS)
            r.edx = is;
    }
    return r;
}

/* ECX is L2, EDX the last level, if there is one behind L2. */
static bx_cpuid other_levels(const struct caches *all)
{
    bx_cpuid r = {0};
    for (unsigned i = 0; i < all->n; i++) {
        const bx_model_cache_fact *c = &all->of[i];
        uint32_t is = ways_code(c->ways) << 12 | all->line;
        if (c->level == 2)
            r.ecx = (uint32_t)(c->bytes >> 10) << 16 | is;
        if (c->level > 2)
            r.edx = (uint32_t)(c->bytes >> 19) << 18 | is;
    }
    return r;
}

/* ---- all of it ---- */

void bx_virtual_cpuid_text(const bx_topology *t, char to[BX_CPUID_TEXT])
{
    const struct caches caches = caches_of(t);
    size_t n = 0;
    struct {
        uint32_t leaf, subleaf;
        bx_cpuid is;
    } all[BX_MODEL_CACHES + 7] = {{2, 0, {.eax = BX_CPUID_SEE_LEAF_4}},
                                  {0x80000005, 0, first_level(&caches)},
                                  {0x80000006, 0, other_levels(&caches)}};
    unsigned leaves = 3;
    for (uint32_t i = 0; i <= BX_MODEL_CACHES; i++) {
        all[leaves].leaf = 4;
        all[leaves].subleaf = i;
        all[leaves++].is = describe(t, &caches, i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        all[leaves].leaf = 0xb;
        all[leaves].subleaf = i;
        all[leaves++].is = bx_virtual_cpuid_level(t, 0, i);
    }
    to[0] = '\0';
    for (unsigned i = 0; i < leaves && n < BX_CPUID_TEXT; i++)
        n += (size_t)snprintf(to + n, BX_CPUID_TEXT - n, "%s%x.%x=%x:%x:%x:%x", i ? "," : "",
                              all[i].leaf, all[i].subleaf, all[i].is.eax, all[i].is.ebx,
                              all[i].is.ecx, all[i].is.edx);
}
