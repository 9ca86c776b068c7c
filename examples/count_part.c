/* Counts a part of this program: a loop that reads 64 MiB.
 *
 *     cc count_part.c $(pkg-config --cflags --libs boxscore) -o count_part
 *     ./count_part host page-faults,task-clock
 *
 * On a virtual machine in place of the host:
 *
 *     boxscore stage --workload stream -- ./count_part host UNC_CBO_CACHE_LOOKUP:ANY_I
 */
#include <boxscore/boxscore.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 64 << 20, LINE = 64 };

static int fail(const bx_error *e)
{
    fprintf(stderr, "%s\n", e->message);
    if (*e->hint)
        fprintf(stderr, "hint: %s\n", e->hint);
    return 1;
}

/* The part that is counted. */
static unsigned work(volatile unsigned char *memory)
{
    unsigned sum = 0;
    size_t i;

    for (i = 0; i < BYTES; i += LINE)
        sum += memory[i]++;
    return sum;
}

int main(int argc, char **argv)
{
    unsigned char *memory = malloc(BYTES);
    bx_machine *machine;
    bx_result *result;
    bx_error e = {0};
    size_t i;

    if (argc != 3 || !memory) {
        fprintf(stderr, "usage: count_part MACHINE EVENTS\n");
        return 2;
    }
    if (bx_machine_open(bx_catalog_builtin(), argv[1], &machine, &e) != BX_OK ||
        bx_measure_begin(machine, argv[2], NULL, &result, &e) != BX_OK)
        return fail(&e);
    work(memory);
    if (bx_measure_end(result, &e) != BX_OK)
        return fail(&e);
    for (i = 0; i < bx_result_values(result); i++)
        if (bx_result_is_sum(result, i))
            printf("%s: %" PRIu64 " %s (%s)\n", bx_result_event(result, i),
                   bx_result_value(result, i), bx_result_counts(result, i),
                   bx_result_state_text(result, i));
    bx_result_free(result);
    bx_machine_close(machine);
    free(memory);
    return 0;
}
