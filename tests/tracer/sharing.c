/* Four threads that count in words of their own: beside each other in one line, or with an argument
 * in lines of their own. */
#include <pthread.h>

static struct {
    _Alignas(64) long beside[4];
    _Alignas(64) long apart[4][8];
} counters;

static void *count(void *of)
{
    volatile long *counter = of;
    for (int i = 0; i < 20000; i++)
        *counter = *counter + 1;
    return of;
}

int main(int argc, char **argv)
{
    pthread_t thread[4];
    (void)argv;
    for (int i = 0; i < 4; i++) {
        long *at = argc > 1 ? counters.apart[i] : &counters.beside[i];
        if (pthread_create(&thread[i], NULL, count, at) != 0)
            return 1;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
