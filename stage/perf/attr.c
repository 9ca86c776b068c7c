/* Reads a perf_event_attr of any size, and checks it. */
#include "stage/perf/attr.h"

#include <errno.h>
#include <string.h>

size_t bx_attr_size(uint32_t claimed)
{
    if (claimed == 0)
        return PERF_ATTR_SIZE_VER0;
    return claimed < PERF_ATTR_SIZE_VER0 || claimed > BX_ATTR_SIZE_MAX ? 0 : claimed;
}

int bx_attr_read(bx_open_request *request, const unsigned char *bytes, size_t n)
{
    memset(request->bytes, 0, sizeof request->bytes);
    memcpy(request->bytes, bytes, n < sizeof request->bytes ? n : sizeof request->bytes);
    for (size_t i = sizeof request->bytes; i < n; i++)
        if (bytes[i])
            return E2BIG;
    request->attr.size = (uint32_t)(n < sizeof request->bytes ? n : sizeof request->bytes);
    return 0;
}

int bx_attr_check(const bx_open_request *request)
{
    const uint64_t flags =
        PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC;
    const uint64_t formats = PERF_FORMAT_MAX - 1;
    const struct perf_event_attr *a = &request->attr;
    if (request->flags & ~flags || a->__reserved_1 || a->__reserved_2 || a->__reserved_3 ||
        a->read_format & ~formats || a->sample_type & ~(uint64_t)(PERF_SAMPLE_MAX - 1))
        return EINVAL;
    if (request->flags & PERF_FLAG_PID_CGROUP && (request->pid == -1 || request->cpu == -1))
        return EINVAL;
    return a->inherit && a->sample_type & PERF_SAMPLE_READ ? EINVAL : 0;
}

const char *bx_attr_generic_name(uint64_t number)
{
    static const char *const names[] = {
        [PERF_COUNT_HW_CPU_CYCLES] = "cpu-cycles",
        [PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
        [PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
        [PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
        [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branch-instructions",
        [PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
        [PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
        [PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
    };
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

/* Whether the request names a CPU, not a task. self: the calling task on one CPU means that CPU. */
static bool is_of_cpu(const bx_open_request *request, bool self)
{
    return request->cpu >= 0 && (request->pid == -1 || (self && request->pid == 0)) &&
           !(request->flags & PERF_FLAG_PID_CGROUP);
}

bool bx_attr_is_of_task(const bx_open_request *request)
{
    return !is_of_cpu(request, true);
}

bool bx_attr_may_lead(const bx_open_request *request)
{
    const struct perf_event_attr *a = &request->attr;
    bool records = a->sample_type & ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
    return a->read_format & (PERF_FORMAT_ID | PERF_FORMAT_GROUP) && !records;
}

int bx_attr_check_core(const bx_open_request *request)
{
    const struct perf_event_attr *a = &request->attr;
    bool generic = a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE;
    if (a->sample_period) /* or sample_freq, which is the same word */
        return generic ? ENOENT : EOPNOTSUPP;
    return bx_attr_is_of_task(request) && !bx_attr_may_lead(request) ? ENOENT : 0;
}

int bx_attr_check_uncore(const bx_open_request *request)
{
    const struct perf_event_attr *a = &request->attr;
    bool limited = a->exclude_hv || a->exclude_user || a->exclude_kernel || a->exclude_idle;
    return limited || a->sample_period || !is_of_cpu(request, false) ? EINVAL : 0;
}
