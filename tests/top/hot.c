/* A program whose line READS makes most reads of memory. */
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, BYTES = 12 << 20, TIMES = 2 };

static long read_all(const char *from)
{
    long sum = 0;
    for (int k = 0; k < TIMES; k++)
        for (long i = 0; i < BYTES; i += LINE)
            sum += from[i]; /* READS */
    return sum;
}

int main(void)
{
    char *all = malloc(BYTES);
    if (!all)
        return 1;
    memset(all, 1, BYTES);
    volatile long kept = read_all(all);
    free(all);
    return kept == 0;
}
