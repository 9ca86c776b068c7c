#include <stdlib.h>

enum { N = 1 << 16 };

/* Writes numbers. */
static void fill(volatile long *to)
{
    for (long i = 0; i < N; i++)
        to[i] = i;
}

int main(void)
{
    fill(malloc(N * sizeof(long)));
    fill(malloc(N * sizeof(long)));
    return 0;
}
