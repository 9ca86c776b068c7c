/* struct perf_event_attr as programs hand it over, and what Linux refuses of events of uncore PMUs:
 * perf_event_open(2), Linux 6.1 kernel/events/core.c and arch/x86/events/intel/uncore.c. */
#ifndef BX_STAGE_PERF_ATTR_H
#define BX_STAGE_PERF_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BX_ATTR_KNOWN = PERF_ATTR_SIZE_VER7, /* bytes: what Linux 6.1 knows of it */
    BX_ATTR_SIZE_MAX = 4096,
};

/* An attr and the system call's other arguments. */
typedef struct bx_open_request {
    union {
        struct perf_event_attr attr;
        unsigned char bytes[BX_ATTR_KNOWN];
    };
    int64_t pid, cpu;
    uint64_t flags;
} bx_open_request;

/* How many bytes of the program's are an attr that says that it has so many; 0: it cannot be
 * (E2BIG). */
size_t bx_attr_size(uint32_t claimed);

/* Takes so many bytes of the program's. E2BIG: there is more in them than is known. */
int bx_attr_read(bx_open_request *request, const unsigned char *bytes, size_t n);

/* What is refused whatever the PMU is: flags, reserved bits. 0 or an errno. */
int bx_attr_check(const bx_open_request *request);

/* What a PMU without interrupts refuses. levels: it knows privilege levels. */
int bx_attr_check_counting(const bx_open_request *request, bool levels);

#endif
