/* Results of CPUID on stage, and how the instruction is found in code. */
#include "../cmocked.h"

#include "stage/files/cpuid.h"
#include "stage/preload/find_cpuid.h"
#include "stage/preload/instruction_length.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

static bx_topology machine(const char *spec)
{
    bx_topology t;
    bx_error e = {0};
    if (bx_topology_parse(bx_catalog_builtin(), bx_str_of(spec), &t, &e) != BX_OK)
        fail_msg("%s", e.message);
    return t;
}

static void equal(bx_cpuid r, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    assert_int_equal(r.eax, eax);
    assert_int_equal(r.ebx, ebx);
    assert_int_equal(r.ecx, ecx);
    assert_int_equal(r.edx, edx);
}

/* SDM volume 2, CPUID: leaf 0 has "GenuineIntel" in EBX, EDX, ECX; a Skylake client of stepping 3
 * is 506E3H, an Ivy Bridge-EP 306Exh. */
static void who_it_is(void **state)
{
    (void)state;
    bx_topology skl = machine("virtual:skl,part=plain"),
                ivbep = machine("virtual:ivbep,part=plain");
    equal(bx_cpuid_of(&skl, 0, 0, 0), 0xb, 0x756e6547, 0x6c65746e, 0x49656e69);
    assert_int_equal(bx_cpuid_of(&skl, 0, 1, 0).eax, 0x506e3);
    assert_int_equal(bx_cpuid_of(&ivbep, 0, 1, 0).eax, 0x306e3);
    assert_int_equal(bx_cpuid_of(&skl, 0, 1, 0).ecx & 1u << 31, 0); /* no hypervisor */
    char brand[49] = "";
    for (uint32_t i = 0; i < 3; i++) {
        bx_cpuid part = bx_cpuid_of(&skl, 0, 0x80000002 + i, 0);
        memcpy(brand + 16 * i, &part, 16);
    }
    assert_string_equal(brand, "Intel(R) 6th generation Core, client (Skylake)");
    assert_int_equal(bx_cpuid_of(&skl, 0, 0x80000007, 0).edx, 1 << 8); /* invariant TSC */
}

/* Leaf 0AH, SDM volume 2: EAX has the version, the general counters, their bits, and how many of
 * the architectural events are listed; EDX the fixed counters and their bits. An i7-6700K says
 * 07300404H and 603H; without Hyper-Threading it has eight general counters. */
static void core_counters(void **state)
{
    (void)state;
    bx_topology skl = machine("virtual:skl,part=plain"),
                ivbep = machine("virtual:ivbep,part=plain"),
                nhmex = machine("virtual:nhmex,part=plain");
    equal(bx_cpuid_of(&skl, 3, 0xa, 0), 0x07300804, 0, 0, 0x603);
    equal(bx_cpuid_of(&ivbep, 0, 0xa, 0), 0x07300803, 0, 0, 0x603);
    equal(bx_cpuid_of(&nhmex, 0, 0xa, 0), 0x07300403, 0, 0, 0x603);
}

/* 2 packages of 10: an APIC id is the package above 4 bits of core. */
static void where_a_cpu_is(void **state)
{
    (void)state;
    bx_topology t = machine("virtual:ivbep,part=plain,packages=2,cores=10");
    assert_int_equal(bx_cpuid_of(&t, 13, 1, 0).ebx >> 24, 0x13);
    equal(bx_cpuid_of(&t, 13, 0xb, 0), 0, 1, 0x100, 0x13);
    equal(bx_cpuid_of(&t, 13, 0xb, 1), 4, 10, 0x201, 0x13);
    equal(bx_cpuid_of(&t, 13, 0xb, 2), 0, 0, 2, 0x13);
}

/* Leaf 4: sets are ECX + 1, ways EBX[31:22] + 1, line size EBX[11:0] + 1. */
static void caches(void **state)
{
    (void)state;
    bx_topology t = machine("virtual:skl,part=plain,llc=4M");
    static const uint32_t bytes[] = {32 << 10, 32 << 10, 256 << 10, 4 << 20};
    static const uint32_t kinds[] = {0x21, 0x22, 0x43, 0x63}; /* level above bit 5, type below */
    for (uint32_t i = 0; i < 4; i++) {
        bx_cpuid r = bx_cpuid_of(&t, 0, 4, i);
        assert_int_equal(r.eax & 0xff, kinds[i]);
        assert_int_equal((r.ecx + 1) * ((r.ebx >> 22) + 1) * ((r.ebx & 0xfff) + 1), bytes[i]);
        assert_int_equal(r.eax >> 14 & 0xfff, i == 3 ? 3 : 0); /* the other CPUs that share it */
    }
    assert_int_equal(bx_cpuid_of(&t, 0, 4, 4).eax, 0);
    static const struct {
        const char *machine;
        uint32_t ways, sets;
    } last[] = {
        /* docs/explanation/model-nhmex.md: 3 MiB a slice of 24 ways;
           docs/explanation/model-ivbep.md: 2.5 MiB of 20 */
        {"virtual:nhmex,part=plain", 24, 8 * 2048},
        {"virtual:nhmex,part=plain,llc=12M", 24, 8 * 1024},
        {"virtual:ivbep,part=plain", 20, 10 * 2048},
    };
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        t = machine(last[i].machine);
        bx_cpuid r = bx_cpuid_of(&t, 0, 4, 3);
        assert_int_equal((r.ebx >> 22) + 1, last[i].ways);
        assert_int_equal(r.ecx + 1, last[i].sets);
    }
    assert_int_equal(bx_cpuid_of(&t, 0, 1, 0).ebx >> 8 & 0xff, 64 / 8); /* CLFLUSH: a line */
    t = machine("virtual:p6,part=plain");
    assert_int_equal(bx_cpuid_of(&t, 0, 1, 0).ebx >> 8 & 0xff, 32 / 8);
    assert_int_equal((bx_cpuid_of(&t, 0, 4, 0).ebx & 0xfff) + 1, 32);
    assert_int_equal(bx_cpuid_of(&t, 0, 4, 3).eax, 0);
}

/* Leaf 4 of a machine: kind and level, ways, sets, line; the levels follow its keys. 0: no more. */
struct leaf {
    uint32_t kind, ways, sets, line, edx;
};

static void has_caches(const char *spec, const struct leaf *leaf, size_t n)
{
    bx_topology t = machine(spec);
    for (uint32_t i = 0; i < n; i++) {
        bx_cpuid r = bx_cpuid_of(&t, 0, 4, i);
        assert_int_equal(r.eax & 0xff, leaf[i].kind);
        assert_int_equal((r.ebx >> 22) + 1, leaf[i].ways);
        assert_int_equal(r.ecx + 1, leaf[i].sets);
        assert_int_equal((r.ebx & 0xfff) + 1, leaf[i].line);
        assert_int_equal(r.edx, leaf[i].edx);
        assert_int_equal(r.eax >> 14 & 0xfff, i == n - 1 && t.cores > 1 ? 3 : 0);
    }
    equal(bx_cpuid_of(&t, 0, 4, (uint32_t)n), 0, 0, 0, 0);
}

/* A Skylake's L2 has 4 ways (248966), an Ivy Bridge's and a Nehalem's 8; a Pentium III's L1 have 16
 * KiB in 4 ways, its L2 512 KiB in 4, of 32-byte lines. The LLC is inclusive, and its slices are
 * chosen by a hash: bits 1 and 2 of EDX. */
static void caches_of_machines(void **state)
{
    (void)state;
    has_caches("virtual:skl,part=plain",
               (const struct leaf[]){{0x21, 8, 64, 64, 0},
                                     {0x22, 8, 64, 64, 0},
                                     {0x43, 4, 1024, 64, 0},
                                     {0x63, 16, 8192, 64, 6}},
               4);
    has_caches("virtual:ivbep,part=plain,cores=4",
               (const struct leaf[]){{0x21, 8, 64, 64, 0},
                                     {0x22, 8, 64, 64, 0},
                                     {0x43, 8, 512, 64, 0},
                                     {0x63, 20, 4 * 2048, 64, 6}},
               4);
    has_caches("virtual:nhmex,part=plain,cores=4",
               (const struct leaf[]){{0x21, 8, 64, 64, 0},
                                     {0x22, 4, 128, 64, 0},
                                     {0x43, 8, 512, 64, 0},
                                     {0x63, 24, 4 * 2048, 64, 6}},
               4);
    has_caches(
        "virtual:p6,part=plain",
        (const struct leaf[]){{0x21, 4, 128, 32, 0}, {0x22, 4, 128, 32, 0}, {0x43, 4, 4096, 32, 0}},
        3);
    has_caches("virtual:skl,l1d_size=64K,l1d_ways=16,l2_size=512K,l2_ways=8,l2_inclusion=inclusive,"
               "l3_size=1M,l3_ways=16,l3_inclusion=none",
               (const struct leaf[]){{0x21, 16, 64, 64, 0},
                                     {0x22, 8, 64, 64, 0},
                                     {0x43, 8, 1024, 64, 2},
                                     {0x63, 16, 1024, 64, 0},
                                     {0x83, 16, 8192, 64, 6}},
               5);
}

static void its_file(void **state)
{
    (void)state;
    bx_topology t = machine("virtual:skl,part=plain");
    bx_cpuid r[2];
    size_t done;
    uint64_t level1 = UINT64_C(1) << 32 | 0xb;
    assert_int_equal(bx_device_cpuid.read(&t, 2, level1, (char *)r, 16, &done), 0);
    assert_int_equal(done, 16);
    equal(r[0], 2, 4, 0x201, 2);
    assert_int_equal(bx_device_cpuid.read(&t, 0, 0, (char *)r, 12, &done), EINVAL);
    assert_int_equal(bx_device_cpuid.write(&t, 0, 0, (char *)r, 16, &done), EINVAL);
}

/* ---- lengths: encodings as the SDM's instruction pages give them ---- */

static void lengths(void **state)
{
    (void)state;
    static const struct {
        uint8_t length, bytes[15];
    } cases[] = {
        {2, {0x0f, 0xa2}},                                   /* cpuid */
        {2, {0x0f, 0x0b}},                                   /* ud2 */
        {1, {0x90}},                                         /* nop */
        {1, {0x53}},                                         /* push rbx */
        {1, {0xc3}},                                         /* ret */
        {3, {0xc2, 8, 0}},                                   /* ret 8 */
        {4, {0xf3, 0x0f, 0x1e, 0xfa}},                       /* endbr64 */
        {2, {0x89, 0xc8}},                                   /* mov eax, ecx */
        {3, {0x48, 0x89, 0xe5}},                             /* mov rbp, rsp */
        {4, {0x48, 0x8b, 0x45, 0xf8}},                       /* mov rax, [rbp-8] */
        {5, {0x48, 0x8b, 0x44, 0x24, 8}},                    /* mov rax, [rsp+8] */
        {7, {0x48, 0x8b, 0x05, 1, 2, 3, 4}},                 /* mov rax, [rip+n] */
        {8, {0x48, 0x8b, 0x84, 0x24, 0, 1, 0, 0}},           /* mov rax, [rsp+256] */
        {8, {0x48, 0x8b, 0x04, 0x25, 0, 1, 0, 0}},           /* mov rax, [256] */
        {5, {0xb8, 0, 0, 0x0f, 0xa2}},                       /* mov eax, imm32 */
        {4, {0x66, 0xb8, 0x0f, 0xa2}},                       /* mov ax, imm16 */
        {10, {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 0x0f, 0xa2}},    /* mov rax, imm64 */
        {9, {0xa1, 1, 2, 3, 4, 5, 6, 7, 8}},                 /* mov eax, [moffs] */
        {7, {0x48, 0xc7, 0xc0, 1, 0, 0, 0}},                 /* mov rax, imm32 */
        {6, {0x81, 0xc1, 0, 0, 0x0f, 0xa2}},                 /* add ecx, imm32 */
        {4, {0x48, 0x83, 0xec, 8}},                          /* sub rsp, 8 */
        {6, {0x69, 0xc0, 1, 2, 3, 4}},                       /* imul eax, eax, imm32 */
        {3, {0x6b, 0xc0, 3}},                                /* imul eax, eax, 3 */
        {2, {0xa8, 1}},                                      /* test al, 1 */
        {3, {0xf6, 0xc1, 1}},                                /* test cl, 1 */
        {2, {0xf6, 0xd1}},                                   /* not cl */
        {6, {0xf7, 0xc1, 1, 0, 0, 0}},                       /* test ecx, imm32 */
        {2, {0xf7, 0xe1}},                                   /* mul ecx */
        {5, {0xe8, 0, 0, 0, 0}},                             /* call */
        {6, {0x0f, 0x84, 0, 0, 0, 0}},                       /* je */
        {2, {0x74, 0x0f}},                                   /* je, near */
        {2, {0x0f, 0x05}},                                   /* syscall */
        {2, {0x0f, 0x31}},                                   /* rdtsc */
        {3, {0x0f, 0x01, 0xf9}},                             /* rdtscp */
        {3, {0x0f, 0xb6, 0xc0}},                             /* movzx eax, al */
        {4, {0x0f, 0xa4, 0xc8, 4}},                          /* shld eax, ecx, 4 */
        {2, {0x0f, 0xc8}},                                   /* bswap eax */
        {5, {0x66, 0x0f, 0x70, 0xc0, 0xa2}},                 /* pshufd */
        {5, {0x66, 0x0f, 0x38, 0x00, 0xc1}},                 /* pshufb */
        {6, {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8}},              /* palignr */
        {3, {0xc5, 0xf8, 0x77}},                             /* vzeroupper */
        {4, {0xc5, 0xf9, 0x6f, 0xc1}},                       /* vmovdqa */
        {5, {0xc5, 0xf9, 0x70, 0xc1, 0xa2}},                 /* vpshufd */
        {5, {0xc4, 0xe2, 0x7d, 0x00, 0xc1}},                 /* vpshufb */
        {6, {0xc4, 0xe3, 0x7d, 0x0f, 0xc1, 8}},              /* vpalignr */
        {6, {0x62, 0xf1, 0x7d, 0x48, 0x6f, 0xc1}},           /* vmovdqa32 */
        {7, {0x62, 0xf1, 0x7d, 0x48, 0x6f, 0x40, 1}},        /* the same from memory */
        {10, {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0}}, /* nop of ten bytes */
        {4, {0xc8, 0x10, 0, 0}},                             /* enter */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t found = bx_instruction_length(cases[i].bytes, sizeof cases[i].bytes);
        if (found != cases[i].length)
            fail_msg("%zu: %02x %02x …: %zu, not %u", i, cases[i].bytes[0], cases[i].bytes[1],
                     found, cases[i].length);
        /* Without its last bytes it is not an instruction. */
        for (size_t n = 0; n < cases[i].length; n++)
            assert_int_equal(bx_instruction_length(cases[i].bytes, n), 0);
    }
}

/* Finds the instruction, but neither the same bytes within another one nor a patched one. */
static void found_in_code(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0xb8, 0x0f, 0xa2, 0x00, 0x00,                               /* mov eax, 0a20fh */
        0x0f, 0xa2,                                                 /* cpuid */
        0xce, 0xa2,                                                 /* patched */
        0x0f, 0x0b,                                                 /* ud2 */
        0x48, 0xbb, 0x0f, 0xa2, 0x0f, 0xa2, 0x0f, 0xa2, 0x0f, 0xa2, /* mov rbx, … */
        0x0f, 0xa2,                                                 /* cpuid */
        0xc3, 0x0f,
    };
    assert_int_equal(bx_next_cpuid(code, sizeof code, 0), 5);
    assert_int_equal(bx_next_cpuid(code, sizeof code, 7), 21);
    assert_int_equal(bx_next_cpuid(code, sizeof code, 23), sizeof code);
    assert_int_equal(bx_next_cpuid(code, 6, 0), 6);
    assert_int_equal(bx_next_cpuid(code, 0, 0), 0);
    assert_true(bx_is_patched_cpuid(code + 7, 2));
    assert_false(bx_is_patched_rdpmc(code + 7, 2));
    /* mov $0xa2330f, %eax; rdpmc; patched rdpmc; cpuid */
    static const uint8_t counters[] = {0xb8, 0x0f, 0x33, 0xa2, 0,   0x0f,
                                       0x33, 0xce, 0x33, 0x0f, 0xa2};
    assert_int_equal(bx_next_rdpmc(counters, sizeof counters, 0), 5);
    assert_int_equal(bx_next_rdpmc(counters, sizeof counters, 7), sizeof counters);
    assert_int_equal(bx_next_cpuid(counters, sizeof counters, 0), 9);
    assert_true(bx_is_patched_rdpmc(counters + 7, 2));
    assert_false(bx_is_patched_cpuid(counters + 7, 2));
    assert_false(bx_is_patched_cpuid(code + 7, 1) || bx_is_patched_cpuid(code + 5, 2) ||
                 bx_is_patched_cpuid(code + 9, 2));
}

/* Finds the instruction far after the start, with any bytes in between. */
static void found_from_afar(void **state)
{
    (void)state;
    enum { N = 20000 };
    static uint8_t code[N];
    for (unsigned fill = 0; fill < 256; fill++) {
        memset(code, (int)fill, N);
        memset(code + N - 100, 0x90, 100); /* nop */
        code[N - 40] = 0x0f;
        code[N - 39] = 0xa2;
        assert_int_equal(bx_next_cpuid(code, N, 3), N - 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_it_is),
        cmocka_unit_test(core_counters),
        cmocka_unit_test(where_a_cpu_is),
        cmocka_unit_test(caches),
        cmocka_unit_test(caches_of_machines),
        cmocka_unit_test(its_file),
        cmocka_unit_test(lengths),
        cmocka_unit_test(found_in_code),
        cmocka_unit_test(found_from_afar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
