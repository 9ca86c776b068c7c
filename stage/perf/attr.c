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
    return a->inherit && a->read_format & PERF_FORMAT_GROUP ? EINVAL : 0;
}

int bx_attr_check_counting(const bx_open_request *request, bool levels)
{
    const struct perf_event_attr *a = &request->attr;
    if (a->exclude_hv && !levels)
        return EINVAL;
    if (!levels && (a->exclude_user || a->exclude_kernel || a->exclude_idle))
        return EINVAL;
    if (a->sample_period) /* or sample_freq, which is the same word */
        return EINVAL;
    bool of_cpu = request->pid == -1 || (levels && request->pid == 0);
    if (request->cpu < 0 || !of_cpu || request->flags & PERF_FLAG_PID_CGROUP)
        return EINVAL; /* the PMU cannot count a single task */
    return 0;
}
