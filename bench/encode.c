/* Encodes one event string N times. The cost of one encoding is the difference of callgrind's
 * counts for two N. usage: bench_encode N EVENT */
#include "event/event.h"

#include <boxscore/boxscore.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_encode N EVENT\n");
        return 2;
    }
    const bx_catalog *c = bx_catalog_builtin();
    size_t length = strlen(argv[2]);
    uint64_t sum = 0;
    bx_error e = {0};
    for (long n = strtol(argv[1], NULL, 10); n > 0; n--) {
        bx_evsel event;
        bx_regvalue value[1 + BX_EXTRAS];
        if (bx_event_parse(c, -1, argv[2], length, &event, &e)) {
            fprintf(stderr, "bench_encode: %s\n", e.message);
            return 1;
        }
        size_t values = bx_event_registers(c, &event, BX_LOWEST, value);
        for (size_t i = 0; i < values; i++)
            sum += value[i].value;
    }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
