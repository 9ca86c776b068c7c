/* A perf spelling ("uncore_cbox_0/event=0x34,umask=0x88/") resolved as perf does it: by what the
 * guest's driver says of itself below /sys/bus/event_source. */
#ifndef BX_TESTS_KERNEL_SPELLING_H
#define BX_TESTS_KERNEL_SPELLING_H

#include "guest.h"

typedef struct perf_choice {
    unsigned type, cpu; /* cpu: the one that stands for the package */
    uint64_t config[3]; /* config, config1, config2 */
} perf_choice;

/* What has been asked for is kept: the guest's answers take a while. */
enum { SPELLINGS = 256 };
typedef struct spellings {
    struct {
        char path[80], text[160];
    } of[SPELLINGS];
    size_t n;
} spellings;

perf_choice spelling_resolve(spellings *known, guest *g, const char *text, unsigned package);

#endif
