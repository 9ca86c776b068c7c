/* The overflow of one counter that stops all others (plan/overflow.h). The session handles the
 * interrupt: it reads all counters in the cycle of the freeze, because accesses take no virtual
 * time. That includes counters that a freeze does not stop. */
#include "session/programme.h"

#include "base/error.h"

/* The event's index among those that were sorted. */
static size_t sorted_index(const bx_sorted *sorted, size_t event)
{
    size_t i = 0;
    while (i < sorted->n && sorted->origin[i] != event)
        i++;
    return i;
}

int bx_overflow_choose(bx_programme *p, const bx_sorted *sorted, size_t event, bx_error *e)
{
    const struct bx_catalog *c = p->topology->catalog;
    if (!p->overflow.counts)
        return BX_OK;
    int code = bx_machine_check_interrupts(p->machine, e);
    size_t i = sorted_index(sorted, event);
    if (code == BX_OK && i == sorted->n)
        code = bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no event %zu to overflow", event);
    if (code != BX_OK)
        return code;
    bx_error own = {0};
    code = bx_overflow_check(c, &p->events[i], &own);
    if (code == BX_OK)
        code = bx_overflow_check_counts(c, &p->events[i], p->overflow.counts, &own);
    if (code == BX_OK) {
        code = bx_overflow_find(p->topology, p->events, &p->schedule, i, &p->overflow, e);
        return code || p->at_once ? code
                                  : bx_overflow_fits(p->topology, p->events, &p->schedule, e);
    }
    own.at = p->events[i].at;
    own.len = p->events[i].len;
    if (e)
        *e = own;
    return code;
}

void bx_overflow_await(const bx_programme *p, void (*handler)(void *context, unsigned cpu),
                       void *context)
{
    if (p->overflow.counts)
        bx_vpmu_on_pmi(p->banks[p->schedule.assignments[p->overflow.assignment].pass], handler,
                       context);
}
