/* Prints the code words of an event, from whichever library is libpfm.so.4.
 * usage: drop_in PMU::EVENT */
#include <perfmon/pfmlib.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    pfm_pmu_encode_arg_t e = {.size = sizeof e};
    int bad = pfm_initialize();
    if (!bad)
        bad = pfm_get_os_event_encoding(argc > 1 ? argv[1] : "", PFM_PLM3, PFM_OS_NONE, &e);
    if (bad) {
        fprintf(stderr, "%s\n", pfm_strerror(bad));
        return 1;
    }
    for (int i = 0; i < e.count; i++)
        printf("%#llx\n", (unsigned long long)e.codes[i]);
    return 0;
}
