/* Words of perf_event_attr as an event: the way back from bx_perf_parse(). */
#ifndef BX_HOST_PERF_DECODE_WORDS_H
#define BX_HOST_PERF_DECODE_WORDS_H

#include "host/perf/kernel_pmus.h"

/* Reads "pmu/config=0x1,config1=0x2,config2=0/". *pmu is a part of the text. false: it is something
 * else. */
bool bx_perf_words_read(bx_str text, bx_str *pmu, uint64_t words[BX_PERF_WORDS]);

/* Finds the event of the CPU that the kernel would count with these words. The PMU is one of the
 * kernel's, or of the catalogue. If several events have all bits in common, it is the first.
 * BX_NOT_FOUND: no event of the catalogue has them. */
int bx_perf_words_decode(bx_perf *p, const struct bx_catalog *c, int cpu, bx_str pmu,
                         const uint64_t words[BX_PERF_WORDS], bx_evsel *to, bx_error *e);

#endif
