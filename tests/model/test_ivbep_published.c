/* Figures that others published for such processors, compared with the Ivy Bridge-EP model. */
#include "../cmocked.h"

#include "ivbep_rig.h"

#include <stdlib.h>

enum { LLC_LINES = 20 * 64 * 2, LINES = 4 * LLC_LINES, L2_LINES = 4096, PAGE_LINES = 64 };

static const struct rig_filter none = {0};

/* ---- traffic ---- */

/* A loop of likwid-bench: arrays that are loaded and stored, line by line in turn. In `daxpy` the
 * stored array is the last one loaded. */
struct kernel {
    const char *name;
    unsigned loads, stores;
    bool updates;
    unsigned factor; /* twelfths: bytes moved for each byte that the loop loads or stores */
};

static bx_access *new_accesses(const struct kernel *k, unsigned lines, size_t *n)
{
    bx_access *a = malloc((size_t)lines * (k->loads + k->stores) * sizeof *a);

    assert_non_null(a);
    *n = 0;
    for (uint64_t line = 0; line < lines; line++) {
        for (unsigned array = 0; array < k->loads; array++)
            a[(*n)++] = bx_access_make(array * (uint64_t)lines + line, BX_LOAD, 0, 2);
        for (unsigned array = 0; array < k->stores; array++)
            a[(*n)++] = bx_access_make((k->loads + array - k->updates) * (uint64_t)lines + line,
                                       BX_STORE, 0, 2);
    }
    return a;
}

static uint64_t to_and_from_memory(struct rig *r)
{
    return rig_all(r, 0x35, 0x0a, none) + rig_all(r, 0x37, 0x01, none);
}

static uint64_t to_and_from_l2(struct rig *r)
{
    static const unsigned opcodes[] = {0x180, 0x182, 0x1c4, 0x1c5}; /* RFO, DRD, WBMTOI, WBMTOE */
    uint64_t lines = 0;

    for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        lines += rig_all(r, 0x35, 0x01, (struct rig_filter){.filter1 = opcodes[i] << 20});
    return lines;
}

/* The second pass is counted: it finds the first one's cache contents, and leaves the same. */
static void check_traffic(const struct kernel *k, unsigned packages, uint64_t llc_bytes,
                          unsigned lines, uint64_t (*traffic)(struct rig *r))
{
    struct rig r = rig_new(packages, 1, llc_bytes);
    size_t n;
    bx_access *a = new_accesses(k, lines, &n);

    rig_play(&r, 0, a, n);
    uint64_t before = traffic(&r);
    rig_play(&r, 0, a, n);
    if ((traffic(&r) - before) * 12 != n * k->factor)
        fail_msg("%s: %llu lines moved, %zu loaded and stored", k->name,
                 (unsigned long long)(traffic(&r) - before), n);
    free(a);
    rig_free(&r);
}

/* LIKWID, test/accuracy/TESTS/MEM.txt and HA.txt (WA_FACTOR): what the memory controllers count for
 * each byte of the loop, arrays larger than the LLC. MEM.txt has 1.5 for daxpy_sse and the like,
 * where the array that is stored has been read already, and 1.0 for daxpy. */
static void test_memory_traffic(void **state)
{
    static const struct kernel kernels[] = {
        {"load", 1, 0, false, 12},   {"store", 0, 1, false, 24}, {"copy", 1, 1, false, 18},
        {"stream", 2, 1, false, 16}, {"triad", 3, 1, false, 15}, {"daxpy", 2, 1, true, 12},
        {"ddot", 2, 0, false, 12},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (unsigned packages = 1; packages <= 2; packages++)
            check_traffic(&kernels[i], packages, UINT64_C(64) * LLC_LINES, LINES,
                          to_and_from_memory);
}

/* The same, TESTS/L3.txt: lines between L2 and LLC, arrays larger than L2. Its 1.333 for triad,
 * of four arrays, contradicts MEM.txt and HA.txt, and is left out. */
static void test_llc_traffic(void **state)
{
    static const struct kernel kernels[] = {
        {"load", 1, 0, false, 12},
        {"store", 0, 1, false, 24},
        {"copy", 1, 1, false, 18},
        {"stream", 2, 1, false, 16},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_traffic(&kernels[i], 2, 0, 2 * L2_LINES, to_and_from_l2);
}

/* ---- core-valid bits ---- */

static uint64_t snoops_of_cores(struct rig *r)
{
    return rig_all(r, 0x02, 0x08, none); /* TxR_INSERTS.IV_CACHE */
}

static void expect_snoops(struct rig *r, unsigned core, unsigned kind, uint64_t line, unsigned n)
{
    uint64_t before = snoops_of_cores(r);

    rig_do(r, core, kind, line, 0);
    assert_int_equal(snoops_of_cores(r) - before, n);
}

/* D. Kanter, "Inside Nehalem", Real World Technologies, 2008, on the inclusive LLC that Ivy Bridge
 * also has: a line that misses is in no core. A bit of 0 means that the core has no copy, a bit of
 * 1 that it may have one. With two bits set the line is clean. */
static void test_core_valid_bits(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 4, 0);
    const uint64_t line = 5, other = 9;

    expect_snoops(&r, 0, BX_STORE, line, 0); /* a miss */
    expect_snoops(&r, 1, BX_LOAD, line, 1);  /* one other bit: it may be modified, and is */
    expect_snoops(&r, 2, BX_LOAD, line, 0);  /* two: clean */
    expect_snoops(&r, 3, BX_STORE, line,
                  3); /* all cores that may have it are invalidated, no others */
    expect_snoops(&r, 3, BX_STORE, line, 0); /* its own */
    /* L1 and L2 drop clean lines silently: the bit stays, and the snoop finds nothing. */
    rig_do(&r, 0, BX_LOAD, other, 0);
    for (uint64_t i = 1; i <= 8; i++)
        rig_do(&r, 0, BX_LOAD, other + 512 * i, 0);
    expect_snoops(&r, 1, BX_LOAD, other, 1);
    expect_snoops(&r, 1, BX_LOAD, other, 0);
    expect_snoops(&r, 0, BX_LOAD, other, 1); /* that snoop has cleared it; core 1 has the line */
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_traffic),
        cmocka_unit_test(test_llc_traffic),
        cmocka_unit_test(test_core_valid_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
