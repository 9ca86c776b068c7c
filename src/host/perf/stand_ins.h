/* Names that kernels have for one thing: a term or a PMU is asked for by one of them, and found by
 * another. */
#ifndef BX_HOST_PERF_STAND_INS_H
#define BX_HOST_PERF_STAND_INS_H

#include "host/perf/kernel_pmus.h"

/* The PMU's term of this name; NULL: none. */
const bx_perf_format *bx_perf_format_named(const bx_perf_pmu *pmu, bx_str name);

/* The term that the PMU has instead, and the value for it; NULL: none. */
const bx_perf_format *bx_perf_term_instead(const bx_perf_pmu *pmu, bx_str key, uint64_t *value);

/* Linux's name of a type of units in the discovery tables, "cha"; NULL: it has none. */
const char *bx_perf_unit_of_type(unsigned type);

/* The PMU's name that a kernel may have instead: of a unit that only the discovery tables describe
 * its type, "uncore_type_0"; of efficient cores "cpu" where there are no others. false: none. */
bool bx_perf_pmu_instead(const bx_perf *p, bx_str name, char *to, size_t room);

/* The hint if a value does not fit the term: a kernel with more bits, if one is known. */
void bx_perf_later_kernel(const bx_perf_pmu *pmu, bx_str key, uint64_t value, bx_error *e);

#endif
