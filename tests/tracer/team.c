/* A team of OpenMP, whose places the environment says. */
#include <stdio.h>

enum { ROUNDS = 200000, PARTS = 4 };

int main(void)
{
    volatile long sum[32 * PARTS] = {0}, all = 0;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < PARTS; i++)
        for (int n = 0; n < ROUNDS; n++)
            sum[32 * i]++;
    for (int i = 0; i < PARTS; i++)
        all += sum[32 * i];
    return all == PARTS * ROUNDS ? 0 : 1;
}
