/* Loops over arrays, as memory benchmarks have them.
 *
 * usage: loops read|triad|triad_nt|locked|shared|beside|mutex|swap THREADS MIB PASSES
 *
 * An array has MIB MiB, and each thread processes its share of it, whose pages it has written
 * before: pages that nobody has written would all be one page of zeros. `triad_nt` stores past the
 * caches, like STREAM compiled with streaming stores. `locked` adds to the first word of each
 * thread's share, once for each 16 bytes of the share. With the last four, threads fight for a
 * line, which is the work of benchmarks of locks: `shared` adds to one word of all threads as
 * often, `beside` to a word of each thread (up to 8) in one line, `mutex` adds to a word under a
 * mutex, once for each 256 bytes, and with `swap`, two threads change a word to and fro by
 * compare-and-swap, once for each 64 bytes. */
#include <emmintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, UNROLLED = 4, PAGE = 4096 };

struct share {
    pthread_t thread;
    __m128d *a;
    const __m128d *b, *c;
    size_t n, arrays; /* elements of an array; the arrays follow `a` */
    unsigned number, passes;
    void (*loop)(struct share *s);
    __m128d sum;
};

static void read_all(struct share *s)
{
    __m128d sum[UNROLLED] = {{0}};
    for (size_t i = 0; i < s->n; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            sum[k] = _mm_add_pd(sum[k], s->b[i + k]);
    s->sum = _mm_add_pd(_mm_add_pd(sum[0], sum[1]), _mm_add_pd(sum[2], sum[3]));
}

static void triad(struct share *s)
{
    const __m128d factor = _mm_set1_pd(3);
    for (size_t i = 0; i < s->n; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            s->a[i + k] = _mm_add_pd(s->b[i + k], _mm_mul_pd(factor, s->c[i + k]));
}

static void triad_nt(struct share *s)
{
    const __m128d factor = _mm_set1_pd(3);
    for (size_t i = 0; i < s->n; i += UNROLLED)
        for (unsigned k = 0; k < UNROLLED; k++)
            _mm_stream_pd((double *)&s->a[i + k],
                          _mm_add_pd(s->b[i + k], _mm_mul_pd(factor, s->c[i + k])));
}

static void add_locked(struct share *s)
{
    for (size_t i = 0; i < s->n; i++)
        __atomic_fetch_add((long *)(void *)s->a, 1, __ATOMIC_SEQ_CST);
}

static struct {
    _Alignas(64) long word;
    _Alignas(64) pthread_mutex_t mutex;
    _Alignas(64) long guarded;
    _Alignas(64) long own[8];
} common = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add_to_shared(struct share *s)
{
    for (size_t i = 0; i < s->n; i++)
        __atomic_fetch_add(&common.word, 1, __ATOMIC_SEQ_CST);
}

static void add_beside(struct share *s)
{
    for (size_t i = 0; i < s->n; i++)
        __atomic_fetch_add(&common.own[s->number % 8], 1, __ATOMIC_SEQ_CST);
}

static void add_under_mutex(struct share *s)
{
    for (size_t i = 0; i < s->n; i += 16) {
        pthread_mutex_lock(&common.mutex);
        common.guarded++;
        pthread_mutex_unlock(&common.mutex);
    }
}

static void swap_words(struct share *s)
{
    for (size_t i = 0; i < s->n; i += 4) {
        long mine;
        do
            mine = s->number;
        while (!__atomic_compare_exchange_n(&common.word, &mine, 1 - mine, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST));
    }
}

static void fill(struct share *s)
{
    size_t bytes = s->n * s->arrays * sizeof *s->a;
    for (size_t at = 0; at < bytes; at += PAGE)
        *(volatile double *)((char *)s->a + at) = 1;
    *(volatile double *)((char *)s->a + bytes - sizeof(double)) = 1;
}

static void *run(void *of)
{
    struct share *s = of;
    fill(s);
    for (unsigned i = 0; i < s->passes; i++)
        s->loop(s);
    return NULL;
}

static void (*named(const char *name))(struct share *s)
{
    static const struct {
        const char *name;
        void (*loop)(struct share *s);
    } loops[] = {{"read", read_all},     {"triad", triad},          {"triad_nt", triad_nt},
                 {"locked", add_locked}, {"shared", add_to_shared}, {"mutex", add_under_mutex},
                 {"swap", swap_words},   {"beside", add_beside}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strcmp(name, loops[i].name) == 0)
            return loops[i].loop;
    return NULL;
}

int main(int argc, char **argv)
{
    static struct share shares[THREADS];
    void (*loop)(struct share * s) = argc == 5 ? named(argv[1]) : NULL;
    unsigned threads = loop ? (unsigned)atoi(argv[2]) : 0;
    if (threads < 1 || threads > THREADS) {
        fprintf(stderr, "usage: loops read|triad|triad_nt|locked|shared|beside|mutex|swap THREADS "
                        "MIB PASSES\n");
        return 2;
    }
    size_t n = ((size_t)atoi(argv[3]) << 20) / sizeof(__m128d) / threads & ~(size_t)(UNROLLED - 1);
    unsigned arrays = loop == read_all ? 1 : 3;
    __m128d *memory = aligned_alloc(1 << 21, arrays * n * threads * sizeof *memory);
    if (!memory)
        return 1;
    for (unsigned i = 0; i < threads; i++) {
        __m128d *mine = memory + i * n * arrays;
        shares[i] = (struct share){.a = mine,
                                   .b = mine + (arrays > 1 ? n : 0),
                                   .n = n,
                                   .arrays = arrays,
                                   .c = mine + (arrays > 1 ? 2 * n : 0),
                                   .loop = loop,
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
