/* A team of OpenMP, whose places the environment says. */
#include <stdio.h>

enum { ROUNDS = 400000 };

int main(void)
{
    volatile long sum[64] = {0};
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < ROUNDS; n++)
            sum[32 * i]++;
    return sum[0] + sum[32] == 2 * ROUNDS ? 0 : 1;
}
