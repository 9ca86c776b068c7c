/* libpfm4's functions, as this library exports them: all that Debian's libpfm.so.4 has. libpfm4's
 * manual pages describe them, docs/reference/libpfm.md the differences. */
#ifndef BX_PFM_CALLS_H
#define BX_PFM_CALLS_H

#include "pfm/abi.h"

#include <stdio.h>

struct perf_event_attr;

#define BX_PFMLIB_API __attribute__((visibility("default")))

BX_PFMLIB_API int pfm_initialize(void);
BX_PFMLIB_API void pfm_terminate(void);
BX_PFMLIB_API const char *pfm_strerror(int code);
BX_PFMLIB_API int pfm_get_version(void);
BX_PFMLIB_API int pfm_get_pmu_info(int pmu, bx_pfmlib_pmu_info *info);
BX_PFMLIB_API int pfm_pmu_validate(int pmu, FILE *to);
BX_PFMLIB_API int pfm_get_event_next(int idx);
BX_PFMLIB_API int pfm_get_event_info(int idx, int os, bx_pfmlib_event_info *info);
BX_PFMLIB_API int pfm_get_event_attr_info(int idx, int attr, int os, bx_pfmlib_attr_info *info);
BX_PFMLIB_API int pfm_find_event(const char *text);
BX_PFMLIB_API int pfm_get_os_event_encoding(const char *text, int plm, int os, void *arg);
BX_PFMLIB_API int pfm_get_event_encoding(const char *text, int plm, char **fstr, int *idx,
                                         uint64_t **codes, int *count);
BX_PFMLIB_API int pfm_get_perf_event_encoding(const char *text, int plm,
                                              struct perf_event_attr *attr, char **fstr, int *idx);

#endif
