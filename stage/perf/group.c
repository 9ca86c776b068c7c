/* Groups of events: their members, times and results. */
#include "stage/perf/opened_events.h"

#include "stage/perf/read_format.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- groups ---- */

static void add_group(bx_staged_event *leader)
{
    leader->next_group = NULL;
    if (!leader->box)
        return;
    bx_staged_event **end = &leader->box->groups;
    while (*end)
        end = &(*end)->next_group;
    *end = leader;
}

static void drop_group(bx_staged_event *leader)
{
    if (!leader->box)
        return;
    for (bx_staged_event **at = &leader->box->groups; *at; at = &(*at)->next_group) {
        if (*at != leader)
            continue;
        *at = leader->next_group;
        return;
    }
}

void bx_staged_join(bx_staged_event *e, bx_staged_event *leader)
{
    e->leader = leader ? leader : e;
    if (!leader) {
        add_group(e);
        return;
    }
    bx_staged_event **end = &leader->next;
    while (*end)
        end = &(*end)->next;
    *end = e;
    if (leader->box || !e->box) {
        e->box = leader->box;
        return;
    }
    for (bx_staged_event *m = leader; m; m = m->next) /* from now on the group has a box */
        m->box = e->box;
    add_group(leader);
}

/* Makes an event the leader of its own group. An event of the host has no box any more, so it need
 * not wait for counters. */
static void lead_alone(bx_staged_event *e)
{
    e->leader = e;
    e->next = NULL;
    if (e->host >= 0)
        e->box = NULL;
    add_group(e);
}

void bx_staged_leave(bx_staged_event *e)
{
    if (e->leader != e) {
        bx_staged_event **at = &e->leader->next;
        while (*at != e)
            at = &(*at)->next;
        *at = e->next;
        return;
    }
    drop_group(e);
    for (bx_staged_event *m = e->next, *next; m; m = next) {
        next = m->next;
        lead_alone(m);
    }
}

void bx_staged_unbox(bx_staged_event *leader)
{
    drop_group(leader);
    for (bx_staged_event *m = leader; m; m = m->next)
        m->box = NULL;
}

/* ---- times and counts ---- */

bool bx_staged_is_on(const bx_staged_event *e)
{
    return e->state == BX_STAGED_ON && e->leader->state == BX_STAGED_ON;
}

void bx_staged_update_times(bx_staged_event *of, uint64_t now)
{
    for (bx_staged_event *e = of->leader; e; e = e->next) {
        uint64_t passed = now - e->times_updated;
        e->times_updated = now;
        e->enabled += bx_staged_is_on(e) ? passed : 0;
        e->running += e->has_counter && (e->host >= 0 || e->counts) ? passed : 0;
    }
}

void bx_staged_set_has_counter(bx_staged_event *e, bool has_counter)
{
    if (e->host >= 0 && has_counter != e->has_counter)
        (void)ioctl(e->host, has_counter ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
    e->held &= has_counter; /* a counter begins as if the condition had not held before */
    e->has_counter = has_counter;
}

uint64_t bx_staged_count(const bx_staged_event *e)
{
    uint64_t count = 0;
    if (e->host < 0)
        return e->count;
    return read(e->host, &count, sizeof count) == sizeof count ? count : 0;
}

void bx_staged_reset(bx_staged_event *e)
{
    e->count = 0;
    if (e->host >= 0)
        (void)ioctl(e->host, PERF_EVENT_IOC_RESET, 0);
}

long bx_staged_read(const bx_staged_event *e, char *to, size_t room)
{
    uint64_t format = e->request.attr.read_format;
    const bx_staged_event *first = format & PERF_FORMAT_GROUP ? e->leader : e;
    size_t n = 0;
    for (const bx_staged_event *m = e->leader; m; m = m->next)
        n++;
    if (!(format & PERF_FORMAT_GROUP))
        n = 1;
    size_t size = bx_read_size(format, n);
    if (e->state == BX_STAGED_ERROR)
        return 0;
    if (room < size)
        return -ENOSPC;
    bx_read_value *values = calloc(n, sizeof *values);
    if (!values)
        return -ENOMEM;
    const bx_staged_event *m = first;
    for (size_t i = 0; i < n; i++, m = m->next)
        values[i] = (bx_read_value){bx_staged_count(m), m->id, 0};
    bx_read_put(format, first->enabled, first->running, values, n, to);
    free(values);
    return (long)size;
}
