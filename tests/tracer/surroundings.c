/* A program that prints what it finds around it; test_surroundings.c has the expected output. */
#include <cpuid.h>
#include <elf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char *features(void)
{
    unsigned a, b, c, d, extended = 0;
    __cpuid(1, a, b, c, d);
    unsigned first = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        extended = b;
    if (first & bit_RDRND || extended & bit_RDSEED)
        return "the host's";
    return extended & bit_AVX2  ? "avx2"
           : first & bit_AVX    ? "avx"
           : first & bit_SSE4_2 ? "sse4.2"
                                : "sse2";
}

static unsigned in_mask(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
}

/* Whether the program may run on this CPU, which the host may not have. */
static int runs_on(long cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static unsigned in_cpuinfo(void)
{
    char line[256];
    unsigned n = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f))
        n += !strncmp(line, "processor", 9);
    if (f)
        fclose(f);
    return n;
}

static unsigned sum_of_random(void)
{
    const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
    unsigned sum = 0;
    for (unsigned i = 0; i < 16; i++)
        sum += bytes[i];
    return sum;
}

/* Sizes, ways and lines as the C library finds them by CPUID, and how many threads share the last
 * level. */
static int print_caches(void)
{
    static const int asked[] = {
        _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE,
        _SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,   _SC_LEVEL2_CACHE_ASSOC,
        _SC_LEVEL3_CACHE_SIZE,  _SC_LEVEL3_CACHE_ASSOC,  _SC_LEVEL4_CACHE_SIZE};
    unsigned a, b, c, d, sharing = 1;
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++)
        printf("%ld ", sysconf(asked[i]));
    for (unsigned i = 0; __get_cpuid_count(4, i, &a, &b, &c, &d) && a & 0x1f; i++)
        sharing = (a >> 14 & 0xfff) + 1;
    __cpuid(0x80000006, a, b, c, d);
    printf("%u %uK\n", sharing, c >> 16);
    return 0;
}

/* features, CPUs by several calls, whether the present one is among them, stack, random bytes */
int main(int argc, char **argv)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN), all = sysconf(_SC_NPROCESSORS_CONF);
    int here = sched_getcpu();
    unsigned allowed = in_mask(); /* before runs_on() changes it */
    if (argc > 1)
        return print_caches();
    printf("%s %ld %ld %u %u %d %p %u %s\n", features(), online, all, allowed, in_cpuinfo(),
           here >= 0 && here < online && runs_on(online - 1) && !runs_on(online), (void *)argv,
           sum_of_random(), getenv("BOXSCORE_PADDING") ? getenv("BOXSCORE_PADDING") : "-");
    return 0;
}
