#include <stdlib.h>

enum { N = 1 << 16 };

static void fill(volatile long *to)
{
    for (long i = 0; i < N; i++)
        to[i] = i;
}

int main(void)
{
    fill(malloc(N * sizeof(long)));
    return 0;
}
