/* Prints the PMUs of a CPU model, or the events of one of them with their unit masks.
 *
 *     cc describe.c $(pkg-config --cflags --libs boxscore) -o describe
 *     ./describe skl
 *     ./describe skl skl_unc_cbo
 */
#include <boxscore/boxscore.h>

#include <stdio.h>

static void print(const bx_catalog *c, bx_entry entry, const char *before)
{
    printf("%s%s: %s\n", before, bx_entry_text(c, entry, BX_TEXT_NAME),
           bx_entry_text(c, entry, BX_TEXT_TITLE));
}

int main(int argc, char **argv)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_entry cpu = argc > 1 ? bx_entry_find(c, 0, BX_ENTRY_CPU, argv[1]) : 0;
    bx_entry pmu = argc > 2 ? bx_entry_find(c, cpu, BX_ENTRY_PMU, argv[2]) : 0;
    bx_entry p, e, u;

    if (!cpu || (argc > 2 && !pmu)) {
        fprintf(stderr, "usage: describe CPU [PMU], names that the catalogue has\n");
        return 2;
    }
    if (!pmu)
        for (p = bx_entry_first(c, cpu, BX_ENTRY_PMU); p; p = bx_entry_next(c, p))
            print(c, p, "");
    for (e = bx_entry_first(c, pmu, BX_ENTRY_EVENT); e; e = bx_entry_next(c, e)) {
        print(c, e, "");
        for (u = bx_entry_first(c, e, BX_ENTRY_UMASK); u; u = bx_entry_next(c, u))
            print(c, u, "  ");
    }
    return 0;
}
