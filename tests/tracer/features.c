/* A program with memory references of many kinds: vectors, masks and gathers, repeated strings,
 * locked operations, x87, saved states, a large mapping, and self-modifying code. */
#include <immintrin.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static double numbers[256];
static char from[10000], to[10000];
static _Atomic long shared_number;

__attribute__((target("avx2,fma"))) static void vectors(void)
{
    __m256d sum = _mm256_setzero_pd();
    for (int i = 0; i < 248; i += 4)
        sum = _mm256_fmadd_pd(_mm256_loadu_pd(numbers + i), _mm256_loadu_pd(numbers + i + 1), sum);
    const __m256i mask = _mm256_set_epi64x(-1, 0, -1, 0);
    const __m256i index = _mm256_set_epi64x(1, 30, 50, 200);
    _mm256_maskstore_pd(numbers + 9, mask, sum);
    sum = _mm256_maskload_pd(numbers + 3, mask);
    sum = _mm256_mask_i64gather_pd(sum, numbers, index, _mm256_castsi256_pd(mask), 8);
    _mm256_storeu_pd(numbers, sum);
}

static void strings(void)
{
    for (unsigned k = 0; k < 300; k += 37) {
        const void *source = from + k;
        void *target = to;
        size_t n = 3000 + k;
        __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(n)::"memory");
    }
}

static void locked(void)
{
    for (long i = 0; i < 100; i++) {
        long expected = i;
        atomic_compare_exchange_strong(&shared_number, &expected, i + 1);
        atomic_fetch_add(&shared_number, 1);
    }
}

static void x87(void)
{
    static unsigned char state[512] __attribute__((aligned(64)));
    volatile long double product = 1;
    for (int i = 1; i < 100; i++)
        product = product * i / (product + i);
    __asm__ volatile("fxsave %0" : "=m"(state));
    __asm__ volatile("fxrstor %0" ::"m"(state));
}

static void large_mapping(void)
{
    const size_t bytes = (size_t)4 << 30, step = (size_t)64 << 20;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        return;
    for (size_t i = 0; i < bytes; i += step) {
        p[i + 63] = 1;
        memcpy(p + i + 4093, "two lines", 8);
    }
    munmap(p, bytes);
}

/* mov $i, %eax; ret */
static long changed_code(void)
{
    char *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;
    for (char i = 0; code != MAP_FAILED && i < 50; i++) {
        memcpy(code, "\xb8\0\0\0\0\xc3", 6);
        code[1] = i;
        sum += ((int (*)(void))(uintptr_t)code)();
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        vectors();
    strings();
    locked();
    x87();
    large_mapping();
    return changed_code() == 49 * 50 / 2 ? 0 : 1;
}
