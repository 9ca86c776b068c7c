/* Writes a number at a place of its own trace, found as the mappings of the file boxscore-trace,
 * and then executes a loop of 1,000,000 rounds: hides OFFSET VALUE. OFFSET - : writes nothing.
 * Prints what it did. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    char line[512];
    unsigned long first = 0, from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && argc == 3 && fgets(line, sizeof line, maps))
        if (!first && strstr(line, "memfd:boxscore-trace ") &&
            sscanf(line, "%lx-%lx", &from, &to) == 2)
            first = from;
    if (maps)
        fclose(maps);
    if (!first)
        return 2;
    puts("hides");
    fflush(stdout);
    if (strcmp(argv[1], "-") != 0)
        *(volatile uint64_t *)(first + strtoul(argv[1], NULL, 0)) = strtoull(argv[2], NULL, 0);
    for (volatile unsigned i = 0; i < 1000000; i++)
        ;
    puts("done");
    return 0;
}
