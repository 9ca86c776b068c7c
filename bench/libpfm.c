/* The same as encode.c with libpfm4, for comparison. usage: bench_libpfm N EVENT */
#include <perfmon/pfmlib.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_libpfm N EVENT\n");
        return 2;
    }
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS)
        return 1;
    uint64_t sum = 0;
    for (long n = strtol(argv[1], NULL, 10); n > 0; n--) {
        pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
        int code = pfm_get_os_event_encoding(argv[2], PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
        if (code != PFM_SUCCESS) {
            fprintf(stderr, "bench_libpfm: %s\n", pfm_strerror(code));
            return 1;
        }
        for (int i = 0; i < arg.count; i++)
            sum += arg.codes[i];
        free(arg.codes);
    }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
