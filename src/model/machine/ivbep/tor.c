/* The TOR of a slice, which is its table of requests in flight, and the queues in front of it. */
#include "model/machine/ivbep/machine.h"

/* A group of entries that live at the same time: their number, and the first time when one ends. */
struct entry_group {
    unsigned n;
    uint64_t first_end;
};

static void add_to_group(struct entry_group *group, const struct bx_ivbep_entry *entry)
{
    if (group->n++ == 0 || entry->end < group->first_end)
        group->first_end = entry->end;
}

/* Passes over the first entries that have ended at t. */
static void skip_ended(const struct bx_ivbep_entries *in, uint64_t t, unsigned *first)
{
    while (*first < in->n && in->entry[*first].end <= t)
        ++*first;
}

/* Whether something blocks an entry at t. Sets *reason, and *until to the first time when that may
 * have ended. *first: no entry before that one lives at t or later; it advances. */
static bool is_blocked(const struct bx_ivbep *m, const struct bx_ivbep_slice *s,
                       const struct bx_ivbep_entry *entry, uint64_t t, unsigned *first,
                       enum bx_ivbep_retry_reason *reason, uint64_t *until)
{
    struct entry_group same = {0}, all = {0}, misses = {0}, remote = {0};
    bool is_remote = m->packages > 1 && entry->node != s->package;

    skip_ended(&s->tor, t, first);
    for (unsigned i = *first; i < s->tor.n && s->tor.entry[i].begin <= t; i++) {
        const struct bx_ivbep_entry *other = &s->tor.entry[i];
        if (other->end <= t)
            continue;
        add_to_group(&all, other);
        if (other->line == entry->line)
            add_to_group(&same, other);
        if (other->miss)
            add_to_group(&misses, other);
        if (other->miss && other->node != s->package)
            add_to_group(&remote, other);
    }
    const struct {
        enum bx_ivbep_retry_reason reason;
        const struct entry_group *group;
        unsigned limit;
    } rule[] = {
        {BX_IVBEP_RETRY_CONFLICT, &same, 1},
        {BX_IVBEP_RETRY_FULL, &all, m->times.tor},
        {BX_IVBEP_RETRY_QPI, &remote, entry->miss && is_remote ? m->times.qpi_credits : UINT32_MAX},
        {BX_IVBEP_RETRY_RTID, &misses, entry->miss ? m->times.rtids : UINT32_MAX},
    };
    for (unsigned i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].group->n >= rule[i].limit) {
            *reason = rule[i].reason;
            *until = rule[i].group->first_end;
            return true;
        }
    return false;
}

/* ---- known entries ---- */

static void drop_ended(struct bx_ivbep_entries *in, uint64_t now)
{
    unsigned n = 0;

    for (unsigned i = 0; i < in->n; i++)
        if (in->entry[i].end > now)
            in->entry[n++] = in->entry[i];
    in->n = n;
}

/* Most entries begin later than those that are known. */
static void add_entry(struct bx_ivbep *m, struct bx_ivbep_entries *to,
                      const struct bx_ivbep_entry *entry)
{
    if (to->n == to->room)
        drop_ended(to, m->model.time.now);
    struct bx_ivbep_entry *all =
        bx_arena_grow(&m->model.memory, to->entry, to->n, &to->room, sizeof *all, 64);
    if (!all)
        return;
    unsigned i = to->n++;
    for (; i && all[i - 1].begin > entry->begin; i--)
        all[i] = all[i - 1];
    all[i] = *entry;
    to->entry = all;
}

/* Counts an entry that waits in a queue from t to `end`. */
static void wait_in(struct bx_ivbep *m, struct bx_ivbep_slice *s, struct bx_ivbep_entry entry,
                    enum bx_ivbep_ingress queue, uint64_t t, uint64_t end)
{
    entry.what = (uint8_t)queue;
    entry.begin = t;
    entry.end = end;
    bx_ivbep_counts_to_change(s)->ingress[queue]++;
    bx_ivbep_counts_to_change(s)->ingress_cycles[queue] += end - t;
    add_entry(m, &s->ingress, &entry);
}

/* ---- entry to the TOR ---- */

uint64_t bx_ivbep_admit(struct bx_ivbep *m, struct bx_ivbep_slice *s, struct bx_ivbep_entry *entry,
                        enum bx_ivbep_ingress queue, bool vfifo, uint64_t t)
{
    uint64_t *retry = bx_ivbep_counts_to_change(s)
                          ->retry[queue == BX_IVBEP_IPQ ? BX_IVBEP_IPQ_RETRY : BX_IVBEP_IRQ_RETRY];
    uint64_t first = t + m->times.tor_queue, at = first, until;
    enum bx_ivbep_retry_reason reason;
    unsigned known = 0;

    drop_ended(&s->tor, m->model.time.now);
    bx_ivbep_counts_to_change(s)->misc[BX_IVBEP_STARTED]++;
    while (is_blocked(m, s, entry, at, &known, &reason, &until)) {
        retry[BX_IVBEP_RETRY_ANY]++;
        retry[reason]++;
        bx_ivbep_counts_to_change(s)->misc[BX_IVBEP_STARTED]++;
        at = until;
    }
    wait_in(m, s, *entry, queue, t, at);
    if (vfifo)
        wait_in(m, s, *entry, BX_IVBEP_VFIFO, t, at);
    if (queue == BX_IVBEP_IRQ && at > first)
        wait_in(m, s, *entry, BX_IVBEP_IRQ_REJECTED, first, at);
    return entry->begin = at;
}

static struct entry_group writes_at(const struct bx_ivbep_entries *in, uint64_t t, unsigned *first)
{
    struct entry_group writes = {0};

    skip_ended(in, t, first);
    for (unsigned i = *first; i < in->n && in->entry[i].begin <= t; i++) {
        const struct bx_ivbep_entry *other = &in->entry[i];
        if (other->writes && other->end > t)
            add_to_group(&writes, other);
    }
    return writes;
}

void bx_ivbep_admit_eviction(const struct bx_ivbep *m, struct bx_ivbep_slice *s,
                             struct bx_ivbep_entry *entry, uint64_t t)
{
    struct entry_group writes;
    unsigned known = 0;

    entry->begin = t;
    if (!entry->writes)
        return;
    while ((writes = writes_at(&s->tor, entry->begin, &known)).n >= m->times.wb_credits) {
        bx_ivbep_counts_to_change(s)->retry[BX_IVBEP_ISMQ_RETRY][BX_IVBEP_RETRY_ANY]++;
        bx_ivbep_counts_to_change(s)->retry[BX_IVBEP_ISMQ_RETRY][BX_IVBEP_RETRY_WB]++;
        entry->begin = writes.first_end;
    }
}

void bx_ivbep_tor_enter(struct bx_ivbep *m, struct bx_ivbep_slice *s, struct bx_ivbep_entry *entry,
                        uint64_t end)
{
    struct bx_ivbep_counts *c = bx_ivbep_counts_to_change(s);

    entry->end = end;
    c->tor[entry->what][entry->miss][entry->node][entry->requester]++;
    c->tor_cycles[entry->what][entry->miss][entry->node][entry->requester] += end - entry->begin;
    add_entry(m, &s->tor, entry);
}
