/* Two regions of a program: docs/reference/regions.md. */
#include <boxscore/region.h>

#include <stdio.h>

enum { N = 1 << 16 };

static double a[N], b[N];

int main(void)
{
    double sum = 0;
    BX_REGION_BEGIN("fill");
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
    BX_REGION_END("fill");
    for (int pass = 0; pass < 3; pass++) {
        BX_REGION_BEGIN("dot product");
        for (int i = 0; i < N; i++)
            sum += a[i] * b[i];
        BX_REGION_END("dot product");
    }
    printf("%g\n", sum);
    return 0;
}
