/* Resolves a perf spelling ("uncore_cbox_0/event=0x34,umask=0x88/") as perf does, with the files of
 * the guest's driver below /sys/bus/event_source. */
#ifndef BX_TESTS_KERNEL_SPELLING_H
#define BX_TESTS_KERNEL_SPELLING_H

#include "guest.h"

typedef struct perf_choice {
    unsigned type, cpu; /* cpu: the CPU that represents the package */
    uint64_t config[3]; /* config, config1, config2 */
} perf_choice;

/* The guest's answers take time, so they are stored. */
enum { SPELLINGS = 256 };
typedef struct spellings {
    struct {
        char path[80], text[160];
    } of[SPELLINGS];
    size_t n;
} spellings;

perf_choice spelling_resolve(spellings *known, guest *g, const char *text, unsigned package);

#endif
