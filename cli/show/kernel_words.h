/* Where a kernel's format files put an event. */
#ifndef BX_CLI_SHOW_KERNEL_WORDS_H
#define BX_CLI_SHOW_KERNEL_WORDS_H

#include "cli/common/cli.h"
#include "host/perf/kernel_pmus.h"

/* The words of perf_event_attr, or why the kernel does not take the event. */
typedef struct bx_kernel_words {
    const char *pmu; /* the first of the kernel's PMUs that count it */
    uint64_t word[BX_PERF_WORDS];
    bool refused;
    bx_error error;
} bx_kernel_words;

/* Texts live in the arena. false: out of memory. */
bool bx_kernel_words_of(bx_perf *perf, const bx_catalog *c, const bx_evsel *event,
                        bx_kernel_words *to);

#endif
