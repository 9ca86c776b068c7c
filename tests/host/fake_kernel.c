/* Implements fake_kernel.h. */
#include "host/fake_kernel.h"

#include <errno.h>
#include <string.h>

static fake_counter *of(fake_kernel *k, int fd)
{
    return fd >= FAKE_FD && fd < FAKE_FD + k->n ? &k->all[fd - FAKE_FD] : NULL;
}

static unsigned in_group(const fake_kernel *k, int leader)
{
    unsigned n = 1;
    for (int i = 0; i < k->n; i++)
        n += k->all[i].open && k->all[i].group == leader;
    return n;
}

static int fake_open(void *context, const struct perf_event_attr *attr, pid_t pid, int cpu,
                     int group)
{
    fake_kernel *k = context;
    int err = k->refuse ? k->refuse(k, attr, pid, cpu, group) : 0;
    if (!err && group >= 0 && k->room && in_group(k, group) >= k->room)
        err = EINVAL;
    if (err || k->n == FAKE_MOST)
        return err ? -err : -EMFILE;
    k->all[k->n] = (fake_counter){.attr = *attr,
                                  .pid = pid,
                                  .cpu = cpu,
                                  .group = group,
                                  .open = true,
                                  .counts = !attr->disabled,
                                  .page = k->page};
    return FAKE_FD + k->n++;
}

static int fake_open_cgroup(void *context, const struct perf_event_attr *attr, int folder, int cpu,
                            int group)
{
    fake_kernel *k = context;
    int fd = fake_open(context, attr, folder, cpu, group);
    if (fd >= 0)
        of(k, fd)->of_cgroup = true;
    return fd;
}

static int fake_control(void *context, int fd, unsigned long request, void *argument)
{
    fake_kernel *k = context;
    fake_counter *c = of(k, fd);
    if (!c || !c->open)
        return EBADF;
    if (request == PERF_EVENT_IOC_ID)
        *(uint64_t *)argument = 1000 + (uint64_t)(fd - FAKE_FD);
    if (request == PERF_EVENT_IOC_ENABLE)
        c->counts = true;
    if (request == PERF_EVENT_IOC_DISABLE)
        c->counts = false;
    return 0;
}

static ssize_t fake_read(void *context, int fd, void *to, size_t n)
{
    fake_kernel *k = context;
    fake_counter *leader = of(k, fd);
    uint64_t got[3 + 2 * FAKE_MOST];
    size_t at = 0;
    k->reads++;
    if (!leader || !leader->open)
        return -EBADF;
    bool group = leader->attr.read_format & PERF_FORMAT_GROUP;
    if (!group)
        got[at++] = leader->count;
    else
        got[at++] = in_group(k, fd);
    got[at++] = leader->enabled;
    got[at++] = leader->running;
    if (!group)
        got[at++] = 1000 + (uint64_t)(fd - FAKE_FD);
    for (int i = 0; group && i < k->n; i++) {
        if (i != fd - FAKE_FD && k->all[i].group != fd)
            continue;
        got[at++] = k->all[i].count;
        got[at++] = 1000 + (uint64_t)i;
    }
    if (k->short_reads)
        at--;
    size_t bytes = at * sizeof *got;
    if (n < bytes)
        return -ENOSPC;
    memcpy(to, got, bytes);
    return (ssize_t)bytes;
}

static void fake_close(void *context, int fd)
{
    fake_kernel *k = context;
    fake_counter *c = of(k, fd);
    if (c)
        c->open = false;
}

static const volatile struct perf_event_mmap_page *fake_map(void *context, int fd)
{
    fake_kernel *k = context;
    return of(k, fd)->page;
}

static void fake_unmap(void *context, const volatile struct perf_event_mmap_page *page)
{
    fake_kernel *k = context;
    for (int i = 0; i < k->n; i++)
        if (k->all[i].page == page)
            k->all[i].page = NULL;
}

static uint64_t fake_rdpmc(void *context, uint32_t counter)
{
    fake_kernel *k = context;
    uint64_t value = k->pmc + counter;
    if (k->at_rdpmc)
        k->at_rdpmc(k);
    return value;
}

static uint64_t fake_tsc(void *context)
{
    const fake_kernel *k = context;
    return k->tsc;
}

void fake_kernel_calls(fake_kernel *k, bx_perf_calls *to)
{
    *to = (bx_perf_calls){k,          fake_open, fake_open_cgroup, fake_control, fake_read,
                          fake_close, fake_map,  fake_unmap,       fake_rdpmc,   fake_tsc};
}

int fake_kernel_open_now(const fake_kernel *k)
{
    int n = 0;
    for (int i = 0; i < k->n; i++)
        n += k->all[i].open;
    return n;
}
