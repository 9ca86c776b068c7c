/* Loops over arrays, as memory benchmarks have them.
 *
 * usage: loops LOOP THREADS SIZE PASSES
 *
 * An array has SIZE MiB, or KiB with a K. Each thread writes the pages of its share first, so that
 * they are in its memory and none is the page of zeros; when all have, it processes it. `triad_nt`
 * stores past the caches, like STREAM compiled with streaming stores. `load`, `copy`, `update`,
 * `daxpy` and `vector_triad` (a = b + c x d) make accesses of 32 bytes, as the kernels of the same
 * names in kerncraft's machine files, those with `_nt` store past the caches, and `load_only` loads
 * without computing. `loads_30` and those after it make a round of a loop for each element; those
 * of floating point, `fp_` with the number of operations in a round. `locked` adds to the first
 * word of each thread's share, once for each 16 bytes of the share. With those after `lock_inc`,
 * threads fight for a line, which is the work of benchmarks of locks: `shared` adds to one word of
 * all threads as often, `beside` to a word of each thread (up to 8) in one line, `mutex` adds to a
 * word under a mutex, once for each 256 bytes, and with `swap`, two threads change a word to and
 * fro by compare-and-swap, once for each 64 bytes. Once for each 64 bytes, too, `swap_add` adds to
 * a word of all threads by compare-and-swap, `plain_add` without a lock, and `spin_add`,
 * `pause_add` and `yield_add` under a lock for which they spin, without and with PAUSE or
 * sched_yield(). `ticket_add` and `ticket_yield_add` wait for their turn at a lock that gives out
 * tickets. `futex_add` sleeps in futex(). With `own_add` each thread adds to a word of its own,
 * with `apart_add` by compare-and-swap to one of many words, another one after each failure.
 * `mixed_1` stores whole lines, `mixed_2` loads one line for each that it stores, `mixed_3` two. */
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNROLLED = 4, MOST_ARRAYS = 4, PAGE = 4096 };

/* Sums are in registers only if the inner loops are unrolled. */
#ifdef __clang__ /* which only looks for warnings here */
#define UNROLL
#define WIDE __attribute__((target("avx")))
#else
#define UNROLL __attribute__((optimize("unroll-loops")))
#define WIDE   __attribute__((target("avx"), optimize("unroll-loops")))
#endif

UNROLL static void read_all(struct share *s)
{
    __m128d sum[UNROLLED] = {{0}};
    for (size_t i = 0; i < s->n; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            sum[k] = _mm_add_pd(sum[k], s->a[i + k]);
    s->sum = _mm_add_pd(_mm_add_pd(sum[0], sum[1]), _mm_add_pd(sum[2], sum[3]));
}

UNROLL static void triad(struct share *s)
{
    const __m128d factor = _mm_set1_pd(3);
    for (size_t i = 0; i < s->n; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            s->a[i + k] = _mm_add_pd(s->b[i + k], _mm_mul_pd(factor, s->c[i + k]));
}

UNROLL static void triad_nt(struct share *s)
{
    const __m128d factor = _mm_set1_pd(3);
    for (size_t i = 0; i < s->n; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            _mm_stream_pd((double *)&s->a[i + k],
                          _mm_add_pd(s->b[i + k], _mm_mul_pd(factor, s->c[i + k])));
}

/* ---- of 32 bytes ---- */

/* The arrays, two elements at once. */
#define ARRAY(name)  __m256d *restrict name = (__m256d *)(void *)s->name
#define SOURCE(name) const __m256d *restrict name = (const __m256d *)(const void *)s->name

WIDE static void load(struct share *s)
{
    SOURCE(a);
    __m256d sum[UNROLLED] = {{0}};
    for (size_t i = 0; i < s->n / 2; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            sum[k] = _mm256_add_pd(sum[k], a[i + k]);
    sum[0] = _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3]));
    s->sum = _mm256_castpd256_pd128(sum[0]);
}

WIDE static void load_only(struct share *s)
{
    const __m256d *at = (const __m256d *)(const void *)s->a, *end = at + s->n / 2;
    for (; at < end; at += UNROLLED)
        __asm__ volatile("vmovapd (%0), %%ymm0\n vmovapd 32(%0), %%ymm1\n"
                         "vmovapd 64(%0), %%ymm2\n vmovapd 96(%0), %%ymm3"
                         :
                         : "r"(at)
                         : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
}

WIDE static void copy(struct share *s)
{
    ARRAY(a);
    SOURCE(b);
    for (size_t i = 0; i < s->n / 2; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            a[i + k] = b[i + k];
}

WIDE static void update(struct share *s)
{
    ARRAY(a);
    const __m256d factor = _mm256_set1_pd(3);
    for (size_t i = 0; i < s->n / 2; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            a[i + k] = _mm256_mul_pd(factor, a[i + k]);
}

WIDE static void daxpy(struct share *s)
{
    ARRAY(a);
    SOURCE(b);
    const __m256d factor = _mm256_set1_pd(3);
    for (size_t i = 0; i < s->n / 2; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            a[i + k] = _mm256_add_pd(a[i + k], _mm256_mul_pd(factor, b[i + k]));
}

WIDE static void vector_triad(struct share *s)
{
    ARRAY(a);
    SOURCE(b);
    SOURCE(c);
    SOURCE(d);
    for (size_t i = 0; i < s->n / 2; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            a[i + k] = _mm256_add_pd(b[i + k], _mm256_mul_pd(c[i + k], d[i + k]));
}

WIDE static void dot(struct share *s)
{
    SOURCE(a);
    SOURCE(b);
    __m256d sum = {0};
    for (size_t i = 0; i < s->n / 2; i++)
        sum = _mm256_add_pd(sum, _mm256_mul_pd(a[i], b[i]));
    s->sum = _mm256_castpd256_pd128(sum);
}

/* The same with stores past the caches. */
#define PAST_CACHES(name, value)                                                                   \
    WIDE static void name(struct share *s)                                                         \
    {                                                                                              \
        const __m256d factor = _mm256_set1_pd(3);                                                  \
        const __m256d *b = (const __m256d *)(const void *)s->b;                                    \
        const __m256d *c = (const __m256d *)(const void *)s->c;                                    \
        const __m256d *d = (const __m256d *)(const void *)s->d;                                    \
        __m256d *a = (__m256d *)(void *)s->a;                                                      \
        (void)factor, (void)b, (void)c, (void)d;                                                   \
        for (size_t i = 0; i < s->n / 2; i++)                                                      \
            _mm256_stream_pd((double *)&a[i], value);                                              \
    }

PAST_CACHES(store_nt, factor)
PAST_CACHES(copy_nt, b[i])
PAST_CACHES(daxpy_nt, _mm256_add_pd(a[i], _mm256_mul_pd(factor, b[i])))
PAST_CACHES(vector_triad_nt, _mm256_add_pd(b[i], _mm256_mul_pd(c[i], d[i])))

/* ---- of instructions, one round for each element ---- */

#define ROUNDS(s, body)                                                                            \
    __asm__ volatile("1:\n" body "dec %0\n jnz 1b"                                                 \
                     : "+r"(rounds)                                                                \
                     : "r"((s)->a), "r"(7L)                                                        \
                     : "rax", "rdx", "memory", "cc")

static void loads_30(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, ".rept 30\n mov (%1), %%rax\n .endr\n");
}

static void stores_30(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, ".rept 30\n mov %2, (%1)\n .endr\n");
}

static void add_to_memory(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, "addq $1, (%1)\n");
}

static void divide_64(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, "mov $12345, %%eax\n xor %%edx, %%edx\n div %2\n");
}

/* Half of the rounds skip an instruction, by a bit of a random number (G. Marsaglia, Xorshift RNGs,
 * 2003). */
static void branch_at_random(struct share *s)
{
    size_t rounds = s->n;
    __asm__ volatile("mov $88172645463325252, %%rax\n"
                     "1:\n"
                     "mov %%rax, %%rdx\n shl $13, %%rdx\n xor %%rdx, %%rax\n"
                     "mov %%rax, %%rdx\n shr $7, %%rdx\n xor %%rdx, %%rax\n"
                     "mov %%rax, %%rdx\n shl $17, %%rdx\n xor %%rdx, %%rax\n"
                     "test $1, %%al\n jz 2f\n nop\n"
                     "2:\n dec %0\n jnz 1b"
                     : "+r"(rounds)
                     :
                     : "rax", "rdx", "cc");
}

/* The quotient is the next dividend. */
static void divide_64_in_chain(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, "xor %%edx, %%edx\n div %2\n");
}

static void divide_signed(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, "mov $12345, %%eax\n cqo\n idiv %2\n");
}

static void add_locked_in_rounds(struct share *s)
{
    size_t rounds = s->n;
    ROUNDS(s, "lock incq (%1)\n");
}

/* ---- of floating point: chains, and operations that do not wait for each other ---- */

/* Operands that fill their mantissa: a division takes its full time. */
static const double operand = 1.2345678901234567;

#define ONE        "0"
#define FOUR       "0,1,2,3"
#define EIGHT      "0,1,2,3,4,5,6,7"
#define EACH(r, x) ".irp r," r "\n" x "\n.endr\n"
#define FP_LOOP(name, r, x)                                                                        \
    static void name(struct share *s)                                                              \
    {                                                                                              \
        size_t rounds = s->n;                                                                      \
        __asm__ volatile("movsd %1, %%xmm8\n" EACH(EIGHT, "movsd %1, %%xmm\\r") "1:\n" EACH(       \
                             r, x) "dec %0\n jnz 1b"                                               \
                         : "+r"(rounds)                                                            \
                         : "m"(operand)                                                            \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                           "cc");                                                                  \
    }

FP_LOOP(add_in_chain, ONE, "addsd %%xmm8, %%xmm\\r")
FP_LOOP(multiply_in_chain, ONE, "mulsd %%xmm8, %%xmm\\r")
FP_LOOP(multiply_add_in_chain, ONE, "vfmadd231sd %%xmm8, %%xmm8, %%xmm\\r")
FP_LOOP(divide_in_chain, ONE, "divsd %%xmm8, %%xmm\\r")
FP_LOOP(root_in_chain, ONE, "sqrtsd %%xmm\\r, %%xmm\\r")
FP_LOOP(add_eight, EIGHT, "addsd %%xmm8, %%xmm\\r")
FP_LOOP(multiply_eight, EIGHT, "mulsd %%xmm8, %%xmm\\r")
FP_LOOP(multiply_add_eight, EIGHT, "vfmadd231sd %%xmm8, %%xmm8, %%xmm\\r")
FP_LOOP(divide_four, FOUR, "divsd %%xmm8, %%xmm\\r")
FP_LOOP(divide_four_single, FOUR, "divss %%xmm8, %%xmm\\r")
FP_LOOP(root_four, FOUR, "sqrtsd %%xmm8, %%xmm\\r")
FP_LOOP(root_four_single, FOUR, "sqrtss %%xmm8, %%xmm\\r")
FP_LOOP(divide_four_wide, FOUR, "vdivpd %%ymm8, %%ymm8, %%ymm\\r")
FP_LOOP(root_four_wide, FOUR, "vsqrtpd %%ymm8, %%ymm\\r")

static void add_locked(struct share *s)
{
    for (size_t i = 0; i < s->n; i++)
        __atomic_fetch_add((long *)(void *)s->a, 1, __ATOMIC_SEQ_CST);
}

/* ---- lines that are loaded and stored, as the Memory Latency Checker has them ---- */

WIDE static void store_after_loads(struct share *s, unsigned loads)
{
    ARRAY(a);
    __m256d sum = {0};
    for (size_t line = 0; line < s->n / 4; line++) {
        __m256d *at = a + 2 * line;
        if (line % (loads + 1) < loads) {
            sum = _mm256_add_pd(sum, _mm256_add_pd(at[0], at[1]));
        } else {
            at[0] = sum;
            at[1] = sum;
        }
    }
    s->sum = _mm256_castpd256_pd128(sum);
}

static void mixed_1(struct share *s)
{
    store_after_loads(s, 0);
}

static void mixed_2(struct share *s)
{
    store_after_loads(s, 1);
}

static void mixed_3(struct share *s)
{
    store_after_loads(s, 2);
}

static void fill(struct share *s)
{
    size_t bytes = s->n * s->arrays * sizeof *s->a;
    for (size_t at = 0; at < bytes; at += PAGE)
        *(volatile double *)((char *)s->a + at) = 1;
    *(volatile double *)((char *)s->a + bytes - sizeof(double)) = 1;
}

/* All threads have filled their shares. */
static pthread_barrier_t filled;

static void *run(void *of)
{
    struct share *s = of;
    fill(s);
    pthread_barrier_wait(&filled);
    for (unsigned i = 0; i < s->passes; i++)
        s->loop(s);
    return NULL;
}

static const struct loop loops[] = {
    {"read", read_all, 1},
    {"triad", triad, 3},
    {"triad_nt", triad_nt, 3},
    {"load", load, 1},
    {"copy", copy, 2},
    {"load_only", load_only, 1},
    {"update", update, 1},
    {"daxpy", daxpy, 2},
    {"vector_triad", vector_triad, 4},
    {"dot", dot, 2},
    {"store_nt", store_nt, 1},
    {"copy_nt", copy_nt, 2},
    {"daxpy_nt", daxpy_nt, 2},
    {"vector_triad_nt", vector_triad_nt, 4},
    {"locked", add_locked, 3},
    {"loads_30", loads_30, 1},
    {"stores_30", stores_30, 1},
    {"add_to_memory", add_to_memory, 1},
    {"divide_64", divide_64, 1},
    {"divide_64_chain", divide_64_in_chain, 1},
    {"divide_signed", divide_signed, 1},
    {"random_branch", branch_at_random, 1},
    {"lock_inc", add_locked_in_rounds, 1},
    {"fp_add_chain", add_in_chain, 1},
    {"fp_multiply_chain", multiply_in_chain, 1},
    {"fp_multiply_add_chain", multiply_add_in_chain, 1},
    {"fp_divide_chain", divide_in_chain, 1},
    {"fp_root_chain", root_in_chain, 1},
    {"fp_add_8", add_eight, 1},
    {"fp_multiply_8", multiply_eight, 1},
    {"fp_multiply_add_8", multiply_add_eight, 1},
    {"fp_divide_4", divide_four, 1},
    {"fp_divide_single_4", divide_four_single, 1},
    {"fp_root_4", root_four, 1},
    {"fp_root_single_4", root_four_single, 1},
    {"fp_divide_wide_4", divide_four_wide, 1},
    {"fp_root_wide_4", root_four_wide, 1},
    {"mixed_1", mixed_1, 1},
    {"mixed_2", mixed_2, 1},
    {"mixed_3", mixed_3, 1},
};

static const struct loop *named(const char *name)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strcmp(name, loops[i].name) == 0)
            return &loops[i];
    for (const struct loop *loop = contended_loops; loop->name; loop++)
        if (strcmp(name, loop->name) == 0)
            return loop;
    return NULL;
}

static size_t bytes_of(const char *size)
{
    char *unit;
    size_t n = strtoul(size, &unit, 10);
    return n << (*unit == 'K' ? 10 : 20);
}

int main(int argc, char **argv)
{
    static struct share shares[THREADS];
    const struct loop *loop = argc == 5 ? named(argv[1]) : NULL;
    unsigned threads = loop ? (unsigned)atoi(argv[2]) : 0;
    if (threads < 1 || threads > THREADS) {
        fprintf(stderr, "usage: loops LOOP THREADS SIZE PASSES; a LOOP is:");
        for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
            fprintf(stderr, " %s", loops[i].name);
        for (loop = contended_loops; loop->name; loop++)
            fprintf(stderr, " %s", loop->name);
        fprintf(stderr, "\n");
        return 2;
    }
    size_t n = bytes_of(argv[3]) / sizeof(__m128d) / threads & ~(size_t)(2 * UNROLLED - 1);
    __m128d *memory = aligned_alloc(1 << 21, loop->arrays * n * threads * sizeof *memory);
    if (!memory || pthread_barrier_init(&filled, NULL, threads) != 0)
        return 1;
    for (unsigned i = 0; i < threads; i++) {
        __m128d *array[MOST_ARRAYS];
        for (unsigned k = 0; k < MOST_ARRAYS; k++)
            array[k] = memory + (i * loop->arrays + (k < loop->arrays ? k : 0)) * n;
        shares[i] = (struct share){.a = array[0],
                                   .b = array[1],
                                   .c = array[2],
                                   .d = array[3],
                                   .n = n,
                                   .loop = loop->loop,
                                   .arrays = loop->arrays,
                                   .number = i,
                                   .passes = (unsigned)atoi(argv[4])};
        if (pthread_create(&shares[i].thread, NULL, run, &shares[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(shares[i].thread, NULL);
    free(memory);
    return 0;
}
