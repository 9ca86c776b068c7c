#include <boxscore/region.h>
#include <stdio.h>

#ifndef N
#define N 240
#endif
#ifndef BLOCK
#define BLOCK N
#endif

static double a[N][N], b[N][N], c[N][N];

#ifdef ROWS
static void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}
#else
static void multiply(void)
{
    for (int jj = 0; jj < N; jj += BLOCK)
        for (int kk = 0; kk < N; kk += BLOCK)
            for (int i = 0; i < N; i++)
                for (int j = jj; j < jj + BLOCK; j++) {
                    double sum = c[i][j];
                    for (int k = kk; k < kk + BLOCK; k++)
                        sum += a[i][k] * b[k][j];
                    c[i][j] = sum;
                }
}
#endif

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    BX_REGION_BEGIN("multiply");
    multiply();
    BX_REGION_END("multiply");
    printf("%.0f\n", c[N / 2][N / 3]);
    return 0;
}
