/* Causes for somebody to find in the page of a report. */
#include <pthread.h>
#include <stdlib.h>

enum { TIMES = 20000, NODES = 1 << 14, NUMBERS = 1 << 19, ENTRIES = 1 << 18 };

typedef struct node {
    struct node *next;
    long room[7];
} node;

static _Alignas(64) struct {
    long left, right;
} counters;

static __attribute__((noinline)) void *count_left(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&counters.left, 1, __ATOMIC_RELAXED);
    return unused;
}

static __attribute__((noinline)) void *count_right(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&counters.right, 1, __ATOMIC_RELAXED);
    return unused;
}

/* A ring in an order that no prefetcher knows. */
static __attribute__((noinline)) node *make_ring(void)
{
    node *all = malloc(NODES * sizeof *all);
    unsigned from = 0;
    for (unsigned i = 1; all && i < NODES; i++) {
        unsigned to = (from + 4097) & (NODES - 1);
        all[from].next = &all[to];
        from = to;
    }
    if (all)
        all[from].next = all;
    return all;
}

static __attribute__((noinline)) long follow(node *at)
{
    long sum = 0;
    for (int i = 0; i < 4 * NODES; i++, at = at->next)
        sum += (long)at & 1;
    return sum;
}

static __attribute__((noinline)) double add_up(const double *number)
{
    double sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum += number[i];
    return sum;
}

static __attribute__((noinline)) void write_log(long *entry)
{
    for (int i = 0; i < ENTRIES; i++)
        entry[i] = i;
}

int main(void)
{
    pthread_t thread[2];
    if (pthread_create(&thread[0], NULL, count_left, NULL) ||
        pthread_create(&thread[1], NULL, count_right, NULL) || pthread_join(thread[0], NULL) ||
        pthread_join(thread[1], NULL))
        return 1;
    node *ring = make_ring();
    double *number = malloc(NUMBERS * sizeof *number);
    long *log = malloc(ENTRIES * sizeof *log);
    if (!ring || !number || !log)
        return 1;
    for (int i = 0; i < NUMBERS; i++)
        number[i] = i;
    long sum = follow(ring);
    write_log(log);
    for (int i = 0; i < 3; i++)
        sum += (long)add_up(number);
    return sum == 42;
}
