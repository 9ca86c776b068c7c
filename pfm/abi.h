/* libpfm4's structures, laid out as in <perfmon/pfmlib.h> of release 4.13. The names are our own,
 * so that tests can include both headers. */
#ifndef BX_PFM_ABI_H
#define BX_PFM_ABI_H

#include "event/foreign/libpfm.h"

#include <stddef.h>
#include <stdint.h>

/* Errors of the library that the encoder (enum bx_pfm) does not have. */
enum {
    BX_PFMLIB_NOTSUPP = -1,
    BX_PFMLIB_NOINIT = -3,
    BX_PFMLIB_TOOSMALL = -12,
};

enum { BX_PFMLIB_VERSION = 4 << 16 };
enum { BX_PFMLIB_PMU_MAX = 517 }; /* PFM_PMU_MAX of release 4.13: ids are below it */
enum { BX_PFMLIB_TYPE_CORE = 1, BX_PFMLIB_TYPE_UNCORE = 2 };
enum { BX_PFMLIB_ATTR_UMASK = 1, BX_PFMLIB_ATTR_BOOL = 2, BX_PFMLIB_ATTR_INTEGER = 3 };
enum { BX_PFMLIB_CTRL_PMU = 1, BX_PFMLIB_CTRL_PERF = 2 };
enum { BX_PFMLIB_OS_NONE, BX_PFMLIB_OS_PERF, BX_PFMLIB_OS_PERF_EXT, BX_PFMLIB_OS_MAX };
enum { BX_PFMLIB_DTYPE_UINT64 = 1 };

/* libpfm4's event identifiers: the PMU's number in the high bits, the event's number within the PMU
 * in the low bits. */
enum { BX_PFMLIB_EVENT_BITS = 21 };

typedef struct bx_pfmlib_pmu_info {
    const char *name;
    const char *desc;
    size_t size;
    int pmu;
    int type;
    int nevents;
    int first_event;
    int max_encoding;
    int num_cntrs;
    int num_fixed_cntrs;
    unsigned is_present : 1;
    unsigned is_dfl : 1;
    unsigned reserved : 30;
} bx_pfmlib_pmu_info;

typedef struct bx_pfmlib_event_info {
    const char *name;
    const char *desc;
    const char *equiv;
    size_t size;
    uint64_t code;
    int pmu;
    int dtype;
    int idx;
    int nattrs;
    int reserved;
    unsigned is_precise : 1;
    unsigned is_speculative : 2;
    unsigned support_hw_smpl : 1;
    unsigned reserved_bits : 28;
} bx_pfmlib_event_info;

typedef struct bx_pfmlib_attr_info {
    const char *name;
    const char *desc;
    const char *equiv;
    size_t size;
    uint64_t code;
    int type;
    int idx;
    int ctrl;
    unsigned is_dfl : 1;
    unsigned is_precise : 1;
    unsigned is_speculative : 2;
    unsigned support_hw_smpl : 1;
    unsigned reserved : 27;
    union {
        uint64_t dfl_val64;
        const char *dfl_str;
        int dfl_bool;
        int dfl_int;
    } defaults;
} bx_pfmlib_attr_info;

/* The argument of pfm_get_os_event_encoding() with PFM_OS_NONE. */
typedef struct bx_pfmlib_raw_arg {
    uint64_t *codes;
    char **fstr;
    size_t size;
    int count;
    int idx;
} bx_pfmlib_raw_arg;

/* The same with PFM_OS_PERF_EVENT and PFM_OS_PERF_EVENT_EXT. */
typedef struct bx_pfmlib_perf_arg {
    struct perf_event_attr *attr;
    char **fstr;
    size_t size;
    int idx;
    int cpu;
    int flags;
    int pad;
} bx_pfmlib_perf_arg;

#endif
