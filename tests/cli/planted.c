/* Causes for report to find. Usage: planted apart|same|alone|chase|gather|pointers|lost|kept */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 20000, BYTES = 64 };

static _Alignas(BYTES) struct {
    long pad, left, right;
    char room[BYTES];
    long far;
} shared;

static __attribute__((noinline)) void *go_left(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&shared.left, 1, __ATOMIC_RELAXED);
    return unused;
}

static __attribute__((noinline)) void *go_right(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&shared.right, 1, __ATOMIC_RELAXED);
    return unused;
}

static __attribute__((noinline)) void *go_far(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&shared.far, 1, __ATOMIC_RELAXED);
    return unused;
}

static __attribute__((noinline)) void *go_both(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&shared.left, 1, __ATOMIC_RELAXED);
    return unused;
}

enum { ITEMS = 1 << 14 };

/* A list in random order. */
static struct item {
    struct item *next;
    long value[15];
} item[ITEMS];

static unsigned order[ITEMS];

static void shuffle(void)
{
    unsigned random = 1;
    for (unsigned i = 0; i < ITEMS; i++)
        order[i] = i;
    for (unsigned i = ITEMS - 1; i > 0; i--) {
        random = random * 1664525 + 1013904223;
        unsigned at = (random >> 8) % (i + 1), was = order[i];
        order[i] = order[at];
        order[at] = was;
    }
}

static __attribute__((noinline)) long go_along(const struct item *first)
{
    long n = 0;
    for (const struct item *i = first; i; i = i->next)
        n++;
    return n;
}

/* The same items in the same order, which is known before. */
static __attribute__((noinline)) long go_by_index(void)
{
    long sum = 0;
    for (unsigned i = 0; i < ITEMS; i++)
        sum += item[order[i]].value[1];
    return sum;
}

static struct item *place[ITEMS];

static __attribute__((noinline)) long go_by_pointer(void)
{
    long sum = 0;
    for (unsigned i = 0; i < ITEMS; i++)
        sum += place[i]->value[1];
    return sum;
}

static int go_through(const char *how)
{
    shuffle();
    for (unsigned i = 0; i < ITEMS; i++) {
        item[order[i]].next = i + 1 < ITEMS ? &item[order[i + 1]] : NULL;
        place[i] = &item[order[i]];
    }
    return (int)(strcmp(how, "chase") == 0    ? go_along(&item[order[0]])
                 : strcmp(how, "gather") == 0 ? go_by_index()
                                              : go_by_pointer());
}

static __attribute__((noinline)) void go_fill(volatile long *to, long with)
{
    for (unsigned i = 0; i < 8 * ITEMS; i++)
        to[i] = with;
}

static __attribute__((noinline)) long go_sum(const volatile long *from)
{
    long sum = 0;
    for (unsigned i = 0; i < 8 * ITEMS; i += 8)
        sum += from[i];
    return sum;
}

static int go_write(int reads)
{
    volatile long *to = malloc(8 * ITEMS * sizeof *to);
    if (!to)
        return 1;
    go_fill(to, 7);
    int sum = reads ? (int)go_sum(to) : 0;
    free((void *)to);
    return sum == 1;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "chase") == 0 || strcmp(how, "gather") == 0 || strcmp(how, "pointers") == 0)
        return go_through(how) == -1;
    if (strcmp(how, "lost") == 0 || strcmp(how, "kept") == 0)
        return go_write(strcmp(how, "kept") == 0);
    shared.left = shared.right = argc;
    int same = strcmp(how, "same") == 0, alone = strcmp(how, "alone") == 0;
    if (pthread_create(&thread[0], NULL, same ? go_both : go_left, NULL) ||
        pthread_create(&thread[1], NULL,
                       same    ? go_both
                       : alone ? go_far
                               : go_right,
                       NULL))
        return 1;
    return pthread_join(thread[0], NULL) || pthread_join(thread[1], NULL) || !shared.left;
}
