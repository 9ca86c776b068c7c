/* Counts a built-in workload on a machine, and prints events, metrics and remarks.
 *
 *     cc count.c $(pkg-config --cflags --libs boxscore) -o count
 *     ./count virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I stream,size=1M
 */
#include <boxscore/boxscore.h>

#include <inttypes.h>
#include <stdio.h>

/* Prints why a machine could not be opened, or cannot count the events. */
static int fail(const bx_error *e)
{
    fprintf(stderr, "%s\n", e->message);
    if (*e->hint)
        fprintf(stderr, "hint: %s\n", e->hint);
    return 1;
}

static void print(const bx_result *r)
{
    const char *remark;
    double value;
    size_t i;

    for (i = 0; i < bx_result_values(r); i++) {
        const char *where = bx_result_where(r, i);
        printf("%s %s: ", bx_result_event(r, i), *where ? where : "all");
        if (bx_result_state(r, i) <= BX_SCALED)
            printf("%" PRIu64 " %s\n", bx_result_value(r, i), bx_result_counts(r, i));
        else
            printf("%s\n", bx_result_state_text(r, i));
    }
    for (i = 0; i < bx_result_metrics(r); i++)
        if (!*bx_result_metric_where(r, i) && bx_result_metric_value(r, i, &value))
            printf("%s: %.2f %s\n", bx_result_metric(r, i), value, bx_result_metric_unit(r, i));
    for (i = 0; (remark = bx_result_remark(r, i)) != NULL; i++)
        printf("note: %s\n", remark);
}

int main(int argc, char **argv)
{
    bx_machine *machine;
    bx_result *result;
    bx_error e = {0};
    int code;

    if (argc != 4) {
        fprintf(stderr, "usage: count MACHINE EVENTS WORKLOAD\n");
        return 2;
    }
    if (bx_machine_open(bx_catalog_builtin(), argv[1], &machine, &e) != BX_OK)
        return fail(&e);
    code = bx_measure_workload(machine, argv[2], NULL, argv[3], &result, &e);
    bx_machine_close(machine);
    if (code != BX_OK)
        return fail(&e);
    print(result);
    bx_result_free(result);
    return 0;
}
