#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef APART
#define APART 8 /* bytes from one counter to the next */
#endif

static _Alignas(128) struct {
    _Alignas(APART) atomic_long value;
} counter[2];

static void *count(void *which)
{
    for (int i = 0; i < 100000; i++)
        atomic_fetch_add(&counter[which != NULL].value, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, count, "second");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld\n", counter[0].value, counter[1].value);
    return 0;
}
