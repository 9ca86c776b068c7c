/* Reads and checks struct perf_event_attr as programs pass it. Refuses what Linux refuses for
 * events of uncore PMUs: perf_event_open(2), Linux 6.1 kernel/events/core.c and
 * arch/x86/events/intel/uncore.c. */
#ifndef BX_STAGE_PERF_ATTR_H
#define BX_STAGE_PERF_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BX_ATTR_KNOWN = PERF_ATTR_SIZE_VER7, /* bytes of the attr that Linux 6.1 knows */
    BX_ATTR_SIZE_MAX = 4096,
};

/* The arguments of a perf_event_open(), except the group. */
typedef struct bx_open_request {
    union {
        struct perf_event_attr attr;
        unsigned char bytes[BX_ATTR_KNOWN];
    };
    int64_t pid, cpu;
    uint64_t flags;
} bx_open_request;

/* Bytes to read of an attr whose `size` is `claimed`. 0: not a valid size (E2BIG). */
size_t bx_attr_size(uint32_t claimed);

/* Fills in request->attr from n bytes of the program's memory. E2BIG: bytes that Linux 6.1 does not
 * know are not 0. */
int bx_attr_read(bx_open_request *request, const unsigned char *bytes, size_t n);

/* Checks flags and reserved bits, the same for all PMUs. 0 or an errno. */
int bx_attr_check(const bx_open_request *request);

/* The name that sysfs has for a generic hardware event; NULL: there is none of this number. */
const char *bx_attr_generic_name(uint64_t number);

/* Whether the request is of a task. One of the calling task on one CPU is of that CPU. */
bool bx_attr_is_of_task(const bx_open_request *request);

/* Whether the event may lead a group: the program asks for its id, to tell the members apart, and
 * not for records, which it would map. perf
 * gives up all its events if it cannot open a leader, but not if it cannot open another event. So a
 * leader that cannot be counted is opened and never runs. */
bool bx_attr_may_lead(const bx_open_request *request);

/* Checks the request for a core's PMU, which has no interrupts, and counts CPUs but no tasks. 0, or
 * the errno with which Linux refuses it on a machine whose cores have no such PMU. So perf takes
 * cpu-clock in place of `cycles`, and prints <not supported> for other events. EOPNOTSUPP: samples
 * of a raw event. ENOENT: samples of a generic event, or an event of a task
 * that cannot lead a group. */
int bx_attr_check_core(const bx_open_request *request);

/* The same for a PMU outside the cores: it counts all privilege levels. 0 or EINVAL. */
int bx_attr_check_uncore(const bx_open_request *request);

#endif
