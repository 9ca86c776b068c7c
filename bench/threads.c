/* Accesses memory in several threads, which share none of it. usage: bench_threads THREADS */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADS = 48000000, WORDS = 1 << 15, MOST = 64 };

static uint64_t memory[MOST][WORDS];
static unsigned threads;

static void *add_up(void *context)
{
    uint64_t *mine = context;
    for (unsigned i = 0; i < LOADS / threads; i++)
        mine[0] += mine[i * 9 % WORDS];
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST];
    threads = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST) {
        fprintf(stderr, "bench_threads: how many threads, from 1 to %d?\n", MOST);
        return 2;
    }
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, add_up, memory[i]) != 0)
            return 1;
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
