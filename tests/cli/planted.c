/* Causes for report to find. Usage: planted apart|same|alone */
#include <pthread.h>
#include <string.h>

enum { TIMES = 20000, BYTES = 64 };

static _Alignas(BYTES) struct {
    volatile long pad, left, right;
    char room[BYTES];
    volatile long far;
} shared;

static __attribute__((noinline)) void *go_left(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        shared.left++;
    return unused;
}

static __attribute__((noinline)) void *go_right(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        shared.right++;
    return unused;
}

static __attribute__((noinline)) void *go_far(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        shared.far++;
    return unused;
}

static __attribute__((noinline)) void *go_both(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&shared.left, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    const char *how = argc > 1 ? argv[1] : "";
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
