#include <boxscore/region.h>
#include <stdio.h>
#include <stdlib.h>

/* usage: sum KIB PASSES: adds up an array of doubles, several times */
int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: sum KIB PASSES\n");
        return 2;
    }
    size_t count = strtoul(argv[1], NULL, 10) * 1024 / sizeof(double);
    long passes = strtol(argv[2], NULL, 10);
    double *array = malloc(count * sizeof(double));
    if (!array)
        return 1;
    for (size_t i = 0; i < count; i++)
        array[i] = 1;

    double sum = 0;
    BX_REGION_BEGIN("sum");
    for (long pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < count; i++)
            sum += array[i];
    BX_REGION_END("sum");

    printf("%.0f\n", sum);
    free(array);
    return 0;
}
