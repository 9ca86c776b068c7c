/* Counts a program, which is traced on a virtual machine: an event in each interval of the
 * machine's time, and in the whole run.
 *
 *     cc intervals.c $(pkg-config --cflags --libs boxscore) -o intervals
 *     ./intervals virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I 50 ls /
 */
#include <boxscore/measure.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int print_interval(void *context, const bx_result *r, bx_error *e)
{
    (void)context;
    (void)e;
    printf("%.9f s: %" PRIu64 "\n", bx_result_ended(r), bx_result_value(r, 0));
    return BX_OK;
}

int main(int argc, char **argv)
{
    bx_measure_options o = {0};
    bx_result *r;
    bx_error e = {0};
    const char *remark;
    size_t i;

    if (argc < 5) {
        fprintf(stderr, "usage: intervals MACHINE EVENT MICROSECONDS PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    o.size = sizeof o;
    o.events = argv[2];
    o.interval = (uint64_t)atol(argv[3]) * 1000;
    o.program = argv + 4;
    o.at_interval = print_interval;
    if (bx_measure(bx_catalog_builtin(), argv[1], NULL, &o, &r, &e) != BX_OK) {
        fprintf(stderr, "%s\n", e.message);
        return 1;
    }
    printf("%.9f s: %" PRIu64 " %s in all\n", bx_result_seconds(r), bx_result_value(r, 0),
           bx_result_counts(r, 0));
    for (i = 0; (remark = bx_result_remark(r, i)) != NULL; i++)
        printf("note: %s\n", remark);
    bx_result_free(r);
    return 0;
}
