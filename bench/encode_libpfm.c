/* What bench_encode does, done by the libpfm4 that is installed: its cost is measured in the same run.
 * usage: bench_encode_libpfm N EVENT; exit status 77 where there is no libpfm4. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* As in perfmon/pfmlib.h. */
typedef struct pfm_pmu_encode_arg {
    uint64_t *codes;
    char **fstr;
    size_t size;
    int count, idx;
} pfm_pmu_encode_arg;

enum { PLM0_AND_3 = 9, NO_OS = 0, NO_LIBPFM = 77 };

int main(int argc, char **argv)
{
    int (*initialize)(void) = NULL;
    int (*encode)(const char *, int, int, void *) = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: bench_encode_libpfm N EVENT\n");
        return 2;
    }
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        *(void **)&initialize = dlsym(handle, "pfm_initialize");
        *(void **)&encode = dlsym(handle, "pfm_get_os_event_encoding");
    }
    if (!initialize || !encode || initialize())
        return NO_LIBPFM;
    uint64_t sum = 0;
    for (long n = strtol(argv[1], NULL, 10); n > 0; n--) {
        uint64_t codes[4];
        char *string = NULL;
        pfm_pmu_encode_arg arg = {codes, &string, sizeof arg, 4, 0};
        if (encode(argv[2], PLM0_AND_3, NO_OS, &arg))
            return NO_LIBPFM;
        for (int i = 0; i < arg.count; i++)
            sum += codes[i];
        free(string);
    }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
