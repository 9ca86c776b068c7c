/* Executes an instruction of each feature that CPUID announces. Prints those that fail. */
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static sigjmp_buf back;
static uint8_t area[4096] __attribute__((aligned(64)));

static void on_fault(int number)
{
    siglongjmp(back, number);
}

#define FEATURES                                                                                   \
    X(1, 0, 'c', 0, "sse3", "lddqu (%0), %%xmm0")                                                  \
    X(1, 0, 'c', 1, "pclmulqdq", "pclmulqdq $0, %%xmm1, %%xmm0")                                   \
    X(1, 0, 'c', 9, "ssse3", "pshufb %%xmm1, %%xmm0")                                              \
    X(1, 0, 'c', 12, "fma", "vfmadd132sd %%xmm2, %%xmm1, %%xmm0")                                  \
    X(1, 0, 'c', 13, "cx16", "cmpxchg16b (%0)")                                                    \
    X(1, 0, 'c', 19, "sse4.1", "ptest %%xmm1, %%xmm0")                                             \
    X(1, 0, 'c', 20, "sse4.2", "crc32b (%0), %%eax")                                               \
    X(1, 0, 'c', 22, "movbe", "movbe (%0), %%eax")                                                 \
    X(1, 0, 'c', 23, "popcnt", "popcnt (%0), %%eax")                                               \
    X(1, 0, 'c', 25, "aes", "aesenc %%xmm1, %%xmm0")                                               \
    X(1, 0, 'c', 26, "xsave", "xor %%edx, %%edx; mov $3, %%eax; xsave (%0)")                       \
    X(1, 0, 'c', 27, "osxsave", "xor %%ecx, %%ecx; xgetbv")                                        \
    X(1, 0, 'c', 28, "avx", "vaddps %%ymm0, %%ymm1, %%ymm2; vzeroupper")                           \
    X(1, 0, 'c', 29, "f16c", "vcvtph2ps %%xmm0, %%xmm1")                                           \
    X(1, 0, 'c', 30, "rdrand", "rdrand %%eax")                                                     \
    X(1, 0, 'd', 4, "tsc", "rdtsc")                                                                \
    X(1, 0, 'd', 19, "clflush", "clflush (%0)")                                                    \
    X(1, 0, 'd', 24, "fxsr", "fxsave (%0)")                                                        \
    X(7, 0, 'b', 0, "fsgsbase", "rdfsbase %%rax")                                                  \
    X(7, 0, 'b', 3, "bmi1", "andn %%eax, %%ecx, %%edx; tzcnt (%0), %%eax")                         \
    X(7, 0, 'b', 5, "avx2", "vpaddd %%ymm0, %%ymm1, %%ymm2; vzeroupper")                           \
    X(7, 0, 'b', 8, "bmi2", "pdep %%eax, %%ecx, %%edx; mulx %%rax, %%rcx, %%rdx")                  \
    X(7, 0, 'b', 11, "rtm", "xbegin 1f; xend; 1:")                                                 \
    X(7, 0, 'b', 16, "avx512f", "vaddps %%zmm0, %%zmm1, %%zmm2")                                   \
    X(7, 0, 'b', 18, "rdseed", "rdseed %%eax")                                                     \
    X(7, 0, 'b', 19, "adx", "adcx %%rax, %%rcx")                                                   \
    X(7, 0, 'b', 23, "clflushopt", "clflushopt (%0)")                                              \
    X(7, 0, 'b', 24, "clwb", "clwb (%0)")                                                          \
    X(7, 0, 'b', 29, "sha", "sha256msg1 %%xmm1, %%xmm0")                                           \
    X(7, 0, 'c', 8, "gfni", "gf2p8mulb %%xmm1, %%xmm0")                                            \
    X(7, 0, 'c', 9, "vaes", "vaesenc %%ymm0, %%ymm1, %%ymm2")                                      \
    X(7, 0, 'c', 22, "rdpid", "rdpid %%rax")                                                       \
    X(13, 1, 'a', 0, "xsaveopt", "xor %%edx, %%edx; mov $3, %%eax; xsaveopt (%0)")                 \
    X(13, 1, 'a', 1, "xsavec", "xor %%edx, %%edx; mov $3, %%eax; xsavec (%0)")                     \
    X(0x80000001, 0, 'c', 0, "lahf", "lahf")                                                       \
    X(0x80000001, 0, 'c', 5, "lzcnt", "lzcnt (%0), %%eax")                                         \
    X(0x80000001, 0, 'c', 8, "prefetchw", "prefetchw (%0)")                                        \
    X(0x80000001, 0, 'd', 27, "rdtscp", "rdtscp")

#define CLOBBERED "rax", "rcx", "rdx", "rbx", "xmm0", "xmm1", "xmm2", "memory", "cc"

static uint32_t read_cpuid(uint32_t leaf, uint32_t subleaf, char output)
{
    uint32_t a, b, c, d, most = __get_cpuid_max(leaf & 0x80000000, NULL);
    if (leaf > most)
        return 0;
    __cpuid_count(leaf, subleaf, a, b, c, d);
    return output == 'a' ? a : output == 'b' ? b : output == 'c' ? c : d;
}

int main(int n, char **words)
{
    volatile unsigned announced = 0;
    (void)words;
    signal(SIGILL, on_fault);
    signal(SIGSEGV, on_fault);
#define X(leaf, subleaf, output, bit, name, code)                                                  \
    if (read_cpuid(leaf, subleaf, output) >> (bit)&1) {                                            \
        announced = announced + 1;                                                                 \
        if (n > 1)                                                                                 \
            printf("%s\n", name);                                                                  \
        if (sigsetjmp(back, 1))                                                                    \
            printf("%s is announced, but fails\n", name);                                          \
        else                                                                                       \
            __asm__ volatile(code ::"D"(area) : CLOBBERED);                                        \
    }
    FEATURES
    printf("%s announced\n", announced > 2 ? "features" : "nothing");
}
